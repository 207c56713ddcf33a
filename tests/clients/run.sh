#!/bin/sh
# Runs the real client libraries against build/latchd: tests/clients/run.sh [language...]
#
# A language is a folder here with a run.sh. First each is asked, one after the other, for its toolchain: what
# Debian has is installed, and what is missing or too old is known before anything has run. Then they run,
# AT_ONCE of them together, since tests wait more than they work. A language's report comes when it is
# done; when all have run, their tables in docs/clients.md are compared with that. The sum stands alone on the
# last line. What is downloaded and built lies in build-clients/<language>.
set -u

cd "$(dirname "$0")" || exit
CLIENTS=$PWD
TOP=$(cd ../.. && pwd)
LATCHD=${LATCHD:-$TOP/build/latchd}
export CLIENTS TOP LATCHD

# Those that take longest come first; the recipes come last, for they share Maven's repository with java.
last=
if [ $# -eq 0 ]; then
    set -- go java python node rust debian shell c recipes
    last=table
fi
for language; do
    [ -x "$language/run.sh" ] && continue
    echo "$0: there is no $language/run.sh" >&2
    exit 2
done

"$TOP/tools/deps.sh" clients >&2 || exit
mkdir -p "$TOP/build-clients"
cd "$TOP/build-clients" || exit

able=
for language; do
    rm -f "$language.count" "$language.tap"
    "$CLIENTS/language.sh" "$language" toolchain
    [ -e "$language.count" ] || able="$able $language"
done
# shellcheck disable=SC2086  # a list of words
[ -z "$able" ] || printf '%s\n' $able | xargs -n 1 -P "${AT_ONCE:-2}" "$CLIENTS/language.sh"
[ -z "$last" ] || "$CLIENTS/language.sh" $last

for language in "$@" $last; do cat "$language.count" || echo 0 1 0; done | awk '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }'
