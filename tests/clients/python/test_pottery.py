"""pottery's Redlock over five servers."""

import asyncio
import time

import pytest
import redis
import redis.asyncio
from pottery import AIORedlock, Redlock, ReleaseUnlockedLock

from witness import Witness, in_threads


@pytest.fixture
def masters(several):
    return {redis.Redis(port=latchd.port, socket_timeout=1, retry=None) for latchd in several}


def test_threads_exclude_each_other(masters):
    witness = Witness()

    def work(i):
        for _ in range(5):
            with Redlock(key="counter", masters=masters, auto_release_time=10):
                witness.visit()

    in_threads(4, work)
    assert witness.is_satisfied(4 * 5)


async def test_tasks_exclude_each_other(several):
    witness = Witness()
    masters = {redis.asyncio.Redis(port=latchd.port) for latchd in several}

    async def work():
        for _ in range(5):
            async with AIORedlock(key="counter", masters=masters, auto_release_time=10):
                await witness.visit_async()

    await asyncio.gather(*(work() for _ in range(4)))
    assert witness.is_satisfied(4 * 5)
    for master in masters:
        await master.aclose()


def test_a_minority_of_dead_servers_is_borne(masters, several):
    several[0].kill()
    several[1].kill()
    lock = Redlock(key="name", masters=masters, auto_release_time=10)
    assert lock.acquire(timeout=10)
    assert not Redlock(key="name", masters=masters, auto_release_time=10).acquire(blocking=False)
    lock.release()
    several[2].kill()
    assert not Redlock(key="name", masters=masters, auto_release_time=10).acquire(blocking=False)


def test_a_lease_ends_and_is_extended(masters):
    lock = Redlock(key="name", masters=masters, auto_release_time=1)
    assert lock.acquire()
    lock.extend()
    assert 0 < lock.locked() <= 1
    time.sleep(1.1)
    assert not lock.locked()
    with pytest.raises(ReleaseUnlockedLock):
        lock.release()
