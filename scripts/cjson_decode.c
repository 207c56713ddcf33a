/*
 * JSON text to Lua values. The text ends with the zero that closes every Lua string, which is also
 * the token for the end; so looking one character ahead is always allowed, and a zero inside the
 * text ends it early.
 */
#include "scripts/cjson.h"
#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum token_type {
    TOKEN_OBJECT_BEGIN,
    TOKEN_OBJECT_END,
    TOKEN_ARRAY_BEGIN,
    TOKEN_ARRAY_END,
    TOKEN_STRING,
    TOKEN_NUMBER,
    TOKEN_BOOLEAN,
    TOKEN_NULL,
    TOKEN_COLON,
    TOKEN_COMMA,
    TOKEN_END,
    TOKEN_ERROR,
};

/* As error messages call them. */
static const char *const token_names[] = {
    "T_OBJ_BEGIN", "T_OBJ_END", "T_ARR_BEGIN", "T_ARR_END", "T_STRING", "T_NUMBER",
    "T_BOOLEAN",   "T_NULL",    "T_COLON",     "T_COMMA",   "T_END",
};

struct token {
    enum token_type type;
    size_t at;        /* its offset in the text */
    const char *text; /* of a string; what is wrong, of an error */
    size_t n;
    double number;
    bool boolean;
};

struct decoder {
    lua_State *L;
    const struct cjson_settings *settings;
    const char *start, *p;
    struct out unescaped; /* the last string token, where it had escapes */
    unsigned steps;
    int depth;
};

static void decode_value(struct decoder *d, const struct token *t);

/* ---- Tokens -------------------------------------------------------------------------------------
 */

static void bad_token(struct decoder *d, struct token *t, const char *what)
{
    t->type = TOKEN_ERROR;
    t->at = (size_t)(d->p - d->start);
    t->text = what;
}

static int hex4(const char *p)
{
    int n = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9')
            n = n * 16 + c - '0';
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            n = n * 16 + (c | 0x20) - 'a' + 10;
        else
            return -1;
    }
    return n;
}

static void add_utf8(struct out *o, int c)
{
    if (c < 0x80) {
        out_char(o, (char)c);
    } else if (c < 0x800) {
        out_char(o, (char)(0xc0 | c >> 6));
        out_char(o, (char)(0x80 | (c & 0x3f)));
    } else if (c < 0x10000) {
        out_char(o, (char)(0xe0 | c >> 12));
        out_char(o, (char)(0x80 | (c >> 6 & 0x3f)));
        out_char(o, (char)(0x80 | (c & 0x3f)));
    } else {
        out_char(o, (char)(0xf0 | c >> 18));
        out_char(o, (char)(0x80 | (c >> 12 & 0x3f)));
        out_char(o, (char)(0x80 | (c >> 6 & 0x3f)));
        out_char(o, (char)(0x80 | (c & 0x3f)));
    }
}

/* \uXXXX, or two of them for what lies beyond the first plane. */
static bool read_unicode(struct decoder *d)
{
    int c = hex4(d->p + 2);
    size_t n = 6;
    if (c < 0)
        return false;
    if (c >= 0xd800 && c <= 0xdfff) {
        if (c >= 0xdc00 || d->p[6] != '\\' || d->p[7] != 'u')
            return false;
        int low = hex4(d->p + 8);
        if (low < 0xdc00 || low > 0xdfff)
            return false;
        c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
        n = 12;
    }
    add_utf8(&d->unescaped, c);
    d->p += n;
    return true;
}

static char escaped(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return '\0';
    }
}

static void read_string(struct decoder *d, struct token *t)
{
    struct out *o = &d->unescaped;
    const char *begin = ++d->p;
    o->n = 0;
    for (;;) {
        size_t n = strcspn(d->p, "\"\\");
        lib_steps(d->L, &d->steps, n / 8 + 1);
        const char *run = d->p;
        d->p += n;
        if (*d->p == '\0') {
            bad_token(d, t, "unexpected end of string");
            return;
        }
        if (*d->p == '"' && run == begin) { /* no escape in it: the text itself will do */
            t->text = begin;
            t->n = n;
            break;
        }
        out_bytes(o, run, n);
        if (*d->p == '"') {
            t->text = o->p;
            t->n = o->n;
            break;
        }
        if (d->p[1] == 'u') {
            if (!read_unicode(d)) {
                bad_token(d, t, "invalid unicode escape code");
                return;
            }
        } else {
            char c = escaped(d->p[1]);
            if (c == '\0') {
                bad_token(d, t, "invalid escape code");
                return;
            }
            out_char(o, c);
            d->p += 2;
        }
    }
    d->p++;
    t->type = TOKEN_STRING;
}

/* Would strtod take this, but not JSON: a plus, hexadecimal, leading zeros, infinity, NaN? */
static bool is_odd_number(const char *p)
{
    if (*p == '+')
        return true;
    if (*p == '-')
        p++;
    if (*p == '0')
        return (p[1] | 0x20) == 'x' || (p[1] >= '0' && p[1] <= '9');
    return strncasecmp(p, "inf", 3) == 0 || strncasecmp(p, "nan", 3) == 0;
}

static void read_number(struct decoder *d, struct token *t)
{
    char *end;
    t->number = strtod(d->p, &end);
    if (end == d->p) {
        bad_token(d, t, "invalid number");
        return;
    }
    lib_steps(d->L, &d->steps, (size_t)(end - d->p) / 8);
    d->p = end;
    t->type = TOKEN_NUMBER;
}

static bool read_word(struct decoder *d, const char *word, size_t n)
{
    if (strncmp(d->p, word, n) != 0)
        return false;
    d->p += n;
    return true;
}

