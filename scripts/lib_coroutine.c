/*
 * Coroutines. Lua's own create, yield, status and running will do; resume and wrap are ours,
 * because a stopped script must not go on in whoever resumed it, and because the watch has to know
 * which thread runs.
 */
#include "scripts/state.h"

#include <lauxlib.h>

/* Why `co` cannot be resumed, or NULL. */
static const char *obstacle(lua_State *L, lua_State *co)
{
    if (L == co)
        return "cannot resume running coroutine";
    switch (lua_status(co)) {
    case LUA_YIELD: return NULL;
    case 0: {
        lua_Debug ar;
        if (lua_getstack(co, 0, &ar))
            return "cannot resume normal coroutine";
        if (lua_gettop(co) != 0)
            return NULL;
        break;
    }
    default: break;
    }
    return "cannot resume dead coroutine";
}

/* Moves `n` arguments over and runs `co`; the number of results on the stack of L, or -1 with the
 * error there. */
static int resume(lua_State *L, lua_State *co, int n)
{
    struct script_host *h = host_of(L);
    if (!lua_checkstack(co, n))
        return luaL_error(L, "too many arguments to resume");
    const char *why_not = obstacle(L, co);
    if (why_not) {
        lua_pushstring(L, why_not);
        return -1;
    }
    script_check(L);
    lua_xmove(L, co, n);
    lua_setlevel(L, co);
    h->current = co;
    int status = lua_resume(co, n);
    h->current = L;
    if (h->stopped != SCRIPT_GO_ON) {
        lua_pushnil(L);
        return lua_error(L);
    }
    if (status != 0 && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    int results = lua_gettop(co);
    if (!lua_checkstack(L, results + 1))
        return luaL_error(L, "too many results to resume");
    lua_xmove(co, L, results);
    return results;
}

static int co_resume(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argcheck(L, co, 1, "coroutine expected");
    int results = resume(L, co, lua_gettop(L) - 1);
    int n = results < 0 ? 1 : results;
    lua_pushboolean(L, results >= 0);
    lua_insert(L, -(n + 1));
    return n + 1;
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = resume(L, co, lua_gettop(L));
    if (results >= 0)
        return results;
    if (lua_isstring(L, -1)) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int co_wrap(lua_State *L)
{
    luaL_argcheck(L, lua_isfunction(L, 1) && !lua_iscfunction(L, 1), 1, "Lua function expected");
    lua_State *co = lua_newthread(L);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

void lib_coroutine_open(lua_State *L)
{
    lua_getfield(L, LUA_GLOBALSINDEX, "coroutine");
    lua_pushcfunction(L, co_resume);
    lua_setfield(L, -2, "resume");
    lua_pushcfunction(L, co_wrap);
    lua_setfield(L, -2, "wrap");
}
