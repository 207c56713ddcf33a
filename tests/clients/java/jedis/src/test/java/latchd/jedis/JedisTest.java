package latchd.jedis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import latchd.Contention;
import latchd.Latchd;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.params.SetParams;

@ParameterizedClass
@EnumSource(value = RedisProtocol.class, names = {"RESP2", "RESP3"})
class JedisTest {
    private static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then "
            + "return redis.call('del', KEYS[1]) else return 0 end";

    @RegisterExtension
    static final Latchd latchd = new Latchd();

    @Parameter
    RedisProtocol protocol;

    private RedisClient jedis;

    @BeforeEach
    void connect() {
        jedis = RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", latchd.port()))
                .clientConfig(DefaultJedisClientConfig.builder().protocol(protocol).clientName("test").build())
                .build();
    }

    @AfterEach
    void disconnect() {
        jedis.close();
    }

    @Test
    void setNxPxTakesALockOnce() throws Exception {
        assertEquals("OK", jedis.set("door", "mine", SetParams.setParams().nx().px(300)));
        assertNull(jedis.set("door", "theirs", SetParams.setParams().nx().px(300)));
        assertTrue(jedis.pttl("door") > 0);
        eventually("the lease is over",
                () -> "OK".equals(jedis.set("door", "theirs", SetParams.setParams().nx().px(300))));
    }

    @Test
    void onlyTheTokensOwnerReleases() {
        jedis.set("door", "mine", SetParams.setParams().nx().px(30_000));
        assertEquals(0L, jedis.eval(RELEASE, List.of("door"), List.of("theirs")));
        assertEquals(1L, jedis.eval(RELEASE, List.of("door"), List.of("mine")));
        assertEquals(0L, jedis.eval(RELEASE, List.of("door"), List.of("mine")));
    }

    @Test
    void aScriptIsLoadedWhenItsHashIsUnknown() {
        jedis.scriptFlush();
        String sha = "0".repeat(40);
        assertThrows(JedisNoScriptException.class, () -> jedis.evalsha(sha, List.of("door"), List.of("mine")));
        String loaded = jedis.scriptLoad(RELEASE);
        assertEquals(0L, jedis.evalsha(loaded, List.of("door"), List.of("mine")));
        assertEquals(List.of(true, false), jedis.scriptExists(List.of(loaded, sha)));
    }

    @Test
    void aWatchedLockIsReleasedByTransaction() {
        jedis.set("door", "mine");
        try (AbstractTransaction release = jedis.transaction(false)) {
            release.watch("door");
            release.multi();
            Response<Long> gone = release.del("door");
            release.exec();
            assertEquals(1L, gone.get());
        }
        jedis.set("door", "mine");
        try (AbstractTransaction release = jedis.transaction(false)) {
            release.watch("door");
            jedis.set("door", "theirs");
            release.multi();
            release.del("door");
            assertNull(release.exec());
        }
        assertEquals("theirs", jedis.get("door"));
    }

    @Test
    void aPipelineIsAnsweredInOrder() {
        Pipeline pipeline = jedis.pipelined();
        for (int i = 0; i < 1000; i++) {
            pipeline.incr("count");
        }
        Response<String> count = pipeline.get("count");
        pipeline.sync();
        assertEquals("1000", count.get());
    }

    @Test
    void aReleaseIsHeardBySubscribers() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        JedisPubSub waiter = new JedisPubSub() {
            @Override
            public void onSubscribe(String channel, int subscribed) {
                heard.add("subscribed");
            }

            @Override
            public void onMessage(String channel, String message) {
                heard.add(message);
                unsubscribe();
            }
        };
        var subscription = call(() -> {
            jedis.subscribe(waiter, "released");
            return null;
        });
        assertEquals("subscribed", heard.poll(5, SECONDS));
        assertEquals(1, jedis.publish("released", "door"));
        assertEquals("door", heard.poll(5, SECONDS));
        subscription.get(5, SECONDS);
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(8, 50, (contender, section) -> {
            String token = UUID.randomUUID().toString();
            while (jedis.set("door", token, SetParams.setParams().nx().px(30_000)) == null) {
                Thread.sleep(1);
            }
            section.run();
            assertEquals(1L, jedis.eval(RELEASE, List.of("door"), List.of(token)));
        });
    }

    @Test
    void thePoolRecoversFromARestart() throws Exception {
        jedis.set("door", "mine");
        latchd.restart();
        eventually("the pool is back", () -> {
            try {
                return "OK".equals(jedis.set("door", "mine", SetParams.setParams().nx()));
            } catch (JedisException e) {
                return false;
            }
        });
    }
}
