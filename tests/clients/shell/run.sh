#!/bin/sh
# redis-cli and redis-benchmark, Debian's.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
need redis-cli test
need redis-benchmark test
toolchain_is_there

latchd_start
suite "redis-cli $(redis-cli --version | cut -d' ' -f2)" tap "$CLIENTS/shell/redis_cli.sh"
suite "redis-benchmark $(redis-benchmark --version | cut -d' ' -f2)" tap "$CLIENTS/shell/redis_benchmark.sh"
