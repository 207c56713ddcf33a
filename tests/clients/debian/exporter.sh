#!/bin/sh
# prometheus-redis-exporter with everything switched on: exporter.sh program. Every series of exporter.series,
# which are those it has for a Redis 7.0, must be there, and its log without a complaint.
set -eu
here=$(dirname "$0")
address=127.0.0.2:$REDIS_PORT # the port is free there, since latchd has it on 127.0.0.1

redis-cli -p "$REDIS_PORT" >/dev/null <<'END'
FLUSHALL
SET lock:1 a
SET lock:2 b PX 100000
HSET hash:1 field value
EVALSHA ffffffffffffffffffffffffffffffffffffffff 0
END

"$1" -redis.addr "redis://127.0.0.1:$REDIS_PORT" -web.listen-address "$address" -include-system-metrics \
    -include-config-metrics -export-client-list -check-keys 'lock:*,hash:*' -count-keys 'db0=lock:*' \
    -check-key-groups '^lock,^hash' -script "$here/exporter.lua" 2>exporter.log &
exporter=$!
trap 'kill $exporter' EXIT

tries=0
until curl -sf "http://$address/metrics" >exporter.metrics || [ $((tries += 1)) -gt 100 ]; do sleep 0.1; done
curl -sf "http://$address/metrics" >exporter.metrics # now with what the first one left behind

verdict() { # verdict "what", and what speaks against it
    if [ -z "$2" ]; then echo "ok - $1"; else printf 'not ok - %s\n%s\n' "$1" "$2"; fi
}
sed -n 's/^\(redis_[a-z0-9_]*\).*/\1/p' exporter.metrics | sort -u >exporter.seen
verdict 'all series are there' "$(LC_ALL=C sort "$here/exporter.series" | LC_ALL=C comm -23 - exporter.seen)"
verdict 'nothing is complained of' "$(grep -E 'level=(warn|error|fatal)' exporter.log || true)"
verdict 'the last scrape had no error' "$(grep '^redis_exporter_last_scrape_error' exporter.metrics | grep -v ' 0$' || true)"
verdict 'keys are counted' "$(grep -qx 'redis_keys_count{db="db0",key="lock:\*"} 2' exporter.metrics || echo none)"
verdict 'its script is run' "$(grep -q '^redis_script_values{key="time"} [1-9]' exporter.metrics || echo none)"
