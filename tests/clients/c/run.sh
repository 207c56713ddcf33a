#!/bin/sh
# hiredis, Debian's: the blocking API, and the asynchronous one on libuv.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
"$TOP/tools/deps.sh" test >&2 || skip_language 'libhiredis-dev is not installed and could not be'
toolchain_is_there

# shellcheck disable=SC2046  # flags are words
gcc -std=gnu11 -O1 -g -Wall -Wextra -Werror -o "$WORK/hiredis" "$CLIENTS/c/hiredis.c" \
    $(pkg-config --cflags --libs hiredis libuv) -pthread >&2

latchd_start
suite "hiredis $(pkg-config --modversion hiredis)" tap "$WORK/hiredis"
