/* Loading, finding, running, and the bounds of a run. */
#include "tests/lib/test.h"
#include "tests/unit/scripts/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define SHA_OF_RETURN_1 "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"

static const struct script *load(struct rig *r, const char *body, bool keep)
{
    buf_clear(&r->out);
    return script_load(r->host, bytes_of(body), keep, &r->wire.reply);
}

static const struct script *find(struct rig *r, const char *sha)
{
    return script_find(r->host, bytes_of(sha));
}

TEST(host, finds_a_script_by_text_and_by_sha)
{
    struct rig r;
    rig_init(&r);
    assert_null(find(&r, SHA_OF_RETURN_1));
    const struct script *s = load(&r, "return 1", false);
    assert_true(bytes_eq(script_sha(s), BYTES(SHA_OF_RETURN_1)));
    assert_ptr_equal(load(&r, "return 1", false), s);
    assert_ptr_equal(find(&r, SHA_OF_RETURN_1), s);
    assert_ptr_equal(find(&r, "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB"), s);
    assert_null(find(&r, "e0e1f9fabfc9d4800c877a703b823ac0578ff8dc"));
    assert_null(find(&r, "e0e1"));
    assert_null(find(&r, ""));
    assert_true(script_exists(r.host, BYTES(SHA_OF_RETURN_1)));
    rig_free(&r);
}

/* A text of 100,000 bytes, like no other's. */
static const struct script *load_long(struct rig *r, int number, bool keep)
{
    char body[100001];
    snprintf(body, sizeof body, "return %d --%0*d", number, 99000, 0);
    return load(r, body, keep);
}

TEST(host, all_texts_together_have_a_limit_and_eval_finds_room_all_the_same)
{
    enum { MOST = 10 };
    struct rig r;
    int loaded = 0;
    rig_init(&r);
    rig_limit(&r, 1 << 20, 1 << 20, 500);
    for (int i = 0; i < 3 * MOST; i++) {
        assert_non_null(load_long(&r, i, false));
        assert_in_range(script_stats(r.host).scripts, 1, MOST);
    }
    while (loaded < 3 * MOST && load_long(&r, 100 + loaded, true))
        loaded++;
    assert_int_equal(loaded, MOST);
    assert_true(bytes_eq(buf_bytes(&r.out), BYTES("-ERR Error compiling script (new function): not "
                                                  "enough memory\r\n")));
    for (int i = 0; i < 3; i++) {
        assert_non_null(load_long(&r, i, false));
        assert_null(load_long(&r, i, true));
        assert_int_equal(script_stats(r.host).scripts, MOST);
    }
    rig_free(&r);
}

TEST(host, drops_the_least_recently_used_of_eval_and_keeps_what_was_loaded)
{
    struct rig r;
    rig_init(&r);
    rig_limit(&r, 64 << 20, 64 << 10, 3);
    char sha[5][SCRIPT_SHA_LEN + 1] = {0};
    for (int i = 0; i < 5; i++) {
        char body[32];
        snprintf(body, sizeof body, "return %d", i);
        struct bytes s = script_sha(load(&r, body, i == 0));
        memcpy(sha[i], s.p, s.n);
        if (i == 3)
            assert_non_null(find(&r, sha[1])); /* now 2 is the oldest */
    }
    assert_true(script_exists(r.host, bytes_of(sha[0])));
    assert_true(script_exists(r.host, bytes_of(sha[1])));
    assert_false(script_exists(r.host, bytes_of(sha[2])));
    assert_true(script_exists(r.host, bytes_of(sha[3])));
    assert_true(script_exists(r.host, bytes_of(sha[4])));
    assert_int_equal(script_stats(r.host).scripts, 4);
    assert_int_equal(script_stats(r.host).evicted, 1);

    /* What EVAL brought becomes permanent when it is loaded. */
    assert_non_null(load(&r, "return 1", true));
    for (int i = 10; i < 20; i++) {
        char body[32];
        snprintf(body, sizeof body, "return %d", i);
        assert_non_null(load(&r, body, false));
    }
    assert_true(script_exists(r.host, bytes_of(sha[1])));
    assert_false(script_exists(r.host, bytes_of(sha[4])));
    rig_free(&r);
}

