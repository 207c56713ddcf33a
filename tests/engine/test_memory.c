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
