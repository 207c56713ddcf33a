/*
 * MessagePack. What the format calls bin and ext is not read, as in Redis. Tables nested deeper
 * than MAX_NESTING are packed as nil; what is unpacked may be nested as deep as the Lua stack
 * allows.
 */
#include "scripts/lib_num.h"
#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <lauxlib.h>
#include <limits.h>

enum { MAX_NESTING = 16 };

/* ---- pack ---------------------------------------------------------------------------------------
 */

struct packer {
    lua_State *L;
    struct out out;
    unsigned steps;
};

static void pack_value(struct packer *k, int depth);

/* A tag, then the low `size` bytes of `n`, big end first. */
static void put_tagged(struct packer *k, unsigned tag, uint64_t n, size_t size)
{
    char b[9];
    b[0] = (char)tag;
    for (size_t i = size; i > 0; i--, n >>= 8)
        b[i] = (char)(n & 0xff);
    out_bytes(&k->out, b, size + 1);
}

static void pack_double(struct packer *k, double d)
{
    float f = (float)d;
    if ((double)f == d) {
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        put_tagged(k, 0xca, bits, 4);
    } else {
        uint64_t bits;
        memcpy(&bits, &d, sizeof bits);
        put_tagged(k, 0xcb, bits, 8);
    }
}

static void pack_int(struct packer *k, int64_t n)
{
    uint64_t bits = (uint64_t)n;
    if (n >= -32 && n <= 127)
        put_tagged(k, (unsigned)(bits & 0xff), 0, 0);
    else if (n >= 0 && n <= UINT8_MAX)
        put_tagged(k, 0xcc, bits, 1);
    else if (n >= 0 && n <= UINT16_MAX)
        put_tagged(k, 0xcd, bits, 2);
    else if (n >= 0 && n <= UINT32_MAX)
        put_tagged(k, 0xce, bits, 4);
    else if (n >= 0)
        put_tagged(k, 0xcf, bits, 8);
    else if (n >= INT8_MIN)
        put_tagged(k, 0xd0, bits, 1);
    else if (n >= INT16_MIN)
        put_tagged(k, 0xd1, bits, 2);
    else if (n >= INT32_MIN)
        put_tagged(k, 0xd2, bits, 4);
    else
        put_tagged(k, 0xd3, bits, 8);
}

static void pack_number(struct packer *k, double d)
{
    int64_t n = num_to_i64(d);
    if ((double)n == d)
        pack_int(k, n);
    else
        pack_double(k, d);
}

static void pack_string(struct packer *k)
{
    size_t n;
    const char *s = lua_tolstring(k->L, -1, &n);
    if (n < 32)
        put_tagged(k, (unsigned)(0xa0 | n), 0, 0);
    else if (n <= UINT8_MAX)
        put_tagged(k, 0xd9, n, 1);
    else if (n <= UINT16_MAX)
        put_tagged(k, 0xda, n, 2);
    else
        put_tagged(k, 0xdb, n, 4);
    out_bytes(&k->out, s, n);
}

static void put_count(struct packer *k, unsigned tag, unsigned short_tag, size_t n)
{
    if (n <= 15)
        put_tagged(k, (unsigned)(short_tag | n), 0, 0);
    else if (n <= UINT16_MAX)
        put_tagged(k, tag, n, 2);
    else
        put_tagged(k, tag + 1, n, 4);
}

/*
 * How many keys the table on top has, and whether they are exactly 1 to that number.
 */
static size_t count_keys(struct packer *k, bool *is_array)
{
    lua_State *L = k->L;
    size_t n = 0;
    int64_t max = 0;
    *is_array = true;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lib_step(L, &k->steps);
        lua_pop(L, 1);
        n++;
        if (!*is_array)
            continue;
        double d = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
        int64_t i = num_to_i64(d);
        *is_array = i >= 1 && (double)i == d;
        if (i > max)
            max = i;
    }
    *is_array = *is_array && (uint64_t)max == n;
    return n;
}

static void pack_table(struct packer *k, int depth)
{
    lua_State *L = k->L;
    bool is_array;
    luaL_checkstack(L, 8, "in function mp_encode_lua_table");
    size_t n = count_keys(k, &is_array);
    put_count(k, is_array ? 0xdc : 0xde, is_array ? 0x90 : 0x80, n);
    if (is_array) {
        for (size_t i = 1; i <= n; i++) {
            lua_rawgeti(L, -1, (int)i);
            pack_value(k, depth + 1);
        }
        return;
    }
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lua_pushvalue(L, -2);
        pack_value(k, depth + 1);
        pack_value(k, depth + 1);
    }
}

