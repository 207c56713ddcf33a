#include "tests/lib/heard.h"
#include "tests/lib/scanned.h"

TEST(hashes, a_reentrant_lock_is_entered_and_left)
{
    struct rig *r = rig_new();
    expect(r, "HINCRBY lock owner:1 1", ":1");
    expect(r, "HINCRBY lock owner:1 1", ":2");
    expect(r, "HEXISTS lock owner:1", ":1");
    expect(r, "HEXISTS lock owner:2", ":0");
    expect(r, "HINCRBY lock owner:1 -1", ":1");
    expect(r, "HDEL lock owner:1", ":1");
    expect(r, "EXISTS lock", ":0");
    rig_free(r);
}

TEST(hashes, fields_are_set_and_read)
{
    struct rig *r = rig_new();
    expect(r, "HSET h a 1 b 2 a 3", ":2");
    expect(r, "HSET h a 4 c 5", ":1");
    expect(r, "HGETALL h", "*6 $1 a $1 4 $1 b $1 2 $1 c $1 5");
    expect(r, "HKEYS h", "*3 $1 a $1 b $1 c");
    expect(r, "HVALS h", "*3 $1 4 $1 2 $1 5");
    expect(r, "HMGET h c x a", "*3 $1 5 $-1 $1 4");
    expect(r, "HGET h x", "$-1");
    expect(r, "HLEN h", ":3");
    expect(r, "HSTRLEN h a", ":1");
    expect(r, "HMSET h d 6", "+OK");
    expect(r, "HSETNX h d 7", ":0");
    expect(r, "HSETNX h e 8", ":1");
    run(r, "HELLO 3");
    expect(r, "HGETALL h", "%5 $1 a $1 4 $1 b $1 2 $1 c $1 5 $1 d $1 6 $1 e $1 8");
    rig_free(r);
}

TEST(hashes, a_missing_hash_is_an_empty_one)
{
    struct rig *r = rig_new();
    expect(r, "HGETALL h", "*0");
    expect(r, "HKEYS h", "*0");
    expect(r, "HLEN h", ":0");
    expect(r, "HMGET h a b", "*2 $-1 $-1");
    expect(r, "HDEL h a", ":0");
    expect(r, "HSCAN h 0", "*2 $1 0 *0");
    expect(r, "EXISTS h", ":0");
    rig_free(r);
}

TEST(hashes, numbers_are_checked_before_anything_changes)
{
    struct rig *r = rig_new();
    run(r, "HSET h text abc max 9223372036854775807");
    expect(r, "HINCRBY h text 1", "-ERR hash value is not an integer");
    expect(r, "HINCRBY h max 1", "-ERR increment or decrement would overflow");
    expect(r, "HINCRBY h new x", "-ERR value is not an integer or out of range");
    expect(r, "HINCRBYFLOAT h text 1", "-ERR hash value is not a float");
    expect(r, "HINCRBYFLOAT h new inf", "-ERR value is NaN or Infinity");
    expect(r, "HINCRBYFLOAT h new 10.5", "$4 10.5");
    expect(r, "HINCRBYFLOAT h new 0.5", "$2 11");
    expect(r, "HSET h a", "-ERR wrong number of arguments for 'hset' command");
    expect(r, "HSET h a 1 b", "-ERR wrong number of arguments for 'hset' command");
    expect(r, "HLEN h", ":3");
    rig_free(r);
}

TEST(hashes, events_say_what_changed_and_nothing_else)
{
    struct rig *r = rig_new();
    listen(r);
    run(r, "HSET h a 1 b 2");
    heard(r, "hset h");
    run(r, "HSETNX h a 1");
    run(r, "HDEL h x");
    run(r, "HDEL missing x");
    run(r, "HINCRBY h a x");
    heard(r, "");
    run(r, "HINCRBY h a 1");
    run(r, "HINCRBYFLOAT h a 1");
    heard(r, "hincrby h, hincrbyfloat h");
    run(r, "HDEL h a b x");
    heard(r, "hdel h, del h");
    rig_free(r);
}

