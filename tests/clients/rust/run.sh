#!/bin/sh
# The Rust crates, blocking and on tokio. Debian 12's cargo is too old for them, but not its cargo-web.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
need cargo rust
need_version cargo "$(cargo --version | cut -d' ' -f2)" 1.88
toolchain_is_there

cp -R "$CLIENTS/rust/." "$WORK"
cd "$WORK" || exit
fetch 'cargo info redis' cargo test --no-run

crate() { # its name and version, as Cargo.toml pins it
    sed -n "s/^$1 = .*version = \"=\([^\"]*\)\".*/$1 \1/p" Cargo.toml
}

suite 'the contention test itself' cargo cargo test --lib
suite "$(crate redis), blocking" cargo cargo test --test redis_sync
suite "$(crate redis), tokio" cargo cargo test --test redis_async
suite "$(crate rslock)" cargo cargo test --test rslock
