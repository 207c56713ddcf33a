#!/bin/sh
# Only the names of include/latch leave the libraries: tests/lint/exports.sh build
#
# A program that embeds a server must be free to have functions keys_find and call_run of its own.
# Speaks TAP.
set -eu
build=$1
. tests/lint/tap.sh

declared=$(grep -o 'latch_[a-z_]*(' include/latch/latch.h | tr -d '(' | grep -v '_fn$' | sort -u)

# compare what file [option of nm]
compare() {
    found=$(nm --extern-only --defined-only ${3:+"$3"} "$2" | awk 'NF == 3 { print $3 }')
    tap_case "the $1 library exports what the header declares, and nothing else" \
        "$(printf '%s\n' "$declared" "$found" | sort | uniq -u)"
}

tap_case 'the header declares functions' \
    "$([ "$(echo "$declared" | wc -l)" -gt 15 ] || echo "too few: $declared")"
compare shared "$build/liblatch.so" --dynamic
compare static "$build/liblatch.a"
tap_end
