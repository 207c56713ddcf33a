/* Which keys are locks, what LOCKS says of them, and hold-warn. */
#include "server/engine/lock_search.h"
#include "tests/lib/rig.h"

#include <stdio.h>

/* A Redisson-like acquire: the key and its lease come from two commands. */
#define ACQUIRE                                                                                    \
    "EVAL \"redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1])\" " \
    "1 "

/* LOCKS says just this one line. */
static void listed(struct rig *r, const char *line)
{
    char expected[256];
    snprintf(expected, sizeof expected, "*1 $%zu %s", strlen(line), line);
    expect(r, "LOCKS", expected);
}

TEST(holds, set_nx_with_a_lease_makes_a_lock)
{
    struct rig *r = rig_new();
    run(r, "SET job:7 alice NX PX 1000");
    later(r, 300);
    listed(r, "key=job:7 kind=string holder=alice client=1 name= lib= held-ms=300 ttl-ms=700");
    rig_free(r);
}

TEST(holds, setnx_makes_a_lock_without_an_end)
{
    struct rig *r = rig_new();
    run(r, "SETNX job:7 alice");
    listed(r, "key=job:7 kind=string holder=alice client=1 name= lib= held-ms=0 ttl-ms=-1");
    rig_free(r);
}

TEST(holds, other_keys_are_no_locks)
{
    struct rig *r = rig_new();
    run(r, "SET a 1");
    run(r, "SET b 1 PX 1000");
    run(r, "HSET c f v");
    run(r, "EXPIRE c 10");
    run(r, "EVAL \"redis.call('set', KEYS[1], 1)\" 1 d");
    run(r, "SET a 2 NX PX 1000"); /* was there */
    expect(r, "LOCKS", "*0");
    rig_free(r);
}

TEST(holds, a_script_that_makes_a_key_with_a_lease_makes_a_lock)
{
    struct rig *r = rig_new();
    run(r, ACQUIRE "res 5000 bob:1");
    listed(r, "key=res kind=hash holder=bob:1 client=1 name= lib= held-ms=0 ttl-ms=5000");
    rig_free(r);
}

/* The shapes in which known libraries take their locks. None of them says that it is one. */

static void one_lock_as(const char *command, const char *line)
{
    struct rig *r = rig_new();
    run(r, command);
    listed(r, line);
    rig_free(r);
}

#define TAKEN " client=1 name= lib= held-ms=0 ttl-ms=900"

TEST(holds, the_shapes_of_known_libraries_are_recognised)
{
    /* SET in a script, as redlock does it for several resources at once */
    one_lock_as(
        "EVAL \"return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])\" 1 k t 900",
        "key=k kind=string holder=t" TAKEN);
    /* the lease in a command of its own, before 2.6.12 and in many a blog since */
    one_lock_as("EVAL \"if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then "
                "redis.call('pexpire', KEYS[1], ARGV[2]) end\" 1 k t 900",
                "key=k kind=string holder=t" TAKEN);
    /* reentrant, by older and newer Redisson */
    one_lock_as("EVAL \"redis.call('hset', KEYS[1], ARGV[1], 1) "
                "redis.call('pexpire', KEYS[1], ARGV[2])\" 1 k uuid:7 900",
                "key=k kind=hash holder=uuid:7" TAKEN);
    /* semaphores: members of a sorted set, or of a set */
    one_lock_as("EVAL \"redis.call('zadd', KEYS[1], 1, 'a', 2, 'b') "
                "redis.call('pexpire', KEYS[1], 900)\" 1 k",
                "key=k kind=zset holder=a holders=2" TAKEN);
    one_lock_as("EVAL \"redis.call('sadd', KEYS[1], 'a') redis.call('pexpire', KEYS[1], 900)\" 1 k",
                "key=k kind=set holder=a" TAKEN);
    /* the same script inside a transaction */
    struct rig *r = rig_new();
    run(r, "MULTI");
    run(r, "EVAL \"return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])\" 1 k t 900");
    run(r, "EXEC");
    listed(r, "key=k kind=string holder=t" TAKEN);
    rig_free(r);
}

