#!/bin/bash
# Runs the commands that a page shows, against a fresh latchd: tests/docs/run.sh docs/quickstart.md
#
# A block fenced as `console` is a session: lines that begin with "$ " are commands, what follows is what
# they print. All blocks of a page run in one shell, in order, in an empty folder; `redis-cli` talks to the
# server of this page, `latchd` is the program under test. A port of the form 739x stands for a free one. In what
# is printed, a number of four digits or more stands for any number, and "..." for anything. A command that is
# shown without output has to succeed.
#
# A block of shell that cannot be run says why on the line before it: <!-- not run: the reason -->
# Speaks TAP, one case per command.
#
# A scratch copy of a page: tests/docs/run.sh --self-test checks that what is wrong is noticed.
set -eu
cd "$(dirname "$0")/../.."
latchd=${LATCHD:-$PWD/build/latchd}
scratch=$(mktemp -d)
server=
trap 'clean_up' EXIT

# Splits a page into commands (a script that says where each begins) and what each is said to print.
split() {
    awk -v to="$scratch" '
        function place() { return FILENAME ":" FNR }
        function quoted(s) { gsub(/\047/, "\047\\\047\047", s); return "\047" s "\047" }
        /^```/ && !fenced {
            fenced = 1
            kind = substr($0, 4)
            if (kind == "console") live = 1
            else if (kind ~ /^(sh|bash|shell)$/ && before !~ /^<!-- not run: .+ -->$/)
                print "wrong " place() " a block of " kind " is run as console or says why not" > (to "/plan")
            else if (kind == "") print "wrong " place() " a block does not say what it holds" > (to "/plan")
            next
        }
        /^```/ { fenced = live = 0; before = ""; next }
        !fenced && /^    / && before == "" { print "wrong " place() " a block without a fence" > (to "/plan") }
        !fenced { before = $0; next }
        !live { next }
        ends { print > (to "/script"); if ($0 == ends) ends = ""; next }
        goes_on { print > (to "/script"); goes_on = /\\$/; next }
        /^\$ / {
            n++
            command = substr($0, 3)
            print "case " place() " " command > (to "/plan")
            print "echo @@" n " $?" > (to "/script")
            print command > (to "/script")
            printf "" > (to "/said." n)
            goes_on = /\\$/
            if (match(command, /<<.?[A-Z]+/)) { ends = substr(command, RSTART + 2, RLENGTH - 2); gsub(/\047/, "", ends) }
            next
        }
        n { print > (to "/said." n) }
        END { print "echo @@" n + 1 " $?" > (to "/script") }
    ' "$1"
}

