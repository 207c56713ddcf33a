/*
 * Memory runs out at every allocation whose size a client chose, in turn: the client is told,
 * nothing is half done, the store adds up, and with memory again the same command does what it
 * does.
 */
#include "base/mem.h"
#include "tests/faults/failing.h"
#include "tests/lib/audit.h"
#include "tests/lib/rig.h"

#include <stdio.h>
#include <stdlib.h>

#define OOM "-OOM command not allowed when used memory > 'maxmemory'."

enum { BIG = 100000, MANY = 8000 };

struct scenario {
    const char *before[4]; /* commands that prepare the store, NULL at the end */
    const char *command;
    bool keeps_going; /* keys, elements and a script's commands before the one that failed stay */
};

/* A line in which BIG stands for a long value. */
static void put_words(struct buf *out, const char *line)
{
    for (; *line; line++) {
        if (strncmp(line, "BIG", 3) == 0) {
            for (int i = 0; i < BIG; i++)
                buf_putc(out, "xyz"[i % 3]);
            line += 2;
        } else {
            buf_putc(out, *line);
        }
    }
}

/* `MANY` becomes many different words. */
static void say(struct rig *r, const char *line)
{
    struct buf text = {0};
    put_words(&text, line);
    struct bytes whole = buf_bytes(&text);
    static struct bytes argv[MANY + 8];
    static char words[MANY][16];
    size_t n = 0;
    for (const char *p = whole.p, *end = p + whole.n; p < end;) {
        const char *blank = memchr(p, ' ', (size_t)(end - p));
        struct bytes word = {p, (size_t)((blank ? blank : end) - p)};
        p = word.p + word.n + 1;
        if (!bytes_eq(word, BYTES("MANY"))) {
            argv[n++] = word;
            continue;
        }
        for (int i = 0; i < MANY; i++) {
            snprintf(words[i], sizeof words[i], "m%d", i);
            argv[n++] = bytes_of(words[i]);
        }
    }
    run_argv(r, argv, n);
    buf_free(&text);
}

/* All that the keys of a scenario hold, as text. */
static void look(struct rig *r, struct buf *out)
{
    static const char *const keys[] = {"k", "k2", "dst"};
    static const char *const questions[] = {
        "TYPE %s", "GET %s",   "LRANGE %s 0 -1", "HGETALL %s", "ZRANGE %s 0 -1 WITHSCORES",
        "PTTL %s", "SCARD %s", "SMEMBERS %s",
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
            char line[64];
            snprintf(line, sizeof line, questions[q], keys[k]);
            run(r, line);
            buf_put(out, bytes_of(rig_reply(r)));
        }
    }
}

static struct rig *prepared(const struct scenario *s)
{
    struct rig *r = rig_new();
    for (const char *const *line = s->before; *line; line++)
        say(r, *line);
    return r;
}

static void must_be_equal(const struct buf *a, const struct buf *b)
{
    assert_true(bytes_eq(buf_bytes(a), buf_bytes(b)));
}

/* False when there was no such allocation any more. */
static bool fail_at(const struct scenario *s, int at)
{
    struct rig *r = prepared(s);
    struct buf before = {0}, after = {0};
    look(r, &before);
    failing_arm(at);
    say(r, s->command);
    bool failed = failing_disarm();
    const char *reply = rig_reply(r);
    assert_int_not_equal(reply[0], '\0');
    assert_null(audit_store(&r->engine->space));
    if (failed && reply[0] == '-' && !s->keeps_going) {
        look(r, &after);
        must_be_equal(&before, &after);
        say(r, s->command);
        assert_int_not_equal(rig_reply(r)[0], '-');
        assert_null(audit_store(&r->engine->space));
    }
    buf_free(&before);
    buf_free(&after);
    rig_free(r);
    return failed;
}

static void check(const struct scenario *scenarios, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int at = 0;
        print_message("# %s\n", scenarios[i].command);
        while (fail_at(&scenarios[i], at))
            at++;
        assert_true(at > 0); /* or it asks for nothing, and the case shows nothing */
    }
}

#define CHECK(scenarios) check(scenarios, sizeof(scenarios) / sizeof *(scenarios))

