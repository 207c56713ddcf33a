/*
 * Memory runs out at every allocation whose size a client chose, in turn: the client is told,
 * nothing is half done, the store adds up, and with memory again the same command does what it
 * does.
 */
#include "base/mem.h"
#include "server/commands/dump.h"
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
    bool keeps_going; /* a script's commands before the one that failed stay */
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

static struct rig *prepared(const struct scenario *s)
{
    struct rig *r = rig_new();
    run(r, "SET first key"); /* there is a table, which then stays */
    for (const char *const *line = s->before; *line; line++)
        say(r, *line);
    return r;
}

/* What is in the store and how much memory it counts, nothing waiting to be freed. */
struct state {
    struct buf text;
    size_t bytes;
};

static struct state state_of(struct rig *r)
{
    struct state s = {0};
    for (int budget = INT32_MAX; keyspace_reclaim(&r->engine->space, &budget);)
        budget = INT32_MAX;
    dump_keyspace(r->engine, &s.text);
    s.bytes = r->engine->space.arena.bytes;
    return s;
}

static bool same(const struct state *a, const struct state *b)
{
    return bytes_eq(buf_bytes(&a->text), buf_bytes(&b->text)) && a->bytes == b->bytes;
}

/* How it looks when all goes well. */
static struct state outcome(const struct scenario *s)
{
    struct rig *r = prepared(s);
    say(r, s->command);
    assert_int_not_equal(rig_reply(r)[0], '-');
    struct state done = state_of(r);
    rig_free(r);
    return done;
}

/* The command is done or refused, and not half of it. With memory again it can be done. */
static void check_outcome(struct rig *r, const struct scenario *s, const struct state *before)
{
    struct state done = outcome(s), now = state_of(r);
    bool refused = rig_reply(r)[0] == '-';
    assert_true(same(&now, refused ? before : &done));
    if (refused)
        say(r, s->command);
    assert_int_not_equal(rig_reply(r)[0], '-');
    buf_free(&now.text);
    now = state_of(r);
    assert_true(same(&now, &done));
    buf_free(&now.text);
    buf_free(&done.text);
}

/* False when there was no such allocation any more, or enough for all of them. */
static bool fail_at(const struct scenario *s, int at, size_t limit)
{
    struct rig *r = prepared(s);
    struct state before = state_of(r);
    if (limit)
        failing_limit(limit);
    else
        failing_arm(at);
    say(r, s->command);
    bool failed = failing_disarm();
    assert_int_not_equal(rig_reply(r)[0], '\0');
    assert_null(audit_store(&r->engine->space));
    if (!s->keeps_going)
        check_outcome(r, s, &before);
    assert_null(audit_store(&r->engine->space));
    buf_free(&before.text);
    rig_free(r);
    return failed;
}

static const struct scenario writes[] = {
    {{NULL}, "SET k BIG", false},
    {{"SET k old PX 5000"}, "SET k BIG", false},
    {{"SET k old PX 5000"}, "SET k BIG KEEPTTL GET", false},
    {{"RPUSH k a"}, "SET k BIG", false},
    {{"SET k BIG"}, "SET k BIGBIG", false},
    {{"SET k old"}, "APPEND k BIG", false},
    {{"SET k BIG"}, "APPEND k BIG", false},
    {{"SET k old"}, "GETSET k BIG", false},
    {{NULL}, "SETEX k 10 BIG", false},
    {{NULL}, "PSETEX k 10000 BIG", false},
    {{NULL}, "SETNX k BIG", false},
    {{NULL}, "SET BIG v", false},
    {{NULL}, "INCR BIG", false},
    {{NULL}, "DECR BIG", false},
    {{NULL}, "INCRBY BIG 3", false},
    {{NULL}, "DECRBY BIG 3", false},
    {{NULL}, "INCRBYFLOAT BIG 0.5", false},
    {{"SET k old PX 5000", "RPUSH dst a"}, "MSET k2 a k BIG dst BIG", false},
    {{NULL}, "MSETNX k2 a k BIG dst BIG", false},
    {{"SET k v PX 5000", "SET k2 other"}, "RENAME k BIG", false},
    {{"SET k v PX 5000", "SET BIG other"}, "RENAME k BIG", false},
    {{"HSET k f v"}, "RENAMENX k BIG", false},
    {{NULL}, "HSET k f BIG", false},
    {{"HSET k f v"}, "HSET k g a f BIG h BIG", false},
    {{"HSET k f BIG"}, "HMSET k g BIG f BIGBIG h BIG", false},
    {{"HSET k f v"}, "HSET k BIG v", false},
    {{"HSET k f v"}, "HSETNX k g BIG", false},
    {{"HSET k f v"}, "HINCRBY k BIG 1", false},
    {{"HSET k f v"}, "HINCRBYFLOAT k BIG 0.5", false},
    {{NULL}, "RPUSH k BIG", false},
    {{"RPUSH k a"}, "RPUSH k b BIG c BIG", false},
    {{"RPUSH k a"}, "LPUSH k b BIG c BIG", false},
    {{"RPUSH k a"}, "RPUSHX k b BIG c BIG", false},
    {{"RPUSH k a"}, "LPUSHX k b BIG c BIG", false},
    {{NULL}, "RPUSH k MANY", false},
    {{"RPUSH k MANY"}, "LPUSH k a MANY b", false},
    {{"RPUSH k a b"}, "LSET k 0 BIG", false},
    {{"RPUSH k a b"}, "LINSERT k BEFORE b BIG", false},
    {{"RPUSH k BIG b"}, "LMOVE k dst LEFT RIGHT", false},
    {{"RPUSH k BIG b"}, "LMOVE k k LEFT RIGHT", false},
    {{"RPUSH k b BIG", "RPUSH dst x"}, "RPOPLPUSH k dst", false},
    {{"RPUSH k BIG b"}, "BLMOVE k dst LEFT RIGHT 1", false},
    {{"RPUSH k b BIG", "RPUSH dst x"}, "BRPOPLPUSH k dst 1", false},
    {{NULL}, "SADD k BIG", false},
    {{"SADD k a"}, "SADD k b BIG c BIGBIG", false},
    {{"SADD k a"}, "SADD k b MANY c", false},
    {{NULL}, "ZADD k 1 BIG", false},
    {{"ZADD k 1 a"}, "ZADD k 2 b 3 BIG 4 c 5 BIGBIG", false},
    {{"ZADD k 1 a"}, "ZINCRBY k 2 BIG", false},
};

