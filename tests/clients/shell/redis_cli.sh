#!/bin/sh
# redis-cli in the ways people use it, each as a case: what it must print is a pattern of grep -E.
set -u

count=0
expect() { # expect "what it shows" pattern command...
    what=$1 pattern=$2
    shift 2
    count=$((count + 1))
    if said=$("$@" 2>&1) && printf '%s\n' "$said" | grep -qE -- "$pattern"; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        printf '%s\n' "$said" | sed 's/^/# /'
    fi
}
cli() { timeout 10 redis-cli -p "$REDIS_PORT" "$@"; }

expect 'answers PING' '^PONG$' cli ping
echo "1..$count"
