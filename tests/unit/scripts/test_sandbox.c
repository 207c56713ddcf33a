/* What a script can see, and what it can do to it: nothing. */
#include "tests/lib/test.h"
#include "tests/unit/scripts/rig.h"

#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

TEST(sandbox, globals_are_those_of_redis)
{
    struct rig r;
    rig_init(&r);
    assert_string_equal(
        eval(&r, "local t = {} for k in pairs(_G) do t[#t + 1] = k end table.sort(t) "
                 "return redis.status_reply(table.concat(t, ' '))"),
        "+ARGV KEYS _G _VERSION assert bit cjson cmsgpack collectgarbage coroutine error gcinfo "
        "getmetatable ipairs load loadstring math next os pairs pcall rawequal rawget rawset redis "
        "select server setmetatable string struct table tonumber tostring type unpack xpcall\r\n");
    assert_string_equal(eval(&r, "return server == redis"), ":1\r\n");
    rig_free(&r);
}

TEST(sandbox, what_is_not_there_is_an_error)
{
    static const char *const absent[] = {"print",   "dofile",   "loadfile", "require", "module",
                                         "package", "io",       "debug",    "getfenv", "setfenv",
                                         "jit",     "newproxy", "ffi",      "foo"};
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(absent); i++) {
        char script[64], want[160];
        snprintf(script, sizeof script, "return %s", absent[i]);
        snprintf(want, sizeof want,
                 "-ERR user_script:1: Script attempted to access nonexistent global variable '%s' "
                 "script: SHA, on @user_script:1.\r\n",
                 absent[i]);
        assert_string_equal(eval(&r, script), want);
        snprintf(script, sizeof script, "%s = nil return %s", absent[i], absent[i]);
        assert_string_equal(
            eval(&r, script),
            "-ERR user_script:1: Attempt to modify a readonly table script: SHA, on "
            "@user_script:1.\r\n");
    }
    assert_string_equal(eval(&r, "return {type(os.clock()), type(os.time), type(os.exit)}"),
                        "*3\r\n$6\r\nnumber\r\n$3\r\nnil\r\n$3\r\nnil\r\n");
    rig_free(&r);
}

/* Every route by which Lua lets a table be changed, for every table that all scripts share. */
TEST(sandbox, shared_tables_cannot_be_changed_by_any_route)
{
    static const char *const tables[] = {
        "_G",
        "redis",
        "server",
        "string",
        "table",
        "math",
        "os",
        "bit",
        "struct",
        "cjson",
        "cmsgpack",
        "coroutine",
        "getmetatable('')",
        "getmetatable(_G)",
    };
    static const char *const routes[] = {
        "T.x = 1",
        "T.call = nil",
        "T[1] = 1",
        "rawset(T, 'x', 1)",
        "setmetatable(T, {})",
        "setmetatable(T, nil)",
        "table.insert(T, 1)",
        "table.insert(T, 1, 1)",
        "loadstring('local t = ... t.x = 1')(T)",
        "coroutine.wrap(function() T.x = 1 end)()",
        "setmetatable({}, {__newindex = T}).x = 1",
        "string.gsub('a', 'a', function() T.x = 1 end)",
        "table.foreach({1}, function() T.x = 1 end)",
    };
    struct rig r;
    rig_init(&r);
    for (size_t t = 0; t < COUNT(tables); t++)
        for (size_t i = 0; i < COUNT(routes); i++) {
            char script[256];
            snprintf(script, sizeof script, "local T = %s %s", tables[t], routes[i]);
            const char *answer = eval(&r, script);
            if (strstr(answer, "readonly table") == NULL)
                fail_msg("%s: %s", script, answer);
        }
    assert_string_equal(eval(&r, "return {type(redis.call), type(string.format), #('x'):rep(3)}"),
                        "*3\r\n$8\r\nfunction\r\n$8\r\nfunction\r\n:3\r\n");
    rig_free(&r);
}

TEST(sandbox, functions_that_do_not_insert_leave_shared_tables_alone)
{
    static const char *const routes[] = {
        "table.sort(T)",
        "table.remove(T)",
        "table.remove(T, 1)",
        "table.concat(T)",
        "return cjson.encode(T)",
        "return cmsgpack.pack(T)",
        "for k, v in pairs(T) do end",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(routes); i++) {
        char script[128];
        snprintf(script, sizeof script, "local T = math %s", routes[i]);
        eval(&r, script);
    }
    assert_string_equal(eval(&r, "local n = 0 for k in pairs(math) do n = n + 1 end return n"),
                        ":31\r\n");
    rig_free(&r);
}

