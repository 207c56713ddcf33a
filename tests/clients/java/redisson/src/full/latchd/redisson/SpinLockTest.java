package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class SpinLockTest extends RedissonTest {
    @Test
    void isReentrantAndItsHoldersOwn() {
        RLock lock = ours.getSpinLock(name);
        lock.lock();
        assertTrue(lock.tryLock());
        assertEquals(2, lock.getHoldCount());
        assertThrows(IllegalMonitorStateException.class, () -> theirs.getSpinLock(name).unlock());
        lock.unlock();
        lock.unlock();
        assertFalse(lock.isLocked());
    }

    @Test
    void spinsUntilTheLeaseOfTheHolderEnds() throws Exception {
        ours.getSpinLock(name).lock(300, MILLISECONDS);
        assertFalse(theirs.getSpinLock(name).tryLock(50, 1000, MILLISECONDS));
        assertTrue(theirs.getSpinLock(name).tryLock(10, 5, SECONDS));
    }

    @Test
    void excludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        Contention.prove(8, 25, (contender, section) -> {
            RLock lock = clients[contender % 2].getSpinLock(name);
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }
}
