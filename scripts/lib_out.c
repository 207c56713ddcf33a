#include "scripts/lib_out.h"

#include <stdint.h>

/*
 * The box is a userdata whose collector gives the block back. Its metatable is found in the
 * registry under the address of this constant.
 */
static const char box_key;

struct box {
    void *p;
    size_t n;
};

static void *box_resize(lua_State *L, struct box *b, size_t n)
{
    void *ctx;
    lua_Alloc alloc = lua_getallocf(L, &ctx);
    void *p = alloc(ctx, b->p, b->n, n);
    if (p || n == 0)
        *b = (struct box){p, n};
    return p;
}

static int box_collect(lua_State *L)
{
    box_resize(L, lua_touserdata(L, 1), 0);
    return 0;
}

static struct box *box_new(lua_State *L, int slot)
{
    struct box *b = lua_newuserdata(L, sizeof *b);
    *b = (struct box){0};
    lua_pushlightuserdata(L, (void *)&box_key);
    lua_rawget(L, LUA_REGISTRYINDEX);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_createtable(L, 0, 1);
        lua_pushcfunction(L, box_collect);
        lua_setfield(L, -2, "__gc");
        lua_pushlightuserdata(L, (void *)&box_key);
        lua_pushvalue(L, -2);
        lua_rawset(L, LUA_REGISTRYINDEX);
    }
    lua_setmetatable(L, -2);
    lua_replace(L, slot);
    return b;
}

void out_init(struct out *o, lua_State *L)
{
    lua_pushnil(L);
    o->L = L;
    o->slot = lua_gettop(L);
    o->p = o->first;
    o->n = 0;
    o->room = OUT_INLINE;
}

/*
 * Doubles. Near the cap an eighth more has to do, but never less than that: to creep up byte by
 * byte would copy and collect without end.
 */
void out_grow(struct out *o, size_t n)
{
    lua_State *L = o->L;
    size_t need = n < SIZE_MAX / 4 - o->n ? o->n + n : SIZE_MAX / 4;
    size_t room = need > o->room * 2 ? need : o->room * 2;

    struct box *b = o->p == o->first ? box_new(L, o->slot) : lua_touserdata(L, o->slot);
    if (!box_resize(L, b, room)) {
        /* Lua 5.1 does not collect when it runs out; here it is safe to, and garbage abounds. */
        lua_gc(L, LUA_GCCOLLECT, 0);
        size_t least = o->room + o->room / 8;
        room = need > least ? need : least;
        if (!box_resize(L, b, room)) {
            lua_pushliteral(L, "not enough memory");
            lua_error(L);
            return; /* never reached, but for those who do not know that */
        }
    }
    if (o->p == o->first)
        memcpy(b->p, o->first, o->n);
    o->p = b->p;
    o->room = room;
}

void out_push(struct out *o)
{
    lua_pushlstring(o->L, o->p, o->n);
    if (o->p != o->first)
        box_resize(o->L, lua_touserdata(o->L, o->slot), 0);
}

void out_value(struct out *o)
{
    size_t n;
    const char *p = lua_tolstring(o->L, -1, &n);
    out_bytes(o, p, n);
    lua_pop(o->L, 1);
}
