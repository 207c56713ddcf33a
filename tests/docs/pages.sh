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
    if command -v groff >/dev/null; then
        tap_case "groff reads latchd --$page without a warning" "$(groff -man -ww -z "$scratch/page" 2>&1)"
    fi
done

"$latchd" --completion >"$scratch/completion.bash"
# shellcheck disable=SC2016  # the inner shell expands it
offers() { bash -c '. "$1"; shift; COMP_WORDS=(latchd "$@") COMP_CWORD=$#; _latchd; echo "${COMPREPLY[@]}"' - "$scratch/completion.bash" "$@"; }
tap_case "bash completes an option" "$([ "$(offers --unixsocketp)" = --unixsocketperm ] || offers --unixsocketp)"
tap_case "bash completes a value" "$([ "$(offers --log-format j)" = json ] || offers --log-format j)"

# Links between the pages lead somewhere.
broken=$(grep -o '](\([a-zA-Z0-9_./-]*\.md\)' README.md CONTRIBUTING.md docs/*.md | while IFS=: read -r from link; do
    [ -e "$(dirname "$from")/${link#](}" ] || echo "$from: ${link#](}"
done)
tap_case "links lead to pages" "$broken"
tap_end
