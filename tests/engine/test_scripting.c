#include "tests/lib/rig.h"

#include <stdio.h>

TEST(scripting, compare_and_delete_releases_only_the_holders_lock)
{
    static const char *const release =
        "EVAL \"if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) else "
        "return 0 end\" 1 job ";
    char line[256];
    struct rig *r = rig_new();
    run(r, "SET job alice NX PX 1000");
    snprintf(line, sizeof line, "%sbob", release);
    expect(r, line, ":0");
    snprintf(line, sizeof line, "%salice", release);
    expect(r, line, ":1");
    expect(r, "EXISTS job", ":0");
    rig_free(r);
}

TEST(scripting, eval_fills_the_cache_of_evalsha)
{
    struct rig *r = rig_new();
    const char *evalsha = "EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0";
    expect(r, evalsha, "-NOSCRIPT No matching script. Please use EVAL.");
    expect(r, "EVAL 'return 1' 0", ":1");
    expect(r, evalsha, ":1");
    expect(r, "SCRIPT FLUSH", "+OK");
    expect(r, evalsha, "-NOSCRIPT No matching script. Please use EVAL.");
    rig_free(r);
}

TEST(scripting, a_select_inside_does_not_outlive_the_script)
{
    struct rig *r = rig_new();
    expect(r, "EVAL \"redis.call('select', 3) redis.call('set', 'k', 'v') return 1\" 0", ":1");
    expect(r, "EXISTS k", ":0");
    expect(r, "EVAL \"redis.call('select', 3) return redis.call('get', 'k')\" 0", "$1 v");
    rig_free(r);
}

static void kill_it(struct rig *r)
{
    r->others = NULL;
    as(r, 1);
    const struct bytes get[] = {BYTES("GET"), BYTES("k")};
    const struct bytes end[] = {BYTES("SCRIPT"), BYTES("KILL")};
    engine_execute_busy(r->engine, r->clients[1], get, 2);
    engine_execute_busy(r->engine, r->clients[1], end, 2);
    as(r, 0);
}

TEST(scripting, others_are_told_busy_and_may_kill)
{
    struct rig *r = rig_new();
    r->running_ms = 5000;
    r->others = kill_it;
    as(r, 1);
    as(r, 0);
    run(r, "EVAL 'while true do end' 0");
    assert_non_null(strstr(rig_reply(r), "Script killed by user with SCRIPT KILL"));
    assert_string_equal(
        received(r, 1),
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE. "
        "+OK");
    rig_free(r);
}

static void ask_while_subscribed(struct rig *r)
{
    const struct bytes get[] = {BYTES("GET"), BYTES("k")}, set[] = {BYTES("SET"), get[1], get[1]};
    const struct bytes ping[] = {BYTES("PING")}, kill[] = {BYTES("SCRIPT"), BYTES("KILL")};
    r->others = NULL;
    engine_execute_busy(r->engine, r->clients[1], get, 2);
    engine_execute_busy(r->engine, r->clients[1], ping, 1);
    engine_execute_busy(r->engine, r->clients[2], set, 3);
    engine_execute_busy(r->engine, r->clients[2], kill, 2);
}

/* As in Redis: what a subscriber may not ask it may not ask at any time, and memory is not looked
 * at. */
TEST(scripting, busy_is_the_last_reason_to_refuse)
{
    struct rig *r = rig_new();
    r->running_ms = 5000;
    r->others = ask_while_subscribed;
    as(r, 1);
    run(r, "SUBSCRIBE c");
    as(r, 2);
    as(r, 0);
    run(r, "CONFIG SET maxmemory 1");
    run(r, "EVAL 'while true do end' 0");
    assert_string_equal(received(r, 1),
                        "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
                        "QUIT / RESET are allowed in this context "
                        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
                        "SHUTDOWN NOSAVE.");
    assert_string_equal(received(r, 2), "-BUSY Redis is busy running a script. You can only call "
                                        "SCRIPT KILL or SHUTDOWN NOSAVE. +OK");
    rig_free(r);
}

TEST(scripting, a_script_that_has_written_cannot_be_killed)
{
    struct rig *r = rig_new();
    r->running_ms = 5000;
    r->others = kill_it;
    r->config.script_time_limit = 6000;
    as(r, 1);
    as(r, 0);
    run(r, "EVAL \"redis.call('set', 'k', 'v') while true do end\" 0");
    assert_non_null(strstr(received(r, 1), "-UNKILLABLE"));
    expect(r, "GET k", "$1 v");
    rig_free(r);
}

TEST(scripting, time_stands_still_inside)
{
    struct rig *r = rig_new();
    run(r, "SET k v PX 1");
    expect(r, "EVAL \"for i = 1, 1000 do redis.call('ping') end return redis.call('pttl', 'k')\" 0",
           ":1");
    rig_free(r);
}

TEST(scripting, limits_may_be_set_at_any_time)
{
    struct rig *r = rig_new();
    expect(r, "EVAL \"return #string.rep('x', 3000000)\" 0", ":3000000");
    expect(r, "CONFIG SET script-memory-limit 2mb script-size-limit 1kb", "+OK");
    run(r, "EVAL \"return #string.rep('x', 3000000)\" 0");
    assert_non_null(strstr(rig_reply(r), "not enough memory"));
    expect(r, "CONFIG SET script-memory-limit 64mb", "+OK");
    expect(r, "EVAL \"return #string.rep('x', 3000000)\" 0", ":3000000");
    rig_free(r);
}

TEST(scripting, a_reply_that_no_heap_can_hold_is_an_error)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG SET script-memory-limit 1mb", "+OK");
    run(r, "EVAL \"redis.call('SET', 'k', string.rep('x', 300000))\" 0");
    run(r, "EVAL \"local k = {} for i = 1, 1000 do k[i] = 'k' end "
           "return redis.pcall('MGET', unpack(k)).err\" 0");
    is(r, "$55 OOM command not allowed when used memory > 'maxmemory'.");
    rig_free(r);
}