# A page that failed half-way has not stopped the servers that it has started.
clean_up() {
    [ -z "$server" ] || stop_server
    for pid in "$scratch"/home/*.pid; do
        [ ! -s "$pid" ] || kill "$(cat "$pid")" || true
    done
    rm -rf "$scratch"
}

# Starts the program on a port that the kernel picks, which is left in $scratch/port.
start_somewhere() {
    rm -f "$scratch/port"
    "$latchd" --port auto --port-file "$scratch/port" --loglevel nothing &
    server=$!
    for _ in $(seq 500); do
        [ -s "$scratch/port" ] && break
        read -rt 0.02 <> <(:) || true
    done
}

stop_server() {
    kill "$server"
    wait "$server" || true
    server=
}

# A port is free when somebody had it a moment ago: the kernel gives it to nobody else so soon.
find_ports() {
    local port
    for port in {7390..7399}; do
        grep -qw "$port" "$scratch/script" || continue
        start_somewhere
        sed -i "s/\b$port\b/$(cat "$scratch/port")/g" "$scratch/script"
        stop_server
    done
}

start_server() {
    mkdir "$scratch/bin" "$scratch/home"
    start_somewhere
    # As on a terminal, and at our port unless the page names another.
    cat >"$scratch/bin/redis-cli" <<SH
#!/bin/sh
exec $(command -v redis-cli) --no-raw -p $(cat "$scratch/port") "\$@"
SH
    ln -s "$latchd" "$scratch/bin/latchd"
    chmod +x "$scratch/bin/redis-cli"
}

# Does the file $2 hold what the page says, in $1?
same() {
    awk '
        function pattern(s) {
            gsub(/[][\\.*+?(){}|^$]/, "\\\\&", s)
            gsub(/\\\.\\\.\\\./, ".*", s)
            gsub(/[0-9][0-9][0-9][0-9]+/, "[0-9]+", s)
            return "^" s "$"
        }
        FNR == NR { want[++n] = $0; next }
        { got[++m] = $0 }
        END {
            while (n && want[n] == "") n--
            if (n == 1 && want[1] == "...") exit 0
            for (i = 1; i <= n || i <= m; i++)
                if (i > n || i > m || got[i] !~ pattern(want[i])) exit 1
        }' "$1" "$2"
}

# What command $1 said, and how it ended, stand between its mark and the next.
result() {
    awk -v n="$1" -v to="$scratch/got" '
        BEGIN { printf "" > to }
        $1 == "@@" n { on = 1; next }
        $1 == "@@" (n + 1) { print $2; exit }
        on { print > to }' "$scratch/output"
}

verdict() { # $1 the case, $2 where it stands, $3 the command
    status=$(result "$1")
    if [ -z "$status" ]; then
        why="the shell ended here"
    elif [ -s "$scratch/said.$1" ]; then
        same "$scratch/said.$1" "$scratch/got" && return
        why="it printed otherwise"
    else
        [ "$status" -eq 0 ] && return
        why="it failed with $status"
    fi
    echo "# $2: $why:"
    sed 's/^/#   /' "$scratch/got"
    return 1
}

run_page() {
    : >"$scratch/plan"
    split "$1"
    if [ -s "$scratch/script" ] && grep -q '^case' "$scratch/plan"; then
        find_ports
        start_server
        (cd "$scratch/home" && LATCHD_ROOT=$OLDPWD PATH="$scratch/bin:$PATH" HOME=$scratch/home timeout 60 bash "$scratch/script" \
            >"$scratch/output" 2>&1 </dev/null) || true
    fi
    n=0 bad=0 case=0
    while read -r what where text; do
        n=$((n + 1))
        if [ "$what" = case ] && case=$((case + 1)) && verdict "$case" "$where" "$text"; then
            echo "ok $n - $where $text"
        else
            bad=$((bad + 1))
            echo "not ok $n - $where $text"
        fi
    done <"$scratch/plan"
    [ "$n" -gt 0 ] || { echo "ok 1 - $1 shows no command" && n=1; }
    echo "1..$n"
    [ "$bad" -eq 0 ]
}

# The runner must notice a wrong answer, a failure, a missing line and a block that nobody runs.
self_test() {
    n=0
    check() { # $1 what it is, $2 how many cases fail, then the page on standard input
        cat >"$scratch/page.md"
        n=$((n + 1))
        found=$(LATCHD=$latchd "$0" "$scratch/page.md" | grep -c '^not ok') || true
        [ "$found" -eq "$2" ] || { echo "not ok $n - $1: $found found wrong"; return; }
        echo "ok $n - $1"
    }
    check "what is right passes" 0 <<'PAGE'
```console
$ redis-cli set k v PX 60000
OK
$ redis-cli pttl k
(integer) 51337
$ cat >f <<'X'
text
X
$ cat f
te...
```
<!-- not run: it is only shown -->
```sh
exit 1
```
PAGE
    check "what is wrong does not" 7 <<'PAGE'
```console
$ redis-cli set k v
KO
$ redis-cli get k
$ false
$ printf 'a\nb\n'
a
$ printf 'a\n'
a
b
```
```sh
true
```
```
true
```

    true
PAGE
    echo "1..$n"
}

if [ "$1" = --self-test ]; then
    self_test
else
    run_page "$1"
fi
