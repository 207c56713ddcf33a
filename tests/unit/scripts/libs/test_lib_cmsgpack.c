#include "tests/unit/scripts/libs/lua_rig.h"

#define HEX                                                                                        \
    "local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) "      \
    "end)) end "

TEST(lib_cmsgpack, packs)
{
    rig_answers((const struct rig_answer[]){
        {HEX "return hex(cmsgpack.pack(nil, true, false, 'abc'))", "c0c3c2a3616263"},
        {HEX "return hex(cmsgpack.pack(127, 128, 256, 65536, 2^32))",
         "7fcc80cd0100ce00010000cf0000000100000000"},
        {HEX "return hex(cmsgpack.pack(-32, -33, -129, -32769, -2^31 - 1))",
         "e0d0dfd1ff7fd2ffff7fffd3ffffffff7fffffff"},
        {HEX "return hex(cmsgpack.pack(1.5, 0.1, 2^63, 1/0))",
         "ca3fc00000cb3fb999999999999aca5f000000ca7f800000"},
        {HEX "return hex(cmsgpack.pack({1, 2}, {a = 1}, {}, {[3] = 1}))", "92010281a161019081"
                                                                          "0301"},
        {HEX "local t = {} for i = 1, 20 do t = {t} end return hex(cmsgpack.pack(t))",
         "91919191919191919191919191919191c0"},
        {"local t = {} t.t = t return #cmsgpack.pack(t)", "49"},
        {"return cmsgpack.pack()",
         "error: test:1: bad argument #0 to 'pack' (MessagePack pack needs input.)"},
        {NULL, NULL},
    });
}

TEST(lib_cmsgpack, unpacks_what_it_packed)
{
    rig_answers((const struct rig_answer[]){
        {"return cmsgpack.unpack(cmsgpack.pack(nil, true, 1, -1, 1.5, 0.1, 'a', ('b'):rep(40)))",
         "nil true 1 -1 1.5 0.1 a bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
        {"local t = cmsgpack.unpack(cmsgpack.pack({1, {x = 'y'}, 'z'})) return t[1], t[2].x, t[3], "
         "#t",
         "1 y z 3"},
        {"return #cmsgpack.unpack(cmsgpack.pack(('x'):rep(70000)))", "70000"},
        {"return cmsgpack.unpack('\\207\\255\\255\\255\\255\\255\\255\\255\\255')", "-1"},
        {NULL, NULL},
    });
}

TEST(lib_cmsgpack, unpacks_in_portions)
{
    rig_answers((const struct rig_answer[]){
        {"return cmsgpack.unpack_one('\\1\\2\\3'), cmsgpack.unpack_one('\\1\\2\\3', 2)", "1 -1 3"},
        {"return cmsgpack.unpack_limit('\\1\\2\\3', 2)", "2 1 2"},
        {"return cmsgpack.unpack_limit('\\1\\2\\3', 10, 1)", "-1 2 3"},
        {"return cmsgpack.unpack_limit('\\1\\2\\3', 2^62, 0)", "-1 1 2 3"},
        {"return cmsgpack.unpack_one('')", "-1"},
        {"return cmsgpack.unpack_one('\\1', 2)",
         "error: test:1: Start offset 2 greater than input length 1."},
        {"return cmsgpack.unpack_one('\\1', -1)",
         "error: test:1: Invalid request to unpack with offset of -1 and limit of 1."},
        {"return cmsgpack.unpack_limit('\\1', -2^63, 2^62)",
         "error: test:1: Invalid request to unpack with offset of 0 and limit of 1."},
        {"return cmsgpack.unpack_one('\\1', -2^63)",
         "error: test:1: Invalid request to unpack with offset of 0 and limit of 1."},
        {NULL, NULL},
    });
}

TEST(lib_cmsgpack, believes_no_announced_size)
{
    static const char missing[] = "error: test:1: Missing bytes in input.";
    rig_answers((const struct rig_answer[]){
        {"return cmsgpack.unpack('\\219\\255\\255\\255\\255')", missing},
        {"return cmsgpack.unpack('\\221\\255\\255\\255\\255')", missing},
        {"return cmsgpack.unpack('\\223\\255\\255\\255\\255')", missing},
        {"return cmsgpack.unpack('\\223\\255\\255\\255\\255\\1')", missing},
        {"return cmsgpack.unpack('\\207\\1')", missing},
        {"return cmsgpack.unpack('\\193')", "error: test:1: Bad data format in input."},
        {"return cmsgpack.unpack('\\196\\1a')", "error: test:1: Bad data format in input."},
        {"return cmsgpack.unpack('\\129\\192\\1')", "error: table index is nil"},
        {"return cmsgpack.unpack('\\129\\202\\127\\192\\0\\0\\1')", "error: table index is NaN"},
        {NULL, NULL},
    });
}

TEST(lib_cmsgpack, nests_only_as_deep_as_the_stack)
{
    rig_answers((const struct rig_answer[]){
        {"return type(cmsgpack.unpack(('\\145'):rep(3000) .. '\\1'))", "table"},
        {"return cmsgpack.unpack(('\\145'):rep(1000000))",
         "error: test:1: stack overflow (in function mp_decode_to_lua_array)"},
        {"return cmsgpack.unpack(('\\129'):rep(1000000))",
         "error: test:1: stack overflow (too many return values at once; use unpack_one or "
         "unpack_limit instead.)"},
        {"return cmsgpack.unpack(('\\1'):rep(100000))",
         "error: test:1: stack overflow (too many return values at once; use unpack_one or "
         "unpack_limit instead.)"},
        {NULL, NULL},
    });
}

TEST(lib_cmsgpack, a_table_of_tables_meets_the_cap)
{
    static const char *const bombs[] = {
        "local t = 'x' for i = 1, 16 do t = {t, t, t, t} end return cmsgpack.pack(t)",
        "return cmsgpack.unpack('\\221\\255\\255\\255\\255' .. ('\\144'):rep(2^18))",
        "local s = ('x'):rep(2^21) return cmsgpack.pack(s, s, s, s)",
    };
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        struct lua_rig *r = rig_open();
        r->cap = 8 << 20;
        assert_string_equal(rig_run(r, bombs[i]), "error: not enough memory");
        assert_true(r->peak <= 8 << 20);
        rig_close(r);
    }
}

TEST(lib_cmsgpack, long_work_can_be_stopped)
{
    rig_stops("local t = {} for i = 1, 2^17 do t[i] = i end return cmsgpack.pack(t)");
    rig_stops("local t = 'x' for i = 1, 16 do t = {t, t, t, t} end return cmsgpack.pack(t)");
    rig_stops("return cmsgpack.unpack('\\221\\0\\2\\0\\0' .. ('\\1'):rep(2^17))");
}
