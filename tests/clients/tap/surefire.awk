# What surefire writes in target/surefire-reports/*.xml, all files in a row, one tag per line or several.
BEGIN { RS = "<" }
function attribute(name,    at) {
    at = match($0, "(^| )" name "=\"[^\"]*\"")
    if (!at) return ""
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", text)
    sub(/"$/, "", text)
    return text
}
function flush_case() {
    if (name != "") print outcome " - " name note
    name = ""
}
/^testcase[ \n]/ {
    flush_case()
    class = attribute("classname")
    sub(/.*\./, "", class)
    name = class "." attribute("name")
    outcome = "ok"
    note = ""
}
/^(failure|error)[ >\n]/ { outcome = "not ok" }
/^skipped/ { note = " # SKIP " attribute("message") }
/^\/testsuite>/ { flush_case() }
