#!/bin/sh
# go-redis, redsync, redislock, rueidislock, and tempredis as a launcher; then the suites that their modules bring
# along, unmodified, where they need neither sentinels nor a cluster.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"

# Debian 12's go is too old, and can fetch a newer one: they are modules, too. A module's files are not executable.
download_go() {
    module=golang.org/toolchain@v0.0.1-go1.26.8.$(go env GOOS)-$(go env GOARCH)
    fetch "$probe" env GOMODCACHE="$WORK/toolchain" go mod download -modcacherw "$module"
    root=$WORK/toolchain/$module
    chmod -R +x "$root/bin" "$root/pkg/tool"
    downloaded "$root/bin/go" go
}

probe='go list -m github.com/redis/go-redis/v9@latest'
version_of_go() { go env GOVERSION | sed 's/^go//'; }
need go go
at_least "$(version_of_go)" 1.26 || download_go
need_version go "$(version_of_go)" 1.26
toolchain_is_there
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
SUITE_SECONDS=900 # the first time, most of it is for the compiler

# Some launchers start what is called redis-server on the PATH.
mkdir -p "$WORK/bin"
ln -sf "$LATCHD" "$WORK/bin/redis-server"
PATH=$WORK/bin:$PATH

cd "$CLIENTS/go"
fetch "$probe" go mod download

version() { go list -m -f '{{.Version}}' "$1"; }

go_test() { # go_test name tests: those of ours whose name matches
    suite "$1" go go test -count=1 -v -run "$2" .
}

go_test 'the witness of these tests' '^TestWitness'
go_test "go-redis $(version github.com/redis/go-redis/v9)" '^TestGoRedis'
go_test "redsync $(version github.com/go-redsync/redsync/v4)" '^TestRedsync'
go_test "redislock $(version github.com/bsm/redislock)" '^TestRedislock'
go_test "rueidislock $(version github.com/redis/rueidis)" '^TestRueidis'
tempredis="tempredis $(version github.com/stvp/tempredis | sed 's/.*-\(.......\).*/\1/')"
go_test "$tempredis" '^TestTempredis'

# copy module: its folder, which go keeps read-only, copied to $WORK and left in $copy.
copy() {
    copy=$WORK/$(basename "$(dirname "$1")")-$(basename "$1")
    rm -rf "$copy"
    cp -r "$(go list -m -f '{{.Dir}}' "$1")" "$copy"
    chmod -R u+w "$copy"
    fetch "$probe" env -C "$copy" go mod download
}

# own_tests name module package [options]: the suite that a module brings along. They know fixed ports only, so each
# gets a network of its own: redsync and redigo start servers where any connection of this machine may sit,
# redislock and rueidislock look for one at 6379.
own_tests() {
    title="$1 $(version "$2"), its own tests" module=$2 package=$3
    shift 3
    copy "$module"
    suite_alone "$title" go env -C "$copy" go test -count=1 -v "$@" "$package"
}

own_tests redsync github.com/go-redsync/redsync/v4 .
own_tests redislock github.com/bsm/redislock .
own_tests rueidislock github.com/redis/rueidis ./rueidislock
own_tests redigo github.com/gomodule/redigo ./redis -run '^Test' # two of its examples sort, which is not for locks

# It has no go.mod, so it is tested from here; today's go vet refuses the name of its example.
suite "$tempredis, its own tests" go go test -count=1 -v -vet=off github.com/stvp/tempredis
