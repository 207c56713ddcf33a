#!/bin/sh
# The static program needs nothing, and serves: tests/static.sh build-static/latchd. Speaks TAP.
set -eu
program=$1
. tests/lint/tap.sh
scratch=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; fi; rm -r "$scratch"' EXIT

tap_case 'it asks for no interpreter and no library' "$(readelf -ld "$program" | grep -E 'INTERP|NEEDED' || true)"

"$program" --port auto --port-file "$scratch/port" --die-with-parent yes --logfile "$scratch/log" &
server=$!
answer() { "$program" ping --port auto --port-file "$scratch/port"; }
for _ in $(seq 200); do
    answer >"$scratch/said" 2>&1 && break
    sleep 0.02
done
tap_case 'it starts and answers' "$(grep -qx PONG "$scratch/said" || cat "$scratch/said" "$scratch/log")"
tap_end
