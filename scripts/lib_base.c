/*
 * The base functions. Those of Lua that are safe are taken as they are; the others are our own,
 * because Lua's can be made to corrupt memory (unpack, load), can catch what must not be caught
 * (pcall, xpcall), or go past the read-only views (rawset, setmetatable, next).
 */
#include "scripts/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

static const char *const stock[] = {
    "assert", "error",    "gcinfo",   "ipairs", "rawequal",
    "select", "tonumber", "tostring", "type",   "_VERSION",
};

/* Only what cannot disturb the host does something; the rest answers as Lua would. */
static int base_collectgarbage(lua_State *L)
{
    static const char *const options[] = {"stop", "restart",  "collect",    "count",
                                          "step", "setpause", "setstepmul", NULL};
    enum { STOP, RESTART, COLLECT, COUNT, STEP, SETPAUSE, SETSTEPMUL };
    int option = luaL_checkoption(L, 1, "collect", options);
    luaL_optinteger(L, 2, 0);
    script_check(L);
    switch (option) {
    case COUNT: lua_pushnumber(L, (lua_Number)host_of(L)->pool.used / 1024); return 1;
    case STEP: lua_pushboolean(L, 0); return 1;
    case SETPAUSE:
    case SETSTEPMUL: lua_pushinteger(L, 200); return 1;
    case COLLECT: lua_gc(L, LUA_GCCOLLECT, 0); break;
    default: break;
    }
    lua_pushinteger(L, 0);
    return 1;
}

static int base_getmetatable(lua_State *L)
{
    luaL_checkany(L, 1);
    if (sandbox_metatable(L, 1))
        return 1;
    if (!lua_getmetatable(L, 1))
        lua_pushnil(L);
    else
        luaL_getmetafield(L, 1, "__metatable");
    return 1;
}

static int base_setmetatable(lua_State *L)
{
    int type = lua_type(L, 2);
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argcheck(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table expected");
    if (script_readonly(L, 1))
        return sandbox_refuse(L);
    if (luaL_getmetafield(L, 1, "__metatable"))
        return luaL_error(L, "cannot change a protected metatable");
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

/* Puts the table behind a view in the view's place. */
static void look_through(lua_State *L)
{
    if (sandbox_behind(L, 1))
        lua_replace(L, 1);
}

static int base_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    look_through(L);
    if (lua_next(L, 1))
        return 2;
    lua_pushnil(L);
    return 1;
}

/* The upvalue is next. */
static int base_pairs(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

static int base_rawget(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    look_through(L);
    lua_rawget(L, 1);
    return 1;
}

static int base_rawset(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checkany(L, 2);
    luaL_checkany(L, 3);
    if (script_readonly(L, 1))
        return sandbox_refuse(L);
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 1;
}

static int base_unpack(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    int first = luaL_optint(L, 2, 1);
    int last = lua_isnoneornil(L, 3) ? (int)lua_objlen(L, 1) : luaL_checkint(L, 3);
    if (first > last)
        return 0;
    int64_t n = (int64_t)last - first + 1;
    if (n > INT16_MAX || !lua_checkstack(L, (int)n))
        return luaL_error(L, "too many results to unpack");
    for (int64_t i = first; i <= last; i++)
        lua_rawgeti(L, 1, (int)i);
    return (int)n;
}

/* ---- protected calls ---- */

static void raise_again_if_stopped(lua_State *L)
{
    if (host_of(L)->stopped != SCRIPT_GO_ON)
        lua_error(L);
}

/* As in Redis, an error table gives way to its message; one without a message stays, and the
 * message that is not there comes along as a third result. */
static int base_pcall(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1);
    lua_insert(L, 1);
    if (lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0) == 0)
        return lua_gettop(L);

    raise_again_if_stopped(L);
    if (lua_istable(L, -1)) {
        lua_getfield(L, -1, "err");
        if (lua_isstring(L, -1))
            lua_replace(L, -2);
    }
    lua_pushboolean(L, 0);
    lua_replace(L, 1);
    return lua_gettop(L);
}

/* Stands between an error and the script's own handler: a script that has to stop does not get to
 * run its handler, where no hook would reach it. */
static int call_handler(lua_State *L)
{
    if (host_of(L)->stopped != SCRIPT_GO_ON)
        return 1;
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, 1, 1);
    return 1;
}

