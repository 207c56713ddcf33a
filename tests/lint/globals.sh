#!/bin/sh
# No writable data outside what a caller owns: tests/lint/globals.sh list
#
# `list` names our object files, one a line. Any symbol in a writable section is state that two
# servers in one process would share. Constant tables with pointers in them are fine: the loader
# fills in .data.rel.ro and then write-protects it. What sanitizers and coverage add is not ours.
# Speaks TAP.
set -eu
list=$1
cd "$(dirname "$0")/../.."
. tests/lint/tap.sh

# Prints the writable symbols of the object files whose names come in.
writable() {
    xargs -r -d '\n' objdump -t | awk '
        /file format/ { file = $1; sub(/:$/, "", file); sub(/.*\.dir\/(\.\/)?/, "", file) }
        match($0, / (\.t?data|\.t?bss|\*COM\*)[^ \t]*\t/) {
            section = substr($0, RSTART + 1, RLENGTH - 2)
            if (section ~ /^\.data\.rel\.ro/ || $NF == section) next
            if ($NF ~ /^(__gcov|__asan|___asan|__odr_asan|__sancov|__ubsan|__llvm|__unnamed_)/) next
            print file " has " $NF " in " section
        }'
}

# Source that must be found wanting, or must not be: otherwise the cases below would prove nothing.
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
compile() {
    echo "$1" | "${CC:-cc}" -fPIC -c -x c -o "$scratch/probe.o" -
    echo "$scratch/probe.o" | writable
}
notices() {
    missed=
    [ -n "$(compile "$1")" ] || missed="it was let through"
    tap_case "the check notices: $1" "$missed"
}

notices 'int total; int *f(void) { return &total; }'
notices 'static int level = 3; int f(void) { return level++; }'
notices 'int f(void) { static int calls; return ++calls; }'
notices 'static int x; static int *p = &x; int **f(void) { return &p; }'
notices '_Thread_local int mine;'
tap_case 'the check allows a constant table of pointers' \
    "$(compile 'static const char *const names[] = {"a", "b"}; const char *f(int i) { return names[i]; }')"

tap_case 'there are object files to look at' "$([ -s "$list" ] || echo "$list is empty")"
tap_case 'no layer has writable data' "$(writable <"$list")"
tap_end
