#!/bin/sh
# Runs the tests of one module, then prints surefire's reports, and what Maven had to say.
reports=$WORK/$(echo "$1" | tr / -)/surefire-reports
log=$WORK/maven.log

rm -rf "$reports"
mvn -B -o -Dstyle.color=never -Dlatchd.work="$WORK" -pl "$1" -am test >"$log" 2>&1
status=$?
cat "$reports"/*.xml
cat "$log"
exit $status
