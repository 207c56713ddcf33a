/* Commands about the server as a whole. */
#include "tests/lib/rig.h"

#include <stdlib.h>
#include <string.h>

TEST(time, is_the_wall_clock)
{
    struct rig *r = rig_new();
    r->now += 234;
    expect(r, "TIME", "*2 $10 1700000001 $6 234000");
    rig_free(r);
}

TEST(role, is_master)
{
    struct rig *r = rig_new();
    expect(r, "ROLE", "*3 $6 master :0 *0");
    rig_free(r);
}

TEST(cluster, is_refused_by_arity_first)
{
    struct rig *r = rig_new();
    static const char off[] = "-ERR This instance has cluster support disabled";
    expect(r, "CLUSTER INFO", off);
    expect(r, "CLUSTER NODES", off);
    expect(r, "CLUSTER HELP", off);
    expect(r, "READONLY", off);
    expect(r, "READWRITE", off);
    expect(r, "ASKING", off);
    expect(r, "CLUSTER MEET a", "-ERR wrong number of arguments for 'cluster|meet' command");
    expect(r, "CLUSTER x", "-ERR unknown subcommand 'x'. Try CLUSTER HELP.");
    expect(r, "SENTINEL masters",
           "-ERR unknown command 'SENTINEL', with args beginning with: 'masters' ");
    rig_free(r);
}

TEST(wait, waits_for_replicas_that_never_come)
{
    struct rig *r = rig_new();
    expect(r, "WAIT 0 0", ":0");
    expect(r, "WAIT -1 0", ":0");
    expect(r, "WAIT 1 100", "");
    later(r, 99);
    assert_string_equal(received(r, 0), "");
    later(r, 2);
    assert_string_equal(received(r, 0), ":0");
    expect(r, "WAIT x 0", "-ERR value is not an integer or out of range");
    expect(r, "WAIT 1 x", "-ERR timeout is not an integer or out of range");
    expect(r, "WAIT 1 -1", "-ERR timeout is negative");
    run(r, "MULTI");
    run(r, "WAIT 1 0");
    expect(r, "EXEC", "*1 :0");
    rig_free(r);
}

TEST(wait, can_be_unblocked)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "WAIT 1 0", "");
    as(r, 0);
    expect(r, "CLIENT UNBLOCK 2", ":1");
    assert_string_equal(received(r, 1), ":0");
    as(r, 1);
    expect(r, "WAIT 1 0", "");
    as(r, 0);
    expect(r, "CLIENT UNBLOCK 2 ERROR", ":1");
    assert_string_equal(received(r, 1), "-UNBLOCKED client unblocked via CLIENT UNBLOCK");
    expect(r, "CLIENT UNBLOCK 2", ":0");
    rig_free(r);
}

TEST(waitaof, knows_no_file)
{
    struct rig *r = rig_new();
    expect(r, "WAITAOF 0 0 0", "*2 :0 :0");
    expect(r, "WAITAOF 1 0 0",
           "-ERR WAITAOF cannot be used when numlocal is set but appendonly is "
           "disabled.");
    expect(r, "WAITAOF 2 0 0", "-ERR value is out of range, value must between 0 and 1");
    expect(r, "WAITAOF 0 -1 0", "-ERR value is out of range, must be positive");
    expect(r, "WAITAOF 0 1 10", "");
    later(r, 11);
    assert_string_equal(received(r, 0), "*2 :0 :0");
    rig_free(r);
}

TEST(shutdown, takes_words_that_fit_together)
{
    struct rig *r = rig_new();
    expect(r, "SHUTDOWN x", "-ERR syntax error");
    expect(r, "SHUTDOWN NOSAVE x", "-ERR syntax error");
    expect(r, "SHUTDOWN SAVE NOSAVE", "-ERR syntax error");
    expect(r, "SHUTDOWN ABORT NOW", "-ERR syntax error");
    expect(r, "SHUTDOWN ABORT", "-ERR No shutdown in progress.");
    run(r, "MULTI");
    expect(r, "SHUTDOWN NOW", "-ERR Command not allowed inside a transaction");
    run(r, "DISCARD");
    assert_int_equal(r->stops, 0);
    expect(r, "SHUTDOWN NOSAVE NOW FORCE", "");
    assert_int_equal(r->stops, 1);
    assert_true(r->clients[0]->flags & SESSION_CLOSING);
    rig_free(r);
}

