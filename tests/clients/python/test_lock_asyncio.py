"""redis-py's Lock for asyncio."""

import asyncio
import time

import pytest
from redis.exceptions import LockNotOwnedError

from witness import Witness


async def test_tasks_exclude_each_other(ar):
    witness = Witness()

    async def work():
        for _ in range(25):
            async with ar.lock("counter", timeout=10, sleep=0.001):
                await witness.visit_async()

    await asyncio.gather(*(work() for _ in range(8)))
    assert witness.is_satisfied(8 * 25)
    assert await ar.dbsize() == 0


async def test_the_witness_notices_when_there_is_no_lock():
    witness = Witness()
    await asyncio.gather(*(witness.visit_async() for _ in range(8)))
    assert not witness.is_satisfied(8)


async def test_waiting_ends_when_the_time_is_up(ar):
    async with ar.lock("name", timeout=10):
        begun = time.monotonic()
        assert not await ar.lock("name", sleep=0.01).acquire(blocking_timeout=0.2)
        assert 0.15 < time.monotonic() - begun < 5


async def test_a_lock_left_behind_is_taken_over(ar):
    left = ar.lock("name", timeout=0.1)
    assert await left.acquire()
    assert await ar.lock("name", timeout=10, sleep=0.01).acquire(blocking_timeout=5)
    with pytest.raises(LockNotOwnedError):
        await left.release()


async def test_a_lease_is_extended_and_renewed(ar):
    lock = ar.lock("name", timeout=10)
    assert await lock.acquire()
    assert await lock.extend(20)
    assert 29_000 < await ar.pttl("name") <= 30_000
    assert await lock.reacquire()
    assert 9_000 < await ar.pttl("name") <= 10_000
    await ar.script_flush()
    await lock.release()
    assert not await ar.exists("name")


async def test_a_task_that_is_cancelled_leaves_the_lock_to_the_next(ar):
    entered = asyncio.Event()

    async def hold():
        async with ar.lock("name", timeout=30):
            entered.set()
            await asyncio.sleep(30)

    holder = asyncio.create_task(hold())
    await entered.wait()
    holder.cancel()
    assert await ar.lock("name", timeout=10, sleep=0.01).acquire(blocking_timeout=5)
