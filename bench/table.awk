#!/usr/bin/awk -f
# The tables of bench/run.sh, from its lines of JSON.
function field(name,    text) {
    if (!match($0, "\"" name "\":[^,}]*")) return ""
    text = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
    gsub(/"/, "", text)
    return text
}

function sorted(list, into,    n, i, k, v) {
    n = split(list, into, " ")
    for (i = 2; i <= n; i++) {
        v = into[i]
        for (k = i - 1; k > 0 && into[k] + 0 > v + 0; k--) into[k + 1] = into[k]
        into[k + 1] = v
    }
    return n
}

function median(list,    a, n) { n = sorted(list, a); return n ? a[int((n + 1) / 2)] : 0 }

# Half the distance between the quartiles, in per cent of the median.
function spread(list,    a, n) {
    n = sorted(list, a)
    return n < 3 ? 0 : 50 * (a[int((3 * n + 3) / 4)] - a[int((n + 3) / 4)]) / median(list)
}

{ server = field("server") }
/"about":"keyspace"/ {
    curve = curve sprintf("%-8s %9d keys  %.3f us per SET or GET\n", server, field("keys"), field("cpu_us"))
    next
}
/"workload"/ {
    name = field("workload")
    if (name == "fanout") name = name "-" field("listeners")
    row = name " " field("pipeline")
    if (!(row in known)) { known[row] = 1; rows[++nrows] = row }
    if (!(server in servers)) { servers[server] = 1; order[++nservers] = server }
    cpu[row, server] = cpu[row, server] " " field("cpu_us")
    next
}
/"bytes_each"/ { memory = memory sprintf("%-8s %9d x %-10s  %7.1f bytes each\n", server, field("n"), field("what"), field("bytes_each")) }
/"start_ms"/ {
    idle = idle sprintf("%-8s ready in %.2f ms (median %.2f), %.1f MB and %d us of CPU a second when idle\n", server,
        field("min"), field("p50"), field("idle_rss") / 1048576, field("idle_cpu_us"))
}
/"late_ms"/ { expiry = expiry sprintf("%-8s %s\n", server, $0) }

END {
    printf "\n%-16s %3s  %-18s", "server CPU", "P", "redis us (spread)"
    for (i = 1; i <= nservers; i++) if (order[i] != "redis") printf "  %-15s", order[i] "/redis"
    print ""
    for (r = 1; r <= nrows; r++) {
        split(rows[r], part, " ")
        base = median(cpu[rows[r], "redis"])
        printf "%-16s %3d  %8.3f (%2.0f %%)   ", part[1], part[2], base, spread(cpu[rows[r], "redis"])
        for (i = 1; i <= nservers; i++) {
            s = order[i]
            if (s == "redis") continue
            if ((rows[r], s) in cpu) printf "  %.2f (%2.0f %%)    ", median(cpu[rows[r], s]) / base, spread(cpu[rows[r], s])
            else printf "  %-15s", "-"
        }
        print ""
    }
    printf "\nStart:\n%s\nMemory, by RSS:\n%s\nKeyspace:\n%s\nExpiry:\n%s", idle, memory, curve, expiry
}