TEST(sandbox, a_view_looks_like_the_table_behind_it)
{
    struct rig r;
    rig_init(&r);
    assert_string_equal(eval(&r, "return type(next(redis))"), "$6\r\nstring\r\n");
    assert_string_equal(eval(&r, "return type(rawget(string, 'rep'))"), "$8\r\nfunction\r\n");
    assert_string_equal(eval(&r, "return rawget(_G, 'nope')"), "$-1\r\n");
    assert_string_equal(eval(&r, "return _G.redis == redis and _G._G == _G"), ":1\r\n");
    assert_string_equal(eval(&r, "return getmetatable('').__index == string"), ":1\r\n");
    assert_string_equal(eval(&r, "return type(getmetatable(redis))"), "$3\r\nnil\r\n");
    assert_string_equal(eval(&r, "return type(getmetatable(_G).__index)"), "$8\r\nfunction\r\n");
    assert_string_equal(eval(&r, "return redis.nope"), "$-1\r\n");
    rig_free(&r);
}

/* A function that has no instruction to assign to a global gets a faster environment. Each of these
 * has one somewhere, and must still be refused. */
TEST(sandbox, an_assignment_to_a_global_is_found_wherever_it_hides)
{
    static const char *const scripts[] = {
        "redis = 1",
        "KEYS = nil",
        "x, y = 1, 2",
        "local function f() ARGV = 1 end f()",
        "local function f() return function() return function() redis = nil end end end f()()()",
        "function redis() end",
        "function tostring() end",
        "for i = 1, 1 do tonumber = i end",
        "if false then else pairs = 1 end",
        "coroutine.wrap(function() next = 1 end)()",
        "(function(...) type = ... end)(1)",
        "loadstring('redis = 1')()",
        "load(coroutine.wrap(function() coroutine.yield('redis') coroutine.yield('=1') end))()",
        "_G.redis = 1",
        "_G['re' .. 'dis'] = 1",
        "local g = _G._G._G g.redis = 1",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(scripts); i++) {
        const char *answer = eval(&r, scripts[i]);
        if (strstr(answer, "readonly table") == NULL)
            fail_msg("%s: %s", scripts[i], answer);
    }
    assert_string_equal(eval(&r, "return redis.call('ping')"), "+PONG\r\n");
    rig_free(&r);
}

TEST(sandbox, nothing_survives_a_run)
{
    static const struct {
        const char *leave, *look, *want;
    } pairs[] = {
        {"KEYS.x = 1", "return KEYS.x", "$-1\r\n"},
        {"KEYS[1] = 1 ARGV[3] = 1", "return #KEYS + #ARGV", ":0\r\n"},
        {"KEYS[1] = nil KEYS.x = 1 KEYS[1] = 1 KEYS.y = 2 KEYS[1] = nil", "return KEYS.y",
         "$-1\r\n"},
        {"rawset(ARGV, 'x', 1)", "return next(ARGV)", "$-1\r\n"},
        {"setmetatable(KEYS, {__index = function() return 1 end})", "return KEYS.x", "$-1\r\n"},
        {"setmetatable(ARGV, {__len = 1})", "return type(getmetatable(ARGV))", "$3\r\nnil\r\n"},
        {"math.randomseed(5) math.random()", "return math.random(1000000)", ":170829\r\n"},
        {"redis.setresp(3)", "return type(redis.call('say', 'null'))", "$7\r\nboolean\r\n"},
        {"cjson.encode_number_precision(3)", "return cjson.encode(1.23456)", "$7\r\n1.23456\r\n"},
        {"collectgarbage('stop')", "return collectgarbage('count') < 2000", ":1\r\n"},
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        eval(&r, pairs[i].leave);
        assert_string_equal(eval(&r, pairs[i].look), pairs[i].want);
        assert_string_equal(eval(&r, pairs[i].look), pairs[i].want);
    }
    rig_free(&r);
}

