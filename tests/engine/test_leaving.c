/* A client that leaves much behind is forgotten piece by piece, and meanwhile it is as good as
 * gone. */
#include "server/engine/multi.h"
#include "tests/lib/rig.h"

#include <stdio.h>

enum { MANY = 10000, SLICE = 512 };

/* Runs `line`, in which %d is a number, MANY times. */
static void many(struct rig *r, const char *line)
{
    for (int i = 0; i < MANY; i++) {
        char words[64];
        snprintf(words, sizeof words, line, i);
        run(r, words);
    }
}

/* Takes slices until nothing is left; `count` says how much is, and no slice takes more than SLICE.
 */
static void forget(struct rig *r, size_t (*count)(struct rig *r))
{
    size_t left = count(r);
    assert_in_range(left, MANY - 2 * SLICE, MANY);
    int slices = 0;
    for (bool more = true; more; slices++) {
        assert_true(engine_deadline(r->engine) <= r->now);
        more = engine_advance(r->engine, r->now);
        assert_in_range(left - count(r), 0, SLICE);
        left = count(r);
        expect(r, "PING", "+PONG");
    }
    assert_int_equal(left, 0);
    assert_in_range(slices, MANY / SLICE - 2, MANY / SLICE + 2);
    assert_true(engine_deadline(r->engine) > r->now);
}

static size_t subscriptions(struct rig *r)
{
    return r->engine->pubsub.subscriptions.count;
}

TEST(leaving, subscriptions_go_in_slices)
{
    struct rig *r = rig_new();
    as(r, 1);
    many(r, "SUBSCRIBE channel:%d");
    disconnect(r, 1);
    as(r, 0);
    expect(r, "PUBLISH channel:9999 hello", ":1"); /* counted, and goes nowhere */
    expect(r, "CLIENT LIST ID 2", "$0 ");
    forget(r, subscriptions);
    expect(r, "PUBLISH channel:9999 hello", ":0");
    expect(r, "PUBSUB CHANNELS", "*0");
    rig_free(r);
}

static size_t watches(struct rig *r)
{
    return r->engine->watches.pairs.count;
}

TEST(leaving, watched_keys_go_in_slices)
{
    struct rig *r = rig_new();
    as(r, 1);
    many(r, "WATCH key:%d");
    disconnect(r, 1);
    as(r, 0);
    expect(r, "SET other v", "+OK");
    forget(r, watches);
    rig_free(r);
}

static size_t places(struct rig *r)
{
    return r->engine->waiters.keys.dict.count;
}

TEST(leaving, the_queues_of_many_keys_are_left_in_slices_and_nothing_is_handed_out_there)
{
    struct rig *r = rig_new();
    struct bytes argv[MANY + 2] = {BYTES("BLPOP")};
    static char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "key:%d", i);
        argv[i + 1] = bytes_of(names[i]);
    }
    argv[MANY + 1] = BYTES("0");
    as(r, 1);
    run_argv(r, argv, MANY + 2);
    disconnect(r, 1);
    as(r, 0);
    expect(r, "RPUSH key:0 item", ":1");
    expect(r, "LLEN key:0", ":1");
    assert_int_equal(r->engine->waiters.blocked, 0);
    forget(r, places);
    expect(r, "LLEN key:0", ":1");
    rig_free(r);
}

static size_t leaving(struct rig *r)
{
    return list_empty(&r->engine->leaving)
               ? 0
               : (size_t)multi_count(container_of(r->engine->leaving.next, struct session, link));
}

TEST(leaving, a_long_transaction_goes_in_slices)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "MULTI");
    many(r, "SET key:%d value");
    disconnect(r, 1);
    as(r, 0);
    forget(r, leaving);
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(leaving, one_that_had_little_is_forgotten_at_once)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "SUBSCRIBE a b c");
    disconnect(r, 1);
    assert_true(list_empty(&r->engine->leaving));
    assert_int_equal(subscriptions(r), 0);
    rig_free(r);
}

TEST(leaving, the_engine_may_end_before_all_is_forgotten)
{
    struct rig *r = rig_new();
    as(r, 1);
    many(r, "SUBSCRIBE channel:%d");
    many(r, "PSUBSCRIBE pattern:%d");
    disconnect(r, 1);
    rig_free(r);
}

TEST(leaving, what_a_killed_client_waited_for_is_kept)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BLPOP queue 0");
    as(r, 0);
    expect(r, "CLIENT KILL ID 2", ":1");
    expect(r, "RPUSH queue item", ":1");
    expect(r, "LLEN queue", ":1");
    rig_free(r);
}
