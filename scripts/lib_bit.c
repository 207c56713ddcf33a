/* Bit operations on 32-bit integers; results are signed. */
#include "scripts/libs.h"

#include <lauxlib.h>
#include <stdint.h>
#include <string.h>

/*
 * The low 32 bits of the nearest integer. Adding 1.5 * 2^52 makes the processor round, and leaves
 * the integer in the low half of the double.
 */
static uint32_t check_bits(lua_State *L, int arg)
{
    double d = luaL_checknumber(L, arg) + 0x1.8p52;
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return (uint32_t)bits;
}

static int push_bits(lua_State *L, uint32_t bits)
{
    lua_pushnumber(L, (int32_t)bits);
    return 1;
}

static uint32_t rotate(uint32_t bits, uint32_t left)
{
    return bits << (left & 31) | bits >> (-left & 31);
}

static int bit_tobit(lua_State *L)
{
    return push_bits(L, check_bits(L, 1));
}

static int bit_bnot(lua_State *L)
{
    return push_bits(L, ~check_bits(L, 1));
}

static int bit_band(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    for (int i = lua_gettop(L); i > 1; i--)
        bits &= check_bits(L, i);
    return push_bits(L, bits);
}

static int bit_bor(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    for (int i = lua_gettop(L); i > 1; i--)
        bits |= check_bits(L, i);
    return push_bits(L, bits);
}

static int bit_bxor(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    for (int i = lua_gettop(L); i > 1; i--)
        bits ^= check_bits(L, i);
    return push_bits(L, bits);
}

static int bit_lshift(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    return push_bits(L, bits << (check_bits(L, 2) & 31));
}

static int bit_rshift(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    return push_bits(L, bits >> (check_bits(L, 2) & 31));
}

static int bit_arshift(lua_State *L)
{
    int32_t bits = (int32_t)check_bits(L, 1);
    return push_bits(L, (uint32_t)(bits >> (check_bits(L, 2) & 31)));
}

static int bit_rol(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    return push_bits(L, rotate(bits, check_bits(L, 2)));
}

static int bit_ror(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    return push_bits(L, rotate(bits, -check_bits(L, 2)));
}

static int bit_bswap(lua_State *L)
{
    return push_bits(L, __builtin_bswap32(check_bits(L, 1)));
}

/* A negative count of digits asks for capitals; the most negative one has no positive twin. */
static int bit_tohex(lua_State *L)
{
    uint32_t bits = check_bits(L, 1);
    int32_t n = lua_isnone(L, 2) ? 8 : (int32_t)check_bits(L, 2);
    const char *digits = n < 0 ? "0123456789ABCDEF" : "0123456789abcdef";
    if (n < -8 || n > 8)
        n = 8;
    if (n < 0)
        n = -n;
    char text[8];
    for (int32_t i = n; i-- > 0; bits >>= 4)
        text[i] = digits[bits & 15];
    lua_pushlstring(L, text, (size_t)n);
    return 1;
}

void lib_bit_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"arshift", bit_arshift},
        {"band", bit_band},
        {"bnot", bit_bnot},
        {"bor", bit_bor},
        {"bswap", bit_bswap},
        {"bxor", bit_bxor},
        {"lshift", bit_lshift},
        {"rol", bit_rol},
        {"ror", bit_ror},
        {"rshift", bit_rshift},
        {"tobit", bit_tobit},
        {"tohex", bit_tohex},
        {NULL, NULL},
    };
    lua_newtable(L);
    luaL_register(L, NULL, functions);
}
