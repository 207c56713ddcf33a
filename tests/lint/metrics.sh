#!/bin/sh
# What does Prometheus's own checker say of /metrics? tests/lint/metrics.sh PROGRAM PROMTOOL
set -eu
program=$1
promtool=$2
dir=$(mktemp -d)
"$program" --port 0 --unixsocket "$dir/socket" --http 127.0.0.1:0 --logfile "$dir/log" &
pid=$!
trap 'kill "$pid"; wait "$pid" || true; rm -r "$dir"' EXIT
until redis-cli -s "$dir/socket" ping >/dev/null 2>&1; do
    kill -0 "$pid"
done
redis-cli -s "$dir/socket" set lock:a token NX PX 60000 >/dev/null
redis-cli -s "$dir/socket" eval "return redis.error_reply('MY own')" 0 >/dev/null
redis-cli -s "$dir/socket" nosuch >/dev/null
url=$(sed -n 's/.*\(http:.*\/\)$/\1/p' "$dir/log")metrics
curl -sS -H 'Accept: text/plain' "$url" >"$dir/metrics"
"$promtool" check metrics <"$dir/metrics"
# The other format differs in the names of counters and in its last line only.
curl -sS "$url" | sed -n 's/^\(latchd_[a-z_]*\).*/\1/p' | sort -u >"$dir/names"
sed -n 's/^\(latchd_[a-z_]*\).*/\1/p' "$dir/metrics" | sort -u | diff - "$dir/names"
