#!/bin/sh
# Makes the Debian package from a release build and installs it into an empty root: tests/package.sh BUILD
# Speaks TAP.
set -eu
cd "$(dirname "$0")/.."
. tests/lint/tap.sh
build=$1
if [ ! -f "$build/CPackConfig.cmake" ] || [ ! -f "$build/pages/latchd" ] || ! command -v dpkg >/dev/null; then
    echo "ok 1 - the package # SKIP there is no release build, or no dpkg"
    echo 1..1
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
root=$scratch/root

said=$(cpack --config "$build/CPackConfig.cmake" -B "$scratch" 2>&1) && said=
tap_case "cpack makes it" "$said"

# As dpkg does it, with a database of its own; there are no scripts in it to run.
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
as_dpkg() { dpkg --root="$root" --force-depends --force-not-root --force-bad-path --log=/dev/null "$@"; }
said=$(as_dpkg -i "$scratch"/*.deb 2>&1) && said=
tap_case "dpkg installs it" "$said"
tap_case "dpkg knows it" "$(dpkg-query --admindir="$root/var/lib/dpkg" -W latchd >/dev/null 2>&1 || echo no)"

cat >"$scratch/expected" <<'FILES'
/usr/bin/latchd
/usr/lib/systemd/system/latchd.service
/usr/lib/systemd/system/latchd.socket
/usr/share/bash-completion/completions/latchd
/usr/share/doc/latchd/CHANGELOG.md
/usr/share/doc/latchd/README.md
/usr/share/doc/latchd/copyright
/usr/share/man/man1/latchd.1.gz
/usr/share/man/man5/latchd.conf.5.gz
FILES
installed() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -type f -size +0 -print | sed 's/^.//' | LC_ALL=C sort); }
tap_case "it has its files and no others" "$(installed | diff "$scratch/expected" -)"
tap_case "the program runs" "$("$root/usr/bin/latchd" --version >/dev/null 2>&1 || echo "it does not")"
tap_case "the man page is the program's" \
    "$(gzip -dc "$root/usr/share/man/man1/latchd.1.gz" >"$scratch/1"; "$root/usr/bin/latchd" --man | diff - "$scratch/1")"
tap_case "what it links is what it depends on" "$(ldd "$root/usr/bin/latchd" |
    awk '$1 !~ /^(linux-vdso|libm|libc|libdl|libpthread|libmd|libuv|librt)\.so|ld-linux/ { print $1 }')"
said=$(as_dpkg --purge latchd 2>&1) && said=
tap_case "dpkg removes it" "$said"
tap_case "and nothing of it is left" "$(installed)"
tap_end
