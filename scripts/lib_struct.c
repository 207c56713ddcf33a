/*
 * struct.pack, unpack and size: C structures as strings, described by a format.
 *
 *     <  >  little endian (the default), big endian    !n   align to at most n (8)
 *     b B h H l L T   integers of 1, 2, 8, 8 bytes     in   integer of n bytes (4), In unsigned
 *     f d  float, double      x  a zero byte           cn   n characters; c0 all, or as many as the
 *     s    ends with a zero   (blank)  ignored               number unpacked before says
 */
#include "scripts/lib_num.h"
#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <lauxlib.h>
#include <limits.h>

enum { MAX_INT_SIZE = 32, MAX_ALIGN = 8 };

struct layout {
    lua_State *L;
    const char *fmt;
    bool big;
    size_t align;
    size_t at; /* bytes so far */
    unsigned steps;
};

/* The option that was read: its size, and the zero bytes that go before it. */
struct field {
    char option;
    size_t size, padding;
};

static size_t read_number(struct layout *l, size_t missing)
{
    if (*l->fmt < '0' || *l->fmt > '9')
        return missing;
    size_t n = 0;
    do {
        n = n * 10 + (size_t)(*l->fmt++ - '0');
        if (n > INT_MAX)
            luaL_error(l->L, "integral size overflow");
    } while (*l->fmt >= '0' && *l->fmt <= '9');
    return n;
}

static size_t option_size(struct layout *l, char option)
{
    switch (option) {
    case 'b':
    case 'B':
    case 'x': return 1;
    case 'h':
    case 'H': return 2;
    case 'f': return 4;
    case 'l':
    case 'L':
    case 'T':
    case 'd': return 8;
    case 'c': return read_number(l, 1);
    case 'i':
    case 'I': {
        size_t n = read_number(l, 4);
        if (n > MAX_INT_SIZE)
            luaL_error(l->L, "integral size %d is larger than limit of %d", (int)n, MAX_INT_SIZE);
        return n;
    }
    default: return 0;
    }
}

static void read_align(struct layout *l)
{
    size_t n = read_number(l, MAX_ALIGN);
    if (n == 0 || (n & (n - 1)) != 0)
        luaL_error(l->L, "alignment %d is not a power of 2", (int)n);
    l->align = n;
}

/* A size that is no power of two aligns by the same formula, oddly, as it always has. */
static size_t padding_before(const struct layout *l, char option, size_t size)
{
    if (size == 0 || option == 'c')
        return 0;
    if (size > l->align)
        size = l->align;
    return (size - (l->at & (size - 1))) & (size - 1);
}

/* Reads the next option; false at the end of the format. */
static bool next_field(struct layout *l, struct field *f)
{
    lib_step(l->L, &l->steps);
    f->option = *l->fmt;
    if (f->option == '\0')
        return false;
    l->fmt++;
    f->size = option_size(l, f->option);
    f->padding = padding_before(l, f->option, f->size);
    return true;
}

/* An option that stands for no data. */
static void control(struct layout *l, char option)
{
    switch (option) {
    case ' ': break;
    case '<': l->big = false; break;
    case '>': l->big = true; break;
    case '!': read_align(l); break;
    default: luaL_argerror(l->L, 1, lua_pushfstring(l->L, "invalid format option '%c'", option));
    }
}

static void reverse_if(bool reverse, char *p, size_t n)
{
    for (size_t i = 0; reverse && i < n / 2; i++) {
        char c = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = c;
    }
}

/* ---- pack ---------------------------------------------------------------------------------------
 */

static void pack_int(struct layout *l, struct out *o, int arg, size_t size)
{
    double d = luaL_checknumber(l->L, arg);
    uint64_t n = num_to_u64(d);
    char b[MAX_INT_SIZE] = {0};
    memcpy(b, &n, sizeof n);
    reverse_if(l->big, b, size);
    out_bytes(o, b, size);
}

static size_t pack_chars(struct layout *l, struct out *o, int arg, const struct field *f)
{
    size_t n, size = f->size;
    const char *s = luaL_checklstring(l->L, arg, &n);
    if (size == 0)
        size = n;
    luaL_argcheck(l->L, n >= size, arg + 1, "string too short"); /* one too far, as in Redis */
    out_bytes(o, s, size);
    if (f->option == 's') {
        out_char(o, '\0');
        size++;
    }
    return size;
}

