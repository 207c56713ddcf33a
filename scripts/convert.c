#include "scripts/convert.h"

#include "base/num.h"

#include <lauxlib.h>

/* ---- a reply into Lua ---- */

struct reader {
    const struct tape *tape;
    size_t at;
    int resp;
};

static void push_value(lua_State *L, struct reader *r);

static void push_text(lua_State *L, struct bytes s)
{
    lua_pushlstring(L, s.p, s.n);
}

/* A table with the value at the top of the stack as its only field. */
static void wrap(lua_State *L, enum konst field)
{
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_rawgeti(L, LUA_ENVIRONINDEX, field);
    lua_insert(L, -2);
    lua_rawset(L, -3);
}

static bool is_line_end(char c)
{
    return c == '\r' || c == '\n';
}

void convert_push_error(lua_State *L, struct bytes text)
{
    const char *blank = text.n ? memchr(text.p, ' ', text.n) : NULL;
    struct bytes code = BYTES("ERR"), message = text;
    if (blank) {
        code = (struct bytes){text.p, (size_t)(blank - text.p)};
        message = (struct bytes){blank + 1, text.n - code.n - 1};
    }
    while (message.n && is_line_end(*message.p))
        message = (struct bytes){message.p + 1, message.n - 1};
    while (message.n && is_line_end(message.p[message.n - 1]))
        message.n--;

    lua_createtable(L, 0, 2);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_ERR);
    push_text(L, code);
    lua_pushliteral(L, " ");
    push_text(L, message);
    lua_concat(L, 3);
    lua_rawset(L, -3);
}

static void push_command_error(lua_State *L, struct bytes text)
{
    convert_push_error(L, text);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_COUNTED);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
}

/* Room for a table, a pair in it, and what push_value itself needs for a scalar. */
static void make_room(lua_State *L)
{
    luaL_checkstack(L, 8, "reply is nested too deeply");
}

static void push_array(lua_State *L, struct reader *r, size_t n)
{
    make_room(L);
    lua_createtable(L, (int)n, 0);
    for (size_t i = 1; i <= n; i++) {
        push_value(L, r);
        lua_rawseti(L, -2, (int)i);
    }
}

static void push_map(lua_State *L, struct reader *r, size_t pairs)
{
    make_room(L);
    lua_createtable(L, 0, (int)pairs);
    for (size_t i = 0; i < pairs; i++) {
        push_value(L, r);
        push_value(L, r);
        lua_rawset(L, -3);
    }
    wrap(L, K_MAP);
}

static void push_set(lua_State *L, struct reader *r, size_t n)
{
    make_room(L);
    lua_createtable(L, 0, (int)n);
    for (size_t i = 0; i < n; i++) {
        push_value(L, r);
        lua_pushboolean(L, 1);
        lua_rawset(L, -3);
    }
    wrap(L, K_SET);
}

static void push_verbatim(lua_State *L, struct bytes text)
{
    lua_createtable(L, 0, 2);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_STRING);
    push_text(L, text);
    lua_rawset(L, -3);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_FORMAT);
    lua_pushlstring(L, text.p - 3, 3);
    lua_rawset(L, -3);
    wrap(L, K_VERBATIM);
}

static void push_real(lua_State *L, double v)
{
    char text[NUM_F64_MAX];
    lua_pushlstring(L, text, num_format_f64(text, v));
}

/* The types that RESP2 does not have, as RESP2 carries them. */
static void push_plain(lua_State *L, struct reader *r, const struct tape_node *n)
{
    switch (n->kind) {
    case TAPE_REAL: push_real(L, n->f); break;
    case TAPE_BOOL: lua_pushnumber(L, n->b); break;
    case TAPE_MAP: push_array(L, r, 2 * (size_t)n->len); break;
    case TAPE_SET: push_array(L, r, n->len); break;
    case TAPE_NULL:
    case TAPE_NULL_ARRAY: lua_pushboolean(L, 0); break;
    default: /* verbatim, big number */ push_text(L, tape_text(r->tape, n));
    }
}

