package latchd.redisson;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.concurrent.Future;
import latchd.Contention;
import latchd.Latchd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RMap;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.Protocol;

/** The same over RESP3, where messages are pushed and maps are maps. */
class Resp3Test {
    @RegisterExtension
    static final Latchd latchd = new Latchd();

    static RedissonClient client;

    @BeforeAll
    static void connect() {
        Config config = Clients.config().setProtocol(Protocol.RESP3);
        config.useSingleServer().setAddress(latchd.uri());
        client = Redisson.create(config);
    }

    @AfterAll
    static void disconnect() {
        client.shutdown();
    }

    @Test
    void waitersAreWoken() throws Exception {
        RSemaphore semaphore = client.getSemaphore("seats");
        semaphore.trySetPermits(1);
        semaphore.acquire();
        Future<Boolean> waiter = call(() -> semaphore.tryAcquire(20, SECONDS));
        semaphore.release();
        assertTrue(waiter.get(5, SECONDS));
        assertFalse(semaphore.tryAcquire());
    }

    @Test
    void mapsAreMaps() {
        RMap<String, String> map = client.getMap("map");
        map.putAll(Map.of("a", "1", "b", "2"));
        assertEquals(Map.of("a", "1", "b", "2"), map.readAllMap());
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
}
