/* TEST.*: time that is moved, faults, waiting for others, beginning afresh. */
#include "tests/lib/rig.h"

#include <stdio.h>

TEST(testing, commands_are_unknown_without_the_option)
{
    struct rig *r = rig_new();
    expect(r, "TEST.ADVANCE 10",
           "-ERR unknown command 'TEST.ADVANCE', with args beginning with: '10' ");
    expect(r, "TEST.FAULT LIST",
           "-ERR unknown command 'TEST.FAULT', with args beginning with: 'LIST' ");
    assert_null(r->engine->testing);
    rig_free(r);
}

TEST(testing, commands_are_for_neither_scripts_nor_transactions)
{
    struct rig *r = rig_new_testing();
    run(r, "EVAL \"return redis.call('TEST.ADVANCE', 1)\" 0");
    assert_non_null(strstr(rig_reply(r), "This Redis command is not allowed from script"));
    run(r, "MULTI");
    expect(r, "TEST.ADVANCE 1", "-ERR Command not allowed inside a transaction");
    rig_free(r);
}

/* Time. */

TEST(testing, a_lease_ends_when_time_is_moved_past_it)
{
    struct rig *r = rig_new_testing();
    expect(r, "SET job:7 alice NX PX 30000", "+OK");
    expect(r, "TEST.ADVANCE 30000", "+OK");
    expect(r, "PTTL job:7", ":0");
    expect(r, "SET job:7 bob NX PX 30000", "$-1");
    expect(r, "TEST.ADVANCE 1", "+OK");
    expect(r, "SET job:7 bob NX PX 30000", "+OK");
    rig_free(r);
}

TEST(testing, time_is_the_same_in_all_that_tells_it)
{
    struct rig *r = rig_new_testing();
    r->wall = 0;
    run(r, "SET k v PX 10000");
    expect(r, "TIME", "*2 $1 1 $1 0");
    expect(r, "TEST.ADVANCE 2500", "+OK");
    expect(r, "TIME", "*2 $1 3 $6 500000");
    expect(r, "PTTL k", ":7500");
    expect(r, "TTL k", ":8");
    expect(r, "PEXPIRETIME k", ":11000");
    expect(r, "PEXPIREAT k 4000", ":1");
    expect(r, "PTTL k", ":500");
    run(r, "INFO server");
    assert_non_null(strstr(rig_reply(r), "uptime_in_seconds:2"));
    assert_non_null(strstr(rig_reply(r), "server_time_usec:3500000"));
    rig_free(r);
}

TEST(testing, deadlines_come_in_order_and_each_at_its_own_moment)
{
    struct rig *r = rig_new_testing();
    run(r, "CONFIG SET notify-keyspace-events Ex");
    as(r, 1);
    run(r, "HELLO 3");
    run(r, "SUBSCRIBE __keyevent@0__:expired");
    as(r, 2);
    run(r, "BLPOP queue 0.020");
    as(r, 3);
    run(r, "WAIT 1 30");
    as(r, 4);
    run(r, "CLIENT PAUSE 25 WRITE");
    as(r, 5);
    run(r, "SET late 1 PX 5");
    is(r, "");
    as(r, 0);
    r->wall = 0;
    run(r, "SET third c PX 40");
    is(r, ""); /* it writes, and so it waits */
    as(r, 6);
    expect(r, "TEST.ADVANCE 19", "+OK");
    assert_string_equal(received(r, 2), "");
    expect(r, "TEST.ADVANCE 1", "+OK");
    assert_string_equal(received(r, 2), "*-1");
    assert_string_equal(received(r, 5), "");
    expect(r, "TEST.ADVANCE 100", "+OK");
    /* The pause ended at 25; `late` lived from then to 30, `third` from then to 65. */
    assert_string_equal(received(r, 5), "+OK");
    assert_string_equal(received(r, 0), "+OK");
    assert_string_equal(received(r, 3), ":0");
    assert_string_equal(received(r, 1), ">3 $7 message $22 __keyevent@0__:expired $4 late "
                                        ">3 $7 message $22 __keyevent@0__:expired $5 third");
    assert_int_equal(r->now, 1120);
    rig_free(r);
}

