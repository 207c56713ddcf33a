package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static latchd.Threads.eventually;
import static latchd.Threads.millis;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class RLockTest extends RedissonTest {
    @Test
    void belongsToOneThreadOfOneClient() throws Exception {
        RLock lock = ours.getLock(name);
        assertTrue(lock.tryLock());

        assertTrue(lock.isLocked());
        assertTrue(lock.isHeldByCurrentThread());
        assertTrue(lock.isHeldByThread(Thread.currentThread().getId()));
        assertFalse(call(lock::isHeldByCurrentThread).get());
        assertFalse(call(() -> lock.tryLock()).get());
        assertTrue(theirs.getLock(name).isLocked());
        assertFalse(theirs.getLock(name).isHeldByCurrentThread());
        assertFalse(theirs.getLock(name).tryLock());

        lock.unlock();
        assertFalse(theirs.getLock(name).isLocked());
    }

    @Test
    void leavesNothingBehind() throws Exception {
        RLock lock = ours.getLock(name);
        lock.lock();
        lock.unlock();
        eventually("the keyspace is empty", () -> latchd.ask("DBSIZE").equals(":0"));
    }

    @Test
    void tryLockGivesUpWhenItsWaitIsOver() throws Exception {
        theirs.getLock(name).lock();
        long waited = millis(() -> {
            assertFalse(ours.getLock(name).tryLock(300, MILLISECONDS));
            return null;
        });
        assertTrue(waited >= 290 && waited < 3000, "waited " + waited + " ms");
        theirs.getLock(name).unlock();
    }

    @Test
    void aWaiterIsWokenByTheUnlock() throws Exception {
        RLock lock = ours.getLock(name);
        lock.lock(30, SECONDS);
        Future<Boolean> waiter = call(() -> theirs.getLock(name).tryLock(20, 5, SECONDS));
        awaitWaiter();

        long woken = millis(() -> {
            lock.unlock();
            return waiter.get();
        });
        assertTrue(waiter.get());
        assertTrue(woken < 5000, "woken after " + woken + " ms");
    }

    @Test
    void aLeaseEndsByItself() throws Exception {
        ours.getLock(name).lock(500, MILLISECONDS);
        long waited = millis(() -> {
            assertTrue(theirs.getLock(name).tryLock(10, 5, SECONDS));
            return null;
        });
        assertTrue(waited >= 400 && waited < 5000, "waited " + waited + " ms");
        assertThrows(IllegalMonitorStateException.class, () -> ours.getLock(name).unlock());
    }

    @Test
    void remainTimeToLiveFollowsTheLease() {
        RLock lock = ours.getLock(name);
        assertEquals(-2, lock.remainTimeToLive());
        lock.lock(10, SECONDS);
        long remaining = theirs.getLock(name).remainTimeToLive();
        assertTrue(remaining > 5000 && remaining <= 10000, remaining + " ms remain");
        lock.unlock();
        assertEquals(-2, lock.remainTimeToLive());
    }

    @Test
    void theWatchdogRenewsForAsLongAsTheHolderHolds() throws Exception {
        RLock lock = ours.getLock(name);
        lock.lock();
        int renewals = 0;
        long held = 0;
        long before = lock.remainTimeToLive();
        for (; renewals < 5; held += 20) {
            long remaining = lock.remainTimeToLive();
            assertTrue(remaining > 0, "lost after " + renewals + " renewals");
            renewals += remaining > before ? 1 : 0;
            before = remaining;
            Thread.sleep(20);
        }
        assertTrue(held > Clients.WATCHDOG_MILLIS, "held " + held + " ms");
        lock.unlock();
        assertFalse(lock.isLocked());
    }

    @Test
    void theLockOfADeadClientIsFreeAfterTheWatchdogsTime() throws Exception {
        RedissonClient doomed = Clients.connect(latchd);
        doomed.getLock(name).lock();
        doomed.shutdown();
        assertTrue(ours.getLock(name).isLocked());
        assertTrue(ours.getLock(name).tryLock(10, 5, SECONDS));
        ours.getLock(name).unlock();
    }

    @Test
    void theHolderMayEnterAgain() {
        RLock lock = ours.getLock(name);
        lock.lock();
        assertTrue(lock.tryLock());
        assertEquals(2, lock.getHoldCount());
        lock.unlock();
        assertEquals(1, lock.getHoldCount());
        assertFalse(theirs.getLock(name).tryLock());
        lock.unlock();
        assertEquals(0, lock.getHoldCount());
        assertFalse(lock.isLocked());
    }

    @Test
    void aStrangerCannotUnlock() {
        RLock lock = ours.getLock(name);
        lock.lock();
        ExecutionException thread = assertThrows(ExecutionException.class, () -> call(() -> {
            lock.unlock();
            return null;
        }).get());
        assertInstanceOf(IllegalMonitorStateException.class, thread.getCause());
        assertThrows(IllegalMonitorStateException.class, () -> theirs.getLock(name).unlock());
        assertTrue(lock.isHeldByCurrentThread());
        lock.unlock();
    }

    @Test
    void anyoneCanForceItOpenAndWaitersAreWoken() throws Exception {
        ours.getLock(name).lock(30, SECONDS);
        Future<Boolean> waiter = call(() -> ours.getLock(name).tryLock(20, 5, SECONDS));
        awaitWaiter();

        assertTrue(theirs.getLock(name).forceUnlock());
        assertTrue(waiter.get(5, SECONDS));
        assertTrue(theirs.getLock(name).forceUnlock());
        assertFalse(theirs.getLock(name).forceUnlock());
    }

    @Test
    void theAsyncFormsNameTheirOwner() throws Exception {
        RLock lock = ours.getLock(name);
        assertTrue(lock.tryLockAsync(1).get());
        assertFalse(lock.tryLockAsync(2).get());
        assertFalse(lock.tryLockAsync(200, 5000, MILLISECONDS, 2).get());
        Future<Void> waiter = lock.lockAsync(5, SECONDS, 2);
        assertThrows(ExecutionException.class, () -> lock.unlockAsync(3).get());
        assertFalse(waiter.isDone());

        lock.unlockAsync(1).get();
        waiter.get(5, SECONDS);
        assertTrue(lock.isHeldByThread(2));
        assertTrue(lock.forceUnlockAsync().get());
    }

    @Test
    void excludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        Contention.prove(16, 50, (contender, section) -> {
            RLock lock = clients[contender % 2].getLock(name);
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }

    @Test
    void survivesARestartOfTheServer() throws Exception {
        RLock lock = ours.getLock(name);
        lock.lock(30, SECONDS);
        lock.unlock();

        latchd.restart();
        eventually("the client is back", () -> Clients.tryAgain(lock));
        assertTrue(lock.isHeldByCurrentThread());
        assertFalse(call(() -> lock.tryLock(100, MILLISECONDS)).get());
        lock.unlock();
    }

    private void awaitWaiter() throws Exception {
        String channel = "redisson_lock__channel:{" + name + "}";
        eventually("someone waits", () -> latchd.ask("PUBSUB CHANNELS " + channel).equals("*1"));
    }
}
