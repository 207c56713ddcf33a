/*
 * The table library. All access is raw, as in Lua 5.1. Functions that write ask the host first
 * whether the table is one that scripts must leave alone.
 */
#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <lauxlib.h>

/* The length of the table in argument 1. */
static int check_length(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return (int)lua_objlen(L, 1);
}

static void check_writable(lua_State *L)
{
    if (script_readonly(L, 1)) {
        lua_pushliteral(L, "Attempt to modify a readonly table");
        lua_error(L);
    }
}

static int table_getn(lua_State *L)
{
    lua_pushinteger(L, check_length(L));
    return 1;
}

static int table_setn(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return luaL_error(L, "'setn' is obsolete");
}

static int table_maxn(lua_State *L)
{
    lua_Number max = 0;
    unsigned steps = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lib_step(L, &steps);
        lua_pop(L, 1);
        if (lua_type(L, -1) == LUA_TNUMBER && lua_tonumber(L, -1) > max)
            max = lua_tonumber(L, -1);
    }
    lua_pushnumber(L, max);
    return 1;
}

/* Calls the function in argument 2 with the key and value on top; true when it answered something.
 */
static bool visit(lua_State *L)
{
    lua_pushvalue(L, 2);
    lua_pushvalue(L, -3);
    lua_pushvalue(L, -3);
    lua_call(L, 2, 1);
    if (!lua_isnil(L, -1))
        return true;
    lua_pop(L, 2);
    return false;
}

static int table_foreach(lua_State *L)
{
    unsigned steps = 0;
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lib_step(L, &steps);
        if (visit(L))
            return 1;
    }
    return 0;
}

static int table_foreachi(lua_State *L)
{
    unsigned steps = 0;
    int n = check_length(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    for (int i = 1; i <= n; i++) {
        lib_step(L, &steps);
        lua_pushinteger(L, i);
        lua_rawgeti(L, 1, i);
        if (visit(L))
            return 1;
        lua_pop(L, 1);
    }
    return 0;
}

static void add_element(struct out *o, int i)
{
    lua_State *L = o->L;
    lua_rawgeti(L, 1, i);
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid value (%s) at index %d in table for 'concat'", luaL_typename(L, -1),
                   i);
    out_value(o);
}

static int table_concat(lua_State *L)
{
    size_t n;
    const char *between = luaL_optlstring(L, 2, "", &n);
    luaL_checktype(L, 1, LUA_TTABLE);
    int i = (int)luaL_optinteger(L, 3, 1);
    int last = lua_isnoneornil(L, 4) ? (int)lua_objlen(L, 1) : (int)luaL_checkinteger(L, 4);

    struct out o;
    unsigned steps = 0;
    out_init(&o, L);
    for (; i < last; i++) {
        lib_step(L, &steps);
        add_element(&o, i);
        out_bytes(&o, between, n);
    }
    if (i == last)
        add_element(&o, i);
    out_push(&o);
    return 1;
}

/*
 * Moves the element at `from` to `to`. Where both are absent nothing is stored: the range may be
 * two thousand million wide, and a table grows even when nil is stored in it.
 */
static void move(lua_State *L, int from, int to)
{
    lua_rawgeti(L, 1, to);
    lua_rawgeti(L, 1, from);
    if (lua_isnil(L, -1) && lua_isnil(L, -2))
        lua_pop(L, 1);
    else
        lua_rawseti(L, 1, to);
    lua_pop(L, 1);
}

static int table_insert(lua_State *L)
{
    int end = check_length(L) + 1, at = end;
    unsigned steps = 0;
    switch (lua_gettop(L)) {
    case 2: check_writable(L); break;
    case 3:
        at = (int)luaL_checkinteger(L, 2);
        check_writable(L);
        for (int i = end; i > at; i--) {
            lib_step(L, &steps);
            move(L, i - 1, i);
        }
        break;
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
    }
    lua_rawseti(L, 1, at);
    return 0;
}

