# Sourced by the checks: one case in TAP, and at the end the plan and the verdict.
# shellcheck shell=sh
cases=0
failures=0

# $1 says what holds; $2 lists, a line each, what speaks against it.
tap_case() {
    cases=$((cases + 1))
    if [ -z "$2" ]; then
        echo "ok $cases - $1"
    else
        failures=$((failures + 1))
        echo "not ok $cases - $1"
        echo "$2" | sed 's/^/# /'
    fi
}

tap_end() {
    echo "1..$cases"
    [ "$failures" -eq 0 ]
}
