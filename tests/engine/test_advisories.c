/*
 * What Redis was once broken with, tried here. Each test names the advisory; those on commands that
 * are not here (streams, HyperLogLog, SORT, LCS, modules, the debugger) are left out, and some have
 * their test elsewhere:
 *
 *     CVE-2021-21309, CVE-2021-32675, CVE-2023-41056   tests/unit/resp/test_parser.c, what may be
 * announced CVE-2021-32675, CVE-2025-21605                   tests/unit/net/test_limits.c,
 * strangers CVE-2022-36021, CVE-2024-31228                   tests/unit/base/test_glob.c, steps
 *     CVE-2023-45145                                   tests/unit/net/test_listener.c, socket
 * permissions CVE-2024-46981, CVE-2025-49844                   tests/unit/scripts/test_host.c and
 * test_sandbox.c
 */
#include "tests/lib/rig.h"

#include <stdio.h>
#include <string.h>

/* The reply is an error that has `text` in it; and all goes on. */
static void refused(struct rig *r, const char *line, const char *text)
{
    run(r, line);
    if (rig_reply(r)[0] != '-' || strstr(rig_reply(r), text) == NULL)
        fail_msg("%s\n    gave %s", line, rig_reply(r));
    expect(r, "EVAL 'return 1' 0", ":1");
}

/* CVE-2015-4335: bytecode gets past the sandbox. */
TEST(advisories, scripts_neither_load_nor_make_bytecode)
{
    struct rig *r = rig_new();
    expect(r, "EVAL \"return tostring(loadstring(string.char(27) .. 'LuaQ'))\" 0", "$3 nil");
    expect(r, "EVAL \"return tostring(load(function() return string.char(27) end))\" 0", "$3 nil");
    refused(r, "EVAL \"return string.dump(function() end)\" 0", "unable to dump given function");
    rig_free(r);
}

/* CVE-2015-8080, CVE-2018-11219, CVE-2020-14147: sizes in formats of struct overflow. */
TEST(advisories, struct_sizes_do_not_overflow)
{
    struct rig *r = rig_new();
    refused(r, "EVAL \"return struct.pack('>I2147483648', 10)\" 0", "integral size overflow");
    refused(r, "EVAL \"return struct.pack('c2147483647', 'x')\" 0", "string too short");
    refused(r, "EVAL \"return struct.unpack('>c4294967295', 'x')\" 0", "integral size overflow");
    rig_free(r);
}

/* CVE-2018-11218, CVE-2022-24834: cmsgpack and cjson write past their buffers and the stack. */
TEST(advisories, encoders_meet_their_limits)
{
    struct rig *r = rig_new();
    refused(r, "EVAL \"return cmsgpack.unpack(string.char(0xdd, 0x7f, 0xff, 0xff, 0xff))\" 0",
            "Missing bytes in input.");
    refused(r, "EVAL \"return cjson.encode(string.rep('x', 1073741824))\" 0", "not enough memory");
    refused(r, "EVAL \"return cjson.decode(string.rep('[', 100000))\" 0", "nest");
    refused(r, "EVAL \"local t = {} for i = 1, 30 do t = {t, t} end return cjson.encode(t)\" 0",
            "not enough memory");
    rig_free(r);
}

/* CVE-2021-32626: results and arguments overflow the Lua stack. */
TEST(advisories, the_stack_of_a_script_has_an_end)
{
    struct rig *r = rig_new();
    refused(r,
            "EVAL \"local t = {} for i = 1, 9000 do t[i] = 'x' end "
            "return redis.call('del', unpack(t))\" 0",
            "too many results to unpack");
    run(r, "EVAL \"local t = {} local n = t for i = 1, 100000 do n[1] = {} n = n[1] end "
           "return t\" 0");
    assert_non_null(strstr(rig_reply(r), "-ERR reached lua stack limit"));
    refused(r, "EVAL \"local function f() return f() + 1 end return f()\" 0", "stack overflow");
    rig_free(r);
}

