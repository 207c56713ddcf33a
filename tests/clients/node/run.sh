#!/bin/sh
# The Node libraries. package.json pins them; where it has two versions of one, the suites name the one they mean.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
need node
need npm
need_version node "$(node -p process.versions.node)" 20

cp "$CLIENTS"/node/package.json "$CLIENTS"/node/*.js "$WORK"
cd "$WORK" || exit
fetch 'npm view ioredis version' npm install --no-package-lock --ignore-scripts --no-audit --no-fund

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
