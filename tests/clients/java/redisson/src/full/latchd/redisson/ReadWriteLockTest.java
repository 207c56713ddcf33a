package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;

class ReadWriteLockTest extends RedissonTest {
    @Test
    void readersShareAndKeepWritersOut() throws Exception {
        RLock first = ours.getReadWriteLock(name).readLock();
        RLock second = theirs.getReadWriteLock(name).readLock();
        first.lock();
        assertTrue(second.tryLock());
        assertFalse(call(() -> ours.getReadWriteLock(name).writeLock().tryLock()).get());
        Future<Boolean> writer = call(() -> ours.getReadWriteLock(name).writeLock().tryLock(20, 5, SECONDS));

        first.unlock();
        assertFalse(writer.isDone());
        second.unlock();
        assertTrue(writer.get(5, SECONDS));
    }

    @Test
    void aWriterKeepsEveryoneElseOut() {
        RReadWriteLock mine = ours.getReadWriteLock(name);
        mine.writeLock().lock();
        assertFalse(theirs.getReadWriteLock(name).readLock().tryLock());
        assertFalse(theirs.getReadWriteLock(name).writeLock().tryLock());
        assertThrows(IllegalMonitorStateException.class, () -> theirs.getReadWriteLock(name).writeLock().unlock());
        mine.writeLock().unlock();
        assertFalse(mine.writeLock().isLocked());
    }

    @Test
    void aWriterBecomesAReaderWithoutLettingGo() {
        RReadWriteLock mine = ours.getReadWriteLock(name);
        mine.writeLock().lock();
        mine.readLock().lock();
        mine.writeLock().unlock();
        assertTrue(theirs.getReadWriteLock(name).readLock().tryLock());
        assertFalse(theirs.getReadWriteLock(name).writeLock().tryLock());
        mine.readLock().unlock();
        theirs.getReadWriteLock(name).readLock().unlock();
        assertEquals(0, mine.readLock().getHoldCount());
    }

    @Test
    void theReaderWithTheLongestLeaseDecides() throws Exception {
        ours.getReadWriteLock(name).readLock().lock(1500, MILLISECONDS);
        theirs.getReadWriteLock(name).readLock().lock(200, MILLISECONDS);
        RLock writer = ours.getReadWriteLock(name).writeLock();
        assertFalse(call(() -> writer.tryLock(400, 1000, MILLISECONDS)).get());
        assertTrue(call(() -> writer.tryLock(10, 5, SECONDS)).get());
    }

    @Test
    void theWatchdogRenewsReadersToo() throws Exception {
        RLock reader = ours.getReadWriteLock(name).readLock();
        reader.lock();
        reader.lock();
        Thread.sleep(2 * Clients.WATCHDOG_MILLIS);
        assertEquals(2, reader.getHoldCount());
        assertFalse(theirs.getReadWriteLock(name).writeLock().tryLock());
        reader.unlock();
        reader.unlock();
        assertTrue(theirs.getReadWriteLock(name).writeLock().tryLock());
        theirs.getReadWriteLock(name).writeLock().unlock();
    }

    @Test
    void excludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        AtomicBoolean writing = new AtomicBoolean();
        AtomicInteger disturbed = new AtomicInteger();
        Contention.prove(8, 15, (contender, section) -> {
            RReadWriteLock lock = clients[contender % 2].getReadWriteLock(name);
            lock.readLock().lock();
            disturbed.addAndGet(writing.get() ? 1 : 0);
            lock.readLock().unlock();

            lock.writeLock().lock();
            writing.set(true);
            section.run();
            writing.set(false);
            lock.writeLock().unlock();
        });
        assertEquals(0, disturbed.get(), "readers that met a writer");
    }
}
