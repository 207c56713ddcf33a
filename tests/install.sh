#!/bin/sh
# What `make install` puts down can be used as the documentation says: tests/install.sh build cc [flags]
#
# The example is built against an installation in a folder of its own: with pkg-config and with CMake's
# find_package, against the shared library and against the static one. Speaks TAP.
set -eu
build=$1
shift
. tests/lint/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root

# attempt what command...
attempt() {
    what=$1
    shift
    said=$("$@" 2>&1) && said=
    tap_case "$what" "$said"
}

# The page shows the example as it is.
# shellcheck disable=SC2016  # not expressions
sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d' >"$scratch/shown.c"
attempt 'docs/embedding.md shows the example that is built here' diff examples/c/test_lock.c "$scratch/shown.c"

attempt 'it installs' cmake --install "$build" --prefix "$root"
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name latch.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export LD_LIBRARY_PATH

# shellcheck disable=SC2046  # lists of flags
attempt 'the example builds with pkg-config' \
    "$@" examples/c/test_lock.c $(pkg-config --cflags --libs latch hiredis) -o "$scratch/shared"
attempt 'and runs' "$scratch/shared"

# shellcheck disable=SC2046
attempt 'the example builds with the static library' \
    "$@" examples/c/test_lock.c $(pkg-config --cflags latch) "$LD_LIBRARY_PATH/liblatch.a" -luv -lmd -lm -ldl \
    -pthread -lhiredis -o "$scratch/static"
attempt 'and runs' env -u LD_LIBRARY_PATH "$scratch/static"

cat >"$scratch/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(latch 0.1 REQUIRED)
add_executable(with_shared ${EXAMPLE})
target_link_libraries(with_shared latch::latch hiredis)
add_executable(with_static ${EXAMPLE})
target_link_libraries(with_static latch::static hiredis)
END
compiler=$1
shift
attempt 'CMake finds the package' cmake -S "$scratch" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$root" \
    -DEXAMPLE="$PWD/examples/c/test_lock.c" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$*"
attempt 'and builds with it' cmake --build "$scratch/cmake"
attempt 'what it has built against the shared library runs' "$scratch/cmake/with_shared"
attempt 'and against the static one' "$scratch/cmake/with_static"
attempt 'the header is good C++' c++ -std=c++17 -Wall -Werror -fsyntax-only -x c++ "$root/include/latch/latch.h"
tap_end