TEST(testing, what_a_moment_brings_is_done_at_that_moment)
{
    struct rig *r = rig_new_testing();
    r->wall = 0;
    run(r, "CONFIG SET notify-keyspace-events Ex");
    as(r, 1);
    run(r, "CLIENT PAUSE 50");
    as(r, 2);
    run(r, "SET k v PX 10");
    is(r, "");
    as(r, 3);
    run(r, "TIME");
    is(r, "");
    as(r, 0);
    expect(r, "TEST.ADVANCE 1000", "+OK");
    assert_string_equal(received(r, 3), "*2 $1 1 $5 50000");
    expect(r, "EXISTS k", ":0");
    rig_free(r);
}

TEST(testing, time_moves_only_forward)
{
    struct rig *r = rig_new_testing();
    r->wall = 0;
    expect(r, "TEST.ADVANCE -1", "-ERR time moves forward, by a hundred years at most");
    expect(r, "TEST.ADVANCE soon", "-ERR value is not an integer or out of range");
    expect(r, "TEST.SETTIME 999",
           "-ERR time moves forward, by a hundred years at most; it is 1000 now");
    run(r, "SET k v PXAT 4999");
    expect(r, "TEST.SETTIME 5000", "+OK");
    expect(r, "TIME", "*2 $1 5 $1 0");
    expect(r, "EXISTS k", ":0");
    rig_free(r);
}

TEST(testing, the_clock_is_stopped_and_let_go)
{
    struct rig *r = rig_new_testing();
    expect(r, "TEST.FREEZE", "+OK");
    assert_true(r->frozen);
    expect(r, "TEST.THAW", "+OK");
    assert_false(r->frozen);
    rig_free(r);
}

TEST(testing, many_deadlines_on_the_way_are_all_met)
{
    enum { N = 3000 };
    struct rig *r = rig_new_testing();
    for (int i = 0; i < N; i++) {
        char line[64];
        snprintf(line, sizeof line, "SET k%d v PX %d", i, 1 + i % 7 * 1000);
        run(r, line);
    }
    expect(r, "TEST.ADVANCE 10000", "+OK");
    run(r, "INFO stats");
    assert_non_null(strstr(rig_reply(r), "expired_keys:3000"));
    rig_free(r);
}

/* Faults. */

TEST(testing, an_error_takes_the_place_of_the_command)
{
    struct rig *r = rig_new_testing();
    expect(r, "TEST.FAULT ADD SET ERROR \"OOM no room\"", ":1");
    expect(r, "SET k v", "-OOM no room");
    expect(r, "GET k", "$-1");
    run(r, "INFO errorstats");
    assert_non_null(strstr(rig_reply(r), "errorstat_OOM:count=1"));
    run(r, "MULTI");
    expect(r, "SET k v", "-OOM no room");
    expect(r, "EXEC", "-EXECABORT Transaction discarded because of previous errors.");
    expect(r, "TEST.FAULT CLEAR", "+OK");
    expect(r, "SET k v", "+OK");
    rig_free(r);
}

TEST(testing, conditions_of_a_fault_must_all_hold)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET MATCH lock:* CLIENT worker TIMES 2 ERROR X");
    expect(r, "SET lock:1 v", "+OK");
    run(r, "CLIENT SETNAME worker");
    expect(r, "SET other v", "+OK");
    expect(r, "GET lock:1", "$1 v");
    expect(r, "SET lock:1 v", "-X");
    expect(r, "TEST.FAULT LIST",
           "*1 *10 $2 id :1 $5 fault $46 SET MATCH lock:* CLIENT worker TIMES 2 ERROR X "
           "$6 action $5 ERROR $4 hits :1 $4 left :1");
    expect(r, "SET lock:2 v", "-X");
    expect(r, "SET lock:2 v", "+OK");
    expect(r, "TEST.FAULT LIST", "*0");
    rig_free(r);
}

TEST(testing, faults_name_commands_subcommands_or_any)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD client|id ERROR SUB");
    expect(r, "CLIENT ID", "-SUB");
    expect(r, "CLIENT GETNAME", "$-1");
    run(r, "TEST.FAULT ADD client ERROR CONTAINER");
    expect(r, "CLIENT ID", "-SUB");
    expect(r, "CLIENT GETNAME", "-CONTAINER");
    expect(r, "TEST.FAULT CLEAR 1", "+OK");
    expect(r, "CLIENT ID", "-CONTAINER");
    expect(r, "TEST.FAULT CLEAR 1", "-ERR there is no fault of that number");
    expect(r, "TEST.FAULT ADD * ERROR ANY", ":3");
    expect(r, "PING", "-ANY");
    expect(r, "NOSUCH", "-ANY");
    expect(r, "TEST.FAULT CLEAR", "+OK");
    expect(r, "TEST.FAULT ADD nosuch ERROR X", "-ERR there is no command 'nosuch'");
    rig_free(r);
}

