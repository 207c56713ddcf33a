#!/bin/sh
# redis-benchmark's default run: each of its tests is a case, and none may be left out.
set -u

said=$(timeout 280 redis-benchmark -p "$REDIS_PORT" -q 2>&1 | tr '\r' '\n')
count=0
for test in PING_INLINE PING_MBULK SET GET INCR LPUSH RPUSH LPOP RPOP SADD HSET SPOP ZADD ZPOPMIN \
    LRANGE_100 LRANGE_300 LRANGE_500 LRANGE_600 MSET; do
    count=$((count + 1))
    if printf '%s\n' "$said" | grep -qE "^${test}[ :(].*requests per second"; then
        echo "ok $count - $test"
    else
        echo "not ok $count - $test"
    fi
done
count=$((count + 1))
errors=$(printf '%s\n' "$said" | grep -iE 'error|warning') && echo "not ok $count - no error: $errors" ||
    echo "ok $count - no error"
echo "1..$count"
