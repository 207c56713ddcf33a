package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Future;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;

class SemaphoreTest extends RedissonTest {
    @Test
    void givesOutItsPermitsAndNoMore() throws Exception {
        RSemaphore semaphore = ours.getSemaphore(name);
        assertTrue(semaphore.trySetPermits(3));
        assertFalse(theirs.getSemaphore(name).trySetPermits(5));
        semaphore.acquire(2);
        assertTrue(theirs.getSemaphore(name).tryAcquire());
        assertFalse(theirs.getSemaphore(name).tryAcquire());
        assertFalse(theirs.getSemaphore(name).tryAcquire(200, MILLISECONDS));
        semaphore.release(3);
        assertEquals(3, semaphore.availablePermits());
        assertEquals(3, semaphore.drainPermits());
        semaphore.addPermits(1);
        assertEquals(1, theirs.getSemaphore(name).availablePermits());
    }

    @Test
    void aReleaseWakesAWaiter() throws Exception {
        RSemaphore semaphore = ours.getSemaphore(name);
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Future<Boolean> waiter = call(() -> theirs.getSemaphore(name).tryAcquire(20, SECONDS));
        semaphore.release();
        assertTrue(waiter.get(5, SECONDS));
    }

    @Test
    void asAMutexItExcludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        ours.getSemaphore(name).trySetPermits(1);
        Contention.prove(8, 25, (contender, section) -> {
            RSemaphore semaphore = clients[contender % 2].getSemaphore(name);
            semaphore.acquire();
            section.run();
            semaphore.release();
        });
    }

    @Test
    void anExpirablePermitReturnsByItself() throws Exception {
        RPermitExpirableSemaphore semaphore = ours.getPermitExpirableSemaphore(name);
        assertTrue(semaphore.trySetPermits(1));
        String lost = semaphore.acquire(300, MILLISECONDS);
        assertNull(theirs.getPermitExpirableSemaphore(name).tryAcquire());
        String found = theirs.getPermitExpirableSemaphore(name).tryAcquire(10, 20, SECONDS);
        assertNotNull(found);

        assertFalse(semaphore.tryRelease(lost));
        assertThrows(RedisException.class, () -> semaphore.release(lost));
        assertTrue(semaphore.tryRelease(found));
        assertEquals(1, semaphore.availablePermits());
    }

    @Test
    void theLeaseOfAPermitCanBeProlonged() throws Exception {
        RPermitExpirableSemaphore semaphore = ours.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(1);
        String permit = semaphore.acquire(400, MILLISECONDS);
        assertTrue(semaphore.updateLeaseTime(permit, 30, SECONDS));
        assertNull(theirs.getPermitExpirableSemaphore(name).tryAcquire(800, 1000, MILLISECONDS));
        assertFalse(semaphore.updateLeaseTime("0123456789abcdef0123456789abcdef", 30, SECONDS));
        semaphore.release(permit);
    }

    @Test
    void expirablePermitsExcludeUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        ours.getPermitExpirableSemaphore(name).trySetPermits(1);
        Contention.prove(6, 15, (contender, section) -> {
            RPermitExpirableSemaphore semaphore = clients[contender % 2].getPermitExpirableSemaphore(name);
            String permit = semaphore.acquire(30, SECONDS);
            section.run();
            semaphore.release(permit);
        });
    }
}
