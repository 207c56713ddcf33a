#!/bin/sh
# Instructions per operation, in process: bench/count.sh PROGRAM [workload ...]
#
# Runs bench_count under callgrind and prints a line per workload: its name, a tab, the number.
set -eu
program=$1
shift
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

valgrind --quiet --tool=callgrind --toggle-collect=serve --callgrind-out-file="$out/part" \
    "$program" "$@" >&2
# shellcheck disable=SC2016 # the dollars are awk's
find "$out" -name 'part.*' | sort -t. -k3n | xargs awk '
    /^desc: Trigger: Client Request: / { name = $5; operations = $6 }
    /^summary: / && operations { printf "%s\t%d\n", name, $2 / operations; operations = 0 }'
