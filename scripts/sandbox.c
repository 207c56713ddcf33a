/*
 * What a script can see, and why it cannot change it.
 *
 * Lua 5.1 has no read-only tables, so scripts never hold a real one of ours: they see an empty
 * table (a view) whose metatable reads from the table behind it and refuses to write. Since the
 * view has no slot of its own, every assignment reaches __newindex. The functions that go past
 * metatables (rawset, setmetatable, and all of the table library) ask script_readonly first; next,
 * pairs and rawget look through the view, so that to a script it is simply the table.
 *
 * The globals are such a view too, and it is the environment of scripts, except where a script's
 * instructions prove that it needs none (bytecode.h). What is not found there is an error in
 * Redis's words.
 */
#include "scripts/state.h"

#include <lauxlib.h>

/* Positions in a view's metatable. The mark is the host's own address as a light userdata; a script
 * has no value that equals it. */
enum { VIEW_MARK = 1, VIEW_BEHIND, VIEW_META };

int sandbox_refuse(lua_State *L)
{
    lua_pushliteral(L, "Attempt to modify a readonly table");
    return lua_error(L);
}

/* __newindex of a view. Unlike the raw functions it tells the script's line. */
static int refuse_assignment(lua_State *L)
{
    luaL_where(L, 1);
    lua_pushliteral(L, "Attempt to modify a readonly table");
    lua_concat(L, 2);
    return lua_error(L);
}

/* Makes a read-only view of the table at the top of the stack and puts it in its place. */
static void protect(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, VIEW_META, 2);
    lua_pushlightuserdata(L, host_of(L));
    lua_rawseti(L, -2, VIEW_MARK);
    lua_pushvalue(L, -3);
    lua_rawseti(L, -2, VIEW_BEHIND);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, refuse_assignment);
    lua_setfield(L, -2, "__newindex");
    lua_setmetatable(L, -2);
    lua_replace(L, -2);
}

/* The metatable of a view is left on the stack. */
static bool is_view(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index))
        return false;
    lua_rawgeti(L, -1, VIEW_MARK);
    bool yes = lua_touserdata(L, -1) == (void *)host_of(L);
    lua_pop(L, yes ? 1 : 2);
    return yes;
}

bool script_readonly(lua_State *L, int index)
{
    bool yes = is_view(L, index);
    if (yes)
        lua_pop(L, 1);
    return yes;
}

bool sandbox_behind(lua_State *L, int index)
{
    if (!is_view(L, index))
        return false;
    lua_rawgeti(L, -1, VIEW_BEHIND);
    lua_replace(L, -2);
    return true;
}

bool sandbox_metatable(lua_State *L, int index)
{
    if (is_view(L, index)) {
        lua_rawgeti(L, -1, VIEW_META);
        lua_replace(L, -2);
        return true;
    }
    if (lua_type(L, index) != LUA_TSTRING)
        return false;
    lua_getmetatable(L, index);
    lua_rawgeti(L, -1, VIEW_META);
    lua_replace(L, -2);
    return true;
}

/* __index of the globals. */
static int nonexistent(lua_State *L)
{
    if (lua_gettop(L) != 2)
        return luaL_error(L, "Wrong number of arguments to luaProtectedTableError");
    if (!lua_isstring(L, 2))
        return luaL_error(L,
                          "Second argument to luaProtectedTableError must be a string or number");
    return luaL_error(L, "Script attempted to access nonexistent global variable '%s'",
                      lua_tostring(L, 2));
}

/* A read-only table {__index = value at the top}; takes the value. It is what getmetatable shows.
 */
static void push_shown_meta(lua_State *L)
{
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_setfield(L, -2, "__index");
    protect(L);
}

/* Strings look their methods up in the library itself; what a script is shown of their metatable
 * points to the view. Takes the library's table from the top, puts its view there. */