/* CVE-2022-24735, CVE-2025-46818: a script changes what others, with more rights, will call. */
TEST(advisories, nothing_that_scripts_share_can_be_changed)
{
    static const char *const attempts[] = {
        "EVAL \"getmetatable('').__index = function() return 'mine' end\" 0",
        "EVAL \"string.rep = function() return 'mine' end\" 0",
        "EVAL \"redis.call = function() return 'mine' end\" 0",
        "EVAL \"rawset(_G, 'redis', {})\" 0",
        "EVAL \"rawset(redis, 'call', function() end)\" 0",
        "EVAL \"setmetatable(_G, {})\" 0",
        "EVAL \"getmetatable(_G).__index = function() return 'mine' end\" 0",
    };
    struct rig *r = rig_new();
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        refused(r, attempts[i], "");
    expect(r, "EVAL \"return {('x'):rep(3), redis.call('ping'), type(('x').y)}\" 0",
           "*3 $3 xxx +PONG $3 nil");
    for (const char *const *v = (const char *const[]){"nil", "1", "true", "print", NULL}; *v; v++) {
        char line[128];
        snprintf(line, sizeof line, "EVAL \"return tostring(getmetatable(%s))\" 0", *v);
        if (strcmp(*v, "print") != 0)
            expect(r, line, "$3 nil");
    }
    rig_free(r);
}

/* CVE-2022-24736: odd errors are followed through pointers that are not there. */
TEST(advisories, anything_may_be_thrown)
{
    struct rig *r = rig_new();
    refused(r, "EVAL \"error({})\" 0", "unknown error");
    refused(r, "EVAL \"error(nil)\" 0", "nil");
    refused(r, "EVAL \"error({err=5})\" 0", "");
    refused(r, "EVAL \"error(setmetatable({}, {__tostring = function() error('x') end}))\" 0", "");
    refused(r, "EVAL \"return redis.error_reply({})\" 0", "wrong number or type of arguments");
    refused(r, "EVAL \"error(function() end)\" 0", "");
    rig_free(r);
}

/* CVE-2024-31449: bit.tohex with the smallest integer. */
TEST(advisories, tohex_has_no_more_than_eight_digits)
{
    struct rig *r = rig_new();
    expect(r, "EVAL \"return bit.tohex(65535, -2147483648)\" 0", "$8 0000FFFF");
    expect(r, "EVAL \"return bit.tohex(65535, 2147483647)\" 0", "$8 0000ffff");
    rig_free(r);
}

/* CVE-2025-46817: unpack counts in 32 bits. */
TEST(advisories, unpack_counts_without_overflow)
{
    struct rig *r = rig_new();
    refused(r, "EVAL \"return {unpack({1, 2, 3}, -2147483648, 2147483647)}\" 0",
            "too many results");
    refused(r, "EVAL \"return {unpack({1, 2, 3}, 0, 2147483647)}\" 0", "too many results");
    expect(r, "EVAL \"return {unpack({1, 2, 3}, 2147483646, -2147483648)}\" 0", "*0");
    rig_free(r);
}

/* CVE-2025-46819: the end of a long bracket is looked for outside of the text. CVE-2024-46981 and
 * CVE-2025-49844: the collector frees what is being read. */
TEST(advisories, odd_texts_of_scripts_do_no_harm)
{
    struct rig *r = rig_new();
    static char text[200000];
    memset(text, '=', sizeof text);
    text[0] = '[';
    struct bytes argv[] = {BYTES("EVAL"), {text, sizeof text}, BYTES("0")};
    run_argv(r, argv, 3);
    assert_int_equal(rig_reply(r)[0], '-');
    memcpy(text, "--[", 3);
    run_argv(r, argv, 3);
    refused(r, "EVAL \"return [====[ x ]===]\" 0", "unfinished long string");
    expect(r,
           "EVAL \"for i = 1, 200 do loadstring('return ' .. i, string.rep('n', 1000)) "
           "collectgarbage() end return 'ok'\" 0",
           "$2 ok");
    refused(r, "EVAL \"return newproxy(true)\" 0", "nonexistent global variable 'newproxy'");
    expect(r, "SCRIPT FLUSH", "+OK");
    rig_free(r);
}