static int struct_pack(lua_State *L)
{
    struct layout l = {.L = L, .fmt = luaL_checkstring(L, 1), .align = 1};
    struct field f;
    struct out o;
    int arg = 2;
    lua_pushnil(L); /* what a missing argument is found to be */
    out_init(&o, L);
    while (next_field(&l, &f)) {
        for (size_t i = 0; i < f.padding; i++)
            out_char(&o, '\0');
        l.at += f.padding;
        switch (f.option) {
        case 'x': out_char(&o, '\0'); break;
        case 'f': {
            float v = (float)luaL_checknumber(L, arg++);
            reverse_if(l.big, (char *)&v, sizeof v);
            out_bytes(&o, &v, sizeof v);
            break;
        }
        case 'd': {
            double v = luaL_checknumber(L, arg++);
            reverse_if(l.big, (char *)&v, sizeof v);
            out_bytes(&o, &v, sizeof v);
            break;
        }
        case 'c':
        case 's': f.size = pack_chars(&l, &o, arg++, &f); break;
        case 'b':
        case 'B':
        case 'h':
        case 'H':
        case 'l':
        case 'L':
        case 'T':
        case 'i':
        case 'I': pack_int(&l, &o, arg++, f.size); break;
        default: control(&l, f.option);
        }
        l.at += f.size;
    }
    out_push(&o);
    return 1;
}

/* ---- unpack -------------------------------------------------------------------------------------
 */

static double unpack_int(const struct layout *l, const char *p, const struct field *f)
{
    char b[MAX_INT_SIZE] = {0};
    memcpy(b, p, f->size);
    reverse_if(l->big, b, f->size);
    uint64_t n;
    memcpy(&n, b, sizeof n); /* of longer ones, what fits */
    if (f->option < 'a')
        return (double)n;
    /* In more than 8 bytes the sign is sought at the bit where its place wraps round, as in Redis.
     */
    uint64_t sign = ~UINT64_C(0) << ((f->size * 8 - 1) & 63);
    if (n & sign)
        n |= sign;
    return (double)(int64_t)n;
}

/* How many characters `c0` takes: the number that was unpacked before it, which it swallows. */
static size_t pop_size(lua_State *L)
{
    if (lua_gettop(L) <= 2 || !lua_isnumber(L, -1))
        luaL_error(L, "format 'c0' needs a previous size");
    size_t n = (size_t)num_to_u64(lua_tonumber(L, -1));
    lua_pop(L, 1);
    return n;
}

/* Pushes one field's value; answers how many bytes it took. */
static size_t unpack_field(struct layout *l, const struct field *f, const char *p, size_t left)
{
    lua_State *L = l->L;
    switch (f->option) {
    case 'x': return 1;
    case 'f': {
        float v;
        memcpy(&v, p, sizeof v);
        reverse_if(l->big, (char *)&v, sizeof v);
        lua_pushnumber(L, v);
        return sizeof v;
    }
    case 'd': {
        double v;
        memcpy(&v, p, sizeof v);
        reverse_if(l->big, (char *)&v, sizeof v);
        lua_pushnumber(L, v);
        return sizeof v;
    }
    case 'c': {
        size_t n = f->size ? f->size : pop_size(L);
        luaL_argcheck(L, n <= left, 2, "data string too short");
        lua_pushlstring(L, p, n);
        return n;
    }
    case 's': {
        const char *end = memchr(p, '\0', left);
        if (!end)
            luaL_error(L, "unfinished string in data");
        lua_pushlstring(L, p, (size_t)(end - p));
        return (size_t)(end - p) + 1;
    }
    case 'b':
    case 'B':
    case 'h':
    case 'H':
    case 'l':
    case 'L':
    case 'T':
    case 'i':
    case 'I': lua_pushnumber(L, unpack_int(l, p, f)); return f->size;
    default: control(l, f->option); return 0;
    }
}

static int struct_unpack(lua_State *L)
{
    struct layout l = {.L = L, .fmt = luaL_checkstring(L, 1), .align = 1};
    struct field f;
    size_t n;
    const char *data = luaL_checklstring(L, 2, &n);
    size_t at = (size_t)luaL_optinteger(L, 3, 1);
    luaL_argcheck(L, at > 0, 3, "offset must be 1 or greater");
    l.at = at - 1;
    lua_settop(L, 2);
    while (next_field(&l, &f)) {
        if (__builtin_add_overflow(l.at, f.padding, &l.at) || l.at > n || f.size > n - l.at)
            luaL_argerror(L, 2, "data string too short");
        luaL_checkstack(L, 2, "too many results");
        l.at += unpack_field(&l, &f, data + l.at, n - l.at);
    }
    lua_pushinteger(L, (lua_Integer)l.at + 1);
    return lua_gettop(L) - 2;
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static int struct_size(lua_State *L)
{
    struct layout l = {.L = L, .fmt = luaL_checkstring(L, 1), .align = 1};
    struct field f;
    while (next_field(&l, &f)) {
        if (f.option == 's')
            luaL_argerror(L, 1, "option 's' has no fixed size");
        if (f.option == 'c' && f.size == 0)
            luaL_argerror(L, 1, "option 'c0' has no fixed size");
        if (!is_alnum(f.option)) /* letters without a meaning count nothing here */
            control(&l, f.option);
        l.at += f.padding + f.size;
    }
    lua_pushinteger(L, (lua_Integer)l.at);
    return 1;
}

void lib_struct_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"pack", struct_pack}, {"size", struct_size}, {"unpack", struct_unpack}, {NULL, NULL}};
    lua_newtable(L);
    luaL_register(L, NULL, functions);
}
