package latchd.redisson;

import latchd.Latchd;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson as an application would configure it, but for a watchdog that tests can wait for. */
final class Clients {
    /** How long a lock without a lease outlives its holder. Redisson renews it each third of that. */
    static final long WATCHDOG_MILLIS = 1500;

    private Clients() {}

    static RedissonClient connect(Latchd latchd) {
        Config config = config();
        config.useSingleServer().setAddress(latchd.uri());
        return Redisson.create(config);
    }

    /** The codecs that old versions have as their default do not run on new JDKs; locks use none. */
    static Config config() {
        return new Config().setCodec(StringCodec.INSTANCE).setLockWatchdogTimeout(WATCHDOG_MILLIS);
    }

    /** Whether the lock could be taken by a client that may not have found its way back to the server yet. */
    static boolean tryAgain(RLock lock) {
        try {
            return lock.tryLock();
        } catch (RedisException e) {
            return false;
        }
    }
}
