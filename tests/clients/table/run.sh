#!/bin/sh
# The tables in docs/clients.md against the other languages' runs, whose TAP is still there.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
toolchain_is_there

suite 'docs/clients.md says the same' tap awk -f "$CLIENTS/table/compare.awk" "$TOP/docs/clients.md" "$TOP"/build-clients/*.tap