/* KEYS and ARGV are used again when nobody could tell. */
TEST(sandbox, keys_and_argv_are_as_given_in_every_run)
{
    static const char *const vandals[] = {
        "KEYS[1], KEYS[2] = nil, nil KEYS.a = 1 KEYS[2] = 'z' KEYS[1] = 'y' return 1",
        "KEYS[1] = nil KEYS.a, KEYS.b, KEYS.c = 1, 2, 3 KEYS[1] = 5 return 1",
        "KEYS[3] = 1 ARGV[0] = 1 return 1",
        "table.remove(KEYS) return 1",
        "table.insert(KEYS, 1, 'x') return 1",
        "for i = 1, 100 do KEYS[i] = i end for i = 100, 1, -1 do KEYS[i] = nil end return 1",
        "KEYS[1.5] = 1 KEYS[-1] = 2 return 1",
        "KEYS[KEYS] = KEYS return 1",
        "local function f(t) t.x = 1 end f(KEYS) f(ARGV) return 1",
        "local f = function() return function() KEYS.x = 1 end end f()() return 1",
        "rawset(KEYS, 'x', 1) return 1",
        "pcall(rawset, ARGV, 'x', 1) return 1",
        "setmetatable(KEYS, {__index = {n = 1}}) return 1",
        "_G['raw' .. 'set'](KEYS, 'x', 1) return 1",
        "for k, f in pairs(_G) do if k == 'rawset' then f(KEYS, 'x', 1) end end return 1",
        "loadstring('KEYS.x = 1')() return 1",
        "table.sort(KEYS, function(a, b) return a > b end) return 1",
        "coroutine.wrap(function() KEYS.x = 1 end)() return 1",
        "string.gsub('a', 'a', function() KEYS.x = 1 end) return 1",
        "setmetatable({}, {__newindex = KEYS}).x = 1 return 1",
        "KEYS.x, KEYS.y = 1, 2 error('x')",
        "return #KEYS - #KEYS + 1",
        "return tonumber(#KEYS == 2 and 1)",
    };
    static const char *const words[] = {"k1", "k2", "a1", NULL};
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(vandals); i++) {
        eval_with(&r, vandals[i], 2, words);
        assert_string_equal(
            eval_with(&r,
                      "local n = 0 for k in pairs(KEYS) do n = n + 1 end "
                      "for k in pairs(ARGV) do n = n + 1 end return {KEYS[1], KEYS[2], ARGV[1], n}",
                      2, words),
            "*4\r\n$2\r\nk1\r\n$2\r\nk2\r\n$2\r\na1\r\n:3\r\n");
    }
    rig_free(&r);
}

TEST(sandbox, keys_and_argv_have_as_many_elements_as_were_given)
{
    static const char *const words[] = {"1", "2", "3", "4", "5", "6", "7", "8", NULL};
    static const size_t counts[] = {0, 3, 1, 8, 2, 0, 5, 4, 4, 1};
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(counts); i++) {
        char want[32];
        snprintf(want, sizeof want, "*4\r\n:%zu\r\n:%zu\r\n:%zu\r\n:%zu\r\n", counts[i],
                 8 - counts[i], counts[i], 8 - counts[i]);
        assert_string_equal(eval_with(&r,
                                      "local k, a = 0, 0 for _ in pairs(KEYS) do k = k + 1 end "
                                      "for _ in pairs(ARGV) do a = a + 1 end "
                                      "return {#KEYS, #ARGV, k, a}",
                                      counts[i], words),
                            want);
    }
    rig_free(&r);
}

TEST(sandbox, no_binary_chunks)
{
    static const char *const scripts[] = {
        "return loadstring(string.dump(function() return 1 end))",
        "return loadstring('\\27Lua\\81\\0')",
        ("local d = string.dump(function() end) return load(function() local x = d d = nil return "
         "x "
         "end)"),
        "local n = 0 return load(function() n = n + 1 return ({'\\27', 'Lua\\81'})[n] end)",
        "\x1bLua",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(scripts); i++) {
        const char *answer = eval(&r, scripts[i]);
        assert_true(strcmp(answer, "$-1\r\n") == 0 || strncmp(answer, "-ERR", 4) == 0);
    }
    rig_free(&r);
}

