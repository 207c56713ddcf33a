#!/bin/sh
# Runs every test of a build directory and counts the cases: tests/run.sh build-debug [ctest options]
#
# ctest starts the programs, in parallel, and notices the ones that crash or hang; each speaks TAP. The
# report is one line per program, then what the failed ones said besides "ok", then the sum alone on the
# last line.
set -eu

cd "$(dirname "$0")/.."
build=$1
shift
log=$build/test.log

ctest --test-dir "$build" --verbose --parallel "$(nproc)" "$@" >"$log" 2>&1 || true

awk '
    function fail(what) { failed++; bad[id] = bad[id] "\n    " what }

    # Output of program number id: what it planned, what each case came to.
    match($0, /^[0-9]+: /) {
        id = substr($0, 1, RLENGTH - 2) + 0
        line = substr($0, RLENGTH + 1)
        if (line ~ /^(Test command|Working Directory|Environment variables|Test timeout)|^ [A-Z_]+=/) next
        if (line !~ /^ok/) text[id] = text[id] "\n    | " line
        if (line ~ /^1\.\.[0-9]+/) plan[id] = substr(line, 4) + 0
        if (line !~ /^(not )?ok/) next
        cases[id]++
        if (line ~ /# SKIP/) skipped++
        else if (line ~ /^ok/) passed++
        else { fail(line); failures[id]++ }
        next
    }

    # What ctest says of it: "3/9 Test #2: test_resp ....   Passed    0.05 sec"
    match($0, /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: /) {
        id = substr($0, index($0, "#") + 1) + 0
        split(substr($0, RLENGTH + 1), word, " ")
        name = word[1]
        outcome = $0
        sub(/^[^.]*\.*/, "", outcome)
        if (!cases[id]) fail("no case ran")
        else if (plan[id] != cases[id]) fail("planned " plan[id] + 0 " cases, ran " cases[id])
        else if (outcome !~ /Passed/ && !failures[id]) fail("ended badly after its cases")
        seconds = $(NF - 1)
        if (outcome ~ /Passed/ && bad[id] == "")
            printf "ok      %-24s %5d cases  %6.2f s\n", name, cases[id], seconds
        else {
            sub(/ +[0-9.]+ sec$/, "", outcome)
            gsub(/[* ]+/, " ", outcome)
            printf "FAILED  %-24s %5d cases  %6.2f s %s%s\n", name, cases[id], seconds, outcome, bad[id]
            said = said "\n" name " said:" text[id] "\n"
        }
        ran++
    }

    END {
        if (!ran) { print "no test ran"; failed++ }
        if (said) print said
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
        exit failed > 0
    }' "$log"
