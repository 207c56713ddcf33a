#include "tests/unit/scripts/libs/lua_rig.h"

TEST(lib_string, cuts_counts_and_turns)
{
    rig_answers((const struct rig_answer[]){
        {"return ('hello'):len(), ('a\\0b'):len()", "5 3"},
        {"return ('hello'):sub(2), ('hello'):sub(-3, -2), ('hello'):sub(4, 2)", "ello ll "},
        {"return ('hello'):sub(-100, 100), ('hello'):sub(0)", "hello hello"},
        {"return ('hello'):sub(-2^63, 2^63)", ""},
        {"return ('AbC\\200'):lower() == 'abc\\200', ('aBc\\200'):upper() == 'ABC\\200'",
         "true true"},
        {"return ('abc'):reverse(), (''):reverse()", "cba "},
        {"return ('abc'):byte(), ('abc'):byte(-1), ('abc'):byte(1, -1)", "97 99 97 98 99"},
        {"return select('#', ('abc'):byte(10))", "0"},
        {"return string.char(72, 105), string.char()", "Hi "},
        {"return string.char(256)", "error: test:1: bad argument #1 to 'char' (invalid value)"},
        {"return string.char(65, -1)", "error: test:1: bad argument #2 to 'char' (invalid value)"},
        {"return ('ab'):rep(3), ('ab'):rep(0), ('ab'):rep(-5), ('ab'):rep(2^32)", "ababab   "},
        {NULL, NULL},
    });
}

TEST(lib_string, byte_refuses_more_results_than_the_stack_holds)
{
    rig_answers((const struct rig_answer[]){
        {"return ('x'):rep(100000):byte(1, -1)",
         "error: test:1: stack overflow (string slice too long)"},
        {NULL, NULL},
    });
}

TEST(lib_string, rep_of_nothing_takes_no_time)
{
    rig_answers((const struct rig_answer[]){
        {"return (''):rep(2^31 - 1), (''):rep(1e15)", " "},
        {NULL, NULL},
    });
}

TEST(lib_string, rep_stays_below_the_cap)
{
    struct lua_rig *r = rig_open();
    r->cap = 8 << 20;
    assert_string_equal(rig_run(r, "return ('x'):rep(2^31 - 1)"), "error: not enough memory");
    r->cap = 8 << 20;
    assert_string_equal(rig_run(r, "return (('x'):rep(2^20)):rep(2^31 - 1)"),
                        "error: not enough memory");
    assert_true(r->peak <= 8 << 20);
    assert_string_equal(rig_run(r, "return #('x'):rep(2^20)"), "1048576");
    rig_close(r);
}

TEST(lib_string, a_doubling_string_meets_the_cap)
{
    struct lua_rig *r = rig_open();
    r->cap = 8 << 20;
    assert_string_equal(rig_run(r, "local s = 'x' while true do s = s:rep(2) end"),
                        "error: not enough memory");
    assert_true(r->peak <= 8 << 20);
    rig_close(r);
}

TEST(lib_string, rep_can_be_stopped)
{
    rig_stops("return ('ab'):rep(30000000)");
}

TEST(lib_string, dump_never_hands_out_bytecode)
{
    rig_answers((const struct rig_answer[]){
        {"return string.dump(function() end)", "error: test:1: unable to dump given function"},
        {"return string.dump(1)",
         "error: test:1: bad argument #1 to 'dump' (function expected, got number)"},
        {NULL, NULL},
    });
}

TEST(lib_string, format_prints_as_c_does)
{
    rig_answers((const struct rig_answer[]){
        {"return ('%d|%5d|%-5d|%05d|%+d'):format(42, 42, 42, 42, 42)", "42|   42|42   |00042|+42"},
        {"return ('%d'):format(2^53), ('%d'):format(-1.9)", "9007199254740992 -1"},
        {"return ('%d'):format(1/0), ('%d'):format(0/0)",
         "-9223372036854775808 -9223372036854775808"},
        {"return ('%u'):format(-1), ('%u'):format(2^63), ('%u'):format(2^64)",
         "18446744073709551615 9223372036854775808 0"},
        {"return ('%x %X %#x %o'):format(255, 255, 255, 8)", "ff FF 0xff 10"},
        {"return ('%.3f %e %g'):format(1/3, 12345, 1e20)", "0.333 1.234500e+04 1e+20"},
        {"return ('%c%c'):format(72, 105), #('%c'):format(0)", "Hi 0"},
        {"return ('%s %10s|%-5s|%.2s'):format('a', 'b', 'c', 'defg')", "a          b|c    |de"},
        {"return #('%s'):format('a\\0b'), #('%s'):format(('a\\0'):rep(50))", "1 100"},
        {"return ('%q'):format('a\"b\\\\c\\n\\r\\0')", "\"a\\\"b\\\\c\\\n\\r\\000\""},
        {"return ('100%%'):format()", "100%"},
        {NULL, NULL},
    });
}

TEST(lib_string, format_refuses_wide_and_odd_items)
{
    rig_answers((const struct rig_answer[]){
        {"return ('%100d'):format(1)",
         "error: test:1: invalid format (width or precision too long)"},
        {"return ('%.100f'):format(1)",
         "error: test:1: invalid format (width or precision too long)"},
        {"return ('%-+ #0-d'):format(1)", "error: test:1: invalid format (repeated flags)"},
        {"return ('%y'):format(1)", "error: test:1: invalid option '%y' to 'format'"},
        {"return ('%n'):format(1)", "error: test:1: invalid option '%n' to 'format'"},
        {"return ('%'):format(1)", "error: test:1: invalid option '%' to 'format'"},
        {"return ('%*d'):format(1, 2)", "error: test:1: invalid option '%*' to 'format'"},
        {"return ('%d'):format()", "error: test:1: bad argument #1 to 'format' (no value)"},
        {"return string.format('%d', 'x')",
         "error: test:1: bad argument #2 to 'format' (number expected, got string)"},
        {"return #('%99.99f'):format(1e308), #('%-99.99f'):format(-1e308)", "409 410"},
        {NULL, NULL},
    });
}

TEST(lib_string, format_can_be_stopped)
{
    rig_stops("return ('x'):rep(1000000):format()");
}
