#!/bin/sh
# redis-cli in the ways people use it, one case each.
set -u

count=0
expect() { # expect "what it shows" pattern command...: it succeeds and prints a line that matches (grep -E)
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

# What an option that never ends prints in a while, line by line.
watch() { timeout 2 stdbuf -oL redis-cli -p "$REDIS_PORT" "$@" || [ $? -eq 124 ]; }

# A dialogue needs a terminal.
talk() { printf '%s\nquit\n' "$1" | TERM=dumb timeout 10 script -qec "redis-cli -p $REDIS_PORT" /dev/null; }

# shellcheck disable=SC2016  # lengths of the protocol, not variables
piped() { printf 'SET p 1\r\nINCR p\r\n*2\r\n$3\r\nGET\r\n$1\r\np\r\n' | cli --pipe; }

monitored() {
    monitor=$(mktemp)
    stdbuf -oL timeout 10 redis-cli -p "$REDIS_PORT" monitor >"$monitor" &
    until grep -q OK "$monitor"; do sleep 0.05; done
    cli eval 'return redis.call("GET", KEYS[1])' 1 seen >/dev/null
    until grep -q '"GET" "seen"' "$monitor"; do sleep 0.05; done
    kill $!
    cat "$monitor"
    rm -f "$monitor"
}

# Four processes draw from one counter: each takes the lock, reads, and writes one more in a second step. A
# directory stands for being inside, since only one can make it.
increment() {
    for round in 1 2 3 4 5 6 7 8 9 10; do
        token=$1-$round
        until [ "$(cli set lock "$token" nx px 10000)" = OK ]; do :; done
        mkdir "$2/inside" || echo "met another inside"
        seen=$(cat "$2/counter")
        echo $((seen + 1)) >"$2/counter"
        rmdir "$2/inside"
        [ "$(cli eval "$unlock" 1 lock "$token")" = 1 ] || echo "lost the lock"
    done
}
unlock='if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0'
contended() {
    place=$(mktemp -d)
    echo 0 >"$place/counter"
    for worker in 1 2 3 4; do increment $worker "$place" & done >"$place/complaints" 2>&1
    wait
    echo "counted to $(cat "$place/counter") with $(wc -l <"$place/complaints") complaints"
    rm -r "$place"
}

cli mset string:1 a string:2 bb string:3 ccc >/dev/null
cli rpush list 1 2 3 >/dev/null
cli hset hash field value >/dev/null
cli sadd set 1 2 >/dev/null
cli zadd zset 1 one >/dev/null

expect 'answers PING' '^PONG$' cli ping
expect 'speaks RESP3 with -3' '^field value$' cli -3 hgetall hash
expect 'prints JSON' '^\{"field":"value"\}$' cli --json hgetall hash
expect 'prints CSV' '^"1","2","3"$' cli --csv lrange list 0 -1
expect 'runs a script file with --eval' '^k a$' sh -c "
    echo 'return KEYS[1] .. \" \" .. ARGV[1]' | redis-cli -p $REDIS_PORT --eval /dev/stdin k , a"
expect 'selects a database with -n' '^0$' cli -n 3 dbsize
expect 'repeats with -r' '^3$' cli -r 3 incr repeated
expect 'scans with --scan and a pattern' '^3$' sh -c "redis-cli -p $REDIS_PORT --scan --pattern 'string:*' | wc -l"
expect 'finds the biggest with --bigkeys' 'Biggest +string found .*string:3.* has 3 bytes' cli --bigkeys
expect 'counts the types with --bigkeys' '^1 zsets with 1 members' cli --bigkeys
expect 'weighs with --memkeys' '^1 hashs with [0-9]+ bytes' cli --memkeys
expect 'loads with --pipe' '^errors: 0, replies: 3$' piped
expect 'keeps watching with --stat' '^[0-9]+ +[0-9.]+[BKM] +[0-9]+ +0 +[0-9]+ \(\+1\)' watch --stat -i 0.3
expect 'measures with --latency' '^[0-9]+ [0-9]+ [0-9.]+ [0-9]+$' cli --latency -i 1
expect 'listens with SUBSCRIBE' '^subscribe$' watch subscribe news
expect 'sees what others do with MONITOR' ' \[0 lua\] "GET" "seen"$' monitored
expect 'explains a command from COMMAND DOCS' 'releases a lock in one command' talk 'help delifeq'
expect 'explains a group from COMMAND DOCS' 'SETNX' talk 'help @string'
expect 'talks' '"ccc"' talk 'get string:3'
expect 'excludes by SET NX PX and a script' '^counted to 40 with 0 complaints$' contended
echo "1..$count"
