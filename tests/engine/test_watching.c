#include "tests/lib/rig.h"

#include <string.h>

TEST(slowlog, keeps_what_took_long)
{
    struct rig *r = rig_new();
    run(r, "CLIENT SETNAME worker");
    r->takes = 9999;
    run(r, "SET k fast");
    r->takes = 10000;
    run(r, "SET k slow");
    run(r, "SLOWLOG LEN");
    r->takes = 0;
    expect(r, "SLOWLOG GET 1",
           "*1 *6 :1 :1700000001 :10000 *2 $7 SLOWLOG $3 LEN $14 127.0.0.1:5000 $6 worker");
    expect(r, "SLOWLOG LEN", ":2");
    expect(r, "SLOWLOG RESET", "+OK");
    expect(r, "SLOWLOG GET", "*0");
    rig_free(r);
}

TEST(slowlog, cuts_long_commands_and_hides_secrets)
{
    struct rig *r = rig_new();
    char line[600];
    r->takes = 20000;
    run(r, "MGET k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k k");
    r->takes = 0;
    run(r, "SLOWLOG GET");
    assert_non_null(strstr(rig_reply(r), "*32 $4 MGET $1 k "));
    assert_non_null(strstr(rig_reply(r), " $1 k $23 ... (10 more arguments) "));
    r->takes = 20000;
    run(r, "HELLO 2 AUTH default secret");
    r->takes = 0;
    run(r, "SLOWLOG GET 1");
    assert_non_null(
        strstr(rig_reply(r), "*5 $5 HELLO $1 2 $4 AUTH $10 (redacted) $10 (redacted) "));
    memset(line, 'x', 300);
    memcpy(line, "ECHO ", 5);
    line[300] = '\0';
    r->takes = 20000;
    run(r, line);
    r->takes = 0;
    run(r, "SLOWLOG GET 1");
    assert_non_null(strstr(rig_reply(r), "xxx... (167 more bytes) "));
    rig_free(r);
}

TEST(slowlog, obeys_its_options)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 2");
    run(r, "SLOWLOG RESET");
    run(r, "PING");
    run(r, "ECHO a");
    run(r, "ECHO b");
    run(r, "GET");
    expect(r, "SLOWLOG LEN", ":2");
    run(r, "CONFIG SET slowlog-log-slower-than -1");
    run(r, "SLOWLOG RESET");
    run(r, "PING");
    expect(r, "SLOWLOG LEN", ":0");
    expect(r, "SLOWLOG GET x", "-ERR count should be greater than or equal to -1");
    expect(r, "SLOWLOG GET -2", "-ERR count should be greater than or equal to -1");
    expect(r, "SLOWLOG GET -1", "*0");
    expect(r, "SLOWLOG GET 1 2",
           "-ERR unknown subcommand or wrong number of arguments for 'GET'. Try SLOWLOG HELP.");
    rig_free(r);
}

TEST(slowlog, has_the_commands_of_a_transaction_and_not_exec)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    run(r, "SET k v");
    r->takes = 10000;
    expect(r, "EXEC", "*1 +OK");
    r->takes = 0;
    expect(r, "SLOWLOG GET",
           "*1 *6 :0 :1700000001 :10000 *3 $3 SET $1 k $1 v $14 127.0.0.1:5000 $0 ");
    rig_free(r);
}

TEST(slowlog, does_not_say_for_whom_a_script_called)
{
    struct rig *r = rig_new();
    run(r, "CLIENT SETNAME worker");
    r->takes = 10000;
    run(r, "EVAL \"return redis.call('get', 'k')\" 0");
    r->takes = 0;
    expect(r, "SLOWLOG LEN", ":2");
    run(r, "SLOWLOG GET");
    assert_non_null(strstr(rig_reply(r), "*2 $3 get $1 k $3 ?:0 $0 "));
    rig_free(r);
}

