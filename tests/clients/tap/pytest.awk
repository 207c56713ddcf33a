# pytest -v -rs: "path::name PASSED [ 5%]", and the reasons of what was skipped in the summary.
match($0, / (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)( .*)?$/) && /::/ {
    name = substr($0, 1, RSTART - 1)
    outcome = substr($0, RSTART + 1)
    if (outcome ~ /^PASSED|^XFAIL/) print "ok - " name
    else if (outcome ~ /^SKIPPED/) {
        reason = outcome
        sub(/^SKIPPED *\(?/, "", reason)
        sub(/\)? *\[ *[0-9]+%\]$/, "", reason)
        print "ok - " name " # SKIP " reason
    } else if (!($0 in said)) print "not ok - " name
    said[$0] = 1
}
/^=+ short test summary/ { exit }
