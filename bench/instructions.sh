#!/bin/bash
# User instructions per operation of latchd and redis-server, sockets included: bench/instructions.sh BUILD
#
# Each server runs under callgrind twice, for few and for many operations; the difference is what the
# operations took, and does not depend on the machine's speed or on what else it does.
set -euo pipefail
build=$1
few=2000
many=10000
pipeline=${BENCH_PIPELINE:-16}
workloads=${BENCH_WORKLOADS:-ping set-get contended set-del compare-del reentrant reentrant-eval renewal fair}
port=28600
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT

# Instructions of a whole life with $3 operations of workload $2.
life() {
    local valgrind=(valgrind --quiet --tool=callgrind --callgrind-out-file="$dir/out")
    port=$((port + 1))
    if [ "$1" = redis ]; then
        (exec -a redis-server "${valgrind[@]}" "$dir/redis-server" --port $port --save '' --appendonly no) >/dev/null 2>&1 &
    else
        "${valgrind[@]}" "$build/latchd" --port $port >/dev/null 2>&1 &
    fi
    until redis-cli -p $port ping >/dev/null 2>&1; do :; done
    "$build/bench_load" "$2" --port $port --pipeline "$pipeline" --warm 0 --seconds 600 --operations "$3" >/dev/null
    redis-cli -p $port shutdown nosave >/dev/null 2>&1 || true
    wait
    awk '/^totals:/ { print $2 }' "$dir/out"
}

per_operation() { echo $((($(life "$1" "$2" $many) - $(life "$1" "$2" $few)) / (many - few))); }

ln -s /usr/bin/redis-check-rdb "$dir/redis-server"
printf '%-16s %10s %10s %7s   (pipeline %d)\n' workload redis latchd ratio "$pipeline"
for workload in $workloads; do
    redis=$(per_operation redis "$workload")
    latchd=$(per_operation latchd "$workload")
    printf '%-16s %10d %10d %7s\n' "$workload" "$redis" "$latchd" "$(awk "BEGIN { printf \"%.2f\", $latchd / $redis }")"
done
