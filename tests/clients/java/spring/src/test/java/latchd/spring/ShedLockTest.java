package latchd.spring;

import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import latchd.Contention;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.StringRedisTemplate;

class ShedLockTest extends SpringTest {
    private LockProvider mine;
    private LockProvider another;

    @BeforeEach
    void providers() {
        mine = new RedisLockProvider(ours, "test");
        another = new RedisLockProvider(theirs, "test");
    }

    @Test
    void oneOfTwoApplicationsRunsTheTask() {
        SimpleLock lock = mine.lock(task(30_000, 0)).orElseThrow();
        assertTrue(another.lock(task(30_000, 0)).isEmpty());
        lock.unlock();
        another.lock(task(30_000, 0)).orElseThrow().unlock();
    }

    @Test
    void aDeadApplicationHoldsItAtMostSoLong() throws Exception {
        mine.lock(task(200, 0)).orElseThrow();
        assertTrue(another.lock(task(200, 0)).isEmpty());
        eventually("the time is over", () -> another.lock(task(200, 0)).isPresent());
    }

    @Test
    void aShortTaskHoldsItAtLeastSoLong() throws Exception {
        mine.lock(task(30_000, 2_000)).orElseThrow().unlock();
        assertTrue(another.lock(task(30_000, 0)).isEmpty());
        eventually("the time is over", () -> another.lock(task(30_000, 0)).isPresent());
    }

    @Test
    void theHolderMayExtend() {
        SimpleLock lock = mine.lock(task(1_000, 0)).orElseThrow();
        SimpleLock extended = lock.extend(Duration.ofSeconds(30), Duration.ZERO).orElseThrow();
        assertTrue(new StringRedisTemplate(ours).getExpire("job-lock:test:task") > 20);
        extended.unlock();
        assertTrue(another.lock(task(30_000, 0)).isPresent());
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(6, 15, (contender, section) -> {
            LockProvider provider = contender % 2 == 0 ? mine : another;
            Optional<SimpleLock> lock = provider.lock(task(30_000, 0));
            for (; lock.isEmpty(); lock = provider.lock(task(30_000, 0))) {
                Thread.sleep(1);
            }
            section.run();
            lock.get().unlock();
        });
    }

    private static LockConfiguration task(long atMostMillis, long atLeastMillis) {
        return new LockConfiguration(Instant.now(), "task", Duration.ofMillis(atMostMillis),
                Duration.ofMillis(atLeastMillis));
    }
}
