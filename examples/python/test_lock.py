import pytest
from redis.backoff import NoBackoff
from redis.exceptions import LockNotOwnedError, TimeoutError
from redis.retry import Retry


def test_a_lease_ends_without_waiting(latchd):
    alices = latchd.client().lock("job", timeout=30)
    bobs = latchd.client().lock("job", timeout=30)
    assert alices.acquire(blocking=False)
    assert not bobs.acquire(blocking=False)

    latchd.advance(30_001)

    assert bobs.acquire(blocking=False)
    with pytest.raises(LockNotOwnedError):
        alices.release()


def test_an_answer_is_lost(latchd):
    client = latchd.client(socket_timeout=0.2, retry=Retry(NoBackoff(), 0))
    lock = client.lock("job", timeout=30)
    latchd.fault("SET", "TIMES", 1, "DROP-REPLY")

    with pytest.raises(TimeoutError):
        lock.acquire(blocking=False)

    # It was taken, and whoever took it does not know: trying again finds it held, by itself.
    assert client.exists("job")
    assert not lock.acquire(blocking=False)