static void set_string_meta(lua_State *L)
{
    int library = lua_gettop(L), meta = library + 1;
    lua_createtable(L, VIEW_META, 1);
    lua_pushvalue(L, library);
    lua_setfield(L, meta, "__index");

    lua_pushvalue(L, library);
    protect(L);
    lua_pushvalue(L, -1);
    lua_replace(L, library);
    push_shown_meta(L);
    lua_rawseti(L, meta, VIEW_META);

    lua_pushliteral(L, "");
    lua_pushvalue(L, meta);
    lua_setmetatable(L, -2);
    lua_settop(L, library);
}

static void add_cjson(lua_State *L)
{
    host_of(L)->cjson = lib_cjson_open(L);
}

static const struct {
    const char *name;
    void (*open)(lua_State *L);
} libraries[] = {
    {"table", lib_table_open},       {"math", lib_math_open},           {"os", lib_os_open},
    {"bit", lib_bit_open},           {"struct", lib_struct_open},       {"cjson", add_cjson},
    {"cmsgpack", lib_cmsgpack_open}, {"coroutine", lib_coroutine_open}, {"redis", lib_redis_open},
};

/* The globals and what is in them, on the top of the stack. */
static void push_globals(lua_State *L)
{
    lib_base_open(L);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        libraries[i].open(L);
        protect(L);
        lua_setfield(L, -2, libraries[i].name);
    }
    lib_string_open(L);
    set_string_meta(L);
    lua_setfield(L, -2, "string");
    lua_getfield(L, -1, "redis");
    lua_setfield(L, -2, "server");

    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, nonexistent);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
}

/* The table of often used values; it becomes the environment of all functions made from here on. */
static void set_konsts(lua_State *L)
{
    static const char *const names[K_GLOBALS] = {
        [K_ERR] = "err",
        [K_OK] = "ok",
        [K_DOUBLE] = "double",
        [K_BIG_NUMBER] = "big_number",
        [K_VERBATIM] = "verbatim_string",
        [K_MAP] = "map",
        [K_SET] = "set",
        [K_FORMAT] = "format",
        [K_STRING] = "string",
        [K_COUNTED] = "ignore_error_stats_update",
        [K_KEYS] = "KEYS",
        [K_ARGV] = "ARGV",
    };
    lua_createtable(L, K_NAMES + NAME_SLOTS, 0);
    for (int i = 1; i < K_NAMES + NAME_SLOTS; i++) {
        lua_pushstring(L, i < K_GLOBALS ? names[i] : "");
        lua_rawseti(L, -2, i);
    }
    lua_replace(L, LUA_ENVIRONINDEX);
}

/* The globals for scripts that cannot change a table: the same names, with the libraries themselves
 * in place of their views, so that `redis.call` is found at once. The globals are at 1, _G is not
 * yet among them. */
static void set_plain_globals(lua_State *L)
{
    lua_newtable(L);
    int plain = lua_gettop(L);
    for (lua_pushnil(L); lua_next(L, 1);) {
        int value = lua_gettop(L);
        lua_pushvalue(L, value - 1);
        if (!sandbox_behind(L, value))
            lua_pushvalue(L, value);
        lua_rawset(L, plain);
        lua_settop(L, value - 1);
    }
    lua_getmetatable(L, 1);
    lua_setmetatable(L, plain);
    lua_rawseti(L, LUA_ENVIRONINDEX, K_PLAIN_GLOBALS);
}

int sandbox_open(lua_State *L)
{
    lua_settop(L, 0);
    set_konsts(L);
    push_globals(L);
    lua_pushvalue(L, 1);
    lua_rawseti(L, LUA_ENVIRONINDEX, K_GLOBALS);
    set_plain_globals(L);
    lua_pushvalue(L, 1);
    protect(L); /* globals, environment */

    lua_pushvalue(L, 2);
    lua_setfield(L, 1, "_G");
    lua_getmetatable(L, 2);
    lua_pushcfunction(L, nonexistent);
    push_shown_meta(L);
    lua_rawseti(L, 3, VIEW_META);
    lua_settop(L, 2);
    lua_replace(L, LUA_GLOBALSINDEX);
    lua_pushvalue(L, LUA_ENVIRONINDEX);
    lua_setfield(L, LUA_REGISTRYINDEX, "konsts");
    return 0;
}
