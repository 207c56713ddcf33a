package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import latchd.Contention;
import org.junit.jupiter.api.Test;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;

class FencedLockTest extends RedissonTest {
    @Test
    void everyHolderHasAGreaterTokenThanTheOneBefore() throws Exception {
        RFencedLock mine = ours.getFencedLock(name);
        RFencedLock another = theirs.getFencedLock(name);
        assertEquals(1, mine.lockAndGetToken());
        assertFalse(another.tryLock());
        mine.unlock();
        assertEquals(2, another.tryLockAndGetToken(10, 5, SECONDS));
        assertEquals(2, mine.getToken());
        another.unlock();
        mine.lock(300, MILLISECONDS);
        assertEquals(3, mine.getToken());
        eventually("the lease is over", () -> another.tryLock());
        assertEquals(4, another.getToken());
        another.unlock();
        assertFalse(mine.isLocked());
    }

    @Test
    void tokensAreInTheOrderOfTheSections() throws Exception {
        List<Long> tokens = Collections.synchronizedList(new ArrayList<>());
        RedissonClient[] clients = {ours, theirs};
        Contention.prove(8, 25, (contender, section) -> {
            RFencedLock lock = clients[contender % 2].getFencedLock(name);
            long token = lock.lockAndGetToken();
            try {
                section.run();
                tokens.add(token);
            } finally {
                lock.unlock();
            }
        });
        assertEquals(LongStream.rangeClosed(1, 200).boxed().toList(), tokens);
    }
}
