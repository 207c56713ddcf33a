# What the languages' scripts share; sourced first, as `. "$CLIENTS/lib.sh"`. The caller is run.sh, which sets
#   CLIENTS  this folder      TOP   the top of the tree
#   LATCHD   the program      WORK  where this language may write: downloads, builds, logs
#   ONLY     "toolchain", when nothing else is asked for
# shellcheck shell=sh
set -eu

# First the toolchains that had to be downloaded; last where Go's and Rust's own installers put them, for when a shell's
# profile was not read.
DOWNLOADED=$TOP/build-clients/bin
PATH=$DOWNLOADED:$PATH:/usr/local/go/bin:$HOME/.cargo/bin
export PATH

# The language cannot run here, and why. Ends the script.
skip_language() {
    echo "1..0 # SKIP $*"
    exit 0
}

# One suite cannot: skip_suite name reason
skip_suite() {
    echo "# suite $1"
    echo "1..0 # SKIP $2"
}

# at_least 1.22.3 1.21: is the first version as new as the second?
at_least() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$2" ]
}

# need program [group]: the program, from Debian when it is missing and a group of tools/deps.sh holds it.
need() {
    command -v "$1" >/dev/null && return
    if [ $# -gt 1 ] && "$TOP/tools/deps.sh" "$2" >&2 && command -v "$1" >/dev/null; then return; fi
    skip_language "$1 is not installed${2:+ and could not be}"
}

# need_version program version minimum
need_version() {
    at_least "$2" "$3" || skip_language "$1 is $2; the clients need $3 or newer"
}

# downloaded file name: from now on, the program of this name is that file, for all languages.
downloaded() {
    mkdir -p "$DOWNLOADED"
    ln -sf "$1" "$DOWNLOADED/$2"
    hash -r
}

# To be called when all that is needed is there.
toolchain_is_there() {
    [ "${ONLY:-}" != toolchain ] || exit 0
}

# fetch probe command...: runs a command that downloads. When it fails, the probe (a command of its
# own, as one word) tells a registry that does not answer, which skips the language, from a defect.
fetch() {
    probe=$1
    shift
    "$@" >"$WORK/fetch.log" 2>&1 && return
    "$@" >"$WORK/fetch.log" 2>&1 && return
    if sh -c "$probe" >/dev/null 2>&1; then
        echo "# suite download"
        echo "not ok - $*"
        echo "# end 1 $WORK/fetch.log 0"
        exit 0
    fi
    echo "# offline"
    skip_language "the registry does not answer"
}

# tries name: how often a suite may be tried. Those that a library brings along count on a machine that has nothing
# else to do: where a client stands still for a second, its lease of a second has ended. Ours do not.
tries() {
    case $1 in
    *', its own '*) echo 1 2 3 ;;
    *) echo 1 ;;
    esac
}

# suite name form command...: runs a command as one suite. The form names what it prints: a file in tap/
# that turns it into TAP.
suite() {
    suite_name=$1
    form=$CLIENTS/tap/$2.awk
    shift 2
    log=$WORK/$(echo "$suite_name" | tr -cs 'A-Za-z0-9.\n' -).log
    begun=$(date +%s)
    echo "# suite $suite_name"
    for try in $(tries "$suite_name"); do
        status=0
        timeout -k 10 "${SUITE_SECONDS:-300}" "$@" >"$log" 2>&1 || status=$?
        [ "$status" -ne 0 ] || break
        cp "$log" "$log.$try"
    done
    awk -f "$form" "$log"
    echo "# end $status $log $(($(date +%s) - begun))"
}

# suite_alone name form command...: the same in a network of its own, where latchd has port 6379.
suite_alone() {
    alone_name=$1 alone_form=$2
    shift 2
    if unshare --map-root-user --net true 2>/dev/null; then
        suite "$alone_name" "$alone_form" "$CLIENTS/alone.sh" "$@"
    else
        skip_suite "$alone_name" 'this machine lets nobody have a network of their own'
    fi
}

# latchd_start [options...]: one more server on a free port, which is left in $REDIS_PORT. It ends with the script.
servers=0
latchd_start() {
    servers=$((servers + 1))
    file=$WORK/latchd.$servers
    rm -f "$file.port"
    "$LATCHD" --port auto --port-file "$file.port" --die-with-parent yes --logfile "$file.log" "$@" &
    server=$!
    until [ -s "$file.port" ]; do
        kill -0 "$server" || exit
        sleep 0.02
    done
    REDIS_PORT=$(cat "$file.port")
    export REDIS_PORT
}