/* Packs the value on top of the stack, and pops it. */
static void pack_value(struct packer *k, int depth)
{
    lua_State *L = k->L;
    lib_step(L, &k->steps);
    switch (lua_type(L, -1)) {
    case LUA_TSTRING: pack_string(k); break;
    case LUA_TBOOLEAN: out_char(&k->out, (char)(lua_toboolean(L, -1) ? 0xc3 : 0xc2)); break;
    case LUA_TNUMBER: pack_number(k, lua_tonumber(L, -1)); break;
    case LUA_TTABLE:
        if (depth < MAX_NESTING) {
            pack_table(k, depth);
            break;
        }
        /* fall through */
    default: out_char(&k->out, (char)0xc0);
    }
    lua_pop(L, 1);
}

static int cmsgpack_pack(lua_State *L)
{
    int n = lua_gettop(L);
    if (n == 0)
        return luaL_argerror(L, 0, "MessagePack pack needs input.");
    if (!lua_checkstack(L, n))
        return luaL_argerror(L, 0, "Too many arguments for MessagePack pack.");
    struct packer k;
    k.L = L;
    k.steps = 0;
    out_init(&k.out, L);
    for (int i = 1; i <= n; i++) {
        lua_pushvalue(L, i);
        pack_value(&k, 0);
    }
    out_push(&k.out);
    return 1;
}

/* ---- unpack -------------------------------------------------------------------------------------
 */

struct unpacker {
    lua_State *L;
    const unsigned char *p;
    size_t left;
    unsigned steps;
};

static void unpack_value(struct unpacker *u);

static const unsigned char *take(struct unpacker *u, size_t n)
{
    if (u->left < n)
        luaL_error(u->L, "Missing bytes in input.");
    const unsigned char *p = u->p;
    u->p += n;
    u->left -= n;
    return p;
}

/* The next `n` bytes as a number, big end first. */
static uint64_t take_uint(struct unpacker *u, size_t n)
{
    const unsigned char *p = take(u, n);
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++)
        bits = bits << 8 | p[i];
    return bits;
}

static void unpack_string(struct unpacker *u, size_t n)
{
    const unsigned char *p = take(u, n);
    lua_pushlstring(u->L, (const char *)p, n);
}

/* Tables grow with what is read: the announced size is only somebody's word. */
static void unpack_array(struct unpacker *u, size_t n)
{
    lua_State *L = u->L;
    lua_newtable(L);
    luaL_checkstack(L, 1, "in function mp_decode_to_lua_array");
    for (size_t i = 1; i <= n; i++) {
        lua_pushnumber(L, (lua_Number)i);
        unpack_value(u);
        lua_rawset(L, -3);
    }
}

static void unpack_map(struct unpacker *u, size_t n)
{
    lua_State *L = u->L;
    lua_newtable(L);
    for (size_t i = 0; i < n; i++) {
        unpack_value(u);
        unpack_value(u);
        lua_rawset(L, -3);
    }
}

static void unpack_float(struct unpacker *u)
{
    uint32_t bits = (uint32_t)take_uint(u, 4);
    float f;
    memcpy(&f, &bits, sizeof f);
    lua_pushnumber(u->L, f);
}

static void unpack_double(struct unpacker *u)
{
    uint64_t bits = take_uint(u, 8);
    double d;
    memcpy(&d, &bits, sizeof d);
    lua_pushnumber(u->L, d);
}

