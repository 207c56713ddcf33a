package latchd.lettuce;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

@ParameterizedClass
@EnumSource(value = ProtocolVersion.class, names = {"RESP2", "RESP3"})
class LettuceTest {
    private static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then "
            + "return redis.call('del', KEYS[1]) else return 0 end";

    @RegisterExtension
    static final Latchd latchd = new Latchd();

    @Parameter
    ProtocolVersion protocol;

    private RedisClient client;
    private StatefulRedisConnection<String, String> connection;
    private RedisCommands<String, String> redis;

    @BeforeEach
    void connect() {
        client = RedisClient.create(latchd.uri());
        client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
        connection = client.connect();
        redis = connection.sync();
    }

    @AfterEach
    void disconnect() {
        client.shutdown(0, 2, SECONDS);
    }

    @Test
    void setNxPxTakesALockOnce() throws Exception {
        assertEquals("OK", redis.set("door", "mine", SetArgs.Builder.nx().px(300)));
        assertNull(redis.set("door", "theirs", SetArgs.Builder.nx().px(300)));
        eventually("the lease is over", () -> redis.set("door", "theirs", SetArgs.Builder.nx().px(300)) != null);
    }

    @Test
    void onlyTheTokensOwnerReleases() {
        redis.set("door", "mine");
        assertEquals(false, release("theirs", ScriptOutputType.BOOLEAN));
        assertEquals(1L, this.<Long>release("mine", ScriptOutputType.INTEGER));
        assertEquals(0L, this.<Long>release("mine", ScriptOutputType.INTEGER));
    }

    @Test
    void anUnknownHashSaysNoscript() {
        redis.scriptFlush();
        String sha = redis.digest(RELEASE);
        String[] keys = {"door"};
        assertThrows(RedisNoScriptException.class, () -> redis.evalsha(sha, ScriptOutputType.INTEGER, keys, "mine"));
        assertEquals(sha, redis.scriptLoad(RELEASE));
        assertEquals(0L, redis.<Long>evalsha(sha, ScriptOutputType.INTEGER, keys, "mine"));
    }

    @Test
    void theShapesOfRepliesAreThoseOfTheProtocol() {
        redis.hset("hash", Map.of("field", "value"));
        assertEquals(Map.of("field", "value"), redis.hgetall("hash"));
        redis.zadd("scores", 1.5, "member");
        assertEquals(1.5, redis.zscore("scores", "member"));
        assertNull(redis.get("nothing"));
        assertEquals(List.of("a", "b"), redis.eval("return {'a', 'b'}", ScriptOutputType.MULTI));
    }

    @Test
    void asyncCommandsArePipelined() throws Exception {
        RedisAsyncCommands<String, String> async = connection.async();
        List<RedisFuture<Long>> answers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            answers.add(async.incr("count"));
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(i + 1, answers.get(i).get(5, SECONDS));
        }
    }

    @Test
    void aWatchedKeyThatChangesDiscardsTheTransaction() {
        redis.watch("door");
        client.connect().sync().set("door", "theirs");
        redis.multi();
        redis.del("door");
        TransactionResult result = redis.exec();
        assertTrue(result.wasDiscarded());
        assertEquals("theirs", redis.get("door"));
    }

    @Test
    void aReleaseIsHeardBySubscribers() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        StatefulRedisPubSubConnection<String, String> waiter = client.connectPubSub();
        waiter.addListener(new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String channel, String message) {
                heard.add(message);
            }

            @Override
            public void message(String pattern, String channel, String message) {
                heard.add(pattern + " " + message);
            }
        });
        waiter.sync().subscribe("released");
        waiter.sync().psubscribe("rel*");
        assertEquals(2, redis.publish("released", "door"));
        assertEquals("door", heard.poll(5, SECONDS));
        assertEquals("rel* door", heard.poll(5, SECONDS));
        waiter.sync().ping();
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(8, 50, (contender, section) -> {
            String token = UUID.randomUUID().toString();
            while (redis.set("door", token, SetArgs.Builder.nx().px(30_000)) == null) {
                Thread.sleep(1);
            }
            section.run();
            assertEquals(1L, this.<Long>release(token, ScriptOutputType.INTEGER));
        });
    }

    @Test
    void reconnectsAndSubscribesAgainAfterARestart() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        StatefulRedisPubSubConnection<String, String> waiter = client.connectPubSub();
        waiter.addListener(new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String channel, String message) {
                heard.add(message);
            }
        });
        waiter.sync().subscribe("released");

        latchd.restart();
        eventually("the subscriber is back", () -> {
            try {
                return redis.publish("released", "door") == 1;
            } catch (RedisException e) {
                return false;
            }
        });
        assertEquals("door", heard.poll(5, SECONDS));
    }

    private <T> T release(String token, ScriptOutputType type) {
        return redis.eval(RELEASE, type, new String[] {"door"}, token);
    }
}
