#!/bin/sh
# Runs every fuzzer of a build directory for a while: tests/fuzz/run.sh build-fuzz SECONDS [SEED]
#
# The corpus grows in BUILD/corpus from the seeds and is made small again at the end; it is no part of
# the sources. An input that breaks something is left in BUILD/found, and `BUILD/fuzz_engine FILE` has it
# again (with FUZZ_SHOW=1, in words).
set -eu

build=$1
seconds=$2
seed=${3:-0} # 0: another one each time
corpus=$build/corpus
found=$build/found
logs=$build/logs
mkdir -p "$corpus" "$found" "$logs"
"$build/seeds" "$corpus"

failed=0
for fuzzer in "$build"/fuzz_*; do
    name=$(basename "$fuzzer")
    log=$logs/$name
    if "$fuzzer" -seed="$seed" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$found/$name-" "$corpus/$name" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        covered=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -1)
        echo "ok      $name: $runs runs, $covered edges"
    else
        failed=1
        echo "FAILED  $name"
        tail -40 "$log"
        continue
    fi
    rm -rf "$corpus/$name.small"
    mkdir "$corpus/$name.small"
    "$fuzzer" -merge=1 "$corpus/$name.small" "$corpus/$name" >/dev/null 2>&1
    rm -rf "${corpus:?}/$name"
    mv "$corpus/$name.small" "$corpus/$name"
done
exit $failed