/* The compiler must keep hold of the chunk's name while a collection runs in its reader. */
/* CVE-2025-49844. */
TEST(sandbox, load_survives_a_collection_in_its_reader)
{
    struct rig r;
    rig_init(&r);
    assert_string_equal(
        eval(&r, "local n = 0 "
                 "local f = load(function() n = n + 1 collectgarbage() "
                 "  return n < 50 and 'local x = 1 ' or n == 50 and 'return 42' or nil end, "
                 "  string.rep('name', 20) .. n) "
                 "collectgarbage() return f()"),
        ":42\r\n");
    rig_limit(&r, 64 << 20, 200, 500);
    assert_string_equal(eval(&r,
                             "return select(2, load(function() collectgarbage() return '(' end, "
                             "'@' .. string.rep('n', 5)))"),
                        "$17\r\nchunk is too long\r\n");
    rig_free(&r);
}

/* CVE-2025-46817. */
TEST(sandbox, unpack_of_any_range_is_an_answer_or_an_error)
{
    static const char *const ranges[] = {
        "1, 2147483647",
        "-2147483648, 2147483647",
        "0, 2147483647",
        "-2147483648, -1",
        "2147483646, 2147483647",
        "1, 8000",
        "1, 1e300",
        "-1e300, 1e300",
        "0/0, 0/0",
        "2147483647, -2147483648",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(ranges); i++) {
        char script[96];
        snprintf(script, sizeof script, "return select('#', unpack({}, %s))", ranges[i]);
        const char *answer = eval(&r, script);
        assert_true(*answer == ':' || strstr(answer, "too many results to unpack"));
    }
    assert_string_equal(eval(&r, "return select('#', unpack({}, 1, 7000))"), ":7000\r\n");
    rig_free(&r);
}

TEST(sandbox, recursion_of_every_kind_ends_in_an_error)
{
    static const char *const scripts[] = {
        "local function f() return f() + 1 end return f()",
        "local function f() return pcall(f) end return f()",
        "local function f() return xpcall(f, f) end return f()",
        "local function f() return coroutine.wrap(f)() end return f()",
        "local function f() return coroutine.resume(coroutine.create(f)) end return f()",
        "local function f() return (string.gsub('a', 'a', f)) end return f()",
        "local function f() table.sort({1, 2, 3}, f) end return f()",
        "local function f() return tostring(setmetatable({}, {__tostring = f})) end return f()",
        ("local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end "
         "return t.x"),
        "local t = {} for i = 1, 300 do t = setmetatable({}, {__index = t}) end return t.x",
        "local function f() return load(f) end return f()",
        "return loadstring(string.rep('(', 1000) .. '1' .. string.rep(')', 1000))",
        "return loadstring('return ' .. string.rep('{', 5000) .. string.rep('}', 5000))",
        "return cjson.decode(string.rep('[', 5000))",
        "local t = {} for i = 1, 5000 do t = {t} end return cjson.encode(t)",
        "local t = {} for i = 1, 5000 do t = {t} end return cmsgpack.pack(t)",
        "error(setmetatable({}, {__index = function(t, k) return t[k] end}))",
    };
    struct rig r;
    rig_init(&r);
    for (size_t i = 0; i < COUNT(scripts); i++) {
        const char *answer = eval(&r, scripts[i]);
        assert_non_null(strchr("-$:*", *answer));
        assert_string_equal(eval(&r, "return redis.call('ping')"), "+PONG\r\n");
    }
    rig_free(&r);
}

TEST(sandbox, log_acl_and_the_small_functions)
{
    struct rig r;
    rig_init(&r);
    eval(&r, "redis.log(redis.LOG_WARNING, 'a', 5, {}, 'b')");
    assert_string_equal(r.log, "3:a 5 b");
    assert_string_equal(eval(&r, "return {redis.acl_check_cmd('get', 'k'), "
                                 "redis.acl_check_cmd('set', 'k')}"),
                        "*2\r\n:1\r\n$-1\r\n");
    assert_string_equal(eval(&r, "redis.acl_check_cmd('nope')"),
                        "-ERR Invalid command passed to redis.acl_check_cmd() script: SHA, on "
                        "@user_script:1.\r\n");
    assert_string_equal(eval(&r, "return redis.sha1hex('abc')"),
                        "$40\r\na9993e364706816aba3e25717850c26c9cd0d89d\r\n");
    assert_string_equal(eval(&r, "return {redis.replicate_commands(), redis.breakpoint(), "
                                 "redis.set_repl(redis.REPL_ALL), redis.debug(1)}"),
                        "*2\r\n:1\r\n$-1\r\n");
    assert_string_equal(eval(&r, "return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}"),
                        "*2\r\n$5\r\n7.4.2\r\n:459778\r\n");
    rig_free(&r);
}