TEST(testing, faults_are_refused_when_they_make_no_sense)
{
    static const char *const lines[] = {
        "TEST.FAULT ADD SET ERROR",
        "TEST.FAULT ADD SET WHATEVER",
        "TEST.FAULT ADD SET MATCH CLOSE",
        "TEST.FAULT ADD SET CLOSE now",
        "TEST.FAULT ADD SET DELAY",
        "TEST.FAULT ADD SET TIMES 1",
        "TEST.FAULT ADD SET DROP-REPLY TIMES 1",
    };
    struct rig *r = rig_new_testing();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect(r, lines[i], "-ERR syntax error");
    expect(r, "TEST.FAULT ADD SET TIMES 0 CLOSE", "-ERR TIMES must be positive");
    expect(r, "TEST.FAULT ADD SET PERCENT 101 CLOSE", "-ERR PERCENT must be between 1 and 100");
    expect(r, "TEST.FAULT ADD SET DELAY -1", "-ERR DELAY must be between 0 and a day");
    expect(r, "TEST.FAULT LIST", "*0");
    rig_free(r);
}

TEST(testing, a_percentage_depends_on_the_seed_alone)
{
    char first[101] = "", second[101] = "";
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD PING PERCENT 30 ERROR X");
    for (int round = 0; round < 2; round++) {
        char *out = round ? second : first;
        expect(r, "TEST.SEED 7", "+OK");
        for (int i = 0; i < 100; i++) {
            run(r, "PING");
            out[i] = rig_reply(r)[0];
        }
        out[100] = '\0';
    }
    int errors = 0;
    for (int i = 0; i < 100; i++)
        errors += first[i] == '-';
    assert_string_equal(first, second);
    assert_in_range(errors, 15, 45);
    rig_free(r);
}

TEST(testing, a_delay_passes_in_real_time_and_not_in_the_engines)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET TIMES 1 DELAY 50");
    as(r, 1);
    expect(r, "SET k v", "");
    as(r, 0);
    expect(r, "TEST.ADVANCE 100000", "+OK");
    really_later(r, 49);
    expect(r, "EXISTS k", ":0");
    assert_string_equal(received(r, 1), "");
    really_later(r, 1);
    assert_string_equal(received(r, 1), "+OK");
    expect(r, "EXISTS k", ":1");
    rig_free(r);
}

TEST(testing, a_client_may_leave_while_its_command_is_delayed)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET TIMES 1 DELAY 50");
    as(r, 1);
    run(r, "SET k v");
    disconnect(r, 1);
    really_later(r, 100);
    as(r, 0);
    expect(r, "EXISTS k", ":0");
    rig_free(r);
}

TEST(testing, a_lost_reply_is_executed_and_its_connection_is_of_no_more_use)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET TIMES 1 DROP-REPLY");
    as(r, 1);
    expect(r, "SET k v NX PX 1000", "");
    assert_false(r->clients[1]->flags & SESSION_CLOSING);
    as(r, 0);
    expect(r, "GET k", "$1 v");
    as(r, 1);
    expect(r, "SET k other", "");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    as(r, 0);
    expect(r, "GET k", "$1 v");
    rig_free(r);
}

TEST(testing, the_reply_of_a_wait_can_be_lost_too)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD BLPOP DROP-REPLY");
    as(r, 1);
    expect(r, "BLPOP q 0", "");
    as(r, 0);
    expect(r, "RPUSH q a", ":1");
    expect(r, "LLEN q", ":0");
    assert_string_equal(received(r, 1), "");
    rig_free(r);
}

TEST(testing, close_executes_nothing)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET CLOSE");
    as(r, 1);
    expect(r, "SET k v", "");
    assert_true(r->clients[1]->flags & SESSION_CLOSING);
    as(r, 0);
    expect(r, "EXISTS k", ":0");
    rig_free(r);
}

