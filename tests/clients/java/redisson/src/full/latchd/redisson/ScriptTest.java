package latchd.redisson;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.redisson.api.RScript;
import org.redisson.api.RScript.Mode;
import org.redisson.api.RScript.ReturnType;
import org.redisson.client.RedisException;

class ScriptTest extends RedissonTest {
    private static final String RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then "
            + "return redis.call('del', KEYS[1]) end return 0";

    @Test
    void aLoadedScriptRunsByItsHash() {
        RScript script = ours.getScript();
        String sha = script.scriptLoad(RELEASE);
        assertEquals(List.of(true, false), theirs.getScript().scriptExists(sha, "0".repeat(40)));
        ours.<String>getBucket(name).set("token");

        assertEquals(false, release(sha, "stranger"));
        assertEquals(true, release(sha, "token"));
        assertEquals(false, release(sha, "token"));
    }

    @Test
    void anUnknownHashSaysNoscript() {
        String sha = ours.getScript().scriptLoad(RELEASE);
        ours.getScript().scriptFlush();
        RedisException e = assertThrows(RedisException.class, () -> release(sha, "token"));
        assertTrue(e.getMessage().startsWith("NOSCRIPT"), e::getMessage);
    }

    @Test
    void readsAndErrorsComeThrough() {
        ours.<String>getBucket(name).set("value");
        assertEquals("value", ours.getScript().eval(Mode.READ_ONLY, "return redis.call('get', KEYS[1])",
                ReturnType.VALUE, List.of(name)));
        RedisException e = assertThrows(RedisException.class, () -> ours.getScript().eval(Mode.READ_WRITE,
                "return redis.error_reply('MINE not today')", ReturnType.VALUE));
        assertTrue(e.getMessage().startsWith("MINE not today"), e::getMessage);
    }

    private Boolean release(String sha, String token) {
        return theirs.getScript().evalSha(Mode.READ_WRITE, sha, ReturnType.BOOLEAN, List.of(name), token);
    }
}
