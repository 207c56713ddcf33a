package latchd.spring;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import latchd.Contention;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

class RedisTemplateTest extends SpringTest {
    private static final DefaultRedisScript<Boolean> RELEASE = new DefaultRedisScript<>(
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) == 1 end return false",
            Boolean.class);
    private static final DefaultRedisScript<Long> RENEW = new DefaultRedisScript<>(
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end return 0",
            Long.class);

    private StringRedisTemplate mine;
    private StringRedisTemplate another;

    @BeforeEach
    void templates() {
        mine = new StringRedisTemplate(ours);
        another = new StringRedisTemplate(theirs);
    }

    @Test
    void setIfAbsentTakesALockOnce() throws Exception {
        assertTrue(mine.opsForValue().setIfAbsent("door", "mine", Duration.ofMillis(300)));
        assertFalse(another.opsForValue().setIfAbsent("door", "theirs", Duration.ofMillis(300)));
        eventually("the lease is over",
                () -> another.opsForValue().setIfAbsent("door", "theirs", Duration.ofMillis(300)));
    }

    @Test
    void aBooleanScriptAnswersTrueOrFalse() {
        mine.opsForValue().set("door", "mine");
        assertEquals(false, another.execute(RELEASE, List.of("door"), "theirs"));
        assertEquals(true, mine.execute(RELEASE, List.of("door"), "mine"));
        assertEquals(false, mine.execute(RELEASE, List.of("door"), "mine"));
    }

    @Test
    void aScriptIsSentAgainWhenTheServerForgotIt() {
        mine.opsForValue().set("door", "mine", Duration.ofSeconds(1));
        assertEquals(0L, mine.execute(RENEW, List.of("door"), "theirs", "30000"));
        mine.execute((RedisCallback<Void>) connection -> {
            connection.scriptingCommands().scriptFlush();
            return null;
        });
        assertEquals(1L, mine.execute(RENEW, List.of("door"), "mine", "30000"));
        assertTrue(mine.getExpire("door") > 20);
    }

    @Test
    void listenersHearWhatIsPublished() throws Exception {
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        RedisMessageListenerContainer container = new RedisMessageListenerContainer();
        container.setConnectionFactory(ours);
        container.addMessageListener((message, pattern) -> heard.add(new String(message.getBody())),
                ChannelTopic.of("released"));
        container.afterPropertiesSet();
        container.start();
        eventually("it listens", () -> another.convertAndSend("released", "door") == 1);
        assertEquals("door", heard.poll(5, SECONDS));
        container.destroy();
    }

    @Test
    void excludesUnderContention() throws Exception {
        Contention.prove(8, 25, (contender, section) -> {
            StringRedisTemplate template = contender % 2 == 0 ? mine : another;
            String token = UUID.randomUUID().toString();
            while (!template.opsForValue().setIfAbsent("door", token, Duration.ofSeconds(30))) {
                Thread.sleep(1);
            }
            section.run();
            assertEquals(true, template.execute(RELEASE, List.of("door"), token));
        });
    }
}
