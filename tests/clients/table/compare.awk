# Compares the tables of libraries with what ran: compare.awk docs/clients.md *.tap. Prints TAP.
#
# A row is "| library | version, version (whose) | what was exercised |"; a suite that ran is called
# "library version", often with more after a comma or after "over", of which only what ends in a version counts.

function case_of(what, problems) {
    print (problems == "" ? "ok - " : "not ok - ") what problems
}

/^\| .* \| [0-9a-f].* \| / {
    split($0, cell, " *\\| *")
    library = cell[2]
    sub(/ \(.*/, "", library) # redis (node-redis)
    n = split(cell[3], version, ", ")
    for (i = 1; i <= n; i++) {
        sub(/ .*/, "", version[i])
        listed[library " " version[i]]
    }
    next
}

sub(/^# suite /, "") {
    gsub(/ over /, ", ")
    n = split($0, part, ", ")
    for (i = 1; i <= n; i++)
        if (match(part[i], / v?[0-9][0-9A-Za-z.-]*$|^tempredis /)) {
            sub(/ v/, " ", part[i])
            ran[part[i]]
        }
    next
}

/^1\.\.0 # SKIP / { skipped = 1 }

END {
    for (name in ran) if (!(name in listed)) unlisted = unlisted "\n# " name
    for (name in listed) if (!(name in ran)) unrun = unrun "\n# " name
    case_of("what ran is in a table", unlisted)
    case_of("what is in a table ran" (skipped ? " # SKIP some did not run" : ""), skipped ? "" : unrun)
}
