#!/bin/sh
# The recipes of examples/, as a reader would run them: each a test in its language that moves time and loses an answer.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"
toolchain_is_there # or a recipe is skipped

# recipe name program...: copies the recipe to $WORK and goes there; false, after a word, when a program is missing.
recipe() {
    folder=$1
    shift
    for program; do
        command -v "$program" >/dev/null && continue
        skip_suite "$folder" "$program is not installed"
        return 1
    done
    rm -rf "${WORK:?}/$folder"
    cp -R "$TOP/examples/$folder" "$WORK/$folder"
    cd "$WORK/$folder"
}

if recipe c cc pkg-config; then
    export PKG_CONFIG_PATH="$WORK/root/lib/pkgconfig" LD_LIBRARY_PATH="$WORK/root/lib"
    cmake --install "$TOP/build" --prefix "$WORK/root" >/dev/null
    # shellcheck disable=SC2046  # lists of flags
    cc test_lock.c $(pkg-config --cflags --libs latch hiredis) -o test_lock
    suite 'C with liblatch and hiredis' tap ./test_lock
fi

if recipe python python3; then
    venv=$WORK/venv
    if ! cmp -s requirements.txt "$venv/installed.txt"; then
        rm -rf "$venv"
        python3 -m venv "$venv"
        fetch "$venv/bin/pip index versions redis" "$venv/bin/pip" install -q -r requirements.txt
        cp requirements.txt "$venv/installed.txt"
    fi
    suite 'pytest with redis-py' pytest "$venv/bin/python" -m pytest -v -p no:cacheprovider
fi

if recipe node node npm; then
    fetch 'npm view ioredis version' npm install --no-package-lock --ignore-scripts --no-audit --no-fund
    suite 'the test runner of Node with ioredis' tap node --test --test-reporter=tap
fi

if recipe go go; then
    fetch 'go list -m github.com/redis/go-redis/v9@latest' go mod tidy
    suite 'go test with go-redis' go go test -v ./...
fi

if recipe rust cargo; then
    export CARGO_TARGET_DIR="$WORK/target"
    fetch 'cargo info redis' cargo test --no-run
    suite 'cargo test with redis' cargo cargo test
fi

if recipe java javac mvn; then
    export MAVEN_OPTS=-XX:TieredStopAtLevel=1
    # A test is chosen, and no method of it: only then is JUnit's launcher fetched, too.
    fetch 'mvn -q -B help:help' mvn -B -Dtest='*#none' -Dsurefire.failIfNoSpecifiedTests=false test
    # shellcheck disable=SC2016  # the inner shell's
    suite 'JUnit 5 with Redisson' surefire \
        sh -c 'mvn -B -o -Dstyle.color=never test >maven.log 2>&1; s=$?; cat target/surefire-reports/*.xml maven.log; exit $s'
fi