TEST(memory, usage_grows_with_the_value)
{
    struct rig *r = rig_new();
    expect(r, "MEMORY USAGE k", "$-1");
    run(r, "SET k v");
    run(r, "MEMORY USAGE k");
    long small = strtol(rig_reply(r) + 1, NULL, 10);
    assert_in_range(small, 20, 200);
    for (int i = 0; i < 100; i++)
        run(r, "APPEND k 0123456789");
    run(r, "MEMORY USAGE k SAMPLES 5");
    assert_in_range(strtol(rig_reply(r) + 1, NULL, 10), small + 900, small + 2000);
    expect(r, "MEMORY USAGE k SAMPLES", "-ERR syntax error");
    expect(r, "MEMORY USAGE k SAMPLES -1", "-ERR syntax error");
    expect(r, "MEMORY USAGE k SAMPLES x", "-ERR value is not an integer or out of range");
    expect(r, "MEMORY USAGE k x 1", "-ERR syntax error");
    rig_free(r);
}

TEST(debug, is_only_for_the_trusted)
{
    struct rig *r = rig_new();
    static const char no[] =
        "-ERR DEBUG command not allowed. If the enable-debug-command option is set to \"local\", "
        "you can run it from a local connection, otherwise you need to set this option in the "
        "configuration file, and then restart the server.";
    expect(r, "DEBUG SLEEP 0", no);
    expect(r, "DEBUG", "-ERR wrong number of arguments for 'debug' command");
    r->config.enable_debug_command = ALLOW_LOCAL;
    expect(r, "DEBUG SLEEP 0", "+OK");
    r->clients[0]->flags &= ~(uint32_t)SESSION_LOCAL;
    expect(r, "DEBUG SLEEP 0", no);
    r->config.enable_debug_command = ALLOW_YES;
    expect(r, "DEBUG SLEEP 1.5", "+OK");
    assert_int_equal(r->slept, 1500000);
    expect(r, "DEBUG SLEEP",
           "-ERR unknown subcommand or wrong number of arguments for 'SLEEP'. Try DEBUG HELP.");
    expect(r, "DEBUG badger",
           "-ERR unknown subcommand or wrong number of arguments for 'badger'. Try DEBUG HELP.");
    rig_free(r);
}

TEST(debug, active_expiry_can_be_stopped)
{
    struct rig *r = rig_new();
    r->config.enable_debug_command = ALLOW_YES;
    expect(r, "DEBUG SET-ACTIVE-EXPIRE 0", "+OK");
    run(r, "SET k v PX 10");
    later(r, 100);
    expect(r, "DBSIZE", ":1");
    expect(r, "GET k", "$-1");
    expect(r, "DBSIZE", ":0");
    run(r, "SET k v PX 10");
    expect(r, "DEBUG SET-ACTIVE-EXPIRE 1", "+OK");
    later(r, 100);
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(debug, protocol_has_one_of_each)
{
    struct rig *r = rig_new();
    r->config.enable_debug_command = ALLOW_YES;
    expect(r, "DEBUG PROTOCOL map", "*6 :0 :0 :1 :1 :2 :0");
    expect(r, "DEBUG PROTOCOL push", "-ERR RESP2 is not supported by this command");
    run(r, "HELLO 3");
    expect(r, "DEBUG PROTOCOL map", "%3 :0 #f :1 #t :2 #f");
    expect(r, "DEBUG PROTOCOL set", "~3 :0 :1 :2");
    expect(r, "DEBUG PROTOCOL double", ",3.141");
    expect(r, "DEBUG PROTOCOL bignum", "(1234567999999999999999999999999999999");
    expect(r, "DEBUG PROTOCOL null", "_");
    expect(r, "DEBUG PROTOCOL push",
           ">2 $16 server-cpu-usage :42 $40 Some real reply following the push reply");
    rig_free(r);
}

TEST(debug, makes_keys_to_play_with)
{
    struct rig *r = rig_new();
    r->config.enable_debug_command = ALLOW_YES;
    expect(r, "DEBUG POPULATE 3 p 4", "+OK");
    expect(r, "DBSIZE", ":3");
    expect(r, "GET p:2", "$4 valu");
    expect(r, "DEBUG POPULATE 1", "+OK");
    expect(r, "GET key:0", "$7 value:0");
    run(r, "DEBUG OBJECT key:0");
    assert_non_null(strstr(rig_reply(r), " refcount:1 encoding:embstr serializedlength:"));
    expect(r, "DEBUG OBJECT nosuch", "-ERR no such key");
    expect(r, "DEBUG STRINGMATCH-LEN 1000 a*a*a*b", ":0");
    rig_free(r);
}
