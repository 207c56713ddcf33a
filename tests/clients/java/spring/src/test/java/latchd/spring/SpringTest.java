package latchd.spring;

import latchd.Latchd;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A server and two connection factories: those of two applications. */
abstract class SpringTest {
    @RegisterExtension
    static final Latchd latchd = new Latchd();

    static LettuceConnectionFactory ours;
    static LettuceConnectionFactory theirs;

    @BeforeAll
    static void connect() {
        ours = factory();
        theirs = factory();
    }

    @AfterAll
    static void disconnect() {
        ours.destroy();
        theirs.destroy();
    }

    private static LettuceConnectionFactory factory() {
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", latchd.port()));
        factory.afterPropertiesSet();
        factory.start();
        factory.getConnection().close(); // connected before a test's clock runs
        return factory;
    }
}
