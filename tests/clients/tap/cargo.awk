# cargo test: "test name ... ok"
/^test .* \.\.\. / {
    name = $2
    if (/ \.\.\. ok$/) print "ok - " name
    else if (/ \.\.\. ignored/) print "ok - " name " # SKIP ignored by the suite"
    else print "not ok - " name
}