TEST(host, flush_forgets_everything)
{
    struct rig r;
    rig_init(&r);
    for (int i = 0; i < 300; i++) {
        char body[32];
        snprintf(body, sizeof body, "return %d", i);
        assert_non_null(load(&r, body, true));
    }
    assert_int_equal(script_stats(r.host).scripts, 300);
    script_flush(r.host);
    assert_int_equal(script_stats(r.host).scripts, 0);
    assert_int_equal(script_stats(r.host).scripts_bytes, 0);
    assert_null(find(&r, SHA_OF_RETURN_1));
    assert_string_equal(eval(&r, "return 1"), ":1\r\n");
    rig_free(&r);
}

TEST(host, compile_errors_are_told_and_nothing_is_kept)
{
    struct rig r;
    rig_init(&r);
    assert_string_equal(eval(&r, "return return"),
                        "-ERR Error compiling script (new function): user_script:1: unexpected "
                        "symbol near 'return'\r\n");
    rig_limit(&r, 64 << 20, 20, 500);
    assert_string_equal(eval(&r, "return 'twenty-one bytes'"),
                        "-ERR Error compiling script (new function): longer than 20 bytes\r\n");
    assert_int_equal(script_stats(r.host).scripts, 0);
    rig_free(&r);
}

TEST(host, reads_the_first_line)
{
    static const struct {
        const char *body;
        unsigned flags;
    } good[] = {
        {"return 1", SCRIPT_COMPAT},
        {"#!lua\nreturn 1", 0},
        {"#!lua flags=\nreturn 1", 0},
        {"#!lua flags=no-writes,allow-oom\nreturn 1", SCRIPT_NO_WRITES | SCRIPT_ALLOW_OOM},
        {"#!lua  flags=allow-stale flags=no-cluster\nreturn 1",
         SCRIPT_ALLOW_STALE | SCRIPT_NO_CLUSTER},
        {"#!lua flags=allow-cross-slot-keys\nreturn 1", SCRIPT_ALLOW_CROSS_SLOT},
    };
    static const struct {
        const char *body, *error;
    } bad[] = {
        {"#!lua", "-ERR Invalid script shebang\r\n"},
        {"#!\nreturn 1", "-ERR Unexpected engine in script shebang: #!\r\n"},
        {"#!js\nreturn 1", "-ERR Unexpected engine in script shebang: #!js\r\n"},
        {"#!lua flags=x\nreturn 1", "-ERR Unexpected flag in script shebang: x\r\n"},
        {"#!lua flags=no-writes,\nreturn 1", "-ERR Unexpected flag in script shebang: \r\n"},
        {"#!lua name=x\nreturn 1", "-ERR Unknown lua shebang option: name=x\r\n"},
        {"#!lua\nerror('x')", "-ERR user_script:2: x script: SHA, on @user_script:2.\r\n"},
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(good); i++) {
        const struct script *s = load(&r, good[i].body, false);
        assert_non_null(s);
        assert_int_equal(script_flags(s), good[i].flags);
        assert_string_equal(eval(&r, good[i].body), ":1\r\n");
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_string_equal(eval(&r, bad[i].body), bad[i].error);
    rig_free(&r);
}

TEST(host, a_command_name_is_resolved_once)
{
    struct rig r;
    rig_init(&r);
    eval(&r, "for i = 1, 10 do redis.call('ping') end");
    assert_int_equal(r.resolved, 1);
    eval(&r, "return redis.call('ping')");
    assert_int_equal(r.resolved, 1);
    eval(&r, "return redis.call('PING')");
    assert_int_equal(r.resolved, 2);
    eval(&r, "redis.pcall('nope') redis.pcall('nope')");
    assert_int_equal(r.resolved, 4);
    /* Far more names than are remembered, each a new string: none is taken for another. */
    assert_string_equal(eval(&r, "for i = 1, 5000 do local n = i % 2 == 0 and 'ping' or 'x' .. i "
                                 "local a = redis.pcall(n) "
                                 "if (a.ok == 'PONG') ~= (i % 2 == 0) then return i end end"),
                        "$-1\r\n");
    rig_free(&r);
}

/* ---- stopping ---- */

/* Each would run for ever, or nearly. */
static const char *const endless[] = {
    "while true do end",
    "repeat until false",
    "for i = 1, 1e300 do end",
    "while true do pcall(error) end",
    "while true do pcall(function() while true do end end) end",
    "while true do xpcall(error, error) end",
    "xpcall(function() while true do end end, function() while true do end end)",
    "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "local function f() return pcall(f) end while true do f() end",
    "local function f() return xpcall(f, f) end while true do f() end",
    "coroutine.wrap(function() while true do end end)()",
    "while true do coroutine.wrap(function() end)() end",
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "local c = coroutine.wrap(function() while true do coroutine.yield() end end) "
    "while true do c() end",
    "while true do pcall(coroutine.wrap(function() while true do pcall(error) end end)) end",
    "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
    "local t = setmetatable({}, {__index = function() while true do end end}) error(t)",
    "while true do pcall(loadstring('while true do end')) end",
    "return load(function() while true do end end)",
    "while true do load(function() return 'x' end) end",
    "while true do loadstring('return 1') end",
    "while true do redis.call('ping') end",
    "while true do redis.pcall('nope') end",
    "while true do collectgarbage() end",
    "while true do redis.sha1hex('x') end",
    "local s = string.rep('x', 1e6) while true do local a = s .. s end",
    "return string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40))",
    "return string.find(string.rep('a', 30000), '.-.-.-.-b')",
    "return string.match(string.rep('a', 3e4), '(.-)*(.-)*b')",
    "return string.gsub(string.rep('a', 1e5), '.-.-.-b', '')",
    "for x in string.gmatch(string.rep('a', 1e5), '.-.-.-b') do end",
    "while true do string.rep('', 2^31 - 1) end",
    "while true do table.insert({}, -2^31, 1) end",
    "while true do table.sort({3, 2, 1}, function() while true do end end) end",
    "string.gsub('a', 'a', function() while true do end end)",
    "table.foreach({1}, function() while true do end end)",
    "while true do cjson.encode({1}) end",
    "local t = {} for i = 1, 1e5 do t[i] = i end while true do table.concat(t) end",
    "local t, a, b = {}, string.rep('a', 1000), string.rep('a', 16) "
    "for i = 1, 1e9 do t[i] = a .. string.format('%08d', i) .. b end", /* all with one hash */
    "local t = {} for i = 1, 2e4 do t[i] = t end while true do unpack(t, 1, 7000) end",
};

TEST(host, nothing_runs_on_after_a_kill)
{
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(endless); i++) {
        r.patience = 20;
        const char *answer = eval(&r, endless[i]);
        if (strncmp(answer, "-ERR Script killed by user with SCRIPT KILL...", 46) != 0)
            fail_msg("%s: %s", endless[i], answer);
        assert_int_equal(r.checks, r.patience + 1);
        r.patience = 0;
        assert_string_equal(eval(&r, "return redis.call('ping')"), "+PONG\r\n");
    }
    rig_free(&r);
}

