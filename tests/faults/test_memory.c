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

enum { BIG = 100000, MANY = 8000, LARGEST_OWN = 64 << 10 };

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

/* Its words, in which MANY becomes many different ones; they lie in `text`. */
static size_t split(const char *line, struct buf *text, struct bytes argv[MANY + 8])
{
    static char words[MANY][16];
    size_t n = 0;
    put_words(text, line);
    struct bytes whole = buf_bytes(text);
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
    return n;
}

static void say(struct rig *r, const char *line)
{
    static struct bytes argv[MANY + 8];
    struct buf text = {0};
    run_argv(r, argv, split(line, &text, argv));
    buf_free(&text);
}

/* The largest size that this command takes for our own need. */
static size_t own_need(struct rig *r, const char *line)
{
    static struct bytes argv[MANY + 8];
    struct buf text = {0};
    size_t n = split(line, &text, argv);
    failing_largest_own();
    engine_execute(r->engine, r->clients[r->who], r->now, argv, n);
    size_t own = failing_largest_own();
    buf_free(&text);
    return own;
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

TEST(no_memory, a_queue_without_room_spoils_the_transaction)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    failing_limit(40000); /* for 4,096 pointers to commands, and not for twice as many */
    int queued = 0;
    for (; queued < MANY && rig_reply(r)[0] == '+'; queued++)
        run(r, "PING");
    assert_true(failing_disarm());
    is(r, OOM);
    assert_int_equal(queued, 4096 + 1);
    expect(r, "EXEC", "-EXECABORT Transaction discarded because of previous errors.");
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
        {{"SADD k MANY"}, "SSCAN k 0 COUNT 100000", false},
        {{"SET BIG BIG NX PX 10000"}, "LOCKS", false},
        {{"SET k v NX PX 10000"}, "LOCKS MATCH BIG", false},
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

/* Runs the command of client 0 with each allocation failing in turn: whatever client 1 was to hear,
 * it hears `message`, or `instead`, or is closed. */
static void hears_or_is_closed(const char *const before[4], const char *command,
                               const char *message, const char *instead)
{
    int closed = 0, told = 0;
    bool failed = true;
    for (int at = 0; failed; at++) {
        struct rig *r = rig_new();
        as(r, 1);
        for (int i = 0; i < 4 && before[i]; i++)
            say(r, before[i]);
        as(r, 0);
        failing_arm(at);
        say(r, command);
        failed = failing_disarm();
        if (r->clients[1]->flags & SESSION_KILLED) {
            closed++;
        } else if (rig_reply(r)[0] != '-') {
            const char *heard = received(r, 1);
            bool whole = strncmp(heard, message, strlen(message)) == 0;
            assert_true(whole || (instead && strcmp(heard, instead) == 0));
            told += !whole;
        }
        rig_free(r);
    }
    assert_true(closed > 0);
    assert_true(!instead || told > 0);
}

TEST(no_memory, who_cannot_be_told_of_a_change_is_told_that_all_may_have_changed)
{
    const char *const follows[4] = {"HELLO 3", "CLIENT TRACKING ON BCAST"};
    const char *const has_read[4] = {"HELLO 3", "CLIENT TRACKING ON", "GET BIG"};
    hears_or_is_closed(follows, "SET BIG v", ">2 $10 invalidate *1 $100000 xyz",
                       ">2 $10 invalidate _");
    hears_or_is_closed(has_read, "SET BIG v", ">2 $10 invalidate *1 $100000 xyz", NULL);
}

TEST(no_memory, a_monitor_shows_a_command_or_is_closed)
{
    const char *const monitors[4] = {"MONITOR"};
    hears_or_is_closed(monitors, "EXISTS BIG", "+", NULL);
}

TEST(no_memory, a_client_who_waits_for_a_long_name_is_served)
{
    struct rig *r = rig_new();
    as(r, 1);
    say(r, "BLPOP BIG 0");
    as(r, 0);
    say(r, "RPUSH BIG item");
    is(r, ":1");
    assert_int_equal(strncmp(received(r, 1), "*2 $100000 xyz", 14), 0);
    assert_int_equal(r->engine->waiters.keys.dict.count, 0);
    rig_free(r);
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

/* These make something large of everything that is kept, sent or looked for; `before` is said by
 * somebody else. */
static const struct {
    const char *before[3], *command;
} large[] = {
    {{NULL}, "NOSUCHCOMMAND-BIG BIG MANY"},
    {{NULL}, "CLIENT SETNAME BIG"},
    {{NULL}, "CLIENT SETINFO LIB-NAME BIG"},
    {{NULL}, "CLIENT NO-SUCH-BIG BIG"},
    {{NULL}, "HELLO 3 SETNAME BIG"},
    {{NULL}, "HELLO 3 AUTH BIG BIG"},
    {{NULL}, "AUTH BIG BIG"},
    {{"CLIENT SETNAME BIG"}, "CLIENT LIST"},
    {{"SUBSCRIBE c"}, "PUBLISH c BIG"},
    {{"SUBSCRIBE BIG"}, "PUBLISH BIG BIG"},
    {{"PSUBSCRIBE x*"}, "PUBLISH BIG BIG"},
    {{NULL}, "PUBSUB CHANNELS BIG"},
    {{NULL}, "PUBSUB NUMSUB MANY"},
    {{NULL}, "SUBSCRIBE BIG MANY"},
    {{NULL}, "PSUBSCRIBE BIG MANY"},
    {{NULL}, "WATCH BIG MANY"},
    {{"BLPOP BIG 0"}, "RPUSH BIG BIG"},
    {{NULL}, "BLPOP BIG MANY 0"},
    {{"MONITOR"}, "ECHO BIG"},
    {{"MONITOR"}, "DEL MANY BIG"},
    {{"HELLO 3", "CLIENT TRACKING ON"}, "SET BIG BIG"},
    {{"HELLO 3", "CLIENT TRACKING ON", "GET BIG"}, "SET BIG BIG"},
    {{"HELLO 3", "CLIENT TRACKING ON", "MGET BIG MANY"}, "DEL BIG MANY"},
    {{"HELLO 3", "CLIENT TRACKING ON BCAST"}, "DEL BIG MANY"},
    {{"HELLO 3", "CLIENT TRACKING ON BCAST"}, "SET BIG BIG"},
    {{"HELLO 3", "CLIENT TRACKING ON BCAST"}, "MSET MANY"},
    {{NULL}, "CLIENT TRACKING ON BCAST PREFIX BIG"},
    {{"CONFIG SET notify-keyspace-events KEA", "PSUBSCRIBE *"}, "SET BIG BIG"},
    {{NULL}, "ACL SETUSER BIG ~BIG &BIG >BIG +get"},
    {{NULL}, "ACL SETUSER u +BIG"},
    {{NULL}, "ACL SETUSER u (~BIG) MANY"},
    {{NULL}, "ACL GETUSER BIG"},
    {{"ACL SETUSER u on nopass ~x +@all", "AUTH u p"}, "ACL LOG"},
    {{"ACL SETUSER u on nopass +@all ~x"}, "ACL DRYRUN u GET BIG"},
    {{"ACL SETUSER default resetkeys ~x"}, "GET BIG"},
    {{"ACL SETUSER default resetchannels"}, "PUBLISH BIG BIG"},
    {{"ACL SETUSER default resetchannels"}, "SUBSCRIBE BIG"},
    {{NULL}, "ACL GENPASS 4096"},
    {{NULL}, "CONFIG SET BIG BIG"},
    {{NULL}, "CONFIG SET MANY"},
    {{NULL}, "CONFIG GET MANY"},
    {{NULL}, "CONFIG GET BIG"},
    {{NULL}, "COMMAND GETKEYS MGET MANY"},
    {{NULL}, "COMMAND INFO MANY"},
    {{NULL}, "COMMAND DOCS MANY"},
    {{NULL}, "COMMAND LIST FILTERBY PATTERN BIG"},
    {{NULL}, "LATENCY HISTOGRAM MANY"},
    {{NULL}, "INFO MANY"},
    {{"MSET MANY"}, "KEYS *"},
    {{"MSET MANY"}, "KEYS BIG"},
    {{"MSET MANY"}, "SCAN 0 COUNT 100000"},
    {{"SADD s MANY"}, "SSCAN s 0 COUNT 100000"},
    {{"SADD s MANY"}, "SUNION s t"},
    {{"SADD s MANY"}, "SINTER s s"},
    {{"SADD s MANY"}, "SDIFF s t"},
    {{"SADD s MANY"}, "SINTER MANY"},
    {{"SADD s MANY"}, "SRANDMEMBER s 5000"},
    {{"RPUSH l MANY"}, "LPOS l m1 COUNT 0"},
    {{"HSET h MANY"}, "HGETALL h"},
    {{"HSET h MANY"}, "HRANDFIELD h 4000"},
    {{"SET BIG BIG"}, "OBJECT ENCODING BIG"},
    {{"SET k BIG"}, "GETRANGE k 0 -1"},
    {{"SET BIG BIG NX PX 10000"}, "LOCKS"},
    {{"SET BIG BIG NX PX 10000"}, "LOCKS MATCH BIG"},
    {{NULL}, "EVAL return'BIG' 0"},
    {{NULL}, "EVAL return'x' 8000 MANY"},
    {{NULL}, "EVAL return\tredis.call('set',KEYS[1],ARGV[1],'NX','PX',9999) 1 BIG BIG"},
    {{NULL}, "SCRIPT LOAD return'BIG'"},
    {{NULL}, "SCRIPT EXISTS MANY"},
    {{NULL}, "EVALSHA BIG 0"},
    {{NULL}, "EVAL return\tredis.call('mget',unpack(ARGV,1,7000)) 0 MANY"},
    {{NULL}, "EVAL return\tredis.error_reply(ARGV[1]) 0 BIG"},
    {{NULL}, "EVAL error(ARGV[1]) 0 BIG"},
    {{NULL}, "EVAL redis.log(redis.LOG_WARNING,ARGV[1]) 0 BIG"},
    {{NULL}, "CLUSTER KEYSLOT BIG"},
    {{NULL}, "OBJECT BIG BIG"},
    {{NULL}, "DEBUG BIG"},
};

/* Whatever clients make large must be asked for where it may fail. */
TEST(no_memory, no_size_that_a_client_chose_is_taken_for_our_own_need)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct rig *r = rig_new();
        run(r, "EVAL \"return 0\" 0");
        as(r, 1);
        for (size_t n = 0; n < 3 && large[i].before[n]; n++)
            say(r, large[i].before[n]);
        as(r, 0);
        size_t own = own_need(r, large[i].command);
        if (own > LARGEST_OWN) {
            print_error("%s: %zu bytes may not fail\n", large[i].command, own);
            bad++;
        }
        rig_free(r);
    }
    assert_int_equal(bad, 0);
}