static int base_xpcall(lua_State *L)
{
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    lua_pushcclosure(L, call_handler, 1);
    lua_insert(L, 1);
    int status = lua_pcall(L, 0, LUA_MULTRET, 1);
    if (status != 0)
        raise_again_if_stopped(L);
    lua_pushboolean(L, status == 0);
    lua_replace(L, 1);
    return lua_gettop(L);
}

/* ---- compiling ---- */

struct text {
    const char *p;
    size_t n;
    bool guard; /* a blank goes first, so that nothing is taken for a binary chunk */
};

static const char *read_text(lua_State *L, void *ud, size_t *n)
{
    (void)L;
    struct text *t = ud;
    if (t->guard) {
        t->guard = false;
        *n = 1;
        return " ";
    }
    *n = t->n;
    t->n = 0;
    return *n ? t->p : NULL;
}

int host_compile(lua_State *L, int text, size_t skip, int name)
{
    size_t n;
    const char *p = lua_tolstring(L, text, &n);
    struct text t = {p + skip, n - skip, .guard = n > skip && p[skip] == *LUA_SIGNATURE};
    return lua_load(L, read_text, &t, lua_tostring(L, name));
}

/* The text at 1, the chunk's name at 2; both stay there until the compiler is done with them. */
static int load_text(lua_State *L)
{
    script_check(L);
    if (lua_objlen(L, 1) > host_of(L)->limits.body) {
        lua_pushnil(L);
        lua_pushliteral(L, "chunk is too long");
        return 2;
    }
    if (host_compile(L, 1, 0, 2) == 0)
        return 1;
    lua_pushnil(L);
    lua_insert(L, -2);
    return 2;
}

static int base_loadstring(lua_State *L)
{
    luaL_checkstring(L, 1);
    luaL_optstring(L, 2, "");
    if (lua_isnoneornil(L, 2)) {
        lua_settop(L, 1);
        lua_pushvalue(L, 1);
    }
    return load_text(L);
}

/* The pieces are collected first; more than a script may have are not asked for. */
static int collect_pieces(lua_State *L)
{
    size_t left = host_of(L)->limits.body;
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (;;) {
        lua_pushvalue(L, 1);
        lua_call(L, 0, 1);
        script_check(L);
        if (lua_isnil(L, -1))
            break;
        if (!lua_isstring(L, -1)) {
            luaL_where(L, 2);
            lua_pushliteral(L, "reader function must return a string");
            lua_concat(L, 2);
            return lua_error(L);
        }
        size_t n = lua_objlen(L, -1);
        if (n == 0)
            break;
        luaL_addvalue(&b);
        if (n > left) {
            luaL_pushresult(&b);
            return 1;
        }
        left -= n;
    }
    lua_pop(L, 1);
    luaL_pushresult(&b);
    return 1;
}

static int base_load(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    luaL_optstring(L, 2, "");
    lua_settop(L, 2);
    lua_pushcfunction(L, collect_pieces);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) != 0) {
        raise_again_if_stopped(L);
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    lua_replace(L, 1);
    if (lua_isnil(L, 2)) {
        lua_pushliteral(L, "=(load)");
        lua_replace(L, 2);
    }
    return load_text(L);
}

static const luaL_Reg own[] = {
    {"collectgarbage", base_collectgarbage},
    {"getmetatable", base_getmetatable},
    {"setmetatable", base_setmetatable},
    {"next", base_next},
    {"rawget", base_rawget},
    {"rawset", base_rawset},
    {"unpack", base_unpack},
    {"pcall", base_pcall},
    {"xpcall", base_xpcall},
    {"load", base_load},
    {"loadstring", base_loadstring},
    {NULL, NULL},
};

/* Lua's own base library ends up in the thread's globals, where the coroutine library also picks
 * from it, and goes away when the environment of the scripts takes their place. */
void lib_base_open(lua_State *L)
{
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 0);
    lua_newtable(L);
    for (size_t i = 0; i < sizeof stock / sizeof *stock; i++) {
        lua_getfield(L, LUA_GLOBALSINDEX, stock[i]);
        lua_setfield(L, -2, stock[i]);
    }
    luaL_register(L, NULL, own);
    lua_getfield(L, -1, "next");
    lua_pushcclosure(L, base_pairs, 1);
    lua_setfield(L, -2, "pairs");
}
