#!/bin/sh
# Are the pages that the program prints what is in docs/, and can they be read? Speaks TAP.
set -eu
cd "$(dirname "$0")/../.."
. tests/lint/tap.sh
latchd=${LATCHD:-build/latchd}
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

for page in commands configuration; do
    flag=--$page
    [ "$page" = configuration ] && flag=--options
    "$latchd" "$flag" >"$scratch/$page.md"
    tap_case "docs/$page.md is what latchd $flag prints" "$(diff -u "docs/$page.md" "$scratch/$page.md" | head -20)"
done

# Every option of --help has its entry in both man pages and can be completed.
"$latchd" --help | sed -n 's/^  --\([a-z-]*\) .*/\1/p' | sort >"$scratch/options"
"$latchd" --man | sed -n 's/^\.B \\-\\-\(.*\)$/\1/p' | sed 's|\\||g' | sort >"$scratch/man"
"$latchd" --man-conf | sed -n '/^\.SH OPTIONS/,$ s/^\.B \(.*\)$/\1/p' | sed 's|\\||g' | sort >"$scratch/man-conf"
"$latchd" --completion | sed -n "s/^        --\\([a-z-]*\\)'*$/\\1/p" | sort >"$scratch/completion"
tap_case "there are options" "$([ -s "$scratch/options" ] || echo none)"
for page in man man-conf completion; do
    tap_case "latchd --$page has every option" "$(diff "$scratch/options" "$scratch/$page")"
done

for page in man man-conf; do
    "$latchd" --$page >"$scratch/page"
    tap_case "groff reads latchd --$page without a warning" "$(groff -man -ww -z "$scratch/page" 2>&1)"
done

"$latchd" --completion >"$scratch/completion.bash"
# shellcheck disable=SC2016  # the inner shell expands it
offers() { bash -c '. "$1"; shift; COMP_WORDS=(latchd "$@") COMP_CWORD=$#; _latchd; echo "${COMPREPLY[@]}"' - "$scratch/completion.bash" "$@"; }
tap_case "bash completes an option" "$([ "$(offers --unixsocketp)" = --unixsocketperm ] || offers --unixsocketp)"
tap_case "bash completes a value" "$([ "$(offers --log-format j)" = json ] || offers --log-format j)"

# Links between the pages lead somewhere: to a file, and to a heading of it where they name one.
headings() { # of a page, as links name them
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'
}
broken=$(grep -o ']([a-zA-Z0-9_./-]*\.\(md\|yaml\|svg\)\(#[a-z0-9-]*\)\?)' README.md CONTRIBUTING.md SECURITY.md docs/*.md |
    sed 's/:](/ /; s/)$//; s/#/ /' | while read -r from to heading; do
    page=$(dirname "$from")/$to
    if [ ! -e "$page" ]; then
        echo "$from: there is no $to"
    elif [ -n "$heading" ] && ! headings "$page" | grep -qxF -e "$heading"; then
        echo "$from: $to has no heading $heading"
    fi
done)
tap_case "links lead to pages and headings" "$broken"

# And every page can be found from the index.
tap_case "the index names every page" "$(for page in docs/*.md; do
    page=${page#docs/}
    [ "$page" = index.md ] || grep -qF "]($page)" docs/index.md || echo "$page"
done)"
tap_end
