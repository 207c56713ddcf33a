#include "tests/lib/rig.h"

#include <stdio.h>

TEST(transactions, run_at_one_moment)
{
    struct rig *r = rig_new();
    run(r, "SET k v PX 5");
    run(r, "MULTI");
    expect(r, "PTTL k", "+QUEUED");
    expect(r, "EXISTS k", "+QUEUED");
    r->now += 3;
    expect(r, "EXEC", "*2 :2 :1");
    rig_free(r);
}

TEST(transactions, a_refused_command_refuses_the_whole)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    expect(r, "SET k v", "+QUEUED");
    run(r, "SET k");
    run(r, "NOSUCH");
    expect(r, "EXEC", "-EXECABORT Transaction discarded because of previous errors.");
    expect(r, "EXISTS k", ":0");
    expect(r, "EXEC", "-ERR EXEC without MULTI");
    rig_free(r);
}

TEST(transactions, an_error_while_running_stops_nothing)
{
    struct rig *r = rig_new();
    run(r, "SET s text");
    run(r, "MULTI");
    run(r, "INCR s");
    run(r, "SET k v");
    expect(r, "EXEC", "*2 -ERR value is not an integer or out of range +OK");
    expect(r, "GET k", "$1 v");
    rig_free(r);
}

TEST(transactions, every_kind_of_change_breaks_a_watch)
{
    static const char *const changes[] = {
        "SET k w",         "DEL k",
        "PEXPIRE k 10000", "APPEND k x",
        "RENAME other k",  "RENAME k elsewhere",
        "FLUSHALL",        "EVAL \"redis.call('set','k','w')\" 0"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct rig *r = rig_new();
        run(r, "MSET k v other o");
        run(r, "WATCH k");
        as(r, 1);
        run(r, changes[i]);
        as(r, 0);
        run(r, "MULTI");
        run(r, "PING");
        expect(r, "EXEC", "*-1");
        rig_free(r);
    }
}

TEST(transactions, what_changes_nothing_breaks_no_watch)
{
    static const char *const others[] = {"SET k w NX",    "DEL absent", "GET k",
                                         "SET another v", "PERSIST k",  "TOUCH k"};
    struct rig *r = rig_new();
    run(r, "SET k v");
    run(r, "WATCH k");
    as(r, 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        run(r, others[i]);
    as(r, 0);
    run(r, "MULTI");
    run(r, "PING");
    expect(r, "EXEC", "*1 +PONG");
    rig_free(r);
}

TEST(transactions, unwatch_and_discard_forget_the_watches)
{
    static const char *const forget[] = {"UNWATCH", "DISCARD"};
    for (int i = 0; i < 2; i++) {
        struct rig *r = rig_new();
        run(r, "WATCH k");
        if (i == 1)
            run(r, "MULTI");
        run(r, forget[i]);
        run(r, "SET k v");
        run(r, "MULTI");
        run(r, "PING");
        expect(r, "EXEC", "*1 +PONG");
        rig_free(r);
    }
}

/* A real Redis looks through all it watches for each further key: seconds for these numbers. Here
 * the work is one step a key, so the test is over at once. */
TEST(transactions, a_hundred_thousand_watches_are_no_trouble)
{
    enum { KEYS = 100000, PER_COMMAND = 200 };
    struct rig *r = rig_new();
    char names[PER_COMMAND][16] = {{0}};
    struct bytes argv[PER_COMMAND + 1] = {BYTES("WATCH")};
    for (int round = 0; round < 3; round++) {
        for (int who = 0; who < 3; who++) {
            as(r, who);
            for (int i = 0; i < KEYS; i += PER_COMMAND) {
                for (int k = 0; k < PER_COMMAND; k++)
                    argv[1 + k] = (struct bytes){
                        names[k], (size_t)snprintf(names[k], sizeof names[k], "key:%d", i + k)};
                run_argv(r, argv, PER_COMMAND + 1);
            }
        }
    }
    assert_int_equal(r->engine->watches.pairs.count, 3 * KEYS);
    run(r, "SET key:77 x");
    assert_int_equal(r->engine->watches.pairs.count, 3 * KEYS - 3); /* marked once, then off */
    for (int who = 0; who < 3; who++) {
        as(r, who);
        run(r, "MULTI");
        run(r, "PING");
        expect(r, "EXEC", "*-1");
    }
    leavings_forget_all(r->engine);
    assert_int_equal(r->engine->watches.pairs.count, 0);
    rig_free(r);
}

TEST(transactions, a_client_that_goes_leaves_nothing_behind)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "WATCH a b c");
    run(r, "MULTI");
    run(r, "SET a b");
    disconnect(r, 1);
    as(r, 0);
    assert_int_equal(r->engine->watches.pairs.count, 0);
    expect(r, "EXISTS a", ":0");
    rig_free(r);
}

TEST(transactions, past_the_memory_limit_nothing_runs_half)
{
    struct rig *r = rig_new();
    run(r, "SET a v");
    run(r, "MULTI");
    run(r, "DEL a");
    run(r, "SET k v");
    r->config.maxmemory = 1;
    expect(r, "EXEC",
           "-EXECABORT Transaction discarded because of: OOM command not allowed when used memory "
           "> 'maxmemory'.");
    expect(r, "EXISTS a", ":1");
    rig_free(r);
}

TEST(transactions, an_exec_that_is_refused_ends_them_whatever_the_reason)
{
    struct rig *r = rig_new();
    run(r, "ACL SETUSER worker on nopass ~* +@all -exec");
    as(r, 1);
    run(r, "AUTH worker any");
    run(r, "MULTI");
    run(r, "SET k v");
    expect(r, "EXEC",
           "-EXECABORT Transaction discarded because of: NOPERM User worker has no "
           "permissions to run the 'exec' command");
    expect(r, "DISCARD", "-ERR DISCARD without MULTI");
    as(r, 0);
    expect(r, "EXISTS k", ":0");
    run(r, "CONFIG SET requirepass secret");
    as(r, 2);
    expect(r, "EXEC",
           "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.");
    rig_free(r);
}
