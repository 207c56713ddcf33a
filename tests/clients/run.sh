#!/bin/sh
# Runs the real client libraries against build/latchd: tests/clients/run.sh [language...]
#
# Every folder here with a run.sh is a language. Its script prints TAP in suites (see lib.sh); this one
# runs the scripts one after the other, prints a line per suite, what the failed ones said, and the sum
# alone on the last line. What is downloaded and built lies in build-clients/<language>.
#
# A language whose toolchain is missing is skipped and says why. Where CI=true, skipping one of the
# five that matter most is a failure, unless its registry does not answer.
set -u

cd "$(dirname "$0")" || exit
CLIENTS=$PWD
TOP=$(cd ../.. && pwd)
LATCHD=${LATCHD:-$TOP/build/latchd}
export CLIENTS TOP LATCHD

if [ $# -eq 0 ]; then
    for script in */run.sh; do set -- "$@" "${script%/run.sh}"; done
fi
for language; do
    [ -x "$language/run.sh" ] && continue
    echo "$0: there is no $language/run.sh" >&2
    exit 2
done

say_tap() { # the TAP of all languages in a row, each between lines that say which and how it ended
    for language; do
        WORK=$TOP/build-clients/$language
        export WORK
        mkdir -p "$WORK"
        echo "# language $language"
        timeout -k 30 1200 "$language/run.sh" </dev/null
        echo "# done $?"
    done
}

# mawk would hold the lines back until its buffer is full.
interactive=
case $(awk -W version 2>&1) in *mawk*) interactive='-W interactive' ;; esac

# shellcheck disable=SC2016,SC2086  # awk's own $; an option that may be none
say_tap "$@" | awk $interactive -v ci="${CI:-}" '
    function report(outcome, what, detail) { printf "%-8s%-8s%-44s%s\n", outcome, language, what, detail }
    function fail(what) { failed++; bad = bad "\n    " what }

    function end_suite(status, log_file, seconds,    line, detail, tail) {
        if (!cases) fail("no case ran")
        else if (status && bad == "") fail("ended with status " status)
        detail = sprintf("%4d cases %5d s", cases, seconds)
        report(bad == "" ? "ok" : "FAILED", suite, detail notes bad)
        if (bad != "") {
            print "    the end of " log_file ":"
            tail = "tail -n 60 " log_file
            while ((tail | getline line) > 0) print "    | " line
            close(tail)
        }
        suite = bad = notes = ""
        cases = 0
    }

    $1 == "#" && $2 == "language" { language = $3; suites = 0; next }
    $1 == "#" && $2 == "suite" { suite = substr($0, 9); suites++; next }
    $1 == "#" && $2 == "end" { end_suite($3, $4, $5); next }
    $1 == "#" && $2 == "offline" { offline[language] = 1; next }
    $1 == "#" && $2 == "done" {
        if (suite != "") end_suite($3, "/dev/null", 0)
        if ($3) { failed++; report("FAILED", "the script ended with status " $3) }
        else if (!suites) { failed++; report("FAILED", "no suite ran") }
        next
    }

    # "1..0 # SKIP reason": nothing of this language, or of this suite, can run here.
    /^1\.\.0 # SKIP / {
        reason = substr($0, 13)
        suites++
        if (suite == "" && ci == "true" && language ~ /^(java|python|go|node|rust)$/ && !offline[language]) {
            failed++
            report("FAILED", "skipped, which CI may not: " reason)
        } else {
            skipped++
            report("skipped", suite, reason)
        }
        suite = ""
        next
    }

    /^(not )?ok/ {
        cases++
        if (/ # SKIP/) { skipped++; notes = notes "\n    " $0 }
        else if (/^ok/) passed++
        else fail($0)
    }

    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }'
