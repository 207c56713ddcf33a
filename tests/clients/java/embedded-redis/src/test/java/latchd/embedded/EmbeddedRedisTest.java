package latchd.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import latchd.Latchd;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.embedded.RedisServer;

/** embedded-redis, told to start latchd instead of what it brings along. */
class EmbeddedRedisTest {
    @Test
    void startsUsesAndStopsIt() throws IOException {
        int port = freePort();
        RedisServer server = RedisServer.newRedisServer()
                .port(port).executableProvider(Latchd.PROGRAM::toFile).setting("requirepass secret").build();
        server.start();
        assertTrue(server.isActive());
        try (Jedis jedis = new Jedis("127.0.0.1", port)) {
            JedisDataException refused = assertThrows(JedisDataException.class, () -> jedis.get("door"));
            assertTrue(refused.getMessage().startsWith("NOAUTH"), refused::getMessage);
            jedis.auth("secret");
            assertEquals(1, jedis.setnx("door", "mine"));
        }
        server.stop();
        assertFalse(server.isActive());
        try (Jedis jedis = new Jedis("127.0.0.1", port)) {
            assertThrows(JedisConnectionException.class, jedis::ping);
        }
    }

    @Test
    void startsAgainEmpty() throws IOException {
        int port = freePort();
        for (int i = 0; i < 2; i++) {
            RedisServer server = new RedisServer(port, Latchd.PROGRAM.toFile());
            server.start();
            try (Jedis jedis = new Jedis("127.0.0.1", port)) {
                assertEquals(1, jedis.setnx("door", "mine"));
            }
            server.stop();
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
