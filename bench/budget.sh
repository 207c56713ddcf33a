#!/bin/sh
# Does every workload keep to its budget of instructions? bench/budget.sh PROGRAM [budget]
#
# PROGRAM is bench_count of the release build. The budget names the compiler that it was taken with,
# as counts differ between compilers; with another one all cases are skipped. Speaks TAP.
#
# A new budget, after a change that was worth it: make budget
set -eu
program=$1
budget=${2:-bench/budget.tsv}

compiler=$("$program" compiler 2>/dev/null || echo "no bench_count")
if [ "$compiler" != "$(sed -n 's/^# compiler: //p' "$budget")" ]; then
    why="the budget is not for $compiler"
elif ! command -v valgrind >/dev/null; then
    why="valgrind is missing"
fi

if [ -n "${why-}" ]; then
    awk -v why="$why" '!/^#/ { print "ok " ++n " - " $1 " # SKIP " why } END { print "1.." n }' "$budget"
    exit 0
fi

bench/count.sh "$program" | awk -F '\t' '
    /^#/ { next }
    FILENAME != "-" { order[++n] = $1; most[$1] = $2 * 1.05; budget[$1] = $2; next }
    { count[$1] = $2 }
    END {
        for (name in count)
            if (!(name in budget)) { order[++n] = name; most[name] = 0; budget[name] = "missing" }
        for (i = 1; i <= n; i++) {
            name = order[i]
            kept = name in count && count[name] <= most[name]
            bad += !kept
            print (kept ? "ok " : "not ok ") i " - " name " keeps to its budget"
            print "# " count[name] + 0 " instructions per operation, budget " budget[name]
        }
        print "1.." n
        exit bad > 0
    }' "$budget" -