static int table_remove(lua_State *L)
{
    int end = check_length(L);
    int at = (int)luaL_optinteger(L, 2, end);
    unsigned steps = 0;
    if (at < 1 || at > end)
        return 0;
    check_writable(L);
    lua_rawgeti(L, 1, at);
    for (; at < end; at++) {
        lib_step(L, &steps);
        move(L, at + 1, at);
    }
    lua_pushnil(L);
    lua_rawseti(L, 1, end);
    return 1;
}

/* ---- sort ---------------------------------------------------------------------------------------
 */

/*
 * Quicksort, median of three, the smaller part by recursion: step for step the order in which
 * Lua 5.1 compares and swaps. Scripts can see that order, in how equal elements end up and in what
 * their comparison function is called with.
 */
struct sorter {
    lua_State *L;
    unsigned steps;
};

/* Is the value at stack position `a` less than the one at `b` (both negative)? */
static bool less(struct sorter *s, int a, int b)
{
    lua_State *L = s->L;
    lib_step(L, &s->steps);
    if (lua_isnil(L, 2))
        return lua_lessthan(L, a, b);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, a - 1);
    lua_pushvalue(L, b - 2);
    lua_call(L, 2, 1);
    bool is_less = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_less;
}

/* Pops two values: the top one goes to element `i`, the one below to `j`. */
static void put(struct sorter *s, int i, int j)
{
    lua_rawseti(s->L, 1, i);
    lua_rawseti(s->L, 1, j);
}

static void get(struct sorter *s, int i)
{
    lua_rawgeti(s->L, 1, i);
}

/* Brings elements i < j into order. */
static bool order(struct sorter *s, int i, int j)
{
    get(s, i);
    get(s, j);
    if (less(s, -1, -2)) {
        put(s, i, j);
        return true;
    }
    lua_pop(s->L, 2);
    return false;
}

/*
 * Splits [lo, hi] round the middle element, whose three-way median with the ends has been made.
 * Answers where it ends up.
 */
static int split(struct sorter *s, int lo, int hi, int middle)
{
    lua_State *L = s->L;
    get(s, middle);
    lua_pushvalue(L, -1);
    get(s, hi - 1);
    put(s, middle, hi - 1);

    int i = lo, j = hi - 1;
    for (;;) { /* on the stack: pivot */
        for (get(s, ++i); less(s, -1, -2); get(s, ++i)) {
            if (i > hi)
                luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        for (get(s, --j); less(s, -3, -1); get(s, --j)) {
            if (j < lo)
                luaL_error(L, "invalid order function for sorting");
            lua_pop(L, 1);
        }
        if (j < i)
            break;
        put(s, i, j);
    }
    lua_pop(L, 3);
    get(s, hi - 1);
    get(s, i);
    put(s, hi - 1, i);
    return i;
}

static void sort_range(struct sorter *s, int lo, int hi)
{
    while (lo < hi) {
        order(s, lo, hi);
        if (hi - lo == 1)
            return;
        int middle = (lo + hi) / 2;
        if (!order(s, lo, middle))
            order(s, middle, hi);
        if (hi - lo == 2)
            return;

        int pivot = split(s, lo, hi, middle);
        if (pivot - lo < hi - pivot) {
            sort_range(s, lo, pivot - 1);
            lo = pivot + 1;
        } else {
            sort_range(s, pivot + 1, hi);
            hi = pivot - 1;
        }
    }
}

static int table_sort(lua_State *L)
{
    int n = check_length(L);
    luaL_checkstack(L, 40, "");
    if (!lua_isnoneornil(L, 2))
        luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_settop(L, 2);
    if (n > 1)
        check_writable(L);
    struct sorter s = {.L = L};
    sort_range(&s, 1, n);
    return 0;
}

void lib_table_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"concat", table_concat},     {"foreach", table_foreach},
        {"foreachi", table_foreachi}, {"getn", table_getn},
        {"insert", table_insert},     {"maxn", table_maxn},
        {"remove", table_remove},     {"setn", table_setn},
        {"sort", table_sort},         {NULL, NULL},
    };
    lua_newtable(L);
    luaL_register(L, NULL, functions);
}
