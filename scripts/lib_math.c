/*
 * Lua's math library, with a random sequence that is the same in every run: drand48's, seeded with
 * zero when a script begins. And os, of which only clock is left.
 */
#include "scripts/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>

#define RANDOM_MAX 0x7fffffff

static int32_t next_random(struct script_host *h)
{
    h->random = (h->random * 0x5deece66dULL + 0xb) & 0xffffffffffffULL;
    return (int32_t)(h->random >> 17);
}

void math_seed(struct script_host *h, int32_t seed)
{
    h->random = ((uint64_t)(uint32_t)seed << 16) + 0x330e;
}

static int math_random(lua_State *L)
{
    double r = (double)(next_random(host_of(L)) % RANDOM_MAX) / RANDOM_MAX;
    switch (lua_gettop(L)) {
    case 0: lua_pushnumber(L, r); return 1;
    case 1: {
        int high = luaL_checkint(L, 1);
        luaL_argcheck(L, 1 <= high, 1, "interval is empty");
        lua_pushnumber(L, floor(r * high) + 1);
        return 1;
    }
    case 2: {
        int low = luaL_checkint(L, 1), high = luaL_checkint(L, 2);
        luaL_argcheck(L, low <= high, 2, "interval is empty");
        lua_pushnumber(L, floor(r * ((double)high - low + 1)) + low);
        return 1;
    }
    default: return luaL_error(L, "wrong number of arguments");
    }
}

static int math_randomseed(lua_State *L)
{
    math_seed(host_of(L), luaL_checkint(L, 1));
    return 0;
}

void lib_math_open(lua_State *L)
{
    static const luaL_Reg own[] = {
        {"random", math_random},
        {"randomseed", math_randomseed},
        {NULL, NULL},
    };
    lua_pushcfunction(L, luaopen_math);
    lua_call(L, 0, 1);
    luaL_register(L, NULL, own);
}

static int os_clock(lua_State *L)
{
    struct script_host *h = host_of(L);
    lua_pushnumber(L, h->ops->clock(h->run->ctx));
    return 1;
}

void lib_os_open(lua_State *L)
{
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, os_clock);
    lua_setfield(L, -2, "clock");
}
