#!/bin/sh
# Does the static program run where there is nothing but itself, as nobody, with a password from a file and a
# root that it cannot write? What the image would do, without an engine: tests/lint/chroot.sh build-static/latchd
set -eu
root=$(mktemp -d)
mkdir "$root/run"
cp "$1" "$root/latchd"
printf secret >"$root/password"
chmod 0555 "$root" "$root/latchd"
chmod 0444 "$root/password"
chmod 0777 "$root/run"
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        chroot --userspec=65532:65532 "$root" "$@"
    else
        unshare -r chroot "$root" "$@"
    fi
}
options="--port 0 --unixsocket /run/latchd.sock --requirepass-file /password"
# shellcheck disable=SC2086  # options are words
as_user /latchd $options --logfile /run/log --pidfile /run/pid &
trap 'kill "$(cat "$root/run/pid")"; wait; chmod 0755 "$root"; rm -r "$root"' EXIT
tries=0
# shellcheck disable=SC2086
until as_user /latchd health $options 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 200 ]
done