enum { NWRITES = sizeof writes / sizeof *writes };

static void fail_everywhere(const struct scenario *s)
{
    int at = 0;
    print_message("# %s\n", s->command);
    while (fail_at(s, at, 0))
        at++;
    assert_true(at > 0); /* or it asks for nothing, and the case shows nothing */
}

TEST(no_memory, every_failed_allocation_refuses_the_command_or_does_not_matter)
{
    for (int i = 0; i < NWRITES; i++)
        fail_everywhere(&writes[i]);
}

TEST(no_memory, whatever_there_is_left_a_command_is_done_or_not)
{
    enum { STEP = 37 << 10 };
    for (int i = 0; i < NWRITES; i++) {
        size_t limit = STEP;
        print_message("# %s\n", writes[i].command);
        while (fail_at(&writes[i], 0, limit))
            limit += STEP;
        assert_true(limit > STEP);
    }
}

static bool is_tried(const struct command *cmd)
{
    size_t n = strlen(cmd->name);
    for (int i = 0; i < NWRITES; i++)
        if (strncasecmp(writes[i].command, cmd->name, n) == 0 && writes[i].command[n] == ' ')
            return true;
    return false;
}

TEST(no_memory, every_command_that_takes_memory_is_among_them)
{
    struct rig *r = rig_new();
    for (size_t i = 0; i < registry_count(r->engine->registry); i++) {
        const struct command *cmd = registry_at(r->engine->registry, i);
        if (cmd->flags & CMD_DENYOOM && cmd->flags & CMD_WRITE && !is_tried(cmd))
            fail_msg("%s is not tried", cmd->name);
    }
    rig_free(r);
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

TEST(no_memory, a_reply_that_finds_no_room_is_an_error)
{
    static const struct scenario scenarios[] = {
        {{"SET k BIG"}, "GET k", false},
        {{"SET k BIG"}, "GETDEL k", false},
        {{"SET k BIG"}, "GETEX k PX 1000", false},
        {{"SET k BIG"}, "SET k v GET", false},
        {{"SET k BIG"}, "GETSET k v", false},
        {{"RPUSH k MANY"}, "LRANGE k 0 -1", false},
        {{"RPUSH k BIG BIG"}, "LPOP k 2", false},
        {{"ZADD k 1 BIG"}, "ZPOPMIN k", false},
        {{"ZADD k 1 BIG"}, "ZPOPMAX k 2", false},
        {{"ZADD k 1 BIG"}, "BZPOPMIN k 1", false},
        {{"RPUSH k BIG"}, "BRPOP k 1", false},
        {{"SADD k BIG"}, "SPOP k", false},
        {{"SADD k BIG MANY BIGBIG"}, "SPOP k 10000", false},
        {{"HSET k f BIG"}, "HGETALL k", false},
        {{"SADD k MANY", "SADD k2 BIG"}, "SUNION k k2", false},
        {{"SADD k MANY"}, "SINTER k k", false},
        {{"SADD k MANY"}, "SDIFF k k2", false},
        {{NULL}, "SUNION MANY", false},
        {{"MSET MANY"}, "KEYS *", false},
        {{NULL}, "ECHO BIG", false},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        fail_everywhere(&scenarios[i]);
}

/* Every command of a transaction has its own reply, and its own fate. */
TEST(no_memory, in_a_transaction_only_the_command_without_memory_fails)
{
    struct rig *r = prepared(&(struct scenario){{"SET k BIG", "SADD s a b"}, NULL, false});
    run(r, "MULTI");
    run(r, "GETDEL k");
    run(r, "SPOP s 2");
    run(r, "GET k");
    run(r, "SET k2 v");
    failing_limit(BIG / 2);
    run(r, "EXEC");
    assert_true(failing_disarm());
    is(r, "*4 " OOM " *2 $1 b $1 a " OOM " +OK");
    expect(r, "STRLEN k", ":100000");
    rig_free(r);
}

TEST(no_memory, many_nothings_are_much_too)
{
    struct rig *r = rig_new();
    failing_limit(BIG / 4);
    say(r, "MGET MANY");
    assert_true(failing_disarm());
    is(r, OOM);
    rig_free(r);
}

TEST(no_memory, a_subscriber_who_cannot_be_sent_a_message_is_closed)
{
    for (int at = 0; at < 2; at++) {
        struct rig *r = rig_new();
        as(r, 1);
        run(r, "SUBSCRIBE c");
        as(r, 0);
        failing_arm(at);
        say(r, "PUBLISH c BIG");
        assert_true(failing_disarm());
        is(r, ":1");
        assert_true(r->clients[1]->flags & SESSION_KILLED);
        rig_free(r);
    }
}

TEST(no_memory, a_message_held_back_for_the_reply_may_find_none)
{
    struct rig *r = rig_new();
    run(r, "HELLO 3");
    run(r, "SUBSCRIBE c");
    failing_arm(2); /* the message is made, then held; then it follows the reply */
    say(r, "PUBLISH c BIG");
    assert_true(failing_disarm());
    assert_true(r->clients[0]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(no_memory, a_user_is_changed_as_a_whole_or_not_at_all)
{
    bool failed = true;
    for (int at = 0; failed; at++) {
        struct rig *r = rig_new();
        failing_arm(at);
        run(r, "ACL SETUSER u on >secret ~lock:* &lock:* +get (~other:* +set)");
        failed = failing_disarm();
        if (rig_reply(r)[0] == '-')
            expect(r, "ACL GETUSER u", "$-1");
        else
            is(r, "+OK");
        rig_free(r);
    }
}

TEST(no_memory, a_notification_does_not_matter)
{
    struct rig *r = rig_new();
    bool failed = true;
    run(r, "CONFIG SET notify-keyspace-events KEA");
    as(r, 1);
    run(r, "PSUBSCRIBE *");
    as(r, 0);
    for (int at = 0; failed; at++) {
        say(r, "SET BIG v");
        failing_arm(at);
        say(r, "DEL BIG");
        failed = failing_disarm();
        is(r, ":1");
    }
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
        {{"EVAL return 0"},
         "EVAL local\tt={}\tfor\ti=1,9999\tdo\tt[i]={i}\tend\treturn\tt 0",
         true},
        {{"EVAL return 0"}, "EVAL return{big_number=ARGV[1]} 0 BIG", true},
        {{"EVAL return 0"}, "EVAL return{map={k=ARGV[1]}} 0 BIG", true},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        fail_everywhere(&scenarios[i]);
}

/* True when the script was told that a command found no memory: then the command did nothing. */
static bool told_of_failure(const struct scenario *s, int at, bool *failed)
{
    struct rig *r = prepared(s);
    struct state before = state_of(r);
    failing_arm(at);
    say(r, s->command);
    *failed = failing_disarm();
    bool told = strstr(rig_reply(r), OOM " script: ") != NULL;
    if (told) {
        struct state now = state_of(r);
        assert_true(same(&now, &before));
        buf_free(&now.text);
    }
    buf_free(&before.text);
    rig_free(r);
    return told;
}

TEST(no_memory, a_reply_that_finds_no_room_is_an_error_to_the_script)
{
    static const struct scenario scenarios[] = {
        {{"SET k BIG", "EVAL return 0"}, "EVAL return{redis.call('getdel','k')} 0", true},
        {{"RPUSH k MANY", "EVAL return 0"}, "EVAL return#redis.call('lpop','k',8000) 0", true},
        {{"SADD k MANY", "EVAL return 0"}, "EVAL return#redis.call('spop','k',8000) 0", true},
        {{"ZADD k 1 BIG", "EVAL return 0"}, "EVAL return#redis.call('zpopmin','k') 0", true},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        int told = 0;
        bool failed = true;
        for (int at = 0; failed; at++)
            told += told_of_failure(&scenarios[i], at, &failed);
        assert_true(told > 0);
    }
}

TEST(no_memory, a_script_may_go_on_without_the_reply)
{
    struct rig *r = prepared(&(struct scenario){{"SET k BIG", "EVAL return 0"}, NULL, false});
    failing_limit(BIG / 2);
    say(r, "EVAL return{redis.pcall('get','k').err,redis.call('strlen','k')} 0");
    assert_true(failing_disarm());
    is(r, "*2 $55 OOM command not allowed when used memory > 'maxmemory'. :100000");
    rig_free(r);
}
