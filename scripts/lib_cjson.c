/* The cjson table, and the functions that read and change its settings. */
#include "scripts/cjson.h"
#include "scripts/libs.h"

#include <lauxlib.h>
#include <limits.h>

static const struct cjson_settings cjson_defaults = {
    .sparse_ratio = 2,
    .sparse_safe = 10,
    .encode_depth = 1000,
    .decode_depth = 1000,
    .precision = 14,
    .keep_buffer = 1,
    .encode_invalid = CJSON_INVALID_REFUSE,
    .decode_invalid = CJSON_INVALID_ALLOW,
};

void lib_cjson_reset(struct cjson_settings *s)
{
    if (s->changed)
        *s = cjson_defaults;
}

/* At most `n` arguments; those that are missing become nil. */
static struct cjson_settings *begin(lua_State *L, int n)
{
    luaL_argcheck(L, lua_gettop(L) <= n, n + 1, "found too many arguments");
    lua_settop(L, n);
    struct cjson_settings *s = lua_touserdata(L, lua_upvalueindex(1));
    s->changed = true;
    return s;
}

/* Sets from an argument, unless it is nil, and answers the value. Complaints always name
 * argument 1. */
static int number_option(lua_State *L, int arg, int *value, int min, int max)
{
    if (!lua_isnil(L, arg)) {
        int n = (int)luaL_checkinteger(L, arg);
        if (n < min || n > max)
            return luaL_argerror(
                L, 1, lua_pushfstring(L, "expected integer between %d and %d", min, max));
        *value = n;
    }
    lua_pushinteger(L, *value);
    return 1;
}

/* The same for a choice; the first two are also false and true, and answered as such. */
static int choice_option(lua_State *L, int *value, const char *const *choices)
{
    if (lua_isboolean(L, 1))
        *value = lua_toboolean(L, 1);
    else if (!lua_isnil(L, 1))
        *value = luaL_checkoption(L, 1, NULL, choices);
    if (*value <= 1)
        lua_pushboolean(L, *value);
    else
        lua_pushstring(L, choices[*value]);
    return 1;
}

static const char *const off_on[] = {"off", "on", NULL};
static const char *const off_on_null[] = {"off", "on", "null", NULL};

static int cjson_encode_sparse_array(lua_State *L)
{
    struct cjson_settings *s = begin(L, 3);
    choice_option(L, &s->sparse_convert, off_on);
    number_option(L, 2, &s->sparse_ratio, 0, INT_MAX);
    number_option(L, 3, &s->sparse_safe, 0, INT_MAX);
    return 3;
}

static int cjson_encode_max_depth(lua_State *L)
{
    return number_option(L, 1, &begin(L, 1)->encode_depth, 1, INT_MAX);
}

static int cjson_decode_max_depth(lua_State *L)
{
    return number_option(L, 1, &begin(L, 1)->decode_depth, 1, INT_MAX);
}

static int cjson_encode_number_precision(lua_State *L)
{
    return number_option(L, 1, &begin(L, 1)->precision, 1, 14);
}

static int cjson_encode_keep_buffer(lua_State *L)
{
    return choice_option(L, &begin(L, 1)->keep_buffer, off_on);
}

static int cjson_encode_invalid_numbers(lua_State *L)
{
    return choice_option(L, &begin(L, 1)->encode_invalid, off_on_null);
}

static int cjson_decode_invalid_numbers(lua_State *L)
{
    return choice_option(L, &begin(L, 1)->decode_invalid, off_on);
}

static int cjson_new(lua_State *L)
{
    lib_cjson_open(L);
    return 1;
}

struct cjson_settings *lib_cjson_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"decode", cjson_decode},
        {"decode_invalid_numbers", cjson_decode_invalid_numbers},
        {"decode_max_depth", cjson_decode_max_depth},
        {"encode", cjson_encode},
        {"encode_invalid_numbers", cjson_encode_invalid_numbers},
        {"encode_keep_buffer", cjson_encode_keep_buffer},
        {"encode_max_depth", cjson_encode_max_depth},
        {"encode_number_precision", cjson_encode_number_precision},
        {"encode_sparse_array", cjson_encode_sparse_array},
        {"new", cjson_new},
    };
    lua_newtable(L);
    struct cjson_settings *s = lua_newuserdata(L, sizeof *s);
    *s = cjson_defaults;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        lua_pushvalue(L, -1);
        lua_pushcclosure(L, functions[i].func, 1);
        lua_setfield(L, -3, functions[i].name);
    }
    lua_pop(L, 1);
    lua_pushlightuserdata(L, NULL);
    lua_setfield(L, -2, "null");
    lua_pushliteral(L, "cjson");
    lua_setfield(L, -2, "_NAME");
    lua_pushliteral(L, "2.1.0");
    lua_setfield(L, -2, "_VERSION");
    return s;
}
