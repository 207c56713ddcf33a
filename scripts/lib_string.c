/* The string library, but for the functions that take patterns. */
#include "scripts/lib_num.h"
#include "scripts/lib_out.h"
#include "scripts/lib_pattern.h"
#include "scripts/libs.h"

#include "base/bytes.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>

/* A position counted from 1, or from the end when negative; 0 when it lies before the beginning. */
static lua_Integer position(lua_Integer at, size_t n)
{
    if (at < 0)
        at += (lua_Integer)n + 1;
    return at >= 0 ? at : 0;
}

static int string_len(lua_State *L)
{
    size_t n;
    luaL_checklstring(L, 1, &n);
    lua_pushinteger(L, (lua_Integer)n);
    return 1;
}

static int string_sub(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    lua_Integer first = position(luaL_checkinteger(L, 2), n);
    lua_Integer last = position(luaL_optinteger(L, 3, -1), n);
    if (first < 1)
        first = 1;
    if (last > (lua_Integer)n)
        last = (lua_Integer)n;
    if (first <= last)
        lua_pushlstring(L, s + first - 1, (size_t)(last - first + 1));
    else
        lua_pushliteral(L, "");
    return 1;
}

static int string_byte(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    lua_Integer first = position(luaL_optinteger(L, 2, 1), n);
    lua_Integer last = position(luaL_optinteger(L, 3, first), n);
    if (first < 1)
        first = 1;
    if (last > (lua_Integer)n)
        last = (lua_Integer)n;
    if (first > last)
        return 0;

    lua_Integer count = last - first + 1;
    if (count >= INT_MAX)
        return luaL_error(L, "string slice too long");
    luaL_checkstack(L, (int)count, "string slice too long");
    for (lua_Integer i = first; i <= last; i++)
        lua_pushinteger(L, (unsigned char)s[i - 1]);
    return (int)count;
}

static int string_char(lua_State *L)
{
    int n = lua_gettop(L);
    struct out o;
    out_init(&o, L);
    for (int i = 1; i <= n; i++) {
        int c = (int)luaL_checkinteger(L, i);
        luaL_argcheck(L, c >= 0 && c <= UCHAR_MAX, i, "invalid value");
        out_char(&o, (char)c);
    }
    out_push(&o);
    return 1;
}

/* Pushes a string of the subject's length whose bytes `fill` writes. */
static int transform(lua_State *L, void (*fill)(char *to, const char *from, size_t n))
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    struct out o;
    out_init(&o, L);
    fill(out_reserve(&o, n), s, n);
    o.n = n;
    out_push(&o);
    return 1;
}

static void fill_lower(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = ascii_lower(from[i]);
}

static void fill_upper(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i] >= 'a' && from[i] <= 'z' ? (char)(from[i] - 'a' + 'A') : from[i];
}

static void fill_reverse(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[n - 1 - i];
}

static int string_lower(lua_State *L)
{
    return transform(L, fill_lower);
}

static int string_upper(lua_State *L)
{
    return transform(L, fill_upper);
}

static int string_reverse(lua_State *L)
{
    return transform(L, fill_reverse);
}

