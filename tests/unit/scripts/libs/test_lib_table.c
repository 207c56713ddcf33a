#include "tests/unit/scripts/libs/lua_rig.h"

TEST(lib_table, inserts_removes_and_joins)
{
    rig_answers((const struct rig_answer[]){
        {"local t = {1, 2} table.insert(t, 3) table.insert(t, 1, 0) return unpack(t)", "0 1 2 3"},
        {"local t = {1, 2, 3} return table.remove(t), table.remove(t, 1), unpack(t)", "3 1 2"},
        {"return table.remove({}), table.remove({1}, 5)", "nil"},
        {"local t = {} table.insert(t, 5, 'x') return t[5], #t", "x 0"},
        {"local t = {1, 2} table.insert(t, -1, 'x') return t[-1], t[0], t[1], t[2], t[3]",
         "x nil nil 1 2"},
        {"return table.concat({1, 'a', 2.5}, '-'), table.concat({}, ','), table.concat({1, 2, 3}, "
         "'', 2)",
         "1-a-2.5  23"},
        {"return table.concat({1, {}})",
         "error: test:1: invalid value (table) at index 2 in table for 'concat'"},
        {"return table.getn({1, 2}), table.maxn({1, [10] = 2, x = 3})", "2 10"},
        {"return table.setn({}, 1)", "error: test:1: 'setn' is obsolete"},
        {"return table.insert({})", "error: test:1: wrong number of arguments to 'insert'"},
        {"return table.foreach({a = 1}, function(k, v) return k .. v end)", "a1"},
        {"local s = '' table.foreachi({4, 5}, function(i, v) s = s .. i .. v end) return s",
         "1425"},
        {NULL, NULL},
    });
}

TEST(lib_table, leaves_readonly_tables_alone)
{
    static const char refused[] = "error: Attempt to modify a readonly table";
    rig_answers((const struct rig_answer[]){
        {"table.insert({readonly = true}, 1)", refused},
        {"table.insert({readonly = true}, 1, 1)", refused},
        {"table.remove({1, 2, readonly = true})", refused},
        {"table.sort({2, 1, readonly = true})", refused},
        {"table.remove({readonly = true}) table.sort({readonly = true}) return 'nothing to change'",
         "nothing to change"},
        {NULL, NULL},
    });
}

TEST(lib_table, huge_ranges_can_be_stopped)
{
    rig_stops("table.insert({1, 2, 3}, -2^31, 'x')");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end table.remove(t, 1)");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = 'x' end return table.concat(t)");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end return table.maxn(t)");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end table.foreach(t, function() end)");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end table.foreachi(t, function() end)");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = -i end table.sort(t)");
}

TEST(lib_table, the_end_of_the_integers_is_no_trap)
{
    rig_answers((const struct rig_answer[]){
        {"local t = {} table.insert(t, 2^31 - 1, 'x') return t[2^31 - 1]", "x"},
        {"return table.concat({[2^31 - 1] = 'x'}, ',', 2^31 - 1, 2^31 - 1)", "x"},
        {"return table.concat({[-2^31] = 'x'}, ',', -2^31, -2^31)", "x"},
        {"return table.concat({'x'}, ',', 1, 2^31 - 1)",
         "error: test:1: invalid value (nil) at index 2 in table for 'concat'"},
        {NULL, NULL},
    });
}

TEST(lib_table, concat_meets_the_cap)
{
    struct lua_rig *r = rig_open();
    r->cap = 8 << 20;
    assert_string_equal(rig_run(r,
                                "local s, t = ('x'):rep(2^16), {} for i = 1, 2^12 do t[i] = s end "
                                "return table.concat(t, s)"),
                        "error: not enough memory");
    assert_true(r->peak <= 8 << 20);
    rig_close(r);
}

TEST(lib_table, sorts)
{
    rig_answers((const struct rig_answer[]){
        {"local t = {3, 1, 2} table.sort(t) return unpack(t)", "1 2 3"},
        {"local t = {'b', 'a', 'c'} table.sort(t, function(a, b) return a > b end) return "
         "unpack(t)",
         "c b a"},
        {"local t = {} for i = 1, 1000 do t[i] = i * 7919 % 1009 end table.sort(t) "
         "for i = 2, #t do assert(t[i - 1] <= t[i]) end return t[1], t[1000]",
         "1 1008"},
        {"local t = {3, 1, 'x'} table.sort(t)", "error: attempt to compare string with number"},
        {"table.sort({2, 1}, 5)",
         "error: test:1: bad argument #2 to 'sort' (function expected, got number)"},
        {NULL, NULL},
    });
}

/* As many elements as are equal show the order of comparisons and swaps, which is Lua 5.1's. */
TEST(lib_table, equal_elements_end_where_lua_leaves_them)
{
    rig_answers((const struct rig_answer[]){
        {"local t, log = {}, '' for i, v in ipairs{2, 1, 2, 1, 2, 1} do t[i] = {v, i} end "
         "table.sort(t, function(a, b) log = log .. a[2] .. b[2] .. ' ' return a[1] < b[1] end) "
         "for i = 1, 6 do log = log .. t[i][2] end return log",
         "61 36 13 23 53 34 53 34 15 46 26 42 624351"},
        {NULL, NULL},
    });
}

TEST(lib_table, sort_survives_order_functions_without_order)
{
    rig_answers((const struct rig_answer[]){
        {"local t = {} for i = 1, 100 do t[i] = i end "
         "table.sort(t, function() return true end)",
         "error: test:1: invalid order function for sorting"},
        {"local t, n = {}, 0 for i = 1, 100 do t[i] = i end return pcall(table.sort, t, "
         "function() n = n + 1 if n == 50 then error('enough', 0) end return n % 3 == 0 end)",
         "false enough"},
        {"local t = {} for i = 1, 100 do t[i] = i end table.sort(t, function(a, b) "
         "for k in pairs(t) do t[k] = 1 end return (a or 0) < (b or 0) end) return #t",
         "100"},
        {"local t = {} for i = 1, 100 do t[i] = i end local co = coroutine.wrap(function() "
         "table.sort(t, function() coroutine.yield() end) end) return pcall(co)",
         "false attempt to yield across metamethod/C-call boundary"},
        {"local function f() table.sort({2, 1}, f) end return f()", "error: C stack overflow"},
        {NULL, NULL},
    });
}
