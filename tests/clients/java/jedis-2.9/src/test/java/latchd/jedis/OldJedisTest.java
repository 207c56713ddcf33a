package latchd.jedis;

import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import latchd.Contention;
import latchd.Latchd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** The five-argument set of Jedis 2 is in countless hand-written locks. */
class OldJedisTest {
    private static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then "
            + "return redis.call('del', KEYS[1]) else return 0 end";

    @RegisterExtension
    static final Latchd latchd = new Latchd();

    static JedisPool pool;

    @BeforeAll
    static void connect() {
        pool = new JedisPool("127.0.0.1", latchd.port());
    }

    @AfterAll
    static void disconnect() {
        pool.close();
    }

    @Test
    void theFiveArgumentSetTakesALockOnce() throws Exception {
        try (Jedis jedis = pool.getResource()) {
            assertEquals("OK", jedis.set("door", "mine", "NX", "PX", 300));
            assertNull(jedis.set("door", "theirs", "NX", "PX", 300));
            assertEquals("OK", jedis.set("door", "mine", "XX", "EX", 1));
            assertTrue(jedis.pttl("door") > 300);
            eventually("the lease is over", () -> jedis.set("door", "theirs", "NX", "PX", 300) != null);
        }
    }

    @Test
    void onlyTheTokensOwnerReleases() {
        try (Jedis jedis = pool.getResource()) {
            jedis.set("door", "mine", "NX", "PX", 30_000);
            assertEquals(0L, jedis.eval(RELEASE, List.of("door"), List.of("theirs")));
            String sha = jedis.scriptLoad(RELEASE);
            assertEquals(1L, jedis.evalsha(sha, List.of("door"), List.of("mine")));
            assertThrows(JedisNoScriptException.class, () -> jedis.evalsha("0".repeat(40)));
        }
    }

    @Test
    void setnxGetsetAndWatchAsLocksWereOnceMade() {
        try (Jedis jedis = pool.getResource(); Jedis stranger = pool.getResource()) {
            assertEquals(1, jedis.setnx("door", "1000"));
            assertEquals(0, stranger.setnx("door", "2000"));
            assertEquals("1000", stranger.getSet("door", "3000"));
            assertEquals(1, stranger.expire("door", 30));

            jedis.watch("door");
            stranger.set("door", "4000");
            Transaction release = jedis.multi();
            release.del("door");
            assertNull(release.exec());
            assertEquals("4000", jedis.get("door"));
        }
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(8, 50, (contender, section) -> {
            try (Jedis jedis = pool.getResource()) {
                String token = UUID.randomUUID().toString();
                while (jedis.set("door", token, "NX", "PX", 30_000) == null) {
                    Thread.sleep(1);
                }
                section.run();
                assertEquals(1L, jedis.eval(RELEASE, List.of("door"), List.of(token)));
            }
        });
    }
}