static int string_rep(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    int times = (int)luaL_checkinteger(L, 2); /* a count of 2^32 is none at all, as in Lua */
    if (times <= 0 || n == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    size_t total;
    if (__builtin_mul_overflow(n, (size_t)times, &total))
        return luaL_error(L, "resulting string too large");

    struct out o;
    unsigned steps = 0;
    out_init(&o, L);
    char *to = out_reserve(&o, total);
    memcpy(to, s, n);
    for (size_t have = n, more; have < total; have += more) {
        lib_steps(L, &steps, 64);
        more = have < total - have ? have : total - have;
        if (more > 65536)
            more = 65536;
        memcpy(to + have, to, more);
    }
    o.n = total;
    out_push(&o);
    return 1;
}

/* Bytecode is never handed out: what could be read back in could break the interpreter. */
static int string_dump(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    return luaL_error(L, "unable to dump given function");
}

/* ---- format -------------------------------------------------------------------------------------
 */

/* Widths and precisions have two digits at most, so the longest number is "%99.99f" of 1e308. */
enum { FORMAT_ITEM = 512, FORMAT_SPEC = 24 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
    for (int i = 0; i < 2 && is_digit(*p); i++)
        p++;
    return p;
}

/*
 * Copies flags, width and precision from `p`, after the %, into `spec` together with `length`
 * (what printf needs before a long integer) and the conversion. Answers where the conversion is.
 */
static const char *read_spec(lua_State *L, const char *p, char *spec)
{
    const char *flags = p;
    while (*p != '\0' && strchr("-+ #0", *p))
        p++;
    if (p - flags > 5)
        luaL_error(L, "invalid format (repeated flags)");
    p = skip_digits(p);
    if (*p == '.')
        p = skip_digits(p + 1);
    if (is_digit(*p))
        luaL_error(L, "invalid format (width or precision too long)");

    size_t n = (size_t)(p - flags);
    *spec++ = '%';
    memcpy(spec, flags, n);
    spec += n;
    if (*p != '\0' && strchr("dioxXu", *p))
        *spec++ = 'l';
    *spec++ = *p;
    *spec = '\0';
    return p;
}

/* %q: a string that Lua reads back as it was. */
static void add_quoted(struct out *o, int arg)
{
    size_t n;
    const char *s = luaL_checklstring(o->L, arg, &n);
    out_char(o, '"');
    for (size_t i = 0; i < n; i++) {
        switch (s[i]) {
        case '"':
        case '\\':
        case '\n':
            out_char(o, '\\');
            out_char(o, s[i]);
            break;
        case '\r': out_bytes(o, "\\r", 2); break;
        case '\0': out_bytes(o, "\\000", 4); break;
        default: out_char(o, s[i]);
        }
    }
    out_char(o, '"');
}

/* %s: without a precision a long string goes in whole; otherwise it ends at a zero byte. */
static void add_string(struct out *o, const char *spec, int arg)
{
    size_t n;
    const char *s = luaL_checklstring(o->L, arg, &n);
    if (!strchr(spec, '.') && n >= 100) {
        out_bytes(o, s, n);
        return;
    }
    char item[FORMAT_ITEM];
    snprintf(item, sizeof item, spec, s);
    out_bytes(o, item, strlen(item));
}

static void add_item(struct out *o, const char *spec, char conversion, int arg)
{
    lua_State *L = o->L;
    char item[FORMAT_ITEM];
    switch (conversion) {
    case 'c': snprintf(item, sizeof item, spec, (int)num_to_i64(luaL_checknumber(L, arg))); break;
    case 'd':
    case 'i': snprintf(item, sizeof item, spec, (long)num_to_i64(luaL_checknumber(L, arg))); break;
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        snprintf(item, sizeof item, spec, (unsigned long)num_to_u64(luaL_checknumber(L, arg)));
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': snprintf(item, sizeof item, spec, luaL_checknumber(L, arg)); break;
    case 'q': add_quoted(o, arg); return;
    case 's': add_string(o, spec, arg); return;
    default: luaL_error(L, "invalid option '%%%c' to 'format'", conversion); return;
    }
    out_bytes(o, item, strlen(item)); /* the character zero is nothing, as in Lua 5.1 */
}

static int string_format(lua_State *L)
{
    int arg = 1, top = lua_gettop(L);
    size_t n;
    const char *p = luaL_checklstring(L, 1, &n), *end = p + n;
    struct out o;
    unsigned steps = 0;
    out_init(&o, L);
    for (; p < end; p++) {
        lib_step(L, &steps);
        if (*p != '%' || *++p == '%') {
            out_char(&o, *p);
        } else {
            char spec[FORMAT_SPEC];
            if (++arg > top)
                luaL_argerror(L, arg, "no value");
            p = read_spec(L, p, spec);
            add_item(&o, spec, *p, arg);
        }
    }
    out_push(&o);
    return 1;
}

void lib_string_open(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"byte", string_byte},       {"char", string_char},
        {"dump", string_dump},       {"find", pattern_find},
        {"format", string_format},   {"gfind", pattern_gmatch},
        {"gmatch", pattern_gmatch},  {"gsub", pattern_gsub},
        {"len", string_len},         {"lower", string_lower},
        {"match", pattern_match},    {"rep", string_rep},
        {"reverse", string_reverse}, {"sub", string_sub},
        {"upper", string_upper},     {NULL, NULL},
    };
    lua_newtable(L);
    luaL_register(L, NULL, functions);
}