TEST(latency, keeps_delays_past_the_threshold)
{
    struct rig *r = rig_new();
    r->takes = 50000;
    run(r, "SET k v");
    r->takes = 0;
    expect(r, "LATENCY LATEST", "*0");
    run(r, "CONFIG SET latency-monitor-threshold 10");
    r->takes = 50000;
    run(r, "SET k v");
    r->takes = 30000;
    run(r, "SET k v");
    later(r, 1000);
    run(r, "SET k v");
    run(r, "GET k");
    r->takes = 0;
    expect(r, "LATENCY LATEST",
           "*2 *4 $7 command :1700000002 :30 :50 *4 $12 fast-command "
           ":1700000002 :30 :30");
    expect(r, "LATENCY HISTORY command", "*2 *2 :1700000001 :50 *2 :1700000002 :30");
    expect(r, "LATENCY HISTORY nosuch", "*0");
    expect(r, "LATENCY RESET nosuch command", ":1");
    expect(r, "LATENCY RESET", ":1");
    expect(r, "LATENCY LATEST", "*0");
    rig_free(r);
}

TEST(latency, histogram_counts_upwards)
{
    struct rig *r = rig_new();
    r->takes = 1;
    run(r, "SET k v");
    r->takes = 7;
    run(r, "SET k v");
    run(r, "SET k v");
    r->takes = 100;
    run(r, "SET k v");
    r->takes = 3;
    run(r, "CLIENT ID");
    r->takes = 0;
    expect(r, "LATENCY HISTOGRAM set nosuch",
           "*2 $3 set *4 $5 calls :4 $14 histogram_usec *6 :1 :1 :8 :3 :132 :4");
    expect(r, "LATENCY HISTOGRAM client",
           "*2 $9 client|id *4 $5 calls :1 $14 histogram_usec *2 :4 :1");
    rig_free(r);
}

TEST(latency, histogram_counts_what_scripts_and_transactions_run)
{
    struct rig *r = rig_new();
    r->takes = 7;
    run(r, "EVAL \"return redis.pcall('set', 'k', 'v')\" 0");
    run(r, "MULTI");
    run(r, "SET k v");
    run(r, "EXEC");
    r->takes = 0;
    expect(r, "LATENCY HISTOGRAM set", "*2 $3 set *4 $5 calls :2 $14 histogram_usec *2 :8 :2");
    run(r, "INFO commandstats");
    assert_non_null(strstr(rig_reply(r), "cmdstat_set:calls=2,usec=14,usec_per_call=7.00,"));
    rig_free(r);
}

TEST(monitor, shows_commands_of_others)
{
    struct rig *r = rig_new();
    expect(r, "MONITOR", "+OK");
    as(r, 1);
    run(r, "set k \"a\\n\\\"\"");
    assert_string_equal(received(r, 0),
                        "+1700000001.000000 [0 127.0.0.1:5001] \"set\" \"k\" \"a\\n\\\"\"");
    run(r, "AUTH secret");
    assert_string_equal(received(r, 0),
                        "+1700000001.000000 [0 127.0.0.1:5001] \"AUTH\" \"(redacted)\"");
    run(r, "SELECT 2");
    run(r, "CONFIG GET port");
    run(r, "GET");
    run(r, "nosuch");
    assert_string_equal(received(r, 0), "+1700000001.000000 [0 127.0.0.1:5001] \"SELECT\" \"2\"");
    r->clients[1]->flags |= SESSION_UNIX;
    run(r, "PING");
    assert_string_equal(received(r, 0), "+1700000001.000000 [2 unix:] \"PING\"");
    rig_free(r);
}

TEST(monitor, shows_scripts_first_and_transactions_last)
{
    struct rig *r = rig_new();
    run(r, "MONITOR");
    as(r, 1);
    run(r, "EVAL \"return redis.call('GET', 'k')\" 0");
    assert_string_equal(received(r, 0), "+1700000001.000000 [0 127.0.0.1:5001] \"EVAL\" "
                                        "\"return redis.call('GET', 'k')\" \"0\" "
                                        "+1700000001.000000 [0 lua] \"GET\" \"k\"");
    run(r, "MULTI");
    received(r, 0);
    run(r, "GET k");
    assert_string_equal(received(r, 0), "");
    run(r, "EXEC");
    assert_string_equal(received(r, 0), "+1700000001.000000 [0 127.0.0.1:5001] \"GET\" \"k\" "
                                        "+1700000001.000000 [0 127.0.0.1:5001] \"EXEC\"");
    rig_free(r);
}

TEST(monitor, ends_with_reset)
{
    struct rig *r = rig_new();
    run(r, "MONITOR");
    expect(r, "MONITOR", "");
    expect(r, "RESET", "+RESET");
    as(r, 1);
    run(r, "PING");
    assert_string_equal(received(r, 0), "");
    rig_free(r);
}
