package latchd.redisson;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Stream;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class MultiLockTest extends RedissonTest {
    @Test
    void takesAllOrNone() throws Exception {
        RLock all = every(ours);
        assertTrue(all.tryLock());
        assertFalse(theirs.getLock(name + "/2").tryLock());
        all.unlock();

        assertTrue(theirs.getLock(name + "/2").tryLock());
        assertFalse(call(() -> all.tryLock()).get());
        assertFalse(ours.getLock(name + "/1").isLocked());
        theirs.getLock(name + "/2").unlock();
        assertTrue(all.tryLock(5, 5, SECONDS));
        all.unlock();
    }

    @Test
    void excludesUnderContention() throws Exception {
        RedissonClient[] clients = {ours, theirs};
        Contention.prove(6, 15, (contender, section) -> {
            RLock lock = every(clients[contender % 2]);
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private RLock every(RedissonClient client) {
        Stream<RLock> locks = Stream.of("/1", "/2", "/3").map(number -> client.getLock(name + number));
        return client.getMultiLock(locks.toArray(RLock[]::new));
    }
}