TEST(host, a_kill_tells_where)
{
    struct rig r;
    rig_init(&r);
    r.patience = 3;
    assert_string_equal(eval(&r, "local x\nwhile true do\nend"),
                        "-ERR Script killed by user with SCRIPT KILL... script: SHA, on "
                        "@user_script:2.\r\n");
    r.verdict = SCRIPT_TIME_UP;
    assert_string_equal(eval(&r, "while true do pcall(error) end"),
                        "-ERR Script ran longer than script-time-limit script: SHA, on "
                        "@user_script:1.\r\n");
    rig_free(&r);
}

TEST(host, what_a_script_did_before_its_end_stays_done)
{
    struct rig r;
    rig_init(&r);
    r.patience = 3;
    eval(&r, "redis.call('set', 'k', 'v') while true do end");
    r.patience = 0;
    assert_string_equal(eval(&r, "return redis.call('get', 'k')"), "$1\r\nv\r\n");
    rig_free(&r);
}

/* ---- memory ---- */

static const char *const bombs[] = {
    "return #string.rep('x', 1e9)",
    "local s = 'x' while true do s = s .. s end",
    "local t = {} while true do t[#t + 1] = {} end",
    "local t = {} for i = 1, 1e9 do t[i] = i end",
    "local t = {} for i = 1, 1e9 do t['k' .. i] = i end",
    "local t = {} while true do t[#t + 1] = coroutine.create(function() end) end",
    "local t = {} while true do t[#t + 1] = function() return t end end",
    "local s = string.rep('x', 1e6) return cjson.encode({s, s, s, s, s, s, s, s, s, s})",
    "local s = string.rep('x', 1e6) return cmsgpack.pack({s, s, s, s, s, s, s, s, s, s})",
    "return table.concat({string.rep('x', 3e6), string.rep('y', 3e6), string.rep('z', 3e6)})",
    "return (string.gsub(string.rep('a', 1e5), 'a', string.rep('b', 1e5)))",
    "return string.format('%s%s%s', string.rep('x', 3e6), string.rep('y', 3e6), 'z')",
    "local t = {} while true do t[#t + 1] = redis.call('echo', string.rep('x', 1000) .. #t) end",
    ("local t = {} pcall(function() while true do t[#t + 1] = {} end end) t = nil "
     "local u = {} while true do u[#u + 1] = {} end"),
};