/* CVE-2022-36021, CVE-2024-31228: patterns; here through every command that takes one. */
TEST(advisories, patterns_come_to_an_end)
{
    static char stars[100000];
    struct rig *r = rig_new();
    for (size_t i = 0; i < sizeof stars; i++)
        stars[i] = i % 2 ? 'a' : '*';
    struct bytes pattern = {stars, sizeof stars};
    run(r, "SET aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab v");
    run_argv(r, (struct bytes[]){BYTES("KEYS"), pattern}, 2);
    is(r, "*0");
    run_argv(r, (struct bytes[]){BYTES("SCAN"), BYTES("0"), BYTES("MATCH"), pattern}, 4);
    is(r, "*2 $1 0 *0");
    run_argv(r, (struct bytes[]){BYTES("CONFIG"), BYTES("GET"), pattern}, 3);
    is(r, "*0");
    run_argv(r, (struct bytes[]){BYTES("PUBSUB"), BYTES("CHANNELS"), pattern}, 3);
    is(r, "*0");
    expect(r, "KEYS a*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?*?c",
           "*0");
    rig_free(r);
}

/* CVE-2022-35977, CVE-2023-22458, CVE-2023-25155: counts that have no opposite. */
TEST(advisories, the_smallest_integer_is_no_count)
{
    struct rig *r = rig_new();
    run(r, "SADD s a b");
    run(r, "RPUSH l a b");
    refused(r, "SRANDMEMBER s -9223372036854775808", "value is out of range");
    refused(r, "SPOP s -9223372036854775808", "must be positive");
    refused(r, "LPOS l a RANK -9223372036854775808", "value is out of range");
    expect(r, "LRANGE l -9223372036854775808 9223372036854775807", "*2 $1 a $1 b");
    expect(r, "LREM l -9223372036854775808 a", ":1");
    rig_free(r);
}

/* CVE-2023-28856: HINCRBYFLOAT leaves a field that cannot be read again. */
TEST(advisories, a_float_that_is_none_is_not_stored)
{
    struct rig *r = rig_new();
    refused(r, "HINCRBYFLOAT h f inf", "NaN or Infinity");
    refused(r, "HINCRBYFLOAT h f nan", "not a valid float");
    expect(r, "EXISTS h", ":0");
    rig_free(r);
}

/* CVE-2023-36824: COMMAND GETKEYS and ACL rules count keys that are not there. */
TEST(advisories, promised_keys_are_counted)
{
    struct rig *r = rig_new();
    expect(r, "ACL SETUSER alice on nopass ~k +@all", "+OK");
    run(r, "COMMAND GETKEYS EVAL x 9223372036854775807 a");
    run(r, "COMMAND GETKEYS EVAL x 2147483647 a");
    run(r, "COMMAND GETKEYS EVAL x -1 a");
    expect(r, "AUTH alice x", "+OK");
    refused(r, "EVAL 'return 2' 9223372036854775807 k", "ERR Number of keys");
    refused(r, "EVAL 'return 2' -1 k", "ERR Number of keys");
    rig_free(r);
}

/* CVE-2024-51741: a rule without an access is accepted, and then nobody can print it. */
TEST(advisories, a_key_rule_needs_an_access)
{
    struct rig *r = rig_new();
    refused(r, "ACL SETUSER alice %~k", "Syntax error");
    refused(r, "ACL SETUSER alice (%~k)", "Syntax error");
    refused(r, "ACL SETUSER alice %", "Syntax error");
    refused(r, "ACL SETUSER alice (%", "Unmatched parenthesis");
    expect(r, "ACL SETUSER alice ()", "+OK");
    run(r, "ACL LIST");
    assert_int_equal(rig_reply(r)[0], '*');
    rig_free(r);
}

/* CVE-2021-41099: a limit on strings so high that sums overflow. CVE-2021-32627, CVE-2021-32687:
 * the same for the compact encodings. */
TEST(advisories, limits_may_be_as_high_as_they_go)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG SET proto-max-bulk-len 9223372036854775807", "+OK");
    expect(r, "APPEND k x", ":1");
    expect(r, "CONFIG SET set-max-intset-entries 9223372036854775807", "+OK");
    expect(r, "CONFIG SET hash-max-listpack-entries 9223372036854775807", "+OK");
    expect(r, "CONFIG SET hash-max-listpack-value 9223372036854775807", "+OK");
    char line[64];
    for (int i = 0; i < 2000; i++) {
        snprintf(line, sizeof line, "SADD s %d", i);
        expect(r, line, ":1");
        snprintf(line, sizeof line, "HSET h %d %d", i, i);
        expect(r, line, ":1");
    }
    expect(r, "SCARD s", ":2000");
    expect(r, "HGET h 1999", "$4 1999");
    rig_free(r);
}