TEST(testing, a_black_hole_executes_nothing_and_keeps_the_connection)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET BLACKHOLE");
    as(r, 1);
    expect(r, "SET k v", "");
    assert_true(r->clients[1]->flags & SESSION_BLOCKED);
    assert_false(r->clients[1]->flags & SESSION_CLOSING);
    really_later(r, 1000000);
    as(r, 0);
    expect(r, "TEST.FAULT CLEAR", "+OK");
    assert_true(r->clients[1]->flags & SESSION_BLOCKED);
    expect(r, "EXISTS k", ":0");
    expect(r, "TEST.RESET", "+OK");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(testing, what_scripts_and_transactions_run_is_spared)
{
    struct rig *r = rig_new_testing();
    run(r, "TEST.FAULT ADD SET ERROR X");
    expect(r, "EVAL \"return redis.call('SET', 'k', 'v')\" 0", "+OK");
    run(r, "TEST.FAULT CLEAR");
    run(r, "MULTI");
    run(r, "SET k w");
    as(r, 1);
    run(r, "TEST.FAULT ADD SET ERROR X");
    as(r, 0);
    expect(r, "EXEC", "*1 +OK");
    rig_free(r);
}

/* Waiting. */

TEST(testing, await_answers_at_once_when_it_holds)
{
    struct rig *r = rig_new_testing();
    run(r, "SET k v");
    expect(r, "TEST.AWAIT HELD k FREE other CALLS SET 1 TIMEOUT 1000", "+OK");
    expect(r, "TEST.AWAIT WAITERS k 0 SUBSCRIBERS c 0 TIMEOUT 0", "+OK");
    rig_free(r);
}

TEST(testing, await_answers_as_soon_as_it_holds)
{
    static const struct {
        const char *await, *before, *then;
    } cases[] = {
        {"TEST.AWAIT HELD k TIMEOUT 100", "PING", "SET k v"},
        {"TEST.AWAIT HELD k TIMEOUT 100", "SET other v", "EVAL \"redis.call('SET','k','v')\" 0"},
        {"TEST.AWAIT FREE taken TIMEOUT 100", "PING", "DEL taken"},
        {"TEST.AWAIT FREE taken TIMEOUT 100", "TEST.ADVANCE 500", "TEST.ADVANCE 1"},
        {"TEST.AWAIT WAITERS q 1 TIMEOUT 100", "BLPOP other 0", "BLPOP q 0"},
        {"TEST.AWAIT SUBSCRIBERS ch 1 TIMEOUT 100", "PUBLISH ch x", "SUBSCRIBE ch"},
        {"TEST.AWAIT SUBSCRIBERS a* 1 TIMEOUT 100", "PUBLISH a x", "PSUBSCRIBE a*"},
        {"TEST.AWAIT CALLS get 2 TIMEOUT 100", "GET k", "GET k"},
        {"TEST.AWAIT CALLS client|id 1 TIMEOUT 100", "CLIENT GETNAME", "CLIENT ID"},
        {"TEST.AWAIT HELD k CALLS get 1 TIMEOUT 100", "SET k v", "GET k"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rig *r = rig_new_testing();
        run(r, "SET taken v PX 500");
        as(r, 1);
        expect(r, cases[i].await, "");
        as(r, 2);
        run(r, cases[i].before);
        assert_string_equal(received(r, 1), "");
        as(r, 3);
        run(r, cases[i].then);
        assert_string_equal(received(r, 1), "+OK");
        as(r, 1);
        expect(r, "PING", "+PONG");
        rig_free(r);
    }
}

TEST(testing, await_gives_up_in_real_time_and_says_what_is_missing)
{
    struct rig *r = rig_new_testing();
    as(r, 1);
    expect(r, "TEST.AWAIT WAITERS jobs 2 TIMEOUT 50", "");
    as(r, 0);
    run(r, "TEST.ADVANCE 100000");
    really_later(r, 49);
    assert_string_equal(received(r, 1), "");
    really_later(r, 1);
    assert_string_equal(received(r, 1), "-TIMEOUT after 50 ms: WAITERS jobs is 0, not 2");
    expect(r, "TEST.AWAIT HELD k TIMEOUT 0", "-TIMEOUT after 0 ms: HELD k");
    rig_free(r);
}

TEST(testing, await_notices_a_client_that_leaves)
{
    struct rig *r = rig_new_testing();
    as(r, 2);
    run(r, "SUBSCRIBE ch");
    as(r, 1);
    expect(r, "TEST.AWAIT SUBSCRIBERS ch 0 TIMEOUT 50", "");
    disconnect(r, 2);
    really_later(r, 0);
    assert_string_equal(received(r, 1), "+OK");
    rig_free(r);
}

TEST(testing, await_may_be_left_or_unblocked)
{
    struct rig *r = rig_new_testing();
    char line[64];
    as(r, 1);
    run(r, "TEST.AWAIT HELD k TIMEOUT 50");
    disconnect(r, 1);
    as(r, 2);
    run(r, "TEST.AWAIT HELD k TIMEOUT 50");
    as(r, 0);
    snprintf(line, sizeof line, "CLIENT UNBLOCK %d", (int)r->clients[2]->id);
    expect(r, line, ":1");
    assert_string_equal(received(r, 2), "-TIMEOUT after 50 ms: HELD k");
    really_later(r, 100);
    assert_string_equal(received(r, 2), "");
    rig_free(r);
}

TEST(testing, await_is_refused_when_it_makes_no_sense)
{
    static const char *const lines[] = {
        "TEST.AWAIT HELD k TIMEOUT",         "TEST.AWAIT HELD k WAIT 10",
        "TEST.AWAIT WAITERS k TIMEOUT 10",   "TEST.AWAIT NOTHING k TIMEOUT 10",
        "TEST.AWAIT HELD k TIMEOUT 10 more",
    };
    struct rig *r = rig_new_testing();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(r, lines[i]);
        assert_int_equal(rig_reply(r)[0], '-');
    }
    expect(r, "TEST.AWAIT CALLS nosuch 1 TIMEOUT 10", "-ERR there is no command 'nosuch'");
    rig_free(r);
}

