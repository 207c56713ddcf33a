#!/bin/sh
# Prints the path of promtool, Prometheus's own checker: tools/promtool.sh DIR
#
# Debian has it in a package that brings a service. So that nothing is started, the package is not
# installed: it is fetched into DIR and the one program is taken out of it.
set -eu
if command -v promtool; then
    exit 0
fi
dir=$1
if [ ! -x "$dir/usr/bin/promtool" ]; then
    mkdir -p "$dir"
    (cd "$dir" && apt-get -qq download prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb . && rm prometheus_*.deb)
fi
echo "$dir/usr/bin/promtool"
