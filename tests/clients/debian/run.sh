#!/bin/sh
# The clients that Debian itself has, in Debian's versions.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
here=$CLIENTS/debian
command -v dpkg-query >/dev/null || skip_language 'this is not Debian'
"$TOP/tools/deps.sh" debian >&2 || skip_language "Debian's packages could not be installed"
toolchain_is_there

cd "$WORK" || exit
latchd_start

package() { # its name and version, without what Debian added
    dpkg-query -W -f '${Package} ${Version}' "$1" | sed 's/ [0-9]*:/ /; s/[-+][^ ]*$//'
}

suite "$(package php-redis)" tap php "$here/phpredis.php"
suite "$(package php-predis)" tap php "$here/predis.php"
suite "$(package ruby-redis)" tap ruby "$here/redis.rb"
suite "$(package libredis-perl)" tap perl "$here/redis.pl"
suite "$(package iredis)" tap "$here/iredis.sh"

# Test::RedisServer takes what is called redis-server.
mkdir -p bin
ln -sf "$LATCHD" bin/redis-server
suite "$(package libtest-redisserver-perl)" tap env PATH="$PWD/bin:$PATH" perl "$here/test_redisserver.pl"

# The exporter's package would start a service: only its program is taken out of it.
exporter=prometheus-redis-exporter
if rm -rf $exporter* && apt-get -qq download $exporter 2>/dev/null && dpkg-deb -x $exporter*.deb $exporter; then
    version=$(dpkg-deb -f $exporter*.deb Version | sed 's/-.*//')
    suite "$exporter $version" tap "$here/exporter.sh" "$exporter/usr/bin/$exporter"
else
    skip_suite $exporter 'its package could not be downloaded'
fi
