#!/bin/sh
# Below the shell nobody asks what time it is, nor for chance: tests/lint/clocks.sh list
#
# `list` names our object files, one a line. The engine is told the time and the seeds, so that the
# same inputs always give the same outputs; a call that breaks this shows as an undefined symbol.
# Speaks TAP.
set -eu
list=$1
cd "$(dirname "$0")/../.."
. tests/lint/tap.sh

# Prints the object files whose names come in that call for a clock or for randomness.
tempted() {
    xargs -r -d '\n' objdump -t | awk '
        /file format/ { file = $1; sub(/:$/, "", file); sub(/.*\.dir\/(\.\/)?/, "", file) }
        / \*UND\*/ && $NF ~ /^(_*clock(_gettime)?|gettimeofday|time|ftime|timespec_get|uv_hrtime|uv_now)$/ ||
        / \*UND\*/ && $NF ~ /^(s?rand|rand_r|s?random|random_r|.rand48|getrandom|getentropy|arc4random.*)$/ {
            print file " calls " $NF
        }'
}

scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
notices() {
    echo "$1" | "${CC:-cc}" -c -x c -o "$scratch/probe.o" -
    missed=
    [ -n "$(echo "$scratch/probe.o" | tempted)" ] || missed="it was let through"
    tap_case "the check notices: $1" "$missed"
}

notices 'int clock_gettime(int, void *); int f(void *t) { return clock_gettime(1, t); }'
notices 'long time(long *); long f(void) { return time(0); }'
notices 'int rand(void); int f(void) { return rand(); }'
notices 'int getentropy(void *, unsigned long); int f(void *p) { return getentropy(p, 8); }'

pure='/(base|resp|store|scripts|engine)\.dir/'
tap_case 'there are object files to look at' "$(grep -qE "$pure" "$list" || echo "$list names none")"
tap_case 'no layer below the shell reads a clock or draws a random number' "$(grep -E "$pure" "$list" | tempted)"
tap_end
