#!/bin/sh
# Runs a command in a network of its own, where latchd has port 6379: tests/clients/alone.sh command...
#
# For suites that know no other port. Nobody outside sees that network, so nothing on this machine is in the way.
set -eu

if [ "${ALONE:-}" != yes ]; then
    exec env ALONE=yes unshare --map-root-user --net -- "$0" "$@"
fi

ip link set lo up
"$LATCHD" --port 6379 --die-with-parent yes --logfile "$WORK/alone.log" &
server=$!
until "$LATCHD" ping --port 6379 >/dev/null 2>&1; do
    kill -0 "$server"
    sleep 0.05
done
status=0
"$@" || status=$?
kill "$server"
exit "$status"
