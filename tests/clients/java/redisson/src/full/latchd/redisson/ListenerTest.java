package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.redisson.api.DeletedObjectListener;
import org.redisson.api.ExpiredObjectListener;
import org.redisson.api.RBucket;
import org.redisson.api.listener.SetObjectListener;

/** Listeners that Redisson hangs on keyspace events. */
class ListenerTest extends RedissonTest {
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();

    @Test
    void hearSetExpiredAndDeletedOfTheirObject() throws Exception {
        RBucket<String> bucket = ours.getBucket(name);
        int[] listeners = {
            bucket.addListener((SetObjectListener) key -> heard.add("set " + key)),
            bucket.addListener((ExpiredObjectListener) key -> heard.add("expired " + key)),
            bucket.addListener((DeletedObjectListener) key -> heard.add("deleted " + key)),
        };
        eventually("all are subscribed", () -> latchd.ask("PUBSUB NUMPAT").equals(":3"));

        theirs.<String>getBucket(name).set("short", 100, MILLISECONDS);
        assertEquals("set " + name, heard.poll(5, SECONDS));
        assertEquals("expired " + name, heard.poll(5, SECONDS));
        theirs.<String>getBucket(name).set("long");
        theirs.<String>getBucket("another").set("long");
        assertEquals("set " + name, heard.poll(5, SECONDS));
        theirs.getBucket(name).delete();
        assertEquals("deleted " + name, heard.poll(5, SECONDS));

        for (int listener : listeners) {
            bucket.removeListener(listener);
        }
        eventually("none is subscribed", () -> latchd.ask("PUBSUB NUMPAT").equals(":0"));
        assertEquals(0, heard.size());
    }
}