/* The rest. */

TEST(testing, dump_prints_every_type)
{
    struct rig *r = rig_new_testing();
    expect(r, "TEST.DUMP", "$2 {}");
    run(r, "SET s \"a\\\"\\\\\\n\\xff\xc3\xa9\" PX 1500");
    run(r, "RPUSH l a b");
    run(r, "SADD u a");
    run(r, "ZADD z 1.5 a inf b");
    run(r, "HSET h f v g w");
    run(r, "SELECT 3");
    run(r, "SET other 1");
    run(r, "TEST.DUMP");
    assert_string_equal(
        strchr(rig_reply(r), ' ') + 1,
        "{\"0\":{\"h\":{\"type\":\"hash\",\"value\":{\"f\":\"v\",\"g\":\"w\"}},"
        "\"l\":{\"type\":\"list\",\"value\":[\"a\",\"b\"]},"
        "\"s\":{\"type\":\"string\",\"ttl\":1500,\"value\":\"a\\\"\\\\\\u000a\\udcff\xc3\xa9\"},"
        "\"u\":{\"type\":\"set\",\"value\":[\"a\"]},"
        "\"z\":{\"type\":\"zset\",\"value\":[[\"a\",1.5],[\"b\",\"inf\"]]}},"
        "\"3\":{\"other\":{\"type\":\"string\",\"value\":\"1\"}}}");
    rig_free(r);
}

TEST(testing, reset_leaves_nothing_behind)
{
    struct rig *r = rig_new_testing();
    run(r, "SET k v");
    run(r, "SCRIPT LOAD \"return 1\"");
    run(r, "TEST.FAULT ADD GET ERROR X");
    run(r, "CLIENT PAUSE 100000 WRITE");
    as(r, 1);
    run(r, "SELECT 2");
    run(r, "CLIENT SETNAME kept");
    run(r, "MULTI");
    as(r, 2);
    run(r, "SUBSCRIBE ch");
    as(r, 3);
    run(r, "BLPOP q 0");
    as(r, 4);
    run(r, "SET paused v");
    as(r, 0);
    run(r, "TEST.ADVANCE 5000");
    expect(r, "TEST.RESET", "+OK");
    assert_true(r->clock_reset);
    assert_string_equal(received(r, 3), "-UNBLOCKED the server was reset by TEST.RESET");
    assert_string_equal(received(r, 4), "-UNBLOCKED the server was reset by TEST.RESET");
    expect(r, "GET k", "$-1");
    expect(r, "EXISTS paused", ":0");
    expect(r, "SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "*1 :0");
    expect(r, "PUBLISH ch x", ":0");
    expect(r, "TEST.FAULT LIST", "*0");
    run(r, "INFO stats");
    assert_non_null(strstr(rig_reply(r), "expired_keys:0"));
    as(r, 1);
    expect(r, "EXEC", "-ERR EXEC without MULTI");
    expect(r, "CLIENT GETNAME", "$4 kept");
    as(r, 3);
    expect(r, "SET again v", "+OK");
    rig_free(r);
}
