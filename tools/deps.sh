#!/bin/sh
# Makes sure that Debian's packages for a purpose are installed: tools/deps.sh run | test | bench | lint | fuzz |
# clients or, for the client libraries of a language, python | java | go | rust | debian
#
# With everything present it only asks dpkg, which takes milliseconds and no network. What is missing
# is installed as root or through sudo; without either, the command to type is printed. No package
# here brings a service: redis-tools has the clients and no daemon.
#
# shellcheck disable=SC2046,SC2086  # package names are split into words on purpose
set -eu

packages() {
    case $1 in
    run) echo gcc libc6-dev cmake ninja-build pkgconf liblua5.1-0-dev libmd-dev libssl-dev libuv1-dev libxxhash-dev ;;
    test) echo $(packages run) binutils curl g++ groff-base libcmocka-dev libhiredis-dev libfaketime openssl \
        redis-tools valgrind ;;
    clients) echo $(packages test) iproute2 util-linux ;;
    python) echo python3 python3-venv ;;
    java) echo openjdk-17-jdk-headless maven ;;
    go) echo golang-go ;;
    rust) echo cargo-web ;;
    debian) echo php-cli php-redis php-predis ruby ruby-redis libredis-perl libtest-redisserver-perl iredis \
        redis-tools curl ;;
    bench) echo $(packages test) gnuplot-nox util-linux ;;
    lint) echo $(packages test) clang clang-format clang-tidy cppcheck shellcheck systemd \
        python3-prometheus-client python3-venv python3-yaml ;;
    fuzz) echo $(packages test) clang libclang-rt-14-dev ;;
    *) return 1 ;;
    esac
}

absent() { # dpkg-query fails when it has never heard of a package: that is an answer, too
    present=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' "$@" 2>/dev/null) || true
    for name in "$@"; do
        echo "$present" | grep -qxF "$name=installed" || echo "$name"
    done
}

install() {
    echo "installing: $*"
    apt="${as_root-} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300"
    $apt update && $apt install -y --no-install-recommends "$@" >/dev/null
}

if [ $# -ne 1 ] || ! wanted=$(packages "$1"); then
    echo "usage: $0 run | test | bench | lint | fuzz | clients | python | java | go | rust | debian" >&2
    exit 2
fi
if ! command -v dpkg-query >/dev/null; then
    echo "$0: this is not Debian; the build needs what these packages hold there: $wanted" >&2
    exit 0
fi

missing=$(absent $wanted | xargs)
if [ -z "$missing" ]; then
    exit 0
elif [ "$(id -u)" -eq 0 ]; then
    install $missing
elif command -v sudo >/dev/null && sudo -v; then
    as_root=sudo
    install $missing
else
    echo "Some packages are missing. Please run, as root:" >&2
    echo "    apt-get update && apt-get install -y --no-install-recommends $missing" >&2
    exit 1
fi
