/* Lua values to JSON text. */
#include "scripts/cjson.h"
#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct encoder {
    lua_State *L;
    const struct cjson_settings *settings;
    struct out out;
    unsigned steps;
};

static void encode_value(struct encoder *e, int depth);

static void refuse(struct encoder *e, int index, const char *reason)
{
    luaL_error(e->L, "Cannot serialise %s: %s", luaL_typename(e->L, index), reason);
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\' || c == '/' || c == 0x7f;
}

static void encode_escape(struct out *o, unsigned char c)
{
    static const char letters[] = "btn?fr"; /* from backspace on */
    static const char digits[] = "0123456789abcdef";
    if (c >= '\b' && c <= '\r' && c != '\v') {
        out_bytes(o, (char[]){'\\', letters[c - '\b']}, 2);
    } else if (c < 0x20 || c == 0x7f) {
        out_bytes(o, "\\u00", 4);
        out_bytes(o, (char[]){digits[c >> 4], digits[c & 15]}, 2);
    } else {
        out_bytes(o, (char[]){'\\', (char)c}, 2);
    }
}

static void encode_string(struct encoder *e, int index)
{
    size_t n;
    const char *s = lua_tolstring(e->L, index, &n), *end = s + n;
    out_char(&e->out, '"');
    while (s < end) {
        const char *run = s;
        while (s < end && !needs_escape((unsigned char)*s))
            s++;
        lib_steps(e->L, &e->steps, (size_t)(s - run) / 8 + 1);
        out_bytes(&e->out, run, (size_t)(s - run));
        if (s < end)
            encode_escape(&e->out, (unsigned char)*s++);
    }
    out_char(&e->out, '"');
}

static const char *invalid_number(const struct encoder *e, double d)
{
    if (e->settings->encode_invalid == CJSON_INVALID_NULL)
        return "null";
    if (isnan(d))
        return "nan";
    return d > 0 ? "inf" : "-inf";
}

static void encode_number(struct encoder *e, int index)
{
    double d = lua_tonumber(e->L, index);
    if (isfinite(d)) {
        char text[32];
        int n = snprintf(text, sizeof text, "%.*g", e->settings->precision, d);
        out_bytes(&e->out, text, (size_t)n);
        return;
    }
    if (e->settings->encode_invalid == CJSON_INVALID_REFUSE)
        refuse(e, index, "must not be NaN or Inf");
    const char *text = invalid_number(e, d);
    out_bytes(&e->out, text, strlen(text));
}

/*
 * The length of the table on top as an array, with gaps; zero or less when it has to be an object.
 * A key beyond the integers makes it one, by wrapping round, as in Redis.
 */
static int array_length(struct encoder *e)
{
    lua_State *L = e->L;
    const struct cjson_settings *s = e->settings;
    int max = 0;
    int64_t items = 0;
    lua_pushnil(L);
    while (lua_next(L, -2)) {
        lib_step(L, &e->steps);
        lua_pop(L, 1);
        double key = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : 0;
        if (floor(key) != key || key < 1) {
            lua_pop(L, 1);
            return -1;
        }
        if (key > max)
            max = key <= INT_MAX ? (int)key : INT_MIN;
        items++;
    }
    if (s->sparse_ratio > 0 && max > items * s->sparse_ratio && max > s->sparse_safe) {
        if (!s->sparse_convert)
            refuse(e, -1, "excessively sparse array");
        return -1;
    }
    return max;
}

static void encode_array(struct encoder *e, int n, int depth)
{
    out_char(&e->out, '[');
    for (int i = 0; i < n; i++) {
        if (i > 0)
            out_char(&e->out, ',');
        lua_rawgeti(e->L, -1, i + 1);
        encode_value(e, depth);
        lua_pop(e->L, 1);
    }
    out_char(&e->out, ']');
}

static void encode_key(struct encoder *e)
{
    switch (lua_type(e->L, -2)) {
    case LUA_TNUMBER:
        out_char(&e->out, '"');
        encode_number(e, -2);
        out_char(&e->out, '"');
        break;
    case LUA_TSTRING: encode_string(e, -2); break;
    default: refuse(e, -2, "table key must be a number or string");
    }
    out_char(&e->out, ':');
}

static void encode_object(struct encoder *e, int depth)
{
    bool first = true;
    out_char(&e->out, '{');
    lua_pushnil(e->L);
    while (lua_next(e->L, -2)) {
        if (!first)
            out_char(&e->out, ',');
        first = false;
        encode_key(e);
        encode_value(e, depth);
        lua_pop(e->L, 1);
    }
    out_char(&e->out, '}');
}

static void encode_table(struct encoder *e, int depth)
{
    if (depth > e->settings->encode_depth || depth > CJSON_MAX_DEPTH || !lua_checkstack(e->L, 8))
        luaL_error(e->L, "Cannot serialise, excessive nesting (%d)", depth);
    int n = array_length(e);
    if (n > 0)
        encode_array(e, n, depth);
    else
        encode_object(e, depth);
}

/* Encodes the value on top of the stack, inside `depth` tables, and leaves it there. */
static void encode_value(struct encoder *e, int depth)
{
    lua_State *L = e->L;
    lib_step(L, &e->steps);
    switch (lua_type(L, -1)) {
    case LUA_TSTRING: encode_string(e, -1); break;
    case LUA_TNUMBER: encode_number(e, -1); break;
    case LUA_TTABLE: encode_table(e, depth + 1); break;
    case LUA_TNIL: out_bytes(&e->out, "null", 4); break;
    case LUA_TBOOLEAN:
        if (lua_toboolean(L, -1))
            out_bytes(&e->out, "true", 4);
        else
            out_bytes(&e->out, "false", 5);
        break;
    case LUA_TLIGHTUSERDATA:
        if (!lua_touserdata(L, -1)) {
            out_bytes(&e->out, "null", 4);
            break;
        }
        /* fall through */
    default: refuse(e, -1, "type not supported");
    }
}

int cjson_encode(lua_State *L)
{
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    struct encoder e;
    e.L = L;
    e.settings = lua_touserdata(L, lua_upvalueindex(1));
    e.steps = 0;
    out_init(&e.out, L);
    lua_pushvalue(L, 1);
    encode_value(&e, 0);
    out_push(&e.out);
    return 1;
}
