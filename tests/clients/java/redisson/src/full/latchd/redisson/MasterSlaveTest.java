package latchd.redisson;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import latchd.Contention;
import latchd.Latchd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/** In this mode Redisson asks after replicas around each lock: there are none, and it goes on. */
class MasterSlaveTest {
    @RegisterExtension
    static final Latchd latchd = new Latchd();

    static RedissonClient client;

    @BeforeAll
    static void connect() {
        Config config = Clients.config();
        config.useMasterSlaveServers().setMasterAddress(latchd.uri()).setReadMode(ReadMode.MASTER);
        client = Redisson.create(config);
    }

    @AfterAll
    static void disconnect() {
        client.shutdown();
    }

    @Test
    void locksNeedNoReplica() throws Exception {
        for (RLock lock : new RLock[] {client.getLock("plain"), client.getFairLock("fair"),
                client.getReadWriteLock("shared").writeLock(), client.getSpinLock("spinning")}) {
            assertTrue(lock.tryLock(5, 10, SECONDS));
            assertFalse(call(() -> lock.tryLock()).get());
            lock.unlock();
            assertFalse(lock.isLocked());
        }
    }

    @Test
    void readsComeFromTheMaster() {
        client.<String>getBucket("colour").set("red");
        assertEquals("red", client.<String>getBucket("colour").get());
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(8, 25, (contender, section) -> {
            RLock lock = client.getLock("door");
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
        RLock lock = client.getLock("door");
        lock.lock();
        lock.unlock();
        latchd.restart();
        eventually("the lock is taken", () -> Clients.tryAgain(lock));
        assertFalse(call(() -> lock.tryLock()).get());
        lock.unlock();
    }
}