TEST(holds, the_mode_of_a_lock_is_not_its_holder)
{
    one_lock_as("EVAL \"redis.call('hset', KEYS[1], 'mode', 'read', 'uuid:7', 1) "
                "redis.call('pexpire', KEYS[1], 900)\" 1 k",
                "key=k kind=hash holder=uuid:7" TAKEN);
    one_lock_as("EVAL \"redis.call('hset', KEYS[1], 'owner', 'x') "
                "redis.call('pexpire', KEYS[1], 900)\" 1 k",
                "key=k kind=hash holder=owner" TAKEN);
}

TEST(holds, one_of_many_holders_is_named)
{
    static const char *const fill[] = {"redis.call('zadd', KEYS[1], i, 'token-' .. i)",
                                       "redis.call('sadd', KEYS[1], 'token-' .. i)",
                                       "redis.call('rpush', KEYS[1], 'token-' .. i)",
                                       "redis.call('hset', KEYS[1], 'token-' .. i, 1)"};
    for (size_t i = 0; i < sizeof fill / sizeof *fill; i++) {
        struct rig *r = rig_new();
        char command[256];
        snprintf(command, sizeof command,
                 "EVAL \"for i = 1, 500 do %s end redis.call('pexpire', KEYS[1], 900)\" 1 k",
                 fill[i]);
        run(r, command);
        run(r, "LOCKS");
        assert_non_null(strstr(rig_reply(r), " holder=token-"));
        assert_non_null(strstr(rig_reply(r), " holders=500 "));
        rig_free(r);
    }
}

TEST(holds, neither_the_name_nor_the_text_makes_a_lock)
{
    struct rig *r = rig_new();
    run(r, "SET lock:a token PX 900");
    run(r, "EVAL \"-- acquire the lock\nredis.call('set', 'redisson_lock', 'token')\" 0");
    run(r, "EVAL \"if false then redis.call('set', 'lock:b', 't', 'NX', 'PX', 900) end\" 0");
    run(r,
        "EVAL \"redis.call('set', 'lock:c', 't', 'NX', 'PX', 900) redis.call('del', 'lock:c')\" 0");
    expect(r, "LOCKS", "*0");
    rig_free(r);
}

TEST(holds, renewing_by_another_client_changes_no_holder_and_no_age)
{
    struct rig *r = rig_new();
    run(r, ACQUIRE "res 5000 bob:1");
    later(r, 1000);
    as(r, 1);
    run(r, ACQUIRE "res 5000 bob:1");
    run(r, "PEXPIRE res 9000");
    listed(r, "key=res kind=hash holder=bob:1 client=1 name= lib= held-ms=1000 ttl-ms=9000");
    rig_free(r);
}

TEST(holds, a_script_that_only_renews_makes_no_lock)
{
    struct rig *r = rig_new();
    run(r, "SET k v");
    run(r, "EVAL \"redis.call('pexpire', KEYS[1], 100)\" 1 k");
    expect(r, "LOCKS", "*0");
    rig_free(r);
}

TEST(holds, a_script_may_make_locks_in_several_databases)
{
    struct rig *r = rig_new();
    run(r, "EVAL \"redis.call('set', 'a', 1, 'PX', 10) redis.call('select', 3) "
           "redis.call('set', 'b', 1, 'PX', 10)\" 0");
    listed(r, "key=a kind=string holder=1 client=1 name= lib= held-ms=0 ttl-ms=10");
    run(r, "SELECT 3");
    listed(r, "key=b kind=string holder=1 client=1 name= lib= held-ms=0 ttl-ms=10");
    rig_free(r);
}

TEST(holds, what_a_client_says_of_itself_is_shown_while_it_is_there)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "CLIENT SETNAME worker");
    run(r, "CLIENT SETINFO LIB-NAME redis-py");
    run(r, "CLIENT SETINFO LIB-VER 5.0");
    run(r, "SET k v NX PX 10");
    listed(r, "key=k kind=string holder=v client=2 name=worker lib=redis-py/5.0 held-ms=0 "
              "ttl-ms=10");
    as(r, 0);
    disconnect(r, 1);
    listed(r, "key=k kind=string holder=v client=2(gone) name= lib= held-ms=0 ttl-ms=10");
    rig_free(r);
}

