#!/bin/bash
# Every workload against latchd, redis-server and the floor, in turns: bench/run.sh BUILD
#
# All servers are pinned to one core and the generator to another; each round visits every server once,
# so that whatever else the machine does meets all of them. Prints ratios of medians (server CPU per
# operation, latchd's and the others' over redis-server's) with the spread of the rounds, and leaves
# every single result in BUILD/bench.jsonl and the plots in BUILD.
#
#   BENCH_PEERS     more servers, one a line: NAME=COMMAND, with %p where the port goes
#   BENCH_ROUNDS    rounds (5)
#   BENCH_SECONDS   of each measurement (1)
#   BENCH_WORKLOADS which (all)
#   BENCH_KEYS      sizes of the keyspace for memory and the curve (10000 1000000)
#   BENCH_TRANSPORT tcp or unix (tcp); the peers' commands have %s where the path of the socket goes
set -euo pipefail
build=$1
rounds=${BENCH_ROUNDS:-5}
seconds=${BENCH_SECONDS:-1}
simple="ping set-get contended set-del compare-del reentrant reentrant-eval renewal fair handoff-publish handoff-blpop"
workloads=${BENCH_WORKLOADS:-$simple fanout-1000 fanout-10000}
sizes=${BENCH_KEYS:-10000 1000000}
transport=${BENCH_TRANSPORT:-tcp}
out=$build/bench.jsonl
port=28500
names=()
declare -A pids ports
case $transport in tcp | unix) ;; *) echo "BENCH_TRANSPORT is tcp or unix" >&2 && exit 2 ;; esac

ulimit -n "$(ulimit -Hn)"
: >"$out"
trap 'kill "${pids[@]}" 2>/dev/null || true' EXIT

# $1 name, the rest its command.
start() {
    local name=$1
    shift
    taskset -c 0 "$@" >"$build/bench-$name.log" 2>&1 &
    pids[$name]=$!
    ports[$name]=$port
    names+=("$name")
    port=$((port + 1))
}

socket() { echo "$build/bench-$1.sock"; }

# Debian's redis-check-rdb is a redis-server when it is called so; the package with the service is
# not needed.
ln -sf /usr/bin/redis-check-rdb "$build/redis-server"
declare -A commands=(
    [redis]="$build/redis-server --port %p --unixsocket %s --save  --appendonly no --maxclients 20000"
    [latchd]="$build/latchd --port %p --unixsocket %s --maxclients 20000"
)

start_server() { # name
    local command=${commands[$1]}
    command=${command//%p/$port}
    # shellcheck disable=SC2086  # a command line is words
    start "$1" ${command//%s/$(socket "$1")}
}

wait_for() {
    local tries=0
    until redis-cli -p "${ports[$1]}" ping >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt 200 ]; then
            echo "$1 does not answer" >&2
            exit 1
        fi
    done
}

note() { # server, a line of JSON
    echo "{\"server\":\"$1\",${2#\{}" >>"$out"
}

# Ticks that the host gave to others, and all ticks, so far.
ticks() { awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; print $9, all }' /proc/stat; }

generator() { taskset -c 1 "$@"; }

load() { # server, workload, pipeline
    local workload=$2 more=() where=(--port "${ports[$1]}")
    [ "$transport" = tcp ] || where=(--unix "$(socket "$1")")
    case $1 in uv | epoll) more=(--echo yes) ;; esac
    case $2 in fanout-*)
        more=(--connections 1 --listeners "${2#fanout-}")
        workload=fanout
        ;;
    esac
    note "$1" "$(generator "$build/bench_load" "$workload" "${where[@]}" --pid "${pids[$1]}" \
        --pipeline "$3" --seconds "$seconds" "${more[@]}")"
}

start_server redis
start_server latchd
while IFS='=' read -r name command; do
    [ -n "$name" ] || continue
    commands[$name]=$command
    start_server "$name"
done <<<"${BENCH_PEERS-}"
for name in "${names[@]}"; do wait_for "$name"; done
if [ "$transport" = tcp ]; then
    start uv "$build/bench_echo_uv" "$port"
    start epoll "$build/bench_echo_epoll" "$port"
fi

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores, Linux $(uname -r), load $(cut -d' ' -f1 /proc/loadavg)"
read -r stolen_before all_before < <(ticks)
echo "$rounds rounds of $seconds s, 50 connections over $transport"
for workload in $workloads; do
    for pipeline in 1 16; do
        case $workload in fanout-*) [ $pipeline = 1 ] || continue ;; esac
        for _ in $(seq "$rounds"); do
            for name in "${names[@]}"; do
                case $name-$workload in uv-[fh]a* | epoll-[fh]a*) continue ;; esac
                load "$name" "$workload" "$pipeline"
            done
        done
    done
done

# Memory is told from fresh servers only: none gives all of it back.
kill "${pids[@]}"
wait 2>/dev/null || true
fresh() { # server, what it is about, program and its arguments
    local server=$1 about=$2
    shift 2
    start_server "$server"
    wait_for "$server"
    note "$server" "{\"about\":\"$about\",$(generator "$@" --port "${ports[$server]}" --pid "${pids[$server]}" | cut -c2-)"
    kill "${pids[$server]}"
    wait "${pids[$server]}" 2>/dev/null || true
}
for server in redis latchd; do
    command=${commands[$server]//%p/$port}
    # shellcheck disable=SC2086  # a command line is words
    note $server "$("$build/bench_start" "$port" ${command//%s/$(socket $server)})"
    port=$((port + 1))
    fresh $server memory "$build/bench_memory" connection 10000
    for n in $sizes; do
        fresh $server memory "$build/bench_memory" string "$n"
        fresh $server memory "$build/bench_memory" hash "$n"
        fresh $server keyspace "$build/bench_load" set-get --pipeline 16 --keys "$n" --warm "$((1 + n / 500000))"
    done
    fresh $server expiry "$build/bench_expiry" 1000000
done
unset 'pids[*]'

read -r stolen all < <(ticks)
bench/table.awk "$out"
printf '\nOf the cores'"'"' time, the host gave %d %% to others.\n' \
    $((100 * (stolen - stolen_before) / (all - all_before)))
bench/plot.sh "$out" "$build"
