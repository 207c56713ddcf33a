# go test -v: "--- PASS: TestName (0.00s)"; subtests are indented and counted, too.
match($0, /^ *--- (PASS|FAIL|SKIP): /) {
    name = $3
    print ($2 == "FAIL:" ? "not ok - " : "ok - ") name ($2 == "SKIP:" ? " # SKIP by the suite" : "")
}
/^FAIL.*\[(build|setup) failed\]/ || /^panic: / { print "not ok - " $0 }