static void push_rich(lua_State *L, struct reader *r, const struct tape_node *n)
{
    switch (n->kind) {
    case TAPE_REAL:
        lua_pushnumber(L, n->f);
        wrap(L, K_DOUBLE);
        break;
    case TAPE_BOOL: lua_pushboolean(L, n->b); break;
    case TAPE_MAP: push_map(L, r, n->len); break;
    case TAPE_SET: push_set(L, r, n->len); break;
    case TAPE_VERBATIM: push_verbatim(L, tape_text(r->tape, n)); break;
    case TAPE_BIGNUM:
        push_text(L, tape_text(r->tape, n));
        wrap(L, K_BIG_NUMBER);
        break;
    default: lua_pushnil(L);
    }
}

static void push_value(lua_State *L, struct reader *r)
{
    const struct tape_node *n = &r->tape->nodes[r->at++];
    switch (n->kind) {
    case TAPE_INT: lua_pushnumber(L, (lua_Number)n->i); break;
    case TAPE_BULK: push_text(L, tape_text(r->tape, n)); break;
    case TAPE_STATUS:
        push_text(L, tape_text(r->tape, n));
        wrap(L, K_OK);
        break;
    case TAPE_ERROR: push_command_error(L, tape_text(r->tape, n)); break;
    case TAPE_ARRAY:
    case TAPE_PUSH: push_array(L, r, n->len); break;
    default: (r->resp == 2 ? push_plain : push_rich)(L, r, n);
    }
}

void convert_push(lua_State *L, const struct tape *t, int resp)
{
    struct reader r = {t, 0, resp};
    push_value(L, &r);
}

/* ---- a result out of Lua ---- */

/* A table can hold itself, and a small one can say a large thing many times: both end here. */
enum { DEPTH_MAX = 1000, NODE_COST = 16 };

struct writer {
    struct script_host *host;
    struct reply *out;
    size_t budget; /* what may still be said, in bytes */
    int depth;
    unsigned steps;
};

static void say_value(lua_State *L, struct writer *w);

static void spend(lua_State *L, struct writer *w, size_t n)
{
    if (n + NODE_COST > w->budget)
        luaL_error(L, "script reply is too large");
    w->budget -= n + NODE_COST;
    lib_step(L, &w->steps);
}

/* To be asked where the tape is looked at again; a loss elsewhere is noticed in the end. */
static void check_said(lua_State *L, const struct writer *w)
{
    if (w->out->lost)
        luaL_error(L, "not enough memory");
}

/* Out of range is what a x86 processor makes of it, and so what Redis's clients know. */
static int64_t truncated(double v)
{
    return v >= -9223372036854775808.0 && v < 9223372036854775808.0 ? (int64_t)v : INT64_MIN;
}

/* The string up to its first NUL, as everywhere where Redis takes a C string. */
static struct bytes c_string(lua_State *L, int index)
{
    return bytes_of(lua_tostring(L, index));
}

static void say_error(lua_State *L, struct writer *w)
{
    struct bytes text = c_string(L, -1);
    while (text.n && is_line_end(text.p[text.n - 1]))
        text.n--;
    spend(L, w, text.n);
    reply_error(w->out, text);
    if (w->depth > 1)
        return;
    w->host->failed = true;
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_COUNTED);
    lua_rawget(L, -3);
    w->host->counted = lua_toboolean(L, -1);
    lua_pop(L, 1);
}

static bool say_verbatim(lua_State *L, struct writer *w)
{
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_FORMAT);
    lua_rawget(L, -2);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_STRING);
    lua_rawget(L, -3);
    bool ok = lua_type(L, -1) == LUA_TSTRING && lua_type(L, -2) == LUA_TSTRING;
    if (ok) {
        char format[3] = {' ', ' ', ' '};
        struct bytes given = c_string(L, -2), text;
        memcpy(format, given.p, given.n < 3 ? given.n : 3);
        text.p = lua_tolstring(L, -1, &text.n);
        spend(L, w, text.n);
        reply_verbatim(w->out, format, text);
    }
    lua_pop(L, 2);
    return ok;
}

/* Digits are not checked, only kept on one line. */
static void say_big_number(lua_State *L, struct writer *w)
{
    struct bytes text;
    text.p = lua_tolstring(L, -1, &text.n);
    spend(L, w, text.n);
    reply_bignum(w->out, text);
    check_said(L, w);
    struct tape *t = &w->host->answer;
    char *said = t->text.p + t->nodes[t->n - 1].at;
    for (size_t i = 0; i < text.n; i++)
        if (is_line_end(said[i]))
            said[i] = ' ';
}