TEST(holds, the_oldest_come_first_and_a_pattern_chooses)
{
    struct rig *r = rig_new();
    run(r, "SET a:2 v NX PX 1000");
    later(r, 1);
    run(r, "SET a:1 v NX PX 1000");
    run(r, "SET b v NX PX 1000");
    run(r, "LOCKS MATCH a:*");
    const char *first = strstr(rig_reply(r), "key=a:2"), *second = strstr(rig_reply(r), "key=a:1");
    assert_true(first && second && first < second);
    assert_null(strstr(rig_reply(r), "key=b"));
    expect(r, "LOCKS MATCH", "-ERR syntax error");
    expect(r, "LOCKS PLEASE a*", "-ERR syntax error");
    rig_free(r);
}

/* The names of the first ones, as /locks asks for them. */
static void add_name(void *ctx, const struct lock_view *v)
{
    buf_printf(ctx, "%.*s ", BYTES_FMT(v->key));
}

TEST(holds, the_oldest_of_many_are_found)
{
    struct rig *r = rig_new();
    struct buf names = {0};
    char command[64];
    for (int i = 0; i < 500; i++) { /* no order in the names, pairs of the same age */
        snprintf(command, sizeof command, "SET k:%03d v NX PX 60000", (i * 211 + 7) % 500);
        run(r, command);
        later(r, i % 2);
    }
    struct lock_search *search = lock_search_new(r->engine, NULL, BYTES("*"), 5);
    assert_false(lock_search_step(search, LOCK_SEARCH_ALL));
    assert_int_equal(lock_search_tell(search, add_name, &names), 500);
    buf_putc(&names, '\0');
    assert_string_equal(names.p, "k:007 k:218 k:140 k:429 k:062 ");
    lock_search_free(search);
    buf_free(&names);
    rig_free(r);
}

TEST(holds, are_looked_for_in_steps_between_which_they_come_and_go)
{
    struct rig *r = rig_new();
    struct buf names = {0};
    char command[64];
    for (int i = 0; i < 500; i++) {
        snprintf(command, sizeof command, "SET k:%03d v NX PX 60000", i);
        run(r, command);
        later(r, 1);
    }
    int steps = 1;
    struct lock_search *search = lock_search_new(r->engine, NULL, BYTES("*"), 10);
    while (lock_search_step(search, 50)) {
        if (steps++ != 3)
            continue;
        for (int i = 5; i < 495; i++) { /* all but a few go: the table shrinks under the search */
            snprintf(command, sizeof command, "DEL k:%03d", i);
            run(r, command);
        }
    }
    assert_in_range(steps, 4, 20);
    lock_search_tell(search, add_name, &names);
    buf_putc(&names, '\0');
    assert_memory_equal(names.p, "k:000 k:001 k:002 k:003 k:004 ", 30);
    lock_search_free(search);
    buf_free(&names);
    rig_free(r);
}

TEST(holds, names_that_cannot_be_read_are_quoted)
{
    struct rig *r = rig_new();
    run(r, "SET \"a b\" \"\\x00\" NX PX 10");
    listed(r, "key=\"a b\" kind=string holder=\"\\x00\" client=1 name= lib= held-ms=0 "
              "ttl-ms=10");
    rig_free(r);
}

TEST(holds, the_token_is_cut_for_those_who_may_not_read_the_key)
{
    struct rig *r = rig_new();
    run(r, "SET k 0123456789abcdef NX PX 10");
    run(r, "ACL SETUSER watcher on nopass +locks +auth ~other");
    run(r, "ACL SETUSER reader on nopass +locks +get ~*");
    run(r, "AUTH watcher x");
    listed(r, "key=k kind=string holder=01234567... client=1 name= lib= held-ms=0 ttl-ms=10");
    run(r, "AUTH reader x");
    listed(r, "key=k kind=string holder=0123456789abcdef client=1 name= lib= held-ms=0 ttl-ms=10");
    rig_free(r);
}

TEST(holds, a_lock_stays_one_when_it_is_renamed_or_grows)
{
    struct rig *r = rig_new();
    run(r, "SET k v NX PX 100");
    later(r, 5);
    run(r, "RENAME k a-much-longer-name");
    run(r, "APPEND a-much-longer-name 123456789012345678901234567890");
    listed(r, "key=a-much-longer-name kind=string holder=v123456789012345678901234567890 "
              "client=1 name= lib= held-ms=5 ttl-ms=95");
    rig_free(r);
}