TEST(host, the_heap_has_a_ceiling_and_the_host_goes_on)
{
    struct rig r;
    rig_init(&r);
    rig_limit(&r, 8 << 20, 64 << 10, 500);
    for (size_t i = 0; i < COUNT(bombs); i++) {
        r.patience = 2000000; /* so that a missing limit fails instead of hanging */
        const char *answer = eval(&r, bombs[i]);
        if (strncmp(answer, "-ERR ", 5) != 0 || strstr(answer, "killed"))
            fail_msg("%s: %s", bombs[i], answer);
        assert_string_equal(eval(&r, "return redis.call('ping')"), "+PONG\r\n");
        assert_in_range(script_stats(r.host).heap_bytes, 1, 2 << 20);
    }
    rig_free(&r);
}

TEST(host, garbage_is_not_mistaken_for_need)
{
    struct rig r;
    rig_init(&r);
    rig_limit(&r, 8 << 20, 64 << 10, 500);
    assert_string_equal(eval(&r, "local n = 0 for i = 1, 300 do n = n + #string.rep('x', 1e6) end "
                                 "return n"),
                        ":300000000\r\n");
    assert_string_equal(eval(&r, "local n = 0 for i = 1, 1e5 do local t = {i, {i}, 'k' .. i} "
                                 "n = n + #t end return n"),
                        ":300000\r\n");
    for (int i = 0; i < 3000; i++)
        eval(&r, "local t = {} for i = 1, 50 do t[i] = {i} end return #t");
    assert_in_range(script_stats(r.host).heap_bytes, 1, 4 << 20);
    rig_free(&r);
}

/* The ceiling comes down a few bytes at a time, so that each allocation of the script is once the
 * one that fails; whatever happens, the answer is one value and the next script runs. */
TEST(host, any_allocation_may_fail)
{
    static const char script[] =
        "local t = {} "
        "for i = 1, 5 do t['k' .. i] = {i, redis.call('echo', 'x' .. i)} end "
        "local ok, e = pcall(redis.call, 'fail', 'E ' .. #t) "
        "local c = coroutine.wrap(function(a) local b = coroutine.yield(a .. 'y') error(b) end) "
        "c('z') local ok2, e2 = pcall(c, 'w') "
        "local f = loadstring('return ' .. #t .. ' + 1') "
        "local s = string.format('%s|%d', table.concat({e, e2}, ','), f()) "
        "s = string.gsub(s, '%w', function(x) return x .. x end) "
        "return {s, cjson.encode(t), {map = {a = cmsgpack.pack(t)}}, {err = s .. 'e'}}";
    struct rig r;
    rig_init(&r);
    static const char *const words[] = {"key", "value", NULL};
    eval_with(&r, script, 1, words);
    char *whole = strdup(r.out.p);
    size_t base = script_stats(r.host).heap_bytes;
    bool failed = false, succeeded = false;
    for (size_t room = 0; room < 48 << 10; room += 24) {
        rig_limit(&r, base + room, 64 << 10, 500);
        bool same = strcmp(eval_with(&r, script, 1, words), whole) == 0;
        assert_true(same || *r.out.p == '-' || *r.out.p == '*');
        failed |= !same;
        succeeded |= same;
        rig_limit(&r, 64 << 20, 64 << 10, 500);
        assert_string_equal(eval(&r, "return redis.call('ping')"), "+PONG\r\n");
    }
    assert_true(failed && succeeded);
    free(whole);
    rig_free(&r);
}

