#include "tests/unit/scripts/libs/lua_rig.h"

TEST(lib_pattern, finds_and_matches)
{
    rig_answers((const struct rig_answer[]){
        {"return ('hello'):find('l'), ('hello'):find('l', 4)", "3 4 4"},
        {"return ('hello'):find('xyz'), ('a.b'):find('.', 1, true)", "nil 2 2"},
        {"return ('hello'):find(''), ('hello'):find('', 10)", "1 6 5"},
        {"return ('key = value'):match('^(%w+)%s*=%s*(%w+)$')", "key value"},
        {"return ('  trim  '):match('^%s*(.-)%s*$') .. '|'", "trim|"},
        {"return ('x'):match('()'), ('abc'):match('b()')", "1 3"},
        {"return ('THE (quick) fox'):find('%((%a+)%)')", "5 11 quick"},
        {"return ('f(a(b)c)d'):match('%b()'), ('THE fox'):match('%f[%l]%a+')", "(a(b)c) fox"},
        {"return ('abab'):match('(ab)%1'), ('abc'):match('(a)%1')", "ab nil"},
        {"return ('a]b'):match('[]]'), ('a-b'):match('[a-]+'), ('x^'):match('[x^]+')", "] a- x^"},
        {"return ('a\\0b'):match('%z()'), ('a\\0b'):find('\\0')", "3 2 2"},
        {"return ('aXb'):match('%u'), ('aXb'):match('%U+'), ('1a_'):match('[%w_]+')", "X a 1a_"},
        {NULL, NULL},
    });
}

TEST(lib_pattern, gmatch_walks_and_gsub_replaces)
{
    rig_answers((const struct rig_answer[]){
        {"local r = {} for w in ('one two'):gmatch('%a+') do r[#r + 1] = w end return r[1], r[2], "
         "#r",
         "one two 2"},
        {"local n = 0 for _ in ('abc'):gmatch('') do n = n + 1 end return n", "4"},
        {"local r = '' for k, v in ('a=1,b=2'):gmatch('(%w+)=(%w+)') do r = r .. k .. v end return "
         "r",
         "a1b2"},
        {"return ('hello'):gsub('l', 'L'), (('hello'):gsub('l', 'L', 1))", "heLLo heLlo"},
        {"return ('hello'):gsub('', '-')", "-h-e-l-l-o- 6"},
        {"return ('abc'):gsub('(.)', '%1%1%0%%')", "aaa%bbb%ccc% 3"},
        {"return ('abc'):gsub('%w', {a = 1, b = false})", "1bc 3"},
        {"return ('abc'):gsub('%w', function(c) if c == 'b' then return 'B' end end)", "aBc 3"},
        {"return ('aaa'):gsub('^a', 'b')", "baa 1"},
        {"return ('abc'):gsub('b', '%')", "a"},
        {NULL, NULL},
    });
}

TEST(lib_pattern, complains_as_lua_does)
{
    rig_answers((const struct rig_answer[]){
        {"return ('a'):find('[a')", "error: test:1: malformed pattern (missing ']')"},
        {"return ('a'):find('%')", "error: test:1: malformed pattern (ends with '%')"},
        {"return ('a'):find('(a')", "error: test:1: unfinished capture"},
        {"return ('a'):match('a)')", "error: test:1: invalid pattern capture"},
        {"return ('a'):find('%1')", "error: test:1: invalid capture index"},
        {"return ('a'):find('%b')", "error: test:1: unbalanced pattern"},
        {"return ('a'):find('%f')", "error: test:1: missing '[' after '%f' in pattern"},
        {"return ('a'):gsub('a', '%2')", "error: test:1: invalid capture index"},
        {"return ('a'):gsub('a', true)",
         "error: test:1: bad argument #2 to 'gsub' (string/function/table expected)"},
        {"return ('a'):gsub('a', function() return {} end)",
         "error: test:1: invalid replacement value (a table)"},
        {"return ('a'):find(('(a)'):rep(33))", "nil"},
        {"return ('a'):rep(33):find(('(a)'):rep(33))", "error: test:1: too many captures"},
        {"return select('#', ('a'):rep(32):find(('(a)'):rep(32)))", "34"},
        {NULL, NULL},
    });
}

/* Recursion is for choices only: a plain pattern may be as long as it likes. */
TEST(lib_pattern, recursion_has_a_limit)
{
    rig_answers((const struct rig_answer[]){
        {"return ('a'):rep(2^20):find(('.?'):rep(2^20))", "error: test:1: pattern too complex"},
        {"return ('a'):rep(2^20):find(('a*'):rep(2^19))", "error: test:1: pattern too complex"},
        {"return (''):find(('.-'):rep(2^20))", "error: test:1: pattern too complex"},
        {"return ('a'):rep(150):find(('.?'):rep(150))", "1 150"},
        {"return ('a'):rep(100000):find(('a'):rep(100000) .. '$')", "1 100000"},
        {"return ('('):rep(2^10):find('%b()')", "nil"},
        {NULL, NULL},
    });
}

TEST(lib_pattern, endless_matches_can_be_stopped)
{
    rig_stops("return ('a'):rep(40):find(('a*'):rep(20) .. 'b')");
    rig_stops("return ('a'):rep(40):match(('(a-)'):rep(20) .. 'b')");
    rig_stops("return ('a'):rep(40):gsub(('a?'):rep(40) .. 'b', '')");
    rig_stops("for _ in ('a'):rep(40):gmatch(('a+'):rep(20) .. 'b') do end");
    rig_stops("return ('a'):rep(100000):find('.-.-b')");
    rig_stops("return ('('):rep(100000):find('%b()')");
    rig_stops("return ('a'):rep(100000):find('[' .. ('b'):rep(50000) .. ']')");
    rig_stops("return ('a'):rep(100000):find('(a+)%1%1b')");
    rig_stops("return ('a'):find('[' .. ('b'):rep(100000) .. ']')");
    rig_stops("return ('a'):rep(1000):gsub('', ('b'):rep(1000))");
}

TEST(lib_pattern, gsub_meets_the_cap)
{
    struct lua_rig *r = rig_open();
    r->cap = 8 << 20;
    assert_string_equal(rig_run(r, "return (('x'):rep(2^16)):gsub('x', ('y'):rep(2^16))"),
                        "error: not enough memory");
    assert_true(r->peak <= 8 << 20);
    rig_close(r);
}

TEST(lib_pattern, gsub_callbacks_recurse_only_so_far)
{
    rig_answers((const struct rig_answer[]){
        {"local function f() return (('x'):gsub('x', f)) end return f()",
         "error: C stack overflow"},
        {"local n = 0 local function f() n = n + 1 return (('x'):gsub('x', f)) end "
         "local ok = pcall(f) return ok, n > 150, ('x'):gsub('x', 'fine')",
         "false true fine 1"},
        {NULL, NULL},
    });
}

TEST(lib_pattern, a_callback_that_fails_midway_leaks_nothing)
{
    struct lua_rig *r = rig_open();
    assert_string_equal(rig_run(r, "local n = 0 return pcall(string.gsub, ('x'):rep(10000), 'x', "
                                   "function() n = n + 1 if n > 9000 then error('enough', 0) end "
                                   "return 'yyyy' end)"),
                        "false enough");
    assert_string_equal(
        rig_run(r, "local co = coroutine.wrap(function() ('x'):rep(5000):gsub('x', function() "
                   "coroutine.yield() end) end) return pcall(co)"),
        "false attempt to yield across metamethod/C-call boundary");
    rig_close(r);
}
