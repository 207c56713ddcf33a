#!/bin/sh
# Are the systemd units good? tests/lint/units.sh PROGRAM
# systemd-analyze wants the program to be there; the units are read with this one in its place.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v systemd-analyze >/dev/null; then
    echo "systemd-analyze is not there; the units were not checked"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
cp packaging/latchd.socket "$scratch"
sed "s|/usr/bin/latchd|$(realpath "$1")|; /^Documentation=/d" packaging/latchd.service >"$scratch/latchd.service"
said=$(systemd-analyze verify "$scratch/latchd.service" "$scratch/latchd.socket" 2>&1 | grep -F latchd) || true
[ -z "$said" ] || { echo "$said" && exit 1; }
# 0 is a jail, 10 is none at all.
systemd-analyze security --offline=true --threshold=20 "$scratch/latchd.service" | tail -1