TEST(no_memory, strings)
{
    static const struct scenario scenarios[] = {
        {{NULL}, "SET k BIG", false},
        {{"SET k old PX 5000"}, "SET k BIG", false},
        {{"SET k old PX 5000"}, "SET k BIG KEEPTTL GET", false},
        {{"RPUSH k a"}, "SET k BIG", false},
        {{"SET k BIG"}, "SET k BIGBIG", false},
        {{"SET k old"}, "APPEND k BIG", false},
        {{"SET k BIG"}, "APPEND k BIG", false},
        {{"SET k old"}, "GETSET k BIG", false},
        {{NULL}, "SETEX k 10 BIG", false},
        {{NULL}, "SETNX k BIG", false},
        {{"SET k old"}, "MSET k2 a k BIG dst BIG", true},
        {{NULL}, "MSETNX k2 a k BIG dst BIG", false},
        {{NULL}, "SET BIG v", false},
    };
    CHECK(scenarios);
}

TEST(no_memory, keys_and_names)
{
    static const struct scenario scenarios[] = {
        {{"SET k v PX 5000", "SET k2 other"}, "RENAME k BIG", false},
        {{"HSET k f v"}, "RENAMENX k BIG", false},
    };
    CHECK(scenarios);
}

TEST(no_memory, containers)
{
    static const struct scenario scenarios[] = {
        {{NULL}, "HSET k f BIG", false},
        {{"HSET k f v"}, "HSET k g a f BIG h BIG", true},
        {{"HSET k f v"}, "HSET k BIG v", false},
        {{"HSET k f v"}, "HSETNX k g BIG", false},
        {{NULL}, "RPUSH k BIG", false},
        {{"RPUSH k a"}, "RPUSH k b BIG c BIG", true},
        {{"RPUSH k a"}, "LPUSH k b BIG c BIG", true},
        {{NULL}, "RPUSH k MANY", false},
        {{"RPUSH k a b"}, "LSET k 0 BIG", false},
        {{"RPUSH k a b"}, "LINSERT k BEFORE b BIG", false},
        {{NULL}, "SADD k BIG", false},
        {{"SADD k a"}, "SADD k b BIG c", true},
        {{NULL}, "ZADD k 1 BIG", false},
        {{"ZADD k 1 a"}, "ZADD k 2 b 3 BIG 4 c", true},
        {{"ZADD k 1 a"}, "ZINCRBY k 2 BIG", false},
    };
    CHECK(scenarios);
}

TEST(no_memory, from_one_key_to_another)
{
    static const struct scenario scenarios[] = {
        {{"RPUSH k BIG b"}, "LMOVE k dst LEFT RIGHT", false},
        {{"RPUSH k b BIG", "RPUSH dst x"}, "RPOPLPUSH k dst", false},
    };
    CHECK(scenarios);
}

TEST(no_memory, a_client_that_cannot_wait_is_told)
{
    struct rig *r = rig_new();
    failing_arm(0);
    run(r, "BLPOP k k2 1");
    assert_true(failing_disarm());
    is(r, OOM);
    expect(r, "PING", "+PONG");
    rig_free(r);
}

TEST(no_memory, a_command_that_cannot_be_queued_spoils_the_transaction)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    failing_arm(0);
    run(r, "SET k v");
    assert_true(failing_disarm());
    is(r, OOM);
    expect(r, "EXEC", "-EXECABORT Transaction discarded because of previous errors.");
    expect(r, "EXISTS k", ":0");
    rig_free(r);
}

TEST(no_memory, a_long_channel_is_not_half_subscribed)
{
    struct rig *r = rig_new();
    failing_arm(0);
    say(r, "SUBSCRIBE BIG");
    assert_true(failing_disarm());
    assert_int_equal(rig_reply(r)[0], '-');
    expect(r, "PING", "+PONG");
    rig_free(r);
}

TEST(no_memory, scripts)
{
    static const struct scenario scenarios[] = {
        {{"EVAL return 0"}, "EVAL return{KEYS,ARGV,string.rep('x',100000)} 1 k BIG", true},
        {{"SET k old", "EVAL return 0"},
         "EVAL return{redis.call('set','k',ARGV[1]),redis.call('get','k')} 0 BIG",
         true},
        {{"EVAL return 0"}, "SCRIPT LOAD return'BIG'", false},
    };
    CHECK(scenarios);
}
