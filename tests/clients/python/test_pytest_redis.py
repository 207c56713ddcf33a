"""pytest-redis, with latchd as the program that it starts."""

import os

import pytest

factories = pytest.importorskip("pytest_redis.factories")

latchd_proc = factories.redis_proc(executable=os.environ["LATCHD"], port=None, timeout=10)
latchd_db = factories.redisdb("latchd_proc", decode=True)


def test_it_starts_and_the_fixture_talks_to_it(latchd_db):
    latchd_db.set("key", "value")
    assert latchd_db.info("server")["redis_version"]
    assert latchd_db.get("key") == "value"


def test_it_is_empty_for_the_next_test(latchd_db):
    assert latchd_db.keys() == []
    with latchd_db.lock("name", timeout=10) as lock:
        assert lock.owned()


def test_it_runs_where_the_plugin_says(latchd_proc):
    assert latchd_proc.running() and latchd_proc.port
