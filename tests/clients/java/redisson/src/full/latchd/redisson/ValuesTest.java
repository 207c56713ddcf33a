package latchd.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.redisson.api.RBucket;
import org.redisson.api.RKeys;
import org.redisson.api.RList;
import org.redisson.api.RMap;
import org.redisson.api.RType;

class ValuesTest extends RedissonTest {
    @Test
    void aBucketHoldsOneValue() throws Exception {
        RBucket<String> bucket = ours.getBucket(name);
        assertTrue(bucket.trySet("red"));
        assertFalse(theirs.<String>getBucket(name).trySet("blue", 10, SECONDS));
        assertTrue(bucket.compareAndSet("red", "green"));
        assertFalse(bucket.compareAndSet("red", "blue"));
        assertEquals("green", bucket.getAndSet("grün"));
        assertEquals(5, bucket.size());
        assertTrue(bucket.setIfExists("gold", 10, SECONDS));
        bucket.setAndKeepTTL("silver");
        assertTrue(bucket.remainTimeToLive() > 5000);
        assertTrue(bucket.clearExpire());
        assertEquals(-1, bucket.remainTimeToLive());
        assertEquals("silver", bucket.getAndDelete());
        assertNull(bucket.get());
        assertFalse(bucket.setIfExists("lead"));
        assertTrue(bucket.compareAndSet(null, "iron"));
        assertTrue(bucket.expire(50, MILLISECONDS));
        eventually("it has expired", () -> !bucket.isExists());
    }

    @Test
    void aMapIsAHash() {
        RMap<String, String> map = ours.getMap(name);
        assertNull(map.put("a", "1"));
        assertEquals("1", map.put("a", "2"));
        assertEquals("2", map.putIfAbsent("a", "3"));
        assertTrue(map.fastPut("b", "10"));
        assertFalse(map.fastPutIfAbsent("b", "11"));
        assertTrue(map.replace("a", "2", "20"));
        assertFalse(map.remove("a", "2"));
        assertEquals(Map.of("a", "20"), map.getAll(Set.of("a", "z")));
        assertEquals(Map.of("a", "20", "b", "10"), theirs.<String, String>getMap(name).readAllMap());
        assertEquals(2, map.fastRemove("a", "b", "c"));
        assertFalse(map.isExists());
    }

    @Test
    void aLargeMapIsScannedWhole() {
        Map<String, String> wanted = IntStream.range(0, 1000).boxed()
                .collect(Collectors.toMap(i -> "field" + i, i -> "value" + i));
        RMap<String, String> map = ours.getMap(name);
        map.putAll(wanted);
        Map<String, String> seen = new HashMap<>();
        map.entrySet().forEach(entry -> seen.put(entry.getKey(), entry.getValue()));
        assertEquals(wanted, seen);
        assertEquals(1000, map.size());
    }

    @Test
    void everyKeyOfAMapHasItsLock() {
        RMap<String, String> map = ours.getMap(name);
        map.getLock("a").lock();
        assertFalse(theirs.<String, String>getMap(name).getLock("a").tryLock());
        assertTrue(theirs.<String, String>getMap(name).getLock("b").tryLock());
        theirs.<String, String>getMap(name).getLock("b").unlock();
        map.getLock("a").unlock();
    }

    @Test
    void aListKeepsItsOrder() {
        RList<String> list = ours.getList(name);
        assertTrue(list.addAll(List.of("a", "b", "d", "b")));
        list.add(2, "c");
        assertEquals(List.of("a", "b", "c", "d", "b"), theirs.<String>getList(name).readAll());
        assertEquals("d", list.set(3, "D"));
        assertEquals(1, list.indexOf("b"));
        assertEquals(4, list.lastIndexOf("b"));
        assertTrue(list.remove("b"));
        assertEquals("c", list.remove(1));
        assertEquals(List.of("a", "D", "b"), List.copyOf(list));
        list.trim(0, 1);
        assertEquals(List.of("a", "D"), list.range(0, -1));
        list.clear();
        assertTrue(list.isEmpty());
    }

    @Test
    void keysAreFoundCountedAndDeleted() throws Exception {
        for (int i = 0; i < 50; i++) {
            ours.<String>getBucket("lock:" + i).set("held");
        }
        ours.<String, String>getMap("map").put("field", "value");
        RKeys keys = theirs.getKeys();
        assertEquals(51, keys.count());
        assertEquals(RType.MAP, keys.getType("map"));
        assertEquals(2, keys.countExists("map", "lock:7", "lock:77"));
        Set<String> found = keys.getKeysStreamByPattern("lock:?").collect(Collectors.toSet());
        assertEquals(IntStream.range(0, 10).mapToObj(i -> "lock:" + i).collect(Collectors.toSet()), found);
        keys.deleteByPattern("lock:*"); // 3.16 may return before it has deleted
        eventually("one is left", () -> keys.count() == 1);
        keys.rename("map", "card");
        assertEquals("card", keys.randomKey());
        assertEquals(1, keys.delete("card", "map"));
        assertEquals(0, keys.count());
    }
}
