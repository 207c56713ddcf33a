package latchd.redisson;

import latchd.Latchd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;

/**
 * A server, two clients that share nothing else, and a name for the object of each test. Every test has a name of its
 * own because old versions end a watchdog a little after the unlock.
 */
abstract class RedissonTest {
    @RegisterExtension
    static final Latchd latchd = new Latchd("--notify-keyspace-events", "AKE");

    static RedissonClient ours;
    static RedissonClient theirs;
    String name;

    @BeforeAll
    static void connect() {
        ours = Clients.connect(latchd);
        theirs = Clients.connect(latchd);
    }

    @BeforeEach
    void nameIt(TestInfo test) {
        name = test.getTestMethod().orElseThrow().getName();
    }

    @AfterAll
    static void disconnect() {
        ours.shutdown();
        theirs.shutdown();
    }
}
