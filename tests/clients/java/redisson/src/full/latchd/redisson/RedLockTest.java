package latchd.redisson;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import latchd.Contention;
import latchd.Latchd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

class RedLockTest {
    private final List<Latchd> servers = new ArrayList<>();
    private final List<RedissonClient> clients = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void aMajorityHoldsTheLock(int servers) throws Exception {
        start(servers);
        RLock lock = redLock();
        assertTrue(lock.tryLock(5, 10, SECONDS));
        assertFalse(call(() -> redLock().tryLock()).get());
        lock.unlock();
        assertTrue(call(() -> redLock().tryLock(5, 10, SECONDS)).get());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void oneServerMayDieWhileTheLockIsHeld(int servers) throws Exception {
        start(servers);
        RLock lock = redLock();
        assertTrue(lock.tryLock(5, 30, SECONDS));
        this.servers.get(1).kill();
        assertFalse(call(() -> redLock().tryLock()).get());
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 5})
    void excludesUnderContentionWithOneServerDead(int servers) throws Exception {
        start(servers);
        this.servers.get(0).kill();
        Contention.prove(4, 5, (contender, section) -> {
            RLock lock = redLock();
            assertTrue(lock.tryLock(40, 20, SECONDS));
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        });
    }

    private RLock redLock() {
        RLock[] locks = clients.stream().map(client -> client.getLock("door")).toArray(RLock[]::new);
        return clients.get(0).getRedLock(locks);
    }

    private void start(int n) throws Exception {
        for (int i = 0; i < n; i++) {
            servers.add(new Latchd().start());
            clients.add(connect(servers.get(i)));
        }
    }

    /** A server that does not answer must not hold up the others for long. */
    private static RedissonClient connect(Latchd latchd) {
        Config config = Clients.config();
        config.useSingleServer().setAddress(latchd.uri()).setConnectionMinimumIdleSize(2)
                .setRetryAttempts(0).setTimeout(500).setConnectTimeout(500);
        return Redisson.create(config);
    }

    @AfterEach
    void stop() throws Exception {
        clients.forEach(client -> client.shutdown(0, 1, SECONDS));
        for (Latchd server : servers) {
            server.close();
        }
    }
}
