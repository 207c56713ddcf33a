# A language's TAP as a report: a line per suite, and of those that failed what they said.
#
# Given with -v: language, status (how its script ended), seconds (how long it took), ci, count_file (where
# "passed failed skipped" is to be left).
#
# Where ci is "true", skipping one of the five languages that matter most is a failure, unless its registry does
# not answer.

function report(outcome, what, detail) { printf "%-8s%-8s%-62s%s\n", outcome, language, what, detail }
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

$1 == "#" && $2 == "suite" { suite = substr($0, 9); suites++; next }
$1 == "#" && $2 == "end" { end_suite($3, $4, $5); next }
$1 == "#" && $2 == "offline" { offline = 1; next }

# "1..0 # SKIP reason": nothing of this language, or of this suite, can run here.
/^1\.\.0 # SKIP / {
    reason = substr($0, 13)
    suites++
    if (suite == "" && ci == "true" && language ~ /^(java|python|go|node|rust)$/ && !offline) {
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
    if (suite != "") end_suite(status, "/dev/null", 0)
    if (status) { failed++; report("FAILED", "the script ended with status " status) }
    else if (!suites) { failed++; report("FAILED", "no suite ran") }
    report("", sprintf("%d passed, %d failed, %d skipped", passed, failed, skipped), sprintf("%16d s", seconds))
    print passed + 0, failed + 0, skipped + 0 >count_file
}
