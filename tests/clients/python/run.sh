#!/bin/sh
# redis-py in its newest version and in 5.x, python-redis-lock, pottery, pytest-redis; then the suites that the
# source packages of redis-py, python-redis-lock and pottery bring along, unmodified.
# shellcheck source=tests/clients/lib.sh
. "$CLIENTS/lib.sh"

need python3 python
python3 -c 'import ensurepip, venv' 2>/dev/null || "$TOP/tools/deps.sh" python >&2
need_version python3 "$(python3 -c 'import platform; print(platform.python_version())')" 3.10
toolchain_is_there
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# environment newest: a virtualenv with what requirements-newest.txt lists, made anew when the list changes.
environment() {
    venv=$WORK/venv-$1
    list=$CLIENTS/python/requirements-$1.txt
    cmp -s "$list" "$venv/installed.txt" && return
    rm -rf "$venv"
    python3 -m venv "$venv"
    fetch "$venv/bin/pip index versions redis" "$venv/bin/pip" install -q -r "$list"
    cp "$list" "$venv/installed.txt"
}

# sources redis 8.1.0: the unpacked source package, in $sources.
sources() {
    sources=$WORK/$1-$2
    [ -d "$sources" ] && return
    fetch "$venv/bin/pip index versions redis" \
        "$venv/bin/pip" download -q --no-deps --no-binary :all: -d "$WORK" "$1==$2"
    mkdir "$sources.new"
    tar xzf "$WORK/$(echo "$1" | tr - _)-$2.tar.gz" -C "$sources.new" --strip-components 1
    mv "$sources.new" "$sources"
}

pinned() { # the version that the list of this environment pins
    sed -n "s/^$1==//p" "$list"
}

run_pytest() { # run_pytest name folder pytest's arguments...
    name=$1 folder=$2
    shift 2
    "${suite:-suite}" "$name" pytest env -C "$folder" "$venv/bin/python" -m pytest -v -p no:cacheprovider "$@"
}

ln -sf "$LATCHD" "$WORK/redis-server" # python-redis-lock's suite starts a program of this name
latchd_start

ours=$CLIENTS/python
for environment in 5 newest; do
    environment $environment
    version=$(pinned redis)
    run_pytest "redis-py $version" "$ours" test_lock.py test_lock_asyncio.py test_client.py
    run_pytest "python-redis-lock $(pinned python-redis-lock), redis-py $version" "$ours" test_python_redis_lock.py
    run_pytest "pottery $(pinned pottery), redis-py $version" "$ours" test_pottery.py

    sources redis "$version"
    for protocol in 2 3; do
        run_pytest "redis-py $version, its own lock tests, RESP$protocol" "$sources" \
            --asyncio-mode=auto --redis-url="redis://127.0.0.1:$REDIS_PORT/0" --protocol=$protocol \
            tests/test_lock.py tests/test_asyncio/test_lock.py
    done

    # This suite expects redis-py 5, at port 6379.
    [ $environment = 5 ] || continue
    sources pottery "$(pinned pottery)"
    suite=suite_alone
    export PYTHONPATH="$ours"
    run_pytest "pottery $(pinned pottery), its own lock tests" "$sources" -p pottery_fixtures --asyncio-mode=auto \
        tests/test_redlock.py tests/test_aioredlock.py
    unset suite PYTHONPATH
done

run_pytest "pytest-redis $(pinned pytest-redis)" "$ours" test_pytest_redis.py

sources python-redis-lock "$(pinned python-redis-lock)"
PATH=$WORK:$PATH
export DJANGO_SETTINGS_MODULE=test_project.settings # as its tox.ini has it
export REDIS_LOCK_TEST_TIMEOUT=20 # in 10 s, which it has by default, a busy machine may not start its programs
run_pytest "python-redis-lock $(pinned python-redis-lock), its own tests" "$sources" -p no:asyncio -n 4 tests