/* Pushes the value that comes next. */
static void unpack_value(struct unpacker *u)
{
    lua_State *L = u->L;
    luaL_checkstack(L, 1,
                    "too many return values at once; use unpack_one or unpack_limit instead.");
    lib_step(L, &u->steps);
    unsigned tag = *take(u, 1);
    switch (tag) {
    case 0xc0: lua_pushnil(L); return;
    case 0xc2: lua_pushboolean(L, 0); return;
    case 0xc3: lua_pushboolean(L, 1); return;
    case 0xca: unpack_float(u); return;
    case 0xcb: unpack_double(u); return;
    case 0xcc: lua_pushinteger(L, (lua_Integer)take_uint(u, 1)); return;
    case 0xcd: lua_pushinteger(L, (lua_Integer)take_uint(u, 2)); return;
    case 0xce: lua_pushinteger(L, (lua_Integer)take_uint(u, 4)); return;
    case 0xcf: lua_pushinteger(L, (lua_Integer)take_uint(u, 8)); return; /* wraps round */
    case 0xd0: lua_pushinteger(L, (int8_t)take_uint(u, 1)); return;
    case 0xd1: lua_pushinteger(L, (int16_t)take_uint(u, 2)); return;
    case 0xd2: lua_pushinteger(L, (int32_t)take_uint(u, 4)); return;
    case 0xd3: lua_pushinteger(L, (lua_Integer)take_uint(u, 8)); return;
    case 0xd9: unpack_string(u, take_uint(u, 1)); return;
    case 0xda: unpack_string(u, take_uint(u, 2)); return;
    case 0xdb: unpack_string(u, take_uint(u, 4)); return;
    case 0xdc: unpack_array(u, take_uint(u, 2)); return;
    case 0xdd: unpack_array(u, take_uint(u, 4)); return;
    case 0xde: unpack_map(u, take_uint(u, 2)); return;
    case 0xdf: unpack_map(u, take_uint(u, 4)); return;
    default: break;
    }
    if (tag <= 0x7f || tag >= 0xe0)
        lua_pushinteger(L, (int8_t)tag);
    else if (tag <= 0x8f)
        unpack_map(u, tag & 0x0f);
    else if (tag <= 0x9f)
        unpack_array(u, tag & 0x0f);
    else if (tag <= 0xbf)
        unpack_string(u, tag & 0x1f);
    else
        luaL_error(L, "Bad data format in input.");
}

/*
 * Unpacks at most `limit` values from `offset` on, and answers first where to go on, -1 at the
 * end. With neither limit nor offset all values are unpacked, and nothing goes before them.
 */
static int unpack_values(lua_State *L, lua_Integer limit, lua_Integer offset)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    if (offset < 0 || limit < 0)
        return luaL_error(L, "Invalid request to unpack with offset of %d and limit of %d.",
                          (int)offset, (int)n);
    if ((size_t)offset > n)
        return luaL_error(L, "Start offset %d greater than input length %d.", (int)offset, (int)n);

    bool all = limit == 0 && offset == 0;
    struct unpacker u = {
        .L = L, .p = (const unsigned char *)s + offset, .left = n - (size_t)offset};
    lua_settop(L, 1);
    int count = 0;
    for (; u.left > 0 && (all || count < limit); count++)
        unpack_value(&u);
    if (all)
        return count;
    luaL_checkstack(L, 1, "in function mp_unpack_full");
    lua_pushinteger(L, u.left == 0 ? -1 : (lua_Integer)(n - u.left));
    lua_insert(L, 2);
    return count + 1;
}

static int cmsgpack_unpack(lua_State *L)
{
    return unpack_values(L, 0, 0);
}

static int cmsgpack_unpack_one(lua_State *L)
{
    return unpack_values(L, 1, luaL_optinteger(L, 2, 0));
}

static int cmsgpack_unpack_limit(lua_State *L)
{
    lua_Integer limit = luaL_checkinteger(L, 2);
    return unpack_values(L, limit, luaL_optinteger(L, 3, 0));
}

void lib_cmsgpack_open(lua_State *L)
{
    static const luaL_Reg functions[] = {{"pack", cmsgpack_pack},
                                         {"unpack", cmsgpack_unpack},
                                         {"unpack_limit", cmsgpack_unpack_limit},
                                         {"unpack_one", cmsgpack_unpack_one},
                                         {NULL, NULL}};
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    lua_pushliteral(L, "cmsgpack");
    lua_setfield(L, -2, "_NAME");
    lua_pushliteral(L, "lua-cmsgpack 0.4.0");
    lua_setfield(L, -2, "_VERSION");
    lua_pushliteral(L, "Copyright (C) 2012, Salvatore Sanfilippo");
    lua_setfield(L, -2, "_COPYRIGHT");
    lua_pushliteral(L, "MessagePack C implementation for Lua");
    lua_setfield(L, -2, "_DESCRIPTION");
}
