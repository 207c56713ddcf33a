package latchd.redisson;

import latchd.Latchd;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** A client whose fair locks let a waiter that no longer asks be overtaken after a second, not after five minutes. */
final class ImpatientClient implements AutoCloseable {
    private final RedissonClient client;

    ImpatientClient(Latchd latchd) {
        Config config = Clients.config().setFairLockWaitTimeout(1000);
        config.useSingleServer().setAddress(latchd.uri());
        client = Redisson.create(config);
    }

    RLock fairLock(String name) {
        return client.getFairLock(name);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
