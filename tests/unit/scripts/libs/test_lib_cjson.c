#include "tests/unit/scripts/libs/lua_rig.h"

TEST(lib_cjson, encodes)
{
    rig_answers((const struct rig_answer[]){
        {"return cjson.encode({1, 'a', true, cjson.null, {x = 1.5}})",
         "[1,\"a\",true,null,{\"x\":1.5}]"},
        {"return cjson.encode({}), cjson.encode(nil), cjson.encode({1, nil, 3})",
         "{} null [1,null,3]"},
        {"return cjson.encode('a\"\\\\/\\b\\f\\n\\r\\t\\v\\0\\127\\255')",
         "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u000b\\u0000\\u007f\377\""},
        {"return cjson.encode(1e15), cjson.encode(0.1), cjson.encode(2^53), cjson.encode(-0)",
         "1e+15 0.1 9.007199254741e+15 -0"},
        {"return cjson.encode({[1.5] = 1}), cjson.encode({[2^40] = 1})",
         "{\"1.5\":1} {\"1099511627776\":1}"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, refuses_what_json_has_not)
{
    rig_answers((const struct rig_answer[]){
        {"return cjson.encode(print)",
         "error: test:1: Cannot serialise function: type not supported"},
        {"return cjson.encode({[true] = 1})",
         "error: test:1: Cannot serialise boolean: table key must be a number or string"},
        {"return cjson.encode(0/0)",
         "error: test:1: Cannot serialise number: must not be NaN or Inf"},
        {"return cjson.encode({[11] = 1})",
         "error: test:1: Cannot serialise table: excessively sparse array"},
        {"return cjson.encode()",
         "error: test:1: bad argument #1 to 'encode' (expected 1 argument)"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, decodes)
{
    rig_answers((const struct rig_answer[]){
        {"local t = cjson.decode(' {\"a\" : [1, -2.5e1, true, null], \"b\" : \"c\"} ') "
         "return t.a[1], t.a[2], t.a[3], t.a[4] == cjson.null, t.b",
         "1 -25 true true c"},
        {"return cjson.decode('\"\\\\u0041\\\\u00e9\\\\u20ac\\\\ud83d\\\\ude00\\\\n\\\\/\"')",
         "A\303\251\342\202\254\360\237\230\200\n/"},
        {"return cjson.decode('0x10'), cjson.decode('inf'), cjson.decode('[007]')[1]", "16 inf 7"},
        {"return #cjson.decode('\"' .. ('\\\\n'):rep(5000) .. '\"')", "5000"},
        {"return cjson.decode('1\\0 2')",
         "error: test:1: JSON parser does not support UTF-16 or UTF-32"},
        {"return cjson.decode('12\\0 3')", "12"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, says_where_the_text_is_wrong)
{
    rig_answers((const struct rig_answer[]){
        {"cjson.decode('')", "error: test:1: Expected value but found T_END at character 1"},
        {"cjson.decode('[1,]')",
         "error: test:1: Expected value but found T_ARR_END at character 4"},
        {"cjson.decode('[1 2]')",
         "error: test:1: Expected comma or array end but found T_NUMBER at character 4"},
        {"cjson.decode('{1:2}')",
         "error: test:1: Expected object key string but found T_NUMBER at character 2"},
        {"cjson.decode('{\"a\" 1}')",
         "error: test:1: Expected colon but found T_NUMBER at character 6"},
        {"cjson.decode('\"abc')",
         "error: test:1: Expected value but found unexpected end of string at character 5"},
        {"cjson.decode('\"\\\\u12\"')",
         "error: test:1: Expected value but found invalid unicode escape code at character 2"},
        {"cjson.decode('\"\\\\')",
         "error: test:1: Expected value but found invalid escape code at character 2"},
        {"cjson.decode('\"\\\\ud83d')",
         "error: test:1: Expected value but found invalid unicode escape code at character 2"},
        {"cjson.decode('-')",
         "error: test:1: Expected value but found invalid number at character 1"},
        {"cjson.decode('1 x')",
         "error: test:1: Expected the end but found invalid token at character 3"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, nesting_has_a_limit_both_ways)
{
    rig_answers((const struct rig_answer[]){
        {"local t = {} for i = 1, 999 do t = {t} end return #cjson.encode(t)", "2000"},
        {"local t = {} for i = 1, 1000 do t = {t} end return cjson.encode(t)",
         "error: test:1: Cannot serialise, excessive nesting (1001)"},
        {"local t = {} t.t = t return cjson.encode(t)",
         "error: test:1: Cannot serialise, excessive nesting (1001)"},
        {"return cjson.decode(('['):rep(1001) .. (']'):rep(1001))",
         "error: test:1: Found too many nested data structures (1001) at character 1001"},
        {"cjson.decode_max_depth(2^31 - 1) return cjson.decode(('['):rep(1000000))",
         "error: test:1: Found too many nested data structures (3001) at character 3001"},
        {"cjson.encode_max_depth(2^31 - 1) local t = {} t.t = t return cjson.encode(t)",
         "error: test:1: Cannot serialise, excessive nesting (3001)"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, settings_can_be_changed_and_read)
{
    rig_answers((const struct rig_answer[]){
        {"return cjson.encode_sparse_array()", "false 2 10"},
        {"return cjson.encode_max_depth(), cjson.decode_max_depth(5), "
         "cjson.encode_number_precision(3)",
         "1000 5 3"},
        {"return cjson.encode_invalid_numbers('null'), cjson.decode_invalid_numbers(false)",
         "null false"},
        {"cjson.encode_invalid_numbers(true) return cjson.encode({0/0, 1/0, -1/0})",
         "[nan,inf,-inf]"},
        {"cjson.encode_sparse_array(true) return cjson.encode({[20] = 1})", "{\"20\":1}"},
        {"cjson.encode_number_precision(3) return cjson.encode(1/3)", "0.333"},
        {"local own = cjson.new() own.encode_max_depth(7) "
         "return own.encode_max_depth(), cjson.encode_max_depth()",
         "7 1000"},
        {"cjson.encode_number_precision(15)",
         "error: test:1: bad argument #1 to 'encode_number_precision' "
         "(expected integer between 1 and 14)"},
        {"cjson.encode_max_depth(1, 2)",
         "error: test:1: bad argument #2 to 'encode_max_depth' (found too many arguments)"},
        {NULL, NULL},
    });
}

TEST(lib_cjson, settings_do_not_outlive_a_reset)
{
    struct lua_rig *r = rig_open();
    rig_run(r, "cjson.encode_sparse_array(true, 5, 7) cjson.encode_max_depth(1) "
               "cjson.decode_max_depth(1) cjson.encode_number_precision(1) "
               "cjson.encode_keep_buffer(false) cjson.encode_invalid_numbers('null') "
               "cjson.decode_invalid_numbers(false)");
    lib_cjson_reset(r->cjson);
    assert_string_equal(rig_run(r,
                                "local a, b, c = cjson.encode_sparse_array() return a, b, c, "
                                "cjson.encode_max_depth(), cjson.decode_max_depth(), "
                                "cjson.encode_number_precision(), cjson.encode_keep_buffer(), "
                                "cjson.encode_invalid_numbers(), cjson.decode_invalid_numbers()"),
                        "false 2 10 1000 1000 14 true false true");
    rig_close(r);
}

TEST(lib_cjson, output_meets_the_cap)
{
    static const char *const bombs[] = {
        "cjson.encode_sparse_array(false, 0) return cjson.encode({[2^31 - 1] = 1})",
        "local s = ('\\0'):rep(2^20) return cjson.encode({s, s, s, s})",
        "local t = {} for i = 1, 20 do t = {t, t} end return cjson.encode(t)",
        "return cjson.decode('[' .. ('[],'):rep(2^18) .. '1]')",
    };
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        struct lua_rig *r = rig_open();
        r->cap = 8 << 20;
        assert_string_equal(rig_run(r, bombs[i]), "error: not enough memory");
        assert_true(r->peak <= 8 << 20);
        rig_close(r);
    }
}

TEST(lib_cjson, long_work_can_be_stopped)
{
    rig_stops("cjson.encode_sparse_array(false, 0) return cjson.encode({[2^31 - 1] = 1})");
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end return cjson.encode(t)");
    rig_stops("local t = {} for i = 1, 2^17 do t['k' .. i] = i end return cjson.encode(t)");
    rig_stops("local t, s = {}, ('x'):rep(8 * 4096) for i = 1, 20 do t[i] = s end cjson.encode(t)");
    rig_stops("return cjson.encode(('\\0'):rep(2^17))");
    rig_stops("return cjson.decode('[' .. ('1,'):rep(2^17) .. '1]')");
    rig_stops("return cjson.decode((' '):rep(2^17) .. '1')");
    rig_stops("return cjson.decode('\"' .. ('\\\\n'):rep(2^17) .. '\"')");
}
