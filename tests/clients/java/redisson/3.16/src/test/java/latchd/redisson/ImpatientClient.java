package latchd.redisson;

import latchd.Latchd;
import org.redisson.Redisson;
import org.redisson.RedissonFairLock;
import org.redisson.api.RLock;

/** A client whose fair locks let a waiter that no longer asks be overtaken after a second, not after five minutes. */
final class ImpatientClient implements AutoCloseable {
    private final Redisson client;

    ImpatientClient(Latchd latchd) {
        client = (Redisson) Clients.connect(latchd);
    }

    RLock fairLock(String name) {
        return new RedissonFairLock(client.getCommandExecutor(), name, 1000);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
