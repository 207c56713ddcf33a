package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class FairLockTest extends RedissonTest {
    @Test
    void servesTwentyWaitersInTheOrderTheyCame() throws Exception {
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        List<Future<?>> waiters = new ArrayList<>();
        RLock lock = ours.getFairLock(name);
        lock.lock();
        for (int i = 0; i < 20; i++) {
            int waiter = i;
            RLock theirLock = (i % 2 == 0 ? ours : theirs).getFairLock(name);
            waiters.add(call(() -> {
                theirLock.lock();
                served.add(waiter);
                theirLock.unlock();
                return null;
            }));
            awaitQueue(i + 1);
        }

        lock.unlock();
        for (Future<?> waiter : waiters) {
            waiter.get(30, SECONDS);
        }
        assertEquals(IntStream.range(0, 20).boxed().toList(), served);
    }

    @Test
    void aDeadWaiterHoldsUpTheQueueOnlyForItsTime() throws Exception {
        try (ImpatientClient holder = new ImpatientClient(latchd);
                ImpatientClient survivor = new ImpatientClient(latchd)) {
            RLock lock = holder.fairLock(name);
            lock.lock(3, SECONDS);

            ImpatientClient doomed = new ImpatientClient(latchd);
            call(() -> doomed.fairLock(name).tryLock(60, SECONDS));
            awaitQueue(1);
            doomed.close();
            Future<Boolean> next = call(() -> survivor.fairLock(name).tryLock(60, 5, SECONDS));
            awaitQueue(2);

            lock.unlock();
            assertTrue(next.get(15, SECONDS));
            awaitQueue(0);
        }
    }

    @Test
    void whoGivesUpLeavesTheQueue() throws Exception {
        ours.getFairLock(name).lock();
        assertFalse(theirs.getFairLock(name).tryLock(200, MILLISECONDS));
        awaitQueue(0);
        ours.getFairLock(name).unlock();
        assertTrue(theirs.getFairLock(name).tryLock());
        theirs.getFairLock(name).unlock();
    }

    @Test
    void excludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        Contention.prove(8, 25, (contender, section) -> {
            RLock lock = clients[contender % 2].getFairLock(name);
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private void awaitQueue(int length) throws Exception {
        eventually(length + " wait", () -> latchd.ask("LLEN redisson_lock_queue:{" + name + "}").equals(":" + length));
    }
}
