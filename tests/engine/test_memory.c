#include "tests/lib/rig.h"

#define OOM "-OOM command not allowed when used memory > 'maxmemory'."

/* Held locks of both kinds, and then no memory left. */
static struct rig *full(void)
{
    struct rig *r = rig_new();
    run(r, "SET lock alice PX 1000");
    run(r, "HSET reentrant uuid:1 1");
    run(r, "SET counter 5");
    r->config.maxmemory = 1;
    return r;
}

TEST(memory, what_would_grow_is_refused)
{
    struct rig *r = full();
    expect(r, "SET new v", OOM);
    expect(r, "SET lock a-longer-value", OOM);
    expect(r, "SETNX new v", OOM);
    expect(r, "HSET reentrant uuid:2 1", OOM);
    expect(r, "HINCRBY reentrant uuid:2 1", OOM);
    expect(r, "LPUSH l x", OOM);
    expect(r, "APPEND lock x", OOM);
    expect(r, "EVAL \"return redis.call('set', 'new', 'v')\" 0",
           OOM " script: 1a52417c5d246078feab04a70d7ea916d68dda12, on @user_script:1.");
    rig_free(r);
}

TEST(memory, a_held_lock_can_be_renewed_and_released)
{
    struct rig *r = full();
    expect(r, "PEXPIRE lock 5000", ":1");
    expect(r, "SET lock alice XX PX 5000", "+OK");
    expect(r, "HINCRBY reentrant uuid:1 1", ":2");
    expect(r, "INCR counter", ":6");
    expect(r,
           "EVAL \"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end "
           "return 0\" 1 lock alice",
           ":1");
    expect(r, "DEL reentrant", ":1");
    rig_free(r);
}

TEST(memory, what_a_flush_frees_may_be_used_at_once)
{
    struct rig *r = rig_new();
    for (int i = 0; i < 1000; i++) {
        char key[8];
        struct bytes argv[] = {BYTES("SET"), {key, 4}, BYTES("value")};
        memcpy(key, &i, 4);
        run_argv(r, argv, 3);
    }
    r->config.maxmemory = (int64_t)engine_memory(r->engine);
    run(r, "SET k v");
    expect(r, "SET k2 v", OOM);
    run(r, "FLUSHALL");
    expect(r, "SET k v", "+OK");
    rig_free(r);
}

/* The client asks for more in one command than it may leave unread. */
TEST(memory, a_reply_that_no_client_may_keep_is_not_made)
{
    static char value[50000];
    struct rig *r = rig_new();
    run_argv(r, (struct bytes[]){BYTES("SET"), BYTES("k"), {value, sizeof value}}, 3);
    run(r, "RPUSH l a");
    r->config.output_limit[CLIENT_CLASS_NORMAL].hard = 300000;
    struct bytes argv[400];
    for (size_t i = 0; i < 400; i++)
        argv[i] = i ? BYTES("k") : BYTES("MGET");
    as(r, 1);
    run_argv(r, argv, 400);
    struct session *s = r->clients[1];
    assert_true(s->flags & SESSION_KILLED);
    assert_true(s->out.cap < 1000000);
    assert_int_equal(r->engine->stats.output_limit_closed, 1);
    as(r, 0);
    run_argv(r, argv, 5);
    assert_false(r->clients[0]->flags & SESSION_KILLED);
    rig_free(r);
}
