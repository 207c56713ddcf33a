package example;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisTimeoutException;
import org.redisson.config.Config;

class LockTest {
    @RegisterExtension
    static final Latchd latchd = new Latchd();

    private final List<RedissonClient> clients = new ArrayList<>();

    private RedissonClient client() {
        Config config = new Config();
        config.useSingleServer().setAddress(latchd.address()).setTimeout(1000)
                .setConnectionMinimumIdleSize(2).setConnectionPoolSize(4);
        clients.add(Redisson.create(config));
        return clients.get(clients.size() - 1);
    }

    @AfterEach
    void stop() {
        clients.forEach(RedissonClient::shutdown);
    }

    /** The lease is explicit: without one, Redisson's watchdog renews it by a timer that does not move. */
    @Test
    void aLeaseEndsWithoutWaiting() throws Exception {
        RLock alices = client().getLock("job");
        RLock bobs = client().getLock("job");
        long begun = System.nanoTime();
        assertTrue(alices.tryLock(0, 30, SECONDS));
        assertFalse(bobs.tryLock(0, 30, SECONDS));

        latchd.advance(Duration.ofMillis(30_001));

        assertTrue(bobs.tryLock(0, 30, SECONDS));
        assertThrows(IllegalMonitorStateException.class, alices::unlock);
        bobs.unlock();
        long ms = (System.nanoTime() - begun) / 1_000_000;
        System.out.println("thirty seconds took " + ms + " ms");
        assertTrue(ms < 10_000);
    }

    @Test
    void anAnswerIsLost() throws Exception {
        RLock lock = client().getLock("job");
        lock.lock(); // now Redisson knows that the server knows its scripts
        lock.unlock();
        latchd.fault("* MATCH job TIMES 1 DROP-REPLY");

        assertThrows(RedisTimeoutException.class, () -> lock.tryLock(0, 30, SECONDS));

        // It was taken, and whoever took it does not know: taking it again makes it held twice.
        assertTrue(lock.isLocked());
        assertTrue(lock.tryLock(0, 30, SECONDS));
        assertEquals(2, lock.getHoldCount());
        lock.unlock();
        assertTrue(lock.isLocked());
    }
}
