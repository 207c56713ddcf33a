# pytest -v: "path::name PASSED [ 5%]" or, where several workers share it, "[gw0] [ 5%] PASSED path::name".
function said(name, outcome,    reason) {
    if (outcome ~ /^(PASSED|XFAIL)/) print "ok - " name
    else if (outcome !~ /^SKIPPED/) print "not ok - " name
    else {
        reason = outcome
        sub(/^SKIPPED *\(?/, "", reason)
        sub(/\)? *(\[ *[0-9]+%\])?$/, "", reason)
        print "ok - " name " # SKIP " reason
    }
}
/^=+ short test summary/ { exit }
match($0, /^\[gw[0-9]+\] \[ *[0-9]+%\] /) {
    line = substr($0, RLENGTH + 1)
    at = index(line, " ")
    said(substr(line, at + 1), substr(line, 1, at - 1))
    next
}
/::/ && match($0, / (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)( .*)?$/) { said(substr($0, 1, RSTART - 1), substr($0, RSTART + 1)) }