TEST(holds, a_released_or_ended_lock_is_not_listed)
{
    struct rig *r = rig_new();
    run(r, "SET a v NX PX 100");
    run(r, "SET b v NX PX 100");
    run(r, "DEL a");
    later(r, 101);
    expect(r, "LOCKS", "*0");
    rig_free(r);
}

static void listen_for_warnings(struct rig *r)
{
    as(r, 7);
    run(r, "SUBSCRIBE __lock@0__:held");
    as(r, 0);
    received(r, 7);
}

TEST(holds, a_lock_that_is_held_too_long_is_reported_once)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG SET hold-warn \"job:* 500\"", "+OK");
    listen_for_warnings(r);
    run(r, "SET job:7 alice NX PX 60000");
    run(r, "SET other alice NX PX 60000");
    later(r, 499);
    assert_string_equal(received(r, 7), "");
    later(r, 1);
    assert_string_equal(received(r, 7), "*3 $7 message $15 __lock@0__:held $5 job:7");
    run(r, "PEXPIRE job:7 60000");
    later(r, 5000);
    assert_string_equal(received(r, 7), "");
    assert_int_equal(r->engine->stats.hold_warnings, 1);
    rig_free(r);
}

static void keep_line(void *ctx, enum log_level level, const char *line)
{
    assert_int_equal(level, LOG_WARNING);
    buf_printf(ctx, "%s\n", line);
}

TEST(holds, a_warning_in_the_log_names_the_lock_and_who_took_it_and_no_token)
{
    struct rig *r = rig_new();
    struct buf log = {0};
    r->log = (struct log){.write = keep_line, .ctx = &log, .min = LOG_WARNING};
    run(r, "CONFIG SET hold-warn \"* 500\"");
    run(r, "CLIENT SETNAME worker");
    run(r, "SET \"job 7\" secret NX PX 60000");
    later(r, 10000);
    buf_putc(&log, '\0');
    assert_string_equal(log.p,
                        "Lock \"job 7\" has been held for 500 ms by client id=1 name=worker\n");
    buf_free(&log);
    rig_free(r);
}

TEST(holds, a_lock_that_was_let_go_in_time_is_not_reported)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET hold-warn \"* 500\"");
    listen_for_warnings(r);
    run(r, "SET a alice NX PX 60000");
    run(r, ACQUIRE "b 400 bob");
    later(r, 300);
    run(r, "DEL a");
    run(r, "SET a bob NX PX 60000"); /* another hold, with a time of its own */
    later(r, 499);
    assert_string_equal(received(r, 7), "");
    later(r, 1);
    assert_string_equal(received(r, 7), "*3 $7 message $15 __lock@0__:held $1 a");
    rig_free(r);
}

TEST(holds, a_flush_ends_what_was_watched)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET hold-warn \"* 500\"");
    listen_for_warnings(r);
    run(r, "SET a alice NX PX 60000");
    run(r, "SET b alice NX PX 60000");
    later(r, 100);
    run(r, "FLUSHALL");
    run(r, "SET a bob NX PX 60000");
    later(r, 450);
    assert_string_equal(received(r, 7), "");
    later(r, 50);
    assert_string_equal(received(r, 7), "*3 $7 message $15 __lock@0__:held $1 a");
    rig_free(r);
}

TEST(holds, hold_warn_wants_pairs_of_a_pattern_and_a_time)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET hold-warn job:*");
    assert_non_null(strstr(rig_reply(r), "Every pattern needs its milliseconds."));
    run(r, "CONFIG SET hold-warn \"job:* soon\"");
    assert_non_null(strstr(rig_reply(r), "Milliseconds must be an integer"));
    expect(r, "CONFIG SET hold-warn \"job:* 5 * 10\"", "+OK");
    expect(r, "CONFIG GET hold-warn", "*2 $9 hold-warn $12 job:* 5 * 10");
    expect(r, "CONFIG SET hold-warn \"\"", "+OK");
    expect(r, "CONFIG GET hold-warn", "*2 $9 hold-warn $0 ");
    rig_free(r);
}
