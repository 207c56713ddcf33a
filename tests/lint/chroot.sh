#!/bin/bash
# What a container engine would do with the image, without one: tests/lint/chroot.sh build-static/latchd
#
# The static program runs in a root that holds nothing else and cannot be written, as the user of the Dockerfile, with
# its environment and with the password in a file, as in compose.yaml; and its health check is run there, too. All of it
# happens in a mount namespace of its own. Without root rights the user is the one of a user namespace.
set -eu
cd "$(dirname "$0")/../.."
if [ "${2-}" != inside ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
    if ! unshare --mount "${as_root[@]}" true 2>/dev/null; then
        echo "chroot: skipped, for this machine gives out no mount namespaces"
        exit 0
    fi
    exec unshare --mount "${as_root[@]}" "$0" "$1" inside "${#as_root[@]}"
fi
mapped=$3
scratch=$(mktemp -d)
root=$scratch/root
leave() {
    [ ! -s "$root/run/pid" ] || kill "$(cat "$root/run/pid")" || true
    wait
    umount "$root/run" "$root"
    rm -r "$scratch"
}
fail() {
    echo "chroot: $1"
    cat "$scratch"/said* 2>/dev/null || true
    exit 1
}

# The image: one file. And, as an engine adds them, a /run in memory with the secret in it.
mkdir -p "$root/run"
install -m 0555 "$1" "$root/latchd"
mount --bind "$root" "$root"
trap leave EXIT
mount -t tmpfs -o mode=1777 none "$root/run"
mkdir "$root/run/secrets"
printf 'secret\n' >"$root/run/secrets/latchd-password"
mount -o remount,ro,bind "$root"
! touch "$root/file" 2>/dev/null || fail "its root can be written"

user=$(sed -n 's/^USER //p' docker/Dockerfile)
health=$(sed -n 's/^HEALTHCHECK .* CMD \["\(.*\)", "\(.*\)"\]$/\1 \2/p' docker/Dockerfile)
bind=$(sed -n 's/^ENV LATCHD_BIND="\(.*\)"$/\1/p' docker/Dockerfile)
[ -n "${user:+$health}" ] || fail "the Dockerfile was not understood"
in_image() { # [VARIABLE=value...] command
    local as=(--userspec="$user")
    [ "$mapped" -eq 0 ] || as=()
    env -i LATCHD_BIND="$bind" LATCHD_MAXMEMORY=192mb LATCHD_REQUIREPASS_FILE=/run/secrets/latchd-password \
        LATCHD_PORT=auto LATCHD_PORT_FILE=/run/port LATCHD_PIDFILE=/run/pid "${@:1:$#-1}" "$(command -v chroot)" "${as[@]}" "$root" ${!#}
}

in_image "/latchd" >"$scratch/said" 2>&1 &
job=$!
for _ in $(seq 200); do
    if in_image "$health" >"$scratch/said.health" 2>&1; then break; fi
    kill -0 "$job" 2>/dev/null || fail "it has ended"
    sleep 0.02
done
grep -q '^healthy: ' "$scratch/said.health" || fail "its health check does not pass"
! in_image LATCHD_REQUIREPASS_FILE= LATCHD_REQUIREPASS=wrong "$health" >"$scratch/said.health" 2>&1 ||
    fail "its health check passes with another password"
[ "$mapped" -ne 0 ] || grep -q "^Uid:[[:space:]]${user%:*}[[:space:]]" "/proc/$(cat "$root/run/pid")/status" || fail "it runs as another user"
kill "$(cat "$root/run/pid")"
wait "$job" || fail "it did not end well"
echo "the static program serves and is healthy in an empty, read-only root"
