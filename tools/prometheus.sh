#!/bin/sh
# Prints the folder with Prometheus's own programs, prometheus and promtool: tools/prometheus.sh DIR
#
# Debian has them in a package that brings a service. So that nothing is started, the package is not
# installed: it is fetched into DIR and unpacked there.
set -eu
dir=$1
if [ ! -x "$dir/usr/bin/prometheus" ]; then
    mkdir -p "$dir"
    (cd "$dir" && apt-get -qq download prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb . && rm prometheus_*.deb)
fi
echo "$dir/usr/bin"
