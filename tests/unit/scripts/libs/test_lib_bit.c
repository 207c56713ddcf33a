#include "tests/unit/scripts/libs/lua_rig.h"

TEST(lib_bit, works_on_32_bits)
{
    rig_answers((const struct rig_answer[]){
        {"return bit.tobit(0xffffffff), bit.tobit(2^32 + 1), bit.tobit(0x80000000)",
         "-1 1 -2147483648"},
        {"return bit.bnot(0), bit.band(0xff, 0x0f, 3), bit.bor(1, 2, 4), bit.bxor(5, 1)",
         "-1 3 7 4"},
        {"return bit.lshift(1, 31), bit.lshift(1, 32), bit.rshift(-1, 28), bit.arshift(-16, 2)",
         "-2147483648 1 15 -4"},
        {"return bit.rol(0x12345678, 12), bit.ror(0x12345678, 12), bit.rol(1, 32)",
         "1164411171 1736516421 1"},
        {"return bit.bswap(0x12345678), bit.tobit(1.5), bit.tobit(2.5), bit.tobit('7')",
         "2018915346 2 2 7"},
        {"return bit.tobit(1/0), bit.tobit(0/0), bit.tobit(2^52)", "0 0 0"},
        {"return bit.band()",
         "error: test:1: bad argument #1 to 'band' (number expected, got no value)"},
        {NULL, NULL},
    });
}

TEST(lib_bit, tohex_takes_any_count_of_digits)
{
    rig_answers((const struct rig_answer[]){
        {"return bit.tohex(255), bit.tohex(255, 2), bit.tohex(255, -4), bit.tohex(255, 0)",
         "000000ff ff 00FF "},
        {"return bit.tohex(-1, 100), bit.tohex(-1, -100)", "ffffffff FFFFFFFF"},
        {"return bit.tohex(255, -2147483648), bit.tohex(-2147483648)", "000000FF 80000000"},
        {"return bit.tohex(255, 2147483647), bit.tohex(255, -2147483647)", "000000ff 000000FF"},
        {"return bit.tohex(255, 2^31), bit.tohex(255, 0/0)", "000000FF "},
        {NULL, NULL},
    });
}
