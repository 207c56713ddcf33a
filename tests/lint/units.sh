#!/bin/bash
# Are the systemd units good? tests/lint/units.sh PROGRAM
#
# systemd-analyze reads them and judges how much the service could do if it were taken over. Then the service's own
# command is started by systemd-socket-activate, as systemd would start it when the first client comes.
set -eu
cd "$(dirname "$0")/../.."
program=$(realpath "$1")
scratch=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server"; wait "$server" || true; fi; rm -r "$scratch"' EXIT

# systemd-analyze wants the program to be there; the units are read with this one in its place.
cp packaging/latchd.socket "$scratch"
sed "s|/usr/bin/latchd|$program|; /^Documentation=/d" packaging/latchd.service >"$scratch/latchd.service"
said=$(systemd-analyze verify "$scratch/latchd.service" "$scratch/latchd.socket" 2>&1 | grep -F latchd) || true
[ -z "$said" ] || { echo "$said" && exit 1; }
# 0 is a jail, 10 is none at all; the threshold is in tenths.
systemd-analyze security --offline=true --threshold=20 "$scratch/latchd.service" | tail -1

read -ra command < <(sed -n 's/^ExecStart=//p' "$scratch/latchd.service")
systemd-socket-activate --listen="$scratch/socket" "${command[@]}" >"$scratch/log" 2>&1 &
server=$!
for _ in $(seq 200); do
    if [ -S "$scratch/socket" ]; then break; fi
    sleep 0.02
done
# The first client waits for the start; the passed socket is all that is served.
answer=$(timeout 20 redis-cli -s "$scratch/socket" config get port | tr '\n' ' ') || true
[ "$answer" = "port 0 " ] || { echo "socket activation: $answer" && cat "$scratch/log" && exit 1; }
echo "latchd.service: started by systemd-socket-activate for its first client"
