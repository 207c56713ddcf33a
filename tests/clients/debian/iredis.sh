#!/bin/sh
# iredis with a command on its line, which it takes only on a terminal; with commands on its standard
# input; and as one types.
set -u
export HOME="$PWD" # where it keeps its history
export PYTHONUNBUFFERED=1 # into a pipe, it would print its line ends after all answers

expect() { # expect "what it shows" 'what it prints' command...
    what=$1 wanted=$2
    shift 2
    said=$("$@" 2>&1)
    if [ "$said" = "$wanted" ]; then echo "ok - $what"; else printf 'not ok - %s\n%s\n' "$what" "$said"; fi
}
plain() { sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' | tr -d '\r'; } # without colours
shown() { timeout 20 script -qec "iredis -p $REDIS_PORT $*" /dev/null </dev/null | plain; }
piped() { printf '%s\n' "$@" | timeout 20 iredis -p "$REDIS_PORT"; }
typed() { # the banner, and the line that answers what is typed once the prompt is there
    (sleep 2 && printf 'GET n\r' && sleep 1 && printf 'EXIT\r') |
        timeout 20 script -qec "iredis -p $REDIS_PORT" /dev/null | plain | grep -xE 'redis-server +7.4.2 *|"4"'
}

expect 'a lock is taken once' 'OK' shown SET lock a NX PX 100000
expect 'and not twice' '(nil)' shown SET lock b NX PX 100000
expect 'names and databases are set' '"mine"' shown -n 5 --client_name mine CLIENT GETNAME
expect 'errors are shown' '(error) ERROR value is not an integer or out of range' shown INCR lock
expect 'commands on standard input' "$(printf 'OK\n2\n2')" piped 'SET n 1' 'INCR n' 'GET n'
expect 'transactions' "$(printf 'OK\nQUEUED\nQUEUED\n3\n4')" piped 'MULTI' 'INCR n' 'INCR n' 'EXEC'
expect 'scripts' '4' piped 'EVAL "return redis.call(\"get\", KEYS[1])" 1 n'
expect 'an interactive session' "$(printf 'redis-server  7.4.2 \n"4"')" typed
