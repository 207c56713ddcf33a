"""redis-py's Lock."""

import subprocess
import sys
import textwrap
import time

import pytest
import redis
from redis.exceptions import LockError, LockNotOwnedError

from witness import Witness, in_threads


def test_the_witness_notices_when_there_is_no_lock():
    witness = Witness()
    in_threads(8, lambda i: [witness.visit() for _ in range(20)])
    assert witness.overlaps > 0 and not witness.is_satisfied(8 * 20)


def test_threads_exclude_each_other(r):
    witness = Witness()

    def work(i):
        for _ in range(25):
            with r.lock("counter", timeout=10, sleep=0.001):
                witness.visit()

    in_threads(8, work)
    assert witness.is_satisfied(8 * 25)
    assert r.dbsize() == 0


def test_processes_exclude_each_other(latchd, protocol, tmp_path):
    """A directory stands for being inside: who finds it there fails."""
    counter = tmp_path / "counter"
    counter.write_text("0")
    program = textwrap.dedent(f"""
        import pathlib, redis
        counter = pathlib.Path({str(counter)!r})
        inside = counter.with_name("inside")
        r = redis.Redis(port={latchd.port}, protocol={protocol})
        for _ in range(50):
            with r.lock("counter", timeout=10, sleep=0.001):
                inside.mkdir()
                seen = int(counter.read_text())
                counter.write_text(str(seen + 1))
                inside.rmdir()
    """)
    children = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert counter.read_text() == str(4 * 50)


def test_waiting_ends_when_the_time_is_up(r):
    with r.lock("name", timeout=10):
        begun = time.monotonic()
        assert not r.lock("name", sleep=0.01).acquire(blocking_timeout=0.2)
        assert 0.15 < time.monotonic() - begun < 5
        assert not r.lock("name").acquire(blocking=False)


def test_a_stranger_cannot_release(r):
    ours, theirs = r.lock("name", timeout=10), r.lock("name", timeout=10)
    assert ours.acquire()
    theirs.local.token = b"someone else"
    with pytest.raises(LockNotOwnedError):
        theirs.release()
    assert ours.owned() and ours.locked()
    ours.release()
    with pytest.raises(LockError):
        ours.release()


def test_a_lock_left_behind_is_taken_over(r):
    left = r.lock("name", timeout=0.1)
    assert left.acquire()
    assert r.lock("name", timeout=10, sleep=0.01).acquire(blocking_timeout=5)
    with pytest.raises(LockNotOwnedError):
        left.extend(1)
    with pytest.raises(LockNotOwnedError):
        left.release()


def test_a_lease_is_extended_and_renewed(r):
    lock = r.lock("name", timeout=10)
    assert lock.acquire()
    assert lock.extend(20)
    assert 29_000 < r.pttl("name") <= 30_000
    assert lock.extend(5, replace_ttl=True)
    assert 4_000 < r.pttl("name") <= 5_000
    assert lock.reacquire()
    assert 9_000 < r.pttl("name") <= 10_000
    lock.release()


def test_scripts_that_were_forgotten_are_sent_again(r):
    lock = r.lock("name", timeout=10)
    assert lock.acquire()
    r.script_flush()
    assert lock.extend(1)
    r.script_flush()
    lock.release()
    assert not r.exists("name")


def test_a_client_comes_back_after_a_restart(own_latchd, protocol):
    with redis.Redis(port=own_latchd.port, protocol=protocol) as r:
        with r.lock("name", timeout=10):
            pass
        own_latchd.stop()
        with pytest.raises(redis.ConnectionError):
            r.ping()
        own_latchd.start()
        with r.lock("name", timeout=10) as lock:
            assert lock.owned()
