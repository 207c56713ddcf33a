"""The rest of redis-py that applications with locks lean on."""

import asyncio
import time

import pytest
import redis
import redis.asyncio
from redis.exceptions import AuthenticationError, NoScriptError, ResponseError, WatchError

from latchd import Latchd


def next_message(pubsub, kind):
    """The next one of a kind. None is also what the answer to a health check looks like."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        message = pubsub.get_message(timeout=1)
        if message and message["type"] == kind:
            return message
    raise AssertionError(f"no {kind} came")


def test_messages_by_channel_and_by_pattern(r):
    with r.pubsub() as pubsub:
        pubsub.subscribe("news")
        pubsub.psubscribe("n*")
        assert next_message(pubsub, "subscribe")["data"] == 1
        assert next_message(pubsub, "psubscribe")["data"] == 2
        assert r.publish("news", "one") == 2
        assert next_message(pubsub, "message")["data"] == "one"
        assert next_message(pubsub, "pmessage")["pattern"] == "n*"
        pubsub.unsubscribe("news")
        assert next_message(pubsub, "unsubscribe")["data"] == 1
        assert r.pubsub_numsub("news") == [("news", 0)]


def test_a_subscriber_is_asked_whether_it_is_well(latchd, protocol):
    with redis.Redis(port=latchd.port, protocol=protocol, health_check_interval=0.01) as r:
        with r.pubsub() as pubsub:
            pubsub.subscribe("news")
            next_message(pubsub, "subscribe")
            for _ in range(20):
                pubsub.check_health()
                pubsub.get_message(timeout=0.02)
            r.publish("news", "still here")
            assert next_message(pubsub, "message")["data"] == b"still here"


async def test_asyncio_messages(ar):
    async with ar.pubsub() as pubsub:
        await pubsub.subscribe("news")
        assert (await pubsub.get_message(timeout=5))["type"] == "subscribe"
        await ar.publish("news", "one")
        assert (await pubsub.get_message(timeout=5))["data"] == "one"
        await pubsub.ping()
        await ar.publish("news", "two")
        seen = [await pubsub.get_message(timeout=5) for _ in range(2)]
        assert "two" in [message["data"] for message in seen]


def test_keyspace_events_tell_of_an_expired_lock(r):
    r.config_set("notify-keyspace-events", "Ex")
    try:
        with r.pubsub() as pubsub:
            pubsub.psubscribe("__keyevent@*__:expired")
            next_message(pubsub, "psubscribe")
            r.set("lock", "token", nx=True, px=20)
            assert next_message(pubsub, "pmessage")["data"] == "lock"
    finally:
        r.config_set("notify-keyspace-events", "")


def test_a_pipeline_answers_in_order(r):
    with r.pipeline(transaction=False) as pipe:
        pipe.set("a", 1).incr("a").get("missing").hset("h", mapping={"x": 1, "y": 2}).hgetall("h")
        assert pipe.execute() == [True, 2, None, 2, {"x": "1", "y": "2"}]


def test_an_error_in_a_pipeline_keeps_its_place(r):
    with r.pipeline(transaction=True) as pipe:
        pipe.set("a", "text").incr("a").get("a")
        first, second, third = pipe.execute(raise_on_error=False)
        assert (first, third) == (True, "text") and isinstance(second, ResponseError)


def test_a_transaction_notices_that_what_it_watched_changed(r):
    r.set("balance", 1)
    with r.pipeline() as pipe:
        pipe.watch("balance")
        seen = int(pipe.get("balance"))
        r.set("balance", 5)
        pipe.multi()
        pipe.set("balance", seen + 1)
        with pytest.raises(WatchError):
            pipe.execute()
    assert r.get("balance") == "5"


def test_a_transaction_is_tried_again_until_it_succeeds(r):
    r.set("balance", 1)
    tries = []

    def double(pipe):
        tries.append(1)
        balance = int(pipe.get("balance"))
        if len(tries) == 1:
            r.set("balance", 7)
        pipe.multi()
        pipe.set("balance", balance * 2)

    r.transaction(double, "balance")
    assert (len(tries), r.get("balance")) == (2, "14")


def test_connections_are_checked_before_they_are_used(latchd, protocol):
    with redis.Redis(port=latchd.port, protocol=protocol, health_check_interval=1e-6) as r:
        before = r.info("commandstats")["cmdstat_ping"]["calls"] if r.ping() else 0
        for _ in range(5):
            r.get("key")
        assert r.info("commandstats")["cmdstat_ping"]["calls"] >= before + 5


def test_a_script_registers_itself_when_it_is_unknown(r):
    add = r.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    assert (add(keys=["n"], args=[5]), add(keys=["n"], args=[5])) == (5, 10)
    with pytest.raises(NoScriptError):
        r.evalsha("0" * 40, 0)


def test_blocking_pop_waits_for_another_client(r):
    with r.client() as other:
        assert other.blpop(["queue"], timeout=0.05) is None
        r.rpush("queue", "job")
        assert tuple(other.blpop(["queue"], timeout=5)) == ("queue", "job")


def test_scanning_sees_every_key_once_or_more(r):
    names = {f"key:{i}" for i in range(500)}
    r.mset({name: "x" for name in names})
    assert set(r.scan_iter(match="key:*", count=37)) == names


def test_a_connection_knows_its_name_and_library(r):
    r.client_setname("worker")
    assert r.client_getname() == "worker"
    mine = r.client_info()
    assert mine["name"] == "worker" and mine["lib-name"].startswith("redis-py")
    assert r.info("server")["redis_mode"] == "standalone"


def test_replies_are_cached_until_they_change(latchd):
    cache = pytest.importorskip("redis.cache")
    with redis.Redis(port=latchd.port, protocol=3, cache_config=cache.CacheConfig(), decode_responses=True) as near:
        with redis.Redis(port=latchd.port) as far:
            far.set("key", "old")
            assert [near.get("key"), near.get("key")] == ["old", "old"]
            assert near.get_cache().size == 1
            far.set("key", "new")
            assert near.get("key") == "new"


def test_password_and_unix_socket(tmp_path, protocol):
    latchd = Latchd(tmp_path, "--requirepass", "secret", "--unixsocket", str(tmp_path / "s"))
    try:
        with redis.Redis(port=latchd.port, protocol=protocol) as r, pytest.raises(AuthenticationError):
            r.ping()
        with redis.Redis(port=latchd.port, protocol=protocol, password="secret", db=9) as r:
            assert r.ping()
        with redis.Redis(unix_socket_path=str(tmp_path / "s"), protocol=protocol, password="secret") as r:
            with r.lock("name", timeout=10) as lock:
                assert lock.owned()
    finally:
        latchd.stop()


async def test_asyncio_pipelines_and_watch(ar):
    async with ar.pipeline(transaction=True) as pipe:
        assert await pipe.set("a", 1).incr("a").execute() == [True, 2]
    async with ar.pipeline() as pipe:
        await pipe.watch("a")
        await ar.set("a", 9)
        pipe.multi()
        pipe.set("a", 0)
        with pytest.raises(WatchError):
            await pipe.execute()


async def test_many_tasks_share_a_pool(ar):
    await asyncio.gather(*(ar.incr("n") for _ in range(50)))
    assert await ar.get("n") == "50"