TEST(hashes, a_refused_change_breaks_no_watch)
{
    struct rig *r = rig_new();
    run(r, "HSET h a 1");
    run(r, "WATCH h");
    as(r, 1);
    run(r, "HSETNX h a 2");
    run(r, "HDEL h x");
    as(r, 0);
    run(r, "MULTI");
    expect(r, "EXEC", "*0");
    rig_free(r);
}

TEST(hashes, other_types_are_refused)
{
    struct rig *r = rig_new();
    run(r, "SET s v");
    const char *lines[] = {"HSET s a 1",         "HGET s a", "HDEL s a",    "HINCRBY s a 1",
                           "HGETALL s",          "HLEN s",   "HSCAN s 0",   "HSETNX s a 1",
                           "HINCRBYFLOAT s a 1", "HKEYS s",  "HEXISTS s a", "HMGET s a"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect(r, lines[i], "-WRONGTYPE Operation against a key holding the wrong kind of value");
    rig_free(r);
}

TEST(hashes, a_small_hash_is_scanned_in_one_step_and_in_order)
{
    struct rig *r = rig_new();
    run(r, "HSET h b 1 a 2 c 3");
    expect(r, "HSCAN h 0 COUNT 1", "*2 $1 0 *6 $1 b $1 1 $1 a $1 2 $1 c $1 3");
    expect(r, "HSCAN h 0 MATCH [ac] NOVALUES", "*2 $1 0 *2 $1 a $1 c");
    expect(r, "HSCAN h 0 COUNT 0", "-ERR syntax error");
    expect(r, "HSCAN h x", "-ERR invalid cursor");
    expect(r, "SSCAN h 0", "-WRONGTYPE Operation against a key holding the wrong kind of value");
    rig_free(r);
}

TEST(hashes, a_large_hash_is_scanned_in_steps_and_completely)
{
    struct rig *r = rig_new();
    char line[64];
    size_t seen = 0;
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "HSET h field:%d %d", i, i);
        run(r, line);
    }
    unsigned long cursor = 0;
    do {
        snprintf(line, sizeof line, "HSCAN h %lu COUNT 20", cursor);
        run(r, line);
        size_t n = scanned(r, &cursor);
        assert_in_range(n, 0, 100);
        seen += n / 2;
    } while (cursor);
    assert_int_equal(seen, 1000);
    rig_free(r);
}

TEST(hashes, the_encoding_changes_where_redis_changes_it)
{
    struct rig *r = rig_new();
    char line[64];
    for (int i = 0; i < 512; i++) {
        snprintf(line, sizeof line, "HSET h %d %d", i, i);
        run(r, line);
    }
    expect(r, "OBJECT ENCODING h", "$8 listpack");
    run(r, "HSET h one-more 1");
    expect(r, "OBJECT ENCODING h", "$9 hashtable");
    run(r, "HSET long f 12345678901234567890123456789012345678901234567890123456789012345");
    expect(r, "OBJECT ENCODING long", "$9 hashtable");
    run(r, "HSET long f 1");
    expect(r, "OBJECT ENCODING long", "$9 hashtable");
    rig_free(r);
}

TEST(hashes, a_held_lock_can_be_entered_and_left_past_the_memory_limit)
{
    struct rig *r = rig_new();
    run(r, "HSET lock me 1");
    run(r, "CONFIG SET maxmemory 1");
    expect(r, "HINCRBY lock me 1", ":2");
    expect(r, "HSET lock me 1", ":0");
    expect(r, "HINCRBY lock you 1", "-OOM command not allowed when used memory > 'maxmemory'.");
    expect(r, "HSET lock me 1 you 1", "-OOM command not allowed when used memory > 'maxmemory'.");
    expect(r, "HDEL lock me", ":1");
    rig_free(r);
}
