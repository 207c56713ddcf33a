#!/bin/sh
# Includes point down only. Speaks TAP, one case per layer.
#
# Includes are written from the root, so the folder in an include line names the layer it reaches for,
# and the tables below are the whole rule. The deepest folder that has a row decides.
set -eu
cd "$(dirname "$0")/../.."
. tests/lint/tap.sh

# layer: the folders it may include.
ours='
base: base
resp: resp base
store: store base
scripts: scripts resp base
server/engine: server/engine server/commands scripts store resp base
server/commands: server/engine server/commands scripts store resp base
server/net: server/net server/engine resp base
server/http: server/http server/engine store base
server: server server/net server/http server/engine server/commands scripts store resp base include/latch
include/latch: include/latch
'

# header of a library: the layers that may include it.
theirs='
uv.h: server/net server/http server
openssl/bio.h openssl/err.h openssl/ssl.h: server/net
lua.h lualib.h lauxlib.h luaconf.h: scripts
xxhash.h: base
md5.h sha.h sha1.h sha2.h: scripts server/engine server/commands
'

# Prints the includes under the folder $1 that break a rule, each after its layer.
check() {
    (cd "$1" && grep -rE --include='*.[ch]' '^ *# *include' base resp store scripts server include 2>/dev/null) |
        awk -v ours="$ours" -v theirs="$theirs" '
            BEGIN {
                n = split(ours, row, "\n")
                for (i = 1; i <= n; i++) {
                    m = split(row[i], word, /:? +/)
                    for (j = 2; j <= m; j++) may[word[1], word[j]] = layer[word[1]] = 1
                }
                n = split(theirs, row, "\n")
                for (i = 1; i <= n; i++) {
                    split(row[i], half, ": ")
                    h = split(half[1], header, " ")
                    m = split(half[2], word, " ")
                    for (k = 1; k <= h; k++) {
                        guarded[header[k]] = 1
                        for (j = 1; j <= m; j++) may[word[j], header[k]] = 1
                    }
                }
            }
            function layer_of(path) {
                while (sub(/\/?[^\/]*$/, "", path) && path != "")
                    if (path in layer) return path
                return "(none)"
            }
            match($0, /"[^"]*"|<[^>]*>/) {
                file = substr($0, 1, index($0, ":") - 1)
                from = layer_of(file)
                name = substr($0, RSTART + 1, RLENGTH - 2)
                if (substr($0, RSTART, 1) == "\"") fine = (from, layer_of(name)) in may
                else fine = !(name in guarded) || (from, name) in may
                if (!fine) print from ": " file " includes " name
            }'
}

# A file with this one line must be found wanting: otherwise the cases below would prove nothing.
notices() {
    scratch=$(mktemp -d)
    mkdir -p "$scratch/$(dirname "$1")"
    echo "#include $2" >"$scratch/$1"
    missed=
    [ -n "$(check "$scratch")" ] || missed="it was let through"
    rm -r "$scratch"
    tap_case "the check notices $2 in $1" "$missed"
}

notices base/buf.c '"resp/wire.h"'
notices resp/wire.c '"store/keys.h"'
notices scripts/host.h '"store/keys.h"'
notices server/engine/call.c '"server/server.h"'
notices server/net/conn.c '"store/keys.h"'
notices server/engine/call.c '<uv.h>'
notices server/engine/acl.c '<openssl/ssl.h>'
notices store/keys.c '"keys.h"'

found=$(check .)
for layer in $(echo "$ours" | sed -n 's/:.*//p'); do
    tap_case "$layer includes only what lies below it" "$(echo "$found" | sed -n "s|^$layer: ||p")"
done
tap_end
