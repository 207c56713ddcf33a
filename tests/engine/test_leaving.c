/* A client that leaves much behind is forgotten piece by piece, and meanwhile it is as good as
 * gone. */
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
    expect(r, "PUBLISH channel:9999 hello", ":0");
    expect(r, "CLIENT LIST ID 2", "$0 ");
    forget(r, subscriptions);
    expect(r, "PUBLISH channel:9999 hello", ":0");
    expect(r, "PUBSUB CHANNELS", "*0");
    rig_free(r);
}

TEST(leaving, subscriptions_that_have_ended_are_not_counted)
{
    struct rig *r = rig_new();
    as(r, 1);
    many(r, "SUBSCRIBE channel:%d");
    many(r, "PSUBSCRIBE pattern:%d");
    as(r, 2);
    run(r, "SUBSCRIBE channel:9999");
    as(r, 1);
    expect(r, "RESET", "+RESET");
    expect(r, "PUBSUB NUMSUB channel:9998 channel:9999",
           "*4 $12 channel:9998 :0 $12 channel:9999 :1");
    expect(r, "PUBSUB CHANNELS", "*1 $12 channel:9999");
    expect(r, "PUBSUB NUMPAT", ":0");
    assert_in_range(subscriptions(r), MANY, 2 * MANY);
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

/* A client that waits for MANY keys. */
static void wait_for_many(struct rig *r)
{
    struct bytes argv[MANY + 2] = {BYTES("BLPOP")};
    static char names[MANY][16];
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "key:%d", i);
        argv[i + 1] = bytes_of(names[i]);
    }
    argv[MANY + 1] = BYTES("0");
    run_argv(r, argv, MANY + 2);
}

TEST(leaving, the_queues_of_many_keys_are_left_in_slices_and_nothing_is_handed_out_there)
{
    struct rig *r = rig_new();
    as(r, 1);
    wait_for_many(r);
    disconnect(r, 1);
    as(r, 0);
    expect(r, "RPUSH key:0 item", ":1");
    expect(r, "LLEN key:0", ":1");
    assert_int_equal(r->engine->waiters.blocked, 0);
    forget(r, places);
    expect(r, "LLEN key:0", ":1");
    rig_free(r);
}

/* The same for what cannot be counted from outside. */
static void forget_uncounted(struct rig *r)
{
    int slices = 0;
    while (!list_empty(&r->engine->leavings)) {
        assert_true(engine_deadline(r->engine) <= r->now);
        engine_advance(r->engine, r->now);
        slices++;
    }
    assert_in_range(slices, MANY / SLICE - 2, MANY / SLICE + 2);
}

static void queue_many(struct rig *r)
{
    run(r, "MULTI");
    many(r, "SET key:%d value");
}

TEST(leaving, a_long_transaction_goes_in_slices)
{
    struct rig *r = rig_new();
    as(r, 1);
    queue_many(r);
    disconnect(r, 1);
    as(r, 0);
    forget_uncounted(r);
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

/* Those who stay. */

TEST(leaving, a_discarded_transaction_goes_in_slices)
{
    struct rig *r = rig_new();
    queue_many(r);
    expect(r, "DISCARD", "+OK");
    expect(r, "DBSIZE", ":0");
    forget_uncounted(r);
    queue_many(r);
    run(r, "EXEC");
    expect(r, "DBSIZE", ":10000");
    forget_uncounted(r);
    rig_free(r);
}

TEST(leaving, watches_are_given_up_at_once_and_forgotten_in_slices)
{
    static const char *const ways[] = {"UNWATCH", "DISCARD", "EXEC", "RESET"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct rig *r = rig_new();
        many(r, "WATCH key:%d");
        if (i > 0)
            run(r, "MULTI");
        size_t memory = session_memory(r->clients[0]);
        run(r, ways[i]);
        assert_true(session_memory(r->clients[0]) < memory - MANY * sizeof(void *));
        assert_int_equal(watch_count(r->clients[0]), 0);

        /* A key that is watched anew is another matter than one that was. */
        run(r, "WATCH key:1");
        as(r, 1);
        run(r, "SET key:9999 v");
        as(r, 0);
        run(r, "MULTI");
        expect(r, "EXEC", "*0");
        run(r, "WATCH key:1");
        as(r, 1);
        run(r, "SET key:1 v");
        as(r, 0);
        run(r, "MULTI");
        expect(r, "EXEC", "*-1");
        rig_free(r);
    }
}

TEST(leaving, an_unwatch_costs_the_same_however_much_was_watched)
{
    struct rig *r = rig_new();
    many(r, "WATCH key:%d");
    run(r, "UNWATCH");
    forget(r, watches);
    rig_free(r);
}

TEST(leaving, leaving_and_taking_again_does_not_pile_up)
{
    struct rig *r = rig_new();
    for (int i = 0; i < 5; i++) {
        many(r, "WATCH key:%d");
        many(r, "SUBSCRIBE channel:%d");
        run(r, "RESET");
    }
    assert_true(watches(r) <= MANY && subscriptions(r) <= MANY);
    rig_free(r);
}

TEST(leaving, a_reset_leaves_channels_at_once_and_forgets_them_in_slices)
{
    struct rig *r = rig_new();
    many(r, "SUBSCRIBE channel:%d");
    expect(r, "RESET", "+RESET");
    assert_true(session_memory(r->clients[0]) < MANY);
    run(r, "SUBSCRIBE channel:9999");
    as(r, 1);
    expect(r, "PUBLISH channel:9999 hello", ":1");
    expect(r, "PUBLISH channel:9998 hello", ":0");
    assert_string_equal(received(r, 0), "*3 $7 message $12 channel:9999 $5 hello");
    as(r, 0);
    run(r, "UNSUBSCRIBE");
    as(r, 1);
    forget(r, subscriptions);
    rig_free(r);
}

TEST(leaving, who_was_served_leaves_the_other_queues_in_slices)
{
    struct rig *r = rig_new();
    as(r, 1);
    wait_for_many(r);
    as(r, 2);
    run(r, "BLPOP key:1 0");
    as(r, 0);
    run(r, "RPUSH key:0 item");
    assert_string_equal(received(r, 1), "*2 $5 key:0 $4 item");
    assert_int_equal(r->engine->waiters.blocked, 1);
    run(r, "RPUSH key:1 item");
    assert_string_equal(received(r, 1), "");
    assert_string_equal(received(r, 2), "*2 $5 key:1 $4 item");
    forget(r, places);
    rig_free(r);
}

TEST(leaving, one_that_had_little_is_forgotten_at_once)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "SUBSCRIBE a b c");
    disconnect(r, 1);
    assert_true(list_empty(&r->engine->leavings));
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
