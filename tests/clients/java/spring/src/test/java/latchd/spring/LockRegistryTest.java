package latchd.spring;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import latchd.Contention;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

@ParameterizedClass
@EnumSource(RedisLockType.class)
class LockRegistryTest extends SpringTest {
    @Parameter
    RedisLockType type;

    private RedisLockRegistry mine;
    private RedisLockRegistry another;

    @BeforeEach
    void registries() {
        mine = registry(ours, 30_000);
        another = registry(theirs, 30_000);
    }

    @AfterEach
    void close() {
        mine.destroy();
        another.destroy();
    }

    @Test
    void aLockIsHeldByOneRegistryAndReentrant() throws Exception {
        Lock lock = mine.obtain("door");
        lock.lock();
        assertTrue(lock.tryLock());
        assertFalse(another.obtain("door").tryLock(100, MILLISECONDS));
        assertTrue(another.obtain("window").tryLock());
        lock.unlock();
        assertFalse(another.obtain("door").tryLock(100, MILLISECONDS));
        lock.unlock();
        assertTrue(another.obtain("door").tryLock());
        another.obtain("door").unlock();
        another.obtain("window").unlock();
    }

    @Test
    void aWaiterGetsItWhenItIsReleased() throws Exception {
        Lock lock = mine.obtain("door");
        lock.lock();
        Future<Boolean> waiter = call(() -> another.obtain("door").tryLock(20, SECONDS));
        assertThrows(TimeoutException.class, () -> waiter.get(200, MILLISECONDS));
        lock.unlock();
        assertTrue(waiter.get(10, SECONDS));
    }

    @Test
    void aLeaseThatEndedIsNoticedAtTheUnlock() throws Exception {
        RedisLockRegistry hasty = registry(ours, 500);
        Lock lock = hasty.obtain("door");
        lock.lock();
        assertTrue(another.obtain("door").tryLock(2, SECONDS));
        assertThrows(ConcurrentModificationException.class, lock::unlock);
        hasty.destroy();
    }

    @Test
    void theHolderMayRenew() {
        mine.obtain("door").lock();
        mine.renewLock("door", Duration.ofSeconds(90));
        assertTrue(new StringRedisTemplate(ours).getExpire("registry:door") > 60);
        assertThrows(IllegalStateException.class, () -> another.renewLock("door"));
        mine.obtain("door").unlock();
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(6, 15, (contender, section) -> {
            Lock lock = (contender % 2 == 0 ? mine : another).obtain("door");
            lock.lock();
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private RedisLockRegistry registry(RedisConnectionFactory factory, long leaseMillis) {
        RedisLockRegistry registry = new RedisLockRegistry(factory, "registry", leaseMillis);
        registry.setRedisLockType(type);
        registry.setIdleBetweenTries(Duration.ofMillis(5));
        return registry;
    }
}
