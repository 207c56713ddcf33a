#include "tests/lib/rig.h"

#include "base/mem.h"

#include <stdio.h>

TEST(waiters, are_served_first_come_first)
{
    struct rig *r = rig_new();
    for (int who = 1; who <= 3; who++) {
        as(r, who);
        expect(r, "BLPOP q 0", "");
    }
    as(r, 0);
    expect(r, "RPUSH q a b", ":2");
    assert_string_equal(received(r, 1), "*2 $1 q $1 a");
    assert_string_equal(received(r, 2), "*2 $1 q $1 b");
    assert_string_equal(received(r, 3), "");
    expect(r, "EXISTS q", ":0");
    rig_free(r);
}

TEST(waiters, wait_for_several_keys_and_leave_all_queues)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BLPOP a b a c 0");
    as(r, 0);
    run(r, "RPUSH b x");
    assert_string_equal(received(r, 1), "*2 $1 b $1 x");
    assert_int_equal(r->engine->waiters.blocked, 0);
    assert_int_equal(r->engine->waiters.keys.dict.count, 0);
    expect(r, "RPUSH a y", ":1");
    expect(r, "LLEN a", ":1");
    rig_free(r);
}

TEST(waiters, time_out_at_their_own_moment)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BLPOP q 1");
    as(r, 2);
    run(r, "BLPOP q 0.5");
    as(r, 3);
    run(r, "BLPOP q 0"); /* never */
    later(r, 499);
    assert_string_equal(received(r, 2), "");
    later(r, 1);
    assert_string_equal(received(r, 2), "*-1");
    later(r, 499);
    assert_string_equal(received(r, 1), "");
    later(r, 1);
    assert_string_equal(received(r, 1), "*-1");
    later(r, 1000000000);
    assert_string_equal(received(r, 3), "");
    assert_int_equal(r->engine->waiters.blocked, 1);
    rig_free(r);
}

/* python-redis-lock releases like this: the signal must not be seen before the lock is free. */
TEST(waiters, are_served_after_the_whole_script_or_transaction)
{
    struct rig *r = rig_new();
    run(r, "SET lock held");
    as(r, 1);
    run(r, "BLPOP signal 0");
    as(r, 0);
    run(r, "EVAL \"redis.call('lpush','signal','1') local n = redis.call('llen','signal') "
           "redis.call('del','lock') return n\" 0");
    is(r, ":1"); /* the element was still there inside */
    assert_string_equal(received(r, 1), "*2 $6 signal $1 1");

    as(r, 1);
    run(r, "BLPOP signal 0");
    as(r, 0);
    run(r, "MULTI");
    run(r, "LPUSH signal 2");
    run(r, "LPOP signal");
    expect(r, "EXEC", "*2 :1 $1 2");
    assert_string_equal(received(r, 1), "");
    rig_free(r);
}

TEST(waiters, chains_of_moves_run_to_their_end)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BLMOVE a b LEFT RIGHT 0");
    as(r, 2);
    run(r, "BLMOVE b c LEFT RIGHT 0");
    as(r, 3);
    run(r, "BLPOP c 0");
    as(r, 0);
    run(r, "RPUSH a x");
    assert_string_equal(received(r, 1), "$1 x");
    assert_string_equal(received(r, 2), "$1 x");
    assert_string_equal(received(r, 3), "*2 $1 c $1 x");
    expect(r, "EXISTS a b c", ":0");
    rig_free(r);
}

TEST(waiters, another_type_does_not_wake_and_does_not_stand_in_the_way)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BZPOPMIN k 0");
    as(r, 2);
    run(r, "BLPOP k 0");
    as(r, 0);
    run(r, "SET k string");
    run(r, "DEL k");
    run(r, "RPUSH k x");
    assert_string_equal(received(r, 1), "");
    assert_string_equal(received(r, 2), "*2 $1 k $1 x");
    run(r, "ZADD k 1 m");
    assert_string_equal(received(r, 1), "*3 $1 k $1 m $1 1");
    rig_free(r);
}

TEST(waiters, a_renamed_key_wakes)
{
    struct rig *r = rig_new();
    run(r, "RPUSH other x");
    as(r, 1);
    run(r, "BLPOP k 0");
    as(r, 0);
    run(r, "RENAME other k");
    assert_string_equal(received(r, 1), "*2 $1 k $1 x");
    rig_free(r);
}

TEST(waiters, who_disconnects_leaves_the_queue)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "BLPOP q 5");
    as(r, 2);
    run(r, "BLPOP q 0");
    disconnect(r, 1);
    as(r, 0);
    run(r, "RPUSH q x");
    assert_string_equal(received(r, 2), "*2 $1 q $1 x");
    later(r, 10000); /* and its alarm is gone with it */
    rig_free(r);
}

TEST(waiters, databases_do_not_mix)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "SELECT 1");
    run(r, "BLPOP q 0");
    as(r, 0);
    expect(r, "RPUSH q x", ":1");
    assert_string_equal(received(r, 1), "");
    run(r, "SELECT 1");
    run(r, "RPUSH q y");
    assert_string_equal(received(r, 1), "*2 $1 q $1 y");
    rig_free(r);
}

/* One push wakes one of them, and does not look at the others. */
TEST(waiters, ten_thousand_stand_in_one_queue)
{
    enum { N = 10000 };
    struct rig *r = rig_new();
    struct session **s = mem_alloc(N * sizeof *s);
    const struct bytes blpop[] = {BYTES("BLPOP"), BYTES("q"), BYTES("0")};
    for (int i = 0; i < N; i++) {
        s[i] = session_new(r->engine, NULL, SESSION_LOCAL);
        engine_execute(r->engine, s[i], r->now, blpop, 3);
    }
    for (int i = 0; i < N; i++) {
        int before = r->wakes;
        expect(r, "RPUSH q x", ":1");
        assert_int_equal(r->wakes - before, 1);
        assert_int_equal(buf_len(&s[i]->out), sizeof "*2\r\n$1\r\nq\r\n$1\r\nx\r\n" - 1);
        session_free(s[i]);
    }
    assert_int_equal(r->engine->waiters.blocked, 0);
    mem_free(s);
    rig_free(r);
}

TEST(waiters, can_be_unblocked_as_if_in_time_or_with_an_error)
{
    struct rig *r = rig_new();
    char line[64];
    as(r, 1);
    run(r, "BLPOP q 0");
    as(r, 0);
    snprintf(line, sizeof line, "CLIENT UNBLOCK %llu", (unsigned long long)r->clients[1]->id);
    expect(r, line, ":1");
    assert_string_equal(received(r, 1), "*-1");
    expect(r, line, ":0");
    as(r, 1);
    run(r, "BLPOP q 0");
    as(r, 0);
    snprintf(line, sizeof line, "CLIENT UNBLOCK %llu ERROR", (unsigned long long)r->clients[1]->id);
    expect(r, line, ":1");
    assert_string_equal(received(r, 1), "-UNBLOCKED client unblocked via CLIENT UNBLOCK");
    rig_free(r);
}