/* The count is known only afterwards, and the tape lets us write it then. */
static void say_pairs(lua_State *L, struct writer *w, bool map)
{
    struct tape *t = &w->host->answer;
    size_t at = t->n;
    uint32_t n = 0;
    spend(L, w, 0);
    (map ? reply_map : reply_set)(w->out, 0);
    for (lua_pushnil(L); lua_next(L, -2); n++) {
        if (map) {
            lua_pushvalue(L, -2);
            say_value(L, w);
            say_value(L, w);
        } else {
            lua_pop(L, 1);
            lua_pushvalue(L, -1);
            say_value(L, w);
        }
    }
    check_said(L, w);
    t->nodes[at].len = n;
}

static void say_array(lua_State *L, struct writer *w)
{
    struct tape *t = &w->host->answer;
    size_t at = t->n;
    uint32_t n = 0;
    spend(L, w, 0);
    reply_array(w->out, 0);
    for (;; n++) {
        lua_rawgeti(L, -1, (int)n + 1);
        if (lua_isnil(L, -1))
            break;
        say_value(L, w);
    }
    lua_pop(L, 1);
    check_said(L, w);
    t->nodes[at].len = n;
}

/* Says the table at -2 as the type its field at -1 makes it; false when the field has another type
 * than that would take. */
static bool say_field(lua_State *L, struct writer *w, enum konst field)
{
    int type = lua_type(L, -1);
    struct bytes text;
    switch (field) {
    case K_ERR:
        if (type == LUA_TSTRING)
            say_error(L, w);
        return type == LUA_TSTRING;
    case K_OK:
        if (type != LUA_TSTRING)
            return false;
        text = c_string(L, -1);
        spend(L, w, text.n);
        reply_status(w->out, text);
        return true;
    case K_DOUBLE:
        if (type != LUA_TNUMBER)
            return false;
        spend(L, w, 0);
        reply_real(w->out, lua_tonumber(L, -1));
        return true;
    case K_BIG_NUMBER:
        if (type == LUA_TSTRING)
            say_big_number(L, w);
        return type == LUA_TSTRING;
    case K_VERBATIM: return type == LUA_TTABLE && say_verbatim(L, w);
    default: /* K_MAP, K_SET */
        if (type == LUA_TTABLE)
            say_pairs(L, w, field == K_MAP);
        return type == LUA_TTABLE;
    }
}

/* A table that ends with its last element is an array, and need not be asked for fields. */
static bool only_elements(lua_State *L)
{
    size_t n = lua_objlen(L, -1);
    if (n)
        lua_pushnumber(L, (lua_Number)n);
    else
        lua_pushnil(L);
    bool more = lua_next(L, -2);
    if (more)
        lua_pop(L, 2);
    return !more;
}

/* The fields are asked for in Redis's order. */
static void say_table(lua_State *L, struct writer *w)
{
    if (w->depth >= DEPTH_MAX || !lua_checkstack(L, 6))
        luaL_error(L, "reached lua stack limit");
    w->depth++;
    bool said = false, array = only_elements(L);
    for (int field = K_ERR; field <= K_SET && !said && !array; field++) {
        lua_rawgeti(L, LUA_ENVIRONINDEX, field);
        lua_rawget(L, -2);
        said = !lua_isnil(L, -1) && say_field(L, w, (enum konst)field);
        lua_pop(L, 1);
    }
    if (!said)
        say_array(L, w);
    w->depth--;
}

static void say_value(lua_State *L, struct writer *w)
{
    struct bytes text;
    switch (lua_type(L, -1)) {
    case LUA_TSTRING:
        text.p = lua_tolstring(L, -1, &text.n);
        spend(L, w, text.n);
        reply_bulk(w->out, text);
        break;
    case LUA_TNUMBER:
        spend(L, w, 0);
        reply_int(w->out, truncated(lua_tonumber(L, -1)));
        break;
    case LUA_TBOOLEAN:
        spend(L, w, 0);
        if (w->host->resp == 3)
            reply_bool(w->out, lua_toboolean(L, -1));
        else if (lua_toboolean(L, -1))
            reply_int(w->out, 1);
        else
            reply_null(w->out);
        break;
    case LUA_TTABLE: say_table(L, w); break;
    default: spend(L, w, 0); reply_null(w->out);
    }
    lua_pop(L, 1);
}

void convert_answer(lua_State *L, struct script_host *h)
{
    struct writer w = {h, &h->answer.reply, .budget = h->limits.memory};
    say_value(L, &w);
    check_said(L, &w);
}
