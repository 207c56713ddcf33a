#include "tests/unit/scripts/libs/lua_rig.h"

/* Shows bytes as hexadecimal digits. */
#define HEX                                                                                        \
    "local function hex(s) return (s:gsub('.', function(c) return ('%02x'):format(c:byte()) "      \
    "end)) end "

TEST(lib_struct, packs)
{
    rig_answers((const struct rig_answer[]){
        {HEX "return hex(struct.pack('bBhH', -1, 255, -2, 65535))", "fffffeffffff"},
        {HEX "return hex(struct.pack('>i<i', 1, 1))", "0000000101000000"},
        {HEX "return hex(struct.pack('>i3I3', -1, 1))", "ffffff000001"},
        {HEX "return hex(struct.pack('>i16', -2))", "0000000000000000fffffffffffffffe"},
        {HEX "return hex(struct.pack('>fd', 1.5, 1.5))", "3fc000003ff8000000000000"},
        {HEX "return hex(struct.pack('sc2c0', 'a', 'bcd', 'ef'))", "610062636566"},
        {HEX "return hex(struct.pack('!4bi!8xl', 1, 2, 3))",
         "0100000002000000000000000000000003000000"
         "00000000"},
        {HEX "return hex(struct.pack('>l', 2^63)), hex(struct.pack('>l', 1/0))",
         "8000000000000000 0000000000000000"},
        {"return struct.pack('c5', 'abc')",
         "error: test:1: bad argument #3 to 'pack' (string too short)"},
        {"return struct.pack('i')",
         "error: test:1: bad argument #2 to 'pack' (number expected, got nil)"},
        {NULL, NULL},
    });
}

TEST(lib_struct, unpacks)
{
    rig_answers((const struct rig_answer[]){
        {"return struct.unpack('bB', '\\255\\255')", "-1 255 3"},
        {"return struct.unpack('>i3', '\\255\\255\\254'), struct.unpack('<I3', '\\1\\2\\3')",
         "-2 197121 4"},
        {"return struct.unpack('>fd', struct.pack('>fd', 1.5, -2.5))", "1.5 -2.5 13"},
        {"return struct.unpack('sBc0', 'ab\\0\\2xyz')", "ab xy 7"},
        {"return struct.unpack('b', 'abc', 3)", "99 4"},
        {"return struct.unpack('i32', ('\\1'):rep(32)) > 0, struct.unpack('i0', '')", "true 0 1"},
        {"return struct.unpack('s', 'abc')", "error: test:1: unfinished string in data"},
        {"return struct.unpack('c0', 'abc')", "error: test:1: format 'c0' needs a previous size"},
        {NULL, NULL},
    });
}

TEST(lib_struct, measures)
{
    rig_answers((const struct rig_answer[]){
        {"return struct.size('bhilT'), struct.size('!8bd'), struct.size('c10x')", "23 16 11"},
        {"return struct.size('s')",
         "error: test:1: bad argument #1 to 'size' (option 's' has no fixed size)"},
        {"return struct.size(('c2147483647'):rep(1000))", "2147483647000"},
        {NULL, NULL},
    });
}

TEST(lib_struct, sizes_do_not_overflow)
{
    static const char overflow[] = "error: test:1: integral size overflow";
    static const char short_data[] =
        "error: test:1: bad argument #2 to 'unpack' (data string too short)";
    rig_answers((const struct rig_answer[]){
        {"return struct.pack('i2147483648', 1)", overflow},
        {"return struct.pack('c99999999999999999999999', 'a')", overflow},
        {"return struct.pack('!18446744073709551617i', 1)", overflow},
        {"return struct.pack('i33', 1)",
         "error: test:1: integral size 33 is larger than limit of 32"},
        {"return struct.pack('!3i', 1)", "error: test:1: alignment 3 is not a power of 2"},
        {"return struct.unpack('i', 'abc')", short_data},
        {"return struct.unpack('c2147483647', 'abc')", short_data},
        {"return struct.unpack('b', 'abc', 2^62)", short_data},
        {"return struct.unpack('b', 'abc', -1)", short_data},
        {"return struct.unpack('b', 'abc', -2^63)", short_data},
        {"return struct.unpack('s', 'abc', 5)", short_data},
        {"return struct.unpack('!8bl', 'abcdefgh', -1)", short_data},
        {"return struct.unpack('b', 'abc', 0)",
         "error: test:1: bad argument #3 to 'unpack' (offset must be 1 or greater)"},
        {"return struct.unpack('dc0', struct.pack('d', 2^63) .. 'abc')", short_data},
        {"return struct.unpack('dc0', struct.pack('d', -1) .. 'abc')", short_data},
        {"return struct.unpack('dc0', struct.pack('d', 0/0) .. 'abc')", short_data},
        {NULL, NULL},
    });
}

TEST(lib_struct, has_no_more_results_than_the_stack_holds)
{
    rig_answers((const struct rig_answer[]){
        {"return struct.unpack(('b'):rep(100000), ('x'):rep(100000))",
         "error: test:1: stack overflow (too many results)"},
        {NULL, NULL},
    });
}

TEST(lib_struct, long_formats_can_be_stopped)
{
    rig_stops("return struct.pack(('x'):rep(100000))");
    rig_stops("return struct.unpack(('x'):rep(100000), ('x'):rep(100000))");
    rig_stops("return struct.size((' '):rep(100000))");
}
