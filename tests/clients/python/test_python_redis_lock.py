"""python-redis-lock: waiting by BLPOP, renewal in a thread."""

import time

import pytest
import redis_lock

from witness import Witness, in_threads


def test_threads_exclude_each_other(r):
    witness = Witness()

    def work(i):
        for _ in range(25):
            with redis_lock.Lock(r, "counter", expire=10):
                witness.visit()

    in_threads(8, work)
    assert witness.is_satisfied(8 * 25)


def test_a_waiter_is_woken_by_the_release(r):
    ours = redis_lock.Lock(r, "name", expire=30)
    assert ours.acquire()
    woken = []

    def work(i):
        if i == 0:
            woken.append(redis_lock.Lock(r, "name", expire=30).acquire(timeout=10))
        else:
            while r.info("clients")["blocked_clients"] == 0:
                time.sleep(0.01)
            ours.release()

    begun = time.monotonic()
    in_threads(2, work)
    assert woken == [True] and time.monotonic() - begun < 5


def test_the_lease_is_renewed_in_the_background(r):
    with redis_lock.Lock(r, "name", expire=1, auto_renewal=True):
        time.sleep(2.5)
        assert not redis_lock.Lock(r, "name", expire=1).acquire(blocking=False)
    assert redis_lock.Lock(r, "name", expire=1).acquire(blocking=False)


def test_only_the_owner_releases(r):
    ours, theirs = redis_lock.Lock(r, "name", expire=10), redis_lock.Lock(r, "name", expire=10)
    assert ours.acquire() and not theirs.acquire(blocking=False)
    with pytest.raises(redis_lock.NotAcquired):
        theirs.release()
    ours.extend(expire=20)
    assert r.ttl("lock:name") > 10
    ours.release()
    assert not ours.locked()


def test_all_locks_are_reset(r):
    lock = redis_lock.Lock(r, "name", expire=10)
    assert lock.acquire()
    redis_lock.reset_all(r)
    assert redis_lock.Lock(r, "name", expire=10).acquire(blocking=False)
