"""Watches a critical section.

The counter has no protection of its own: when a lock lets two in at a time, increments are lost, and the
second one is seen coming in. Every visit pauses half-way, which hands the processor to whoever else is there.
"""

import asyncio
import threading
import time

PAUSE = 0.0002


class Witness:
    def __init__(self):
        self.count = 0
        self.inside = 0
        self.overlaps = 0

    def _enter(self) -> int:
        self.inside += 1
        self.overlaps += self.inside > 1
        return self.count

    def _leave(self, seen: int) -> None:
        self.count = seen + 1
        self.inside -= 1

    def visit(self) -> None:
        seen = self._enter()
        time.sleep(PAUSE)
        self._leave(seen)

    async def visit_async(self) -> None:
        seen = self._enter()
        await asyncio.sleep(PAUSE)
        self._leave(seen)

    def is_satisfied(self, visits: int) -> bool:
        return (self.count, self.overlaps) == (visits, 0)


def in_threads(n: int, work) -> None:
    """Runs work(i) in n threads that begin together; what one of them raises is raised here."""
    failures = []
    together = threading.Barrier(n)

    def run(i):
        try:
            together.wait()
            work(i)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
