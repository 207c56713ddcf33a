#!/bin/sh
# Runs one language and reports: language.sh name [toolchain], for run.sh, in build-clients.
#
# Its run.sh prints TAP in suites (see lib.sh), which is kept in <language>.tap. The report goes out in one piece, so
# that those of two languages do not mix, and leaves "passed failed skipped" in <language>.count. Asked for
# the toolchain only, there is a report when it is not there.
set -u
language=$1
WORK=$PWD/$language
ONLY=${2:-}
export WORK ONLY
mkdir -p "$WORK"
begun=$(date +%s)

status=0
timeout -k 30 1200 "$CLIENTS/$language/run.sh" </dev/null >"$language.tap" || status=$?
if [ "$ONLY" = toolchain ] && [ "$status" -eq 0 ] && [ ! -s "$language.tap" ]; then exit; fi

flock . awk -f "$CLIENTS/report.awk" -v language="$language" -v status="$status" -v ci="${CI:-}" \
    -v seconds=$(($(date +%s) - begun)) -v count_file="$language.count" "$language.tap"