/* What is neither punctuation nor a string. */
static void read_other(struct decoder *d, struct token *t)
{
    bool odd_allowed = d->settings->decode_invalid == CJSON_INVALID_ALLOW;
    char c = *d->p;
    if (c == '-' || (c >= '0' && c <= '9')) {
        if (!odd_allowed && is_odd_number(d->p))
            bad_token(d, t, "invalid number");
        else
            read_number(d, t);
    } else if (read_word(d, "true", 4)) {
        t->type = TOKEN_BOOLEAN;
        t->boolean = true;
    } else if (read_word(d, "false", 5)) {
        t->type = TOKEN_BOOLEAN;
        t->boolean = false;
    } else if (read_word(d, "null", 4)) {
        t->type = TOKEN_NULL;
    } else if (odd_allowed && is_odd_number(d->p)) {
        read_number(d, t);
    } else {
        bad_token(d, t, "invalid token");
    }
}

static void next_token(struct decoder *d, struct token *t)
{
    static const char marks[] = "{}[]:,";
    static const enum token_type types[] = {TOKEN_OBJECT_BEGIN, TOKEN_OBJECT_END, TOKEN_ARRAY_BEGIN,
                                            TOKEN_ARRAY_END,    TOKEN_COLON,      TOKEN_COMMA};
    lib_step(d->L, &d->steps);
    while (*d->p == ' ' || *d->p == '\t' || *d->p == '\n' || *d->p == '\r') {
        lib_step(d->L, &d->steps);
        d->p++;
    }
    *t = (struct token){.at = (size_t)(d->p - d->start)};
    if (*d->p == '\0') {
        t->type = TOKEN_END;
    } else if (*d->p == '"') {
        read_string(d, t);
    } else {
        const char *mark = strchr(marks, *d->p);
        if (mark) {
            d->p++;
            t->type = types[mark - marks];
        } else {
            read_other(d, t);
        }
    }
}

/* ---- Values -------------------------------------------------------------------------------------
 */

static void unexpected(struct decoder *d, const struct token *t, const char *wanted)
{
    luaL_error(d->L, "Expected %s but found %s at character %d", wanted,
               t->type == TOKEN_ERROR ? t->text : token_names[t->type], (int)t->at + 1);
}

static void descend(struct decoder *d)
{
    d->depth++;
    if (d->depth > d->settings->decode_depth || d->depth > CJSON_MAX_DEPTH ||
        !lua_checkstack(d->L, 8))
        luaL_error(d->L, "Found too many nested data structures (%d) at character %d", d->depth,
                   (int)(d->p - d->start));
}

static void decode_array(struct decoder *d)
{
    struct token t;
    descend(d);
    lua_newtable(d->L);
    next_token(d, &t);
    for (int i = 1; t.type != TOKEN_ARRAY_END; i++) {
        decode_value(d, &t);
        lua_rawseti(d->L, -2, i);
        next_token(d, &t);
        if (t.type == TOKEN_ARRAY_END)
            break;
        if (t.type != TOKEN_COMMA)
            unexpected(d, &t, "comma or array end");
        next_token(d, &t);
        if (t.type == TOKEN_ARRAY_END)
            unexpected(d, &t, "value");
    }
    d->depth--;
}

static void decode_member(struct decoder *d, struct token *t)
{
    if (t->type != TOKEN_STRING)
        unexpected(d, t, "object key string");
    lua_pushlstring(d->L, t->text, t->n);
    next_token(d, t);
    if (t->type != TOKEN_COLON)
        unexpected(d, t, "colon");
    next_token(d, t);
    decode_value(d, t);
    lua_rawset(d->L, -3);
}

static void decode_object(struct decoder *d)
{
    struct token t;
    descend(d);
    lua_newtable(d->L);
    next_token(d, &t);
    while (t.type != TOKEN_OBJECT_END) {
        decode_member(d, &t);
        next_token(d, &t);
        if (t.type == TOKEN_OBJECT_END)
            break;
        if (t.type != TOKEN_COMMA)
            unexpected(d, &t, "comma or object end");
        next_token(d, &t);
        if (t.type == TOKEN_OBJECT_END)
            unexpected(d, &t, "object key string");
    }
    d->depth--;
}

/* Pushes the value that begins with `t`. */
static void decode_value(struct decoder *d, const struct token *t)
{
    switch (t->type) {
    case TOKEN_STRING: lua_pushlstring(d->L, t->text, t->n); break;
    case TOKEN_NUMBER: lua_pushnumber(d->L, t->number); break;
    case TOKEN_BOOLEAN: lua_pushboolean(d->L, t->boolean); break;
    case TOKEN_NULL: lua_pushlightuserdata(d->L, NULL); break;
    case TOKEN_OBJECT_BEGIN: decode_object(d); break;
    case TOKEN_ARRAY_BEGIN: decode_array(d); break;
    default: unexpected(d, t, "value");
    }
}

int cjson_decode(lua_State *L)
{
    luaL_argcheck(L, lua_gettop(L) == 1, 1, "expected 1 argument");
    size_t n;
    struct decoder d;
    struct token t;
    d.L = L;
    d.settings = lua_touserdata(L, lua_upvalueindex(1));
    d.start = d.p = luaL_checklstring(L, 1, &n);
    d.steps = 0;
    d.depth = 0;
    if (n >= 2 && (d.p[0] == '\0' || d.p[1] == '\0'))
        return luaL_error(L, "JSON parser does not support UTF-16 or UTF-32");

    out_init(&d.unescaped, L);
    next_token(&d, &t);
    decode_value(&d, &t);
    next_token(&d, &t);
    if (t.type != TOKEN_END)
        unexpected(&d, &t, "the end");
    return 1;
}
