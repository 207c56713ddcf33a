#!/bin/bash
# What do those who read /metrics say of it? tests/lint/metrics.sh PROGRAM FOLDER
#
# promtool reads the older format, a strict parser the newer one, and a Prometheus server scrapes it as it would in
# production and is asked for what it has understood. FOLDER holds its programs; see tools/prometheus.sh.
set -eu
cd "$(dirname "$0")/../.."
program=$1
promtool=$2/promtool
prometheus=$2/prometheus
dir=$(mktemp -d)
started=()
trap 'kill "${started[@]}" || true; wait || true; rm -r "$dir"' EXIT

# until_holds SECONDS COMMAND...
until_holds() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if [ $SECONDS -ge $end ]; then
            echo "it never came to: $*"
            cat "$dir"/*.log
            exit 1
        fi
        sleep 0.05
    done
}

client() { redis-cli -s "$dir/socket" "$@"; }

"$program" --port 0 --unixsocket "$dir/socket" --http 127.0.0.1:0 --logfile "$dir/latchd.log" --hold-warn '*' 1 &
started+=($!)
until_holds 10 client ping
url=$(sed -n 's/.*\(http:.*\/\)$/\1/p' "$dir/latchd.log")metrics
address=${url#http://}
address=${address%/metrics}

# Something of everything that is counted.
{
    client set lock:a token NX PX 60000
    client set lock:b token NX PX 20
    client eval "return redis.error_reply('MY own')" 0
    client nosuch
    client get lock:a
    client get nothing
    client publish channel message
    printf 'SET "\\x00 \\xff \\" \\\\" token NX PX 60000\n' | client # a name for JSON to quote
} >/dev/null
until_holds 10 client eval "return redis.call('exists', 'lock:b') == 0 or redis.error_reply('NOT yet')" 0

echo "a JSON parser:"
curl -sS "${url%metrics}locks" | /usr/bin/python3 -c '
import json, sys
locks = json.load(sys.stdin)["locks"]
assert [lock["key"] for lock in locks] == ["lock:a", "\0 \udcff \" \\"], locks'
echo "promtool:"
curl -sS -H 'Accept: text/plain' "$url" >"$dir/older"
"$promtool" check metrics <"$dir/older"

echo "a strict parser:"
curl -sS "$url" >"$dir/newer"
tests/lint/openmetrics.py "$dir/newer" "$dir/older" docs/operations.md

# On another address of the machine the port is free, since latchd has it on this one.
echo "a Prometheus server:"
cat >"$dir/prometheus.yml" <<YML
scrape_configs:
  - {job_name: latchd, scrape_interval: 200ms, scrape_timeout: 200ms, static_configs: [{targets: ["$address"]}]}
YML
there=127.0.0.2:${address##*:}
"$prometheus" --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" --web.listen-address="$there" \
    --log.level=warn 2>"$dir/prometheus.log" &
started+=($!)
has() { # a query that answers with one series
    "$promtool" query instant "http://$there" "$1" | grep -q ' => '
}
until_holds 30 has 'up{job="latchd"} == 1'
while read -r query; do
    has "$query" || { echo "nothing answers $query" && exit 1; }
done <<'QUERIES'
latchd_build_info == 1
latchd_clients >= 0
latchd_connections_total >= 5
latchd_commands_total{command="set"} == 3
latchd_command_duration_seconds_count{command="set"} == 3
histogram_quantile(0.99, latchd_command_duration_seconds_bucket{command="set"}) < 1
latchd_errors_total{code="MY"} == 1
latchd_keys{db="0"} == 2
latchd_locks{db="0"} == 2
latchd_lock_hold_warnings_total >= 1
latchd_expired_keys_total == 1
latchd_expiry_lateness_seconds_bucket{le="+Inf"} == 1
latchd_script_runs_total >= 2
latchd_pubsub_messages_total == 0
latchd_memory_used_bytes / latchd_memory_limit_bytes < 1
histogram_quantile(0.5, latchd_loop_lag_seconds_bucket) < 1
QUERIES
if [ -s "$dir/prometheus.log" ]; then # what it could not read
    cat "$dir/prometheus.log"
    exit 1
fi
echo "  it has understood everything"