TEST(host, compiling_may_fail_for_lack_of_memory_too)
{
    struct rig r;
    rig_init(&r);
    size_t base = script_stats(r.host).heap_bytes;
    bool failed = false, succeeded = false;
    for (size_t room = 0; room < 16 << 10; room += 64) {
        char body[160];
        snprintf(body, sizeof body, "local function f(a) return a .. 'x%zu' end return f('y')",
                 room);
        rig_limit(&r, base + room, 64 << 10, 500);
        bool ok = load(&r, body, false) != NULL;
        failed |= !ok;
        succeeded |= ok;
        script_flush(r.host);
    }
    assert_true(failed && succeeded);
    rig_free(&r);
}

TEST(host, an_interpreter_that_grew_is_replaced)
{
    struct rig r;
    rig_init(&r);
    const struct script *kept = load(&r, "return {KEYS[1], 42}", true);
    size_t before = script_stats(r.host).heap_bytes;
    assert_string_equal(eval(&r, "local t = {} for i = 1, 2e5 do t[i] = {i} end return #t"),
                        ":200000\r\n");
    for (int i = 0; i < 3000; i++)
        eval(&r, "return 1");
    assert_in_range(script_stats(r.host).heap_bytes, before / 2, 2 * before);

    /* A script from before is compiled again. */
    static const char *const words[] = {"k", NULL};
    assert_ptr_equal(find(&r, "0000000000000000000000000000000000000000"), NULL);
    assert_true(script_flags(kept) == SCRIPT_COMPAT);
    assert_string_equal(eval_with(&r, "return {KEYS[1], 42}", 1, words),
                        "*2\r\n$1\r\nk\r\n:42\r\n");
    rig_free(&r);
}

/* KEYS and ARGV are used again, but not when they have grown out of shape. */
TEST(host, a_table_that_was_blown_up_does_not_stay)
{
    static const char *const vandals[] = {
        "for i = 1, 3e4 do KEYS['k' .. i] = i end for i = 1, 3e4 do KEYS['k' .. i] = nil end",
        "collectgarbage() for i = 1, 5e3 do ARGV[-i] = i end for i = 1, 5e3 do ARGV[-i] = nil end "
        "collectgarbage()",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(vandals); i++) {
        eval(&r, "return 1");
        eval(&r, "collectgarbage()");
        size_t before = script_stats(r.host).heap_bytes;
        eval(&r, vandals[i]);
        eval(&r, "return 1");
        eval(&r, "collectgarbage()");
        assert_in_range(script_stats(r.host).heap_bytes, before / 2, before + (300 << 10));
    }
    rig_free(&r);
}

TEST(host, loaded_scripts_may_be_more_than_the_heap_holds)
{
    struct rig r;
    rig_init(&r);
    rig_limit(&r, 1 << 20, 64 << 10, 500);
    for (int i = 0; i < 1000; i++) {
        char body[200];
        snprintf(body, sizeof body,
                 "local a, b = {%d}, 'text %d' local function f(x) return x .. b end "
                 "local function g(x) return f(x) .. f(x) end return #g('') + a[1] - #b * 2",
                 i, i);
        assert_non_null(load(&r, body, true));
    }
    assert_int_equal(script_stats(r.host).scripts, 1000);
    assert_in_range(script_stats(r.host).heap_bytes, 1, 1 << 20);
    assert_string_equal(
        eval(&r, "local a, b = {5}, 'text 5' local function f(x) return x .. b end "
                 "local function g(x) return f(x) .. f(x) end return #g('') + a[1] - #b * 2"),
        ":5\r\n");
    rig_free(&r);
}

TEST(host, two_hosts_do_not_know_each_other)
{
    struct rig a, b;
    rig_init(&a);
    rig_init(&b);
    eval(&a, "KEYS.x = 1 redis.call('set', 'k', 'v')");
    assert_string_equal(eval(&b, "return redis.call('get', 'k')"), "$-1\r\n");
    assert_int_equal(script_stats(b.host).scripts, 1);
    rig_free(&a);
    rig_free(&b);
}
