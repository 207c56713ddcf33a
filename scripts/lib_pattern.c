/*
 * Lua patterns, matched by backtracking as in Lua 5.1, with two differences. Recursion has a limit,
 * because a pattern of a million `.?` would otherwise eat the C stack. And every step is counted,
 * because a dozen characters of pattern can ask for more steps than the universe has seconds: the
 * host is asked now and then whether the script may go on.
 *
 * As in 5.1 a zero byte ends a pattern (it is written %z); subjects and replacements may hold any
 * byte.
 */
#include "scripts/lib_pattern.h"

#include "scripts/lib_out.h"
#include "scripts/libs.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdint.h>
#include <string.h>

enum { MAX_CAPTURES = 32, MAX_DEPTH = 200 };

/* Lengths of captures that have none. */
#define CAPTURE_OPEN     ((ptrdiff_t)-1)
#define CAPTURE_POSITION ((ptrdiff_t)-2)

struct matcher {
    lua_State *L;
    const char *start, *end; /* the subject */
    unsigned steps;
    int depth;
    int level; /* captures begun */
    struct {
        const char *p;
        ptrdiff_t n;
    } captures[MAX_CAPTURES];
};

static const char *match(struct matcher *m, const char *s, const char *p);

/* ---- Characters and classes --------------------------------------------------------------------
 */

static bool between(unsigned char c, unsigned char lo, unsigned char hi)
{
    return c >= lo && c <= hi;
}

static bool is_digit(unsigned char c)
{
    return between(c, '0', '9');
}

static bool is_alpha(unsigned char c)
{
    return between(c | 0x20, 'a', 'z');
}

static bool is_alnum(unsigned char c)
{
    return is_alpha(c) || is_digit(c);
}

/* Does `c` belong to the class that the letter after a % names? Other characters mean themselves.
 */
static bool in_class(unsigned char c, unsigned char class)
{
    bool in;
    switch (class | 0x20) {
    case 'a': in = is_alpha(c); break;
    case 'c': in = c < 0x20 || c == 0x7f; break;
    case 'd': in = is_digit(c); break;
    case 'l': in = between(c, 'a', 'z'); break;
    case 'p': in = between(c, 0x21, 0x7e) && !is_alnum(c); break;
    case 's': in = c == ' ' || between(c, '\t', '\r'); break;
    case 'u': in = between(c, 'A', 'Z'); break;
    case 'w': in = is_alnum(c); break;
    case 'x': in = is_digit(c) || between(c | 0x20, 'a', 'f'); break;
    case 'z': in = c == 0; break;
    default: return c == class;
    }
    return between(class, 'A', 'Z') ? !in : in;
}

/* The set between `p`, its opening bracket, and `last`, its closing one. */
static bool in_set(struct matcher *m, unsigned char c, const char *p, const char *last)
{
    bool inverted = p[1] == '^';
    p += inverted ? 2 : 1;
    lib_steps(m->L, &m->steps, (size_t)(last - p) / 8);
    for (; p < last; p++) {
        if (*p == '%') {
            if (in_class(c, (unsigned char)*++p))
                return !inverted;
        } else if (p[1] == '-' && p + 2 < last) {
            if (between(c, (unsigned char)p[0], (unsigned char)p[2]))
                return !inverted;
            p += 2;
        } else if (c == (unsigned char)*p) {
            return !inverted;
        }
    }
    return inverted;
}

/* Where the single-character item at `p` ends. */
static const char *item_end(struct matcher *m, const char *p)
{
    char c = *p++;
    if (c == '%') {
        if (*p == '\0')
            luaL_error(m->L, "malformed pattern (ends with '%%')");
        return p + 1;
    }
    if (c != '[')
        return p;
    if (*p == '^')
        p++;
    do { /* a closing bracket that comes first is a member */
        if (*p == '\0')
            luaL_error(m->L, "malformed pattern (missing ']')");
        lib_step(m->L, &m->steps);
        if (*p++ == '%' && *p != '\0')
            p++;
    } while (*p != ']');
    return p + 1;
}

/* Does the subject at `s` begin with the single-character item from `p` to `end`? */
static bool match_item(struct matcher *m, const char *s, const char *p, const char *end)
{
    lib_step(m->L, &m->steps);
    if (s >= m->end)
        return false;
    unsigned char c = (unsigned char)*s;
    switch (*p) {
    case '.': return true;
    case '%': return in_class(c, (unsigned char)p[1]);
    case '[': return in_set(m, c, p, end - 1);
    default: return c == (unsigned char)*p;
    }
}

/* ---- Items that are more than one character -----------------------------------------------------
 */

static const char *match_balance(struct matcher *m, const char *s, const char *p)
{
    if (p[0] == '\0' || p[1] == '\0')
        luaL_error(m->L, "unbalanced pattern");
    if (s >= m->end || *s != p[0])
        return NULL;
    size_t open = 1;
    while (++s < m->end) {
        lib_step(m->L, &m->steps);
        if (*s == p[1]) {
            if (--open == 0)
                return s + 1;
        } else if (*s == p[0]) {
            open++;
        }
    }
    return NULL;
}

/* Is `s` where a run of the set at `p` begins? Both ends of the subject count as a zero byte. */
static bool at_frontier(struct matcher *m, const char *s, const char *p, const char *end)
{
    unsigned char before = s == m->start ? 0 : (unsigned char)s[-1];
    unsigned char after = s == m->end ? 0 : (unsigned char)*s;
    return !in_set(m, before, p, end - 1) && in_set(m, after, p, end - 1);
}

static const char *match_longest(struct matcher *m, const char *s, const char *p, const char *end)
{
    ptrdiff_t n = 0;
    while (match_item(m, s + n, p, end))
        n++;
    for (; n >= 0; n--) {
        const char *e = match(m, s + n, end + 1);
        if (e)
            return e;
    }
    return NULL;
}

static const char *match_shortest(struct matcher *m, const char *s, const char *p, const char *end)
{
    for (;;) {
        const char *e = match(m, s, end + 1);
        if (e)
            return e;
        if (!match_item(m, s, p, end))
            return NULL;
        s++;
    }
}

static const char *open_capture(struct matcher *m, const char *s, const char *p, ptrdiff_t n)
{
    if (m->level >= MAX_CAPTURES)
        luaL_error(m->L, "too many captures");
    m->captures[m->level].p = s;
    m->captures[m->level].n = n;
    m->level++;
    const char *e = match(m, s, p);
    if (!e)
        m->level--;
    return e;
}

static const char *close_capture(struct matcher *m, const char *s, const char *p)
{
    int i = m->level - 1;
    while (i >= 0 && m->captures[i].n != CAPTURE_OPEN)
        i--;
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->captures[i].n = s - m->captures[i].p;
    const char *e = match(m, s, p);
    if (!e)
        m->captures[i].n = CAPTURE_OPEN;
    return e;
}

/* The capture that %1 to %9 refers to, which must have been closed. */
static const char *match_reference(struct matcher *m, const char *s, char digit)
{
    int i = digit - '1';
    if (i < 0 || i >= m->level || m->captures[i].n == CAPTURE_OPEN)
        luaL_error(m->L, "invalid capture index");
    /* A position has no text, and as a length it is larger than any subject. */
    size_t n = (size_t)m->captures[i].n;
    if ((size_t)(m->end - s) < n)
        return NULL;
    lib_steps(m->L, &m->steps, n / 64);
    return memcmp(m->captures[i].p, s, n) == 0 ? s + n : NULL;
}

/*
 * %b, %f and %1 to %9 at `*p`, which moves behind them. It stays when there is something else.
 * Answers where in the subject to go on, or NULL.
 */
static const char *match_special(struct matcher *m, const char *s, const char **p)
{
    char what = (*p)[1];
    if (what == 'b') {
        const char *pair = *p + 2;
        *p += 4;
        return match_balance(m, s, pair);
    }
    if (what == 'f') {
        const char *set = *p + 2;
        if (*set != '[')
            luaL_error(m->L, "missing '[' after '%%f' in pattern");
        *p = item_end(m, set);
        return at_frontier(m, s, set, *p) ? s : NULL;
    }
    if (is_digit((unsigned char)what)) {
        *p += 2;
        return match_reference(m, s, what);
    }
    return NULL;
}

/* ---- The matcher --------------------------------------------------------------------------------
 */

/*
 * Items that need no choice are consumed in this loop; the others recurse for the rest of the
 * pattern. Answers where the match ends, or NULL.
 */
static const char *match_rest(struct matcher *m, const char *s, const char *p)
{
    for (;;) {
        switch (*p) {
        case '\0': return s;
        case '(':
            return p[1] == ')' ? open_capture(m, s, p + 2, CAPTURE_POSITION)
                               : open_capture(m, s, p + 1, CAPTURE_OPEN);
        case ')': return close_capture(m, s, p + 1);
        case '$':
            if (p[1] == '\0')
                return s == m->end ? s : NULL;
            break;
        case '%': {
            const char *next = p, *after = match_special(m, s, &next);
            if (next == p)
                break;
            if (!after)
                return NULL;
            s = after;
            p = next;
            continue;
        }
        default: break;
        }

        const char *end = item_end(m, p);
        switch (*end) {
        case '*': return match_longest(m, s, p, end);
        case '+': return match_item(m, s, p, end) ? match_longest(m, s + 1, p, end) : NULL;
        case '-': return match_shortest(m, s, p, end);
        case '?':
            if (match_item(m, s, p, end)) {
                const char *e = match(m, s + 1, end + 1);
                if (e)
                    return e;
            }
            p = end + 1;
            break;
        default:
            if (!match_item(m, s, p, end))
                return NULL;
            s++;
            p = end;
        }
    }
}

static const char *match(struct matcher *m, const char *s, const char *p)
{
    if (++m->depth > MAX_DEPTH)
        luaL_error(m->L, "pattern too complex");
    lib_step(m->L, &m->steps);
    const char *e = match_rest(m, s, p);
    m->depth--;
    return e;
}

static void matcher_init(struct matcher *m, lua_State *L, const char *s, size_t n)
{
    assert(s);
    m->L = L;
    m->start = s;
    m->end = s + n;
    m->steps = 0;
    m->depth = 0;
    m->level = 0;
}

static const char *match_at(struct matcher *m, const char *s, const char *p)
{
    m->level = 0;
    return match(m, s, p);
}

/* The first match at or after `*s`, which moves to where it begins. */
static const char *search(struct matcher *m, const char **s, const char *p)
{
    bool anchored = *p == '^';
    p += anchored;
    do {
        const char *e = match_at(m, *s, p);
        if (e)
            return e;
    } while ((*s)++ < m->end && !anchored);
    return NULL;
}

/* ---- Captures as Lua values ---------------------------------------------------------------------
 */

static void push_capture(struct matcher *m, int i, const char *s, const char *e)
{
    if (i >= m->level) {
        if (i != 0)
            luaL_error(m->L, "invalid capture index");
        lua_pushlstring(m->L, s, (size_t)(e - s));
        return;
    }
    ptrdiff_t n = m->captures[i].n;
    if (n == CAPTURE_OPEN)
        luaL_error(m->L, "unfinished capture");
    if (n == CAPTURE_POSITION)
        lua_pushinteger(m->L, m->captures[i].p - m->start + 1);
    else
        lua_pushlstring(m->L, m->captures[i].p, (size_t)n);
}

/* All captures, or the whole match when the pattern has none and `s` is given. */
static int push_captures(struct matcher *m, const char *s, const char *e)
{
    int n = m->level == 0 && s ? 1 : m->level;
    luaL_checkstack(m->L, n, "too many captures");
    for (int i = 0; i < n; i++)
        push_capture(m, i, s, e);
    return n;
}

/* ---- find, match, gmatch ------------------------------------------------------------------------
 */

/* The offset that argument 3 asks for: from 1, or from the end when negative; kept inside. */
static size_t start_offset(lua_State *L, size_t n)
{
    lua_Integer at = luaL_optinteger(L, 3, 1);
    if (at < 0)
        at += (lua_Integer)n + 1;
    if (at <= 1)
        return 0;
    return (size_t)at - 1 < n ? (size_t)at - 1 : n;
}

static bool is_plain(const char *p)
{
    return strpbrk(p, "^$*+?.([%-") == NULL;
}

int pattern_find(lua_State *L)
{
    size_t n, np;
    const char *s = luaL_checklstring(L, 1, &n);
    const char *p = luaL_checklstring(L, 2, &np);
    const char *at = s + start_offset(L, n);
    const char *e;

    if (lua_toboolean(L, 4) || is_plain(p)) {
        at = memmem(at, (size_t)(s + n - at), p, np);
        if (!at) {
            lua_pushnil(L);
            return 1;
        }
        lua_pushinteger(L, at - s + 1);
        lua_pushinteger(L, at - s + (lua_Integer)np);
        return 2;
    }

    struct matcher m;
    matcher_init(&m, L, s, n);
    e = search(&m, &at, p);
    if (!e) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, at - s + 1);
    lua_pushinteger(L, e - s);
    return push_captures(&m, NULL, NULL) + 2;
}

int pattern_match(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    const char *p = luaL_checkstring(L, 2);
    const char *at = s + start_offset(L, n);

    struct matcher m;
    matcher_init(&m, L, s, n);
    const char *e = search(&m, &at, p);
    if (e)
        return push_captures(&m, at, e);
    lua_pushnil(L);
    return 1;
}

/* The iterator: upvalues are subject, pattern, and the offset to go on from. */
static int gmatch_next(lua_State *L)
{
    size_t n;
    const char *s = lua_tolstring(L, lua_upvalueindex(1), &n);
    const char *p = lua_tostring(L, lua_upvalueindex(2));
    size_t from = (size_t)lua_tointeger(L, lua_upvalueindex(3));

    struct matcher m;
    matcher_init(&m, L, s, n);
    for (; from <= n; from++) {
        const char *e = match_at(&m, s + from, p);
        if (e) {
            bool empty = e == s + from;
            lua_pushinteger(L, e - s + empty);
            lua_replace(L, lua_upvalueindex(3));
            return push_captures(&m, s + from, e);
        }
    }
    return 0;
}

int pattern_gmatch(lua_State *L)
{
    luaL_checkstring(L, 1);
    luaL_checkstring(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, gmatch_next, 3);
    return 1;
}

/* ---- gsub ---------------------------------------------------------------------------------------
 */

/* A replacement text: %0 to %9 stand for captures, % before anything else for that character. */
static void add_text(struct matcher *m, struct out *o, const char *s, const char *e)
{
    size_t n;
    const char *text = lua_tolstring(m->L, 3, &n);
    lib_steps(m->L, &m->steps, n / 8);
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '%') {
            out_char(o, text[i]);
            continue;
        }
        i++; /* after a % at the very end stands the zero that closes every Lua string */
        if (!is_digit((unsigned char)text[i])) {
            out_char(o, text[i]);
        } else if (text[i] == '0') {
            out_bytes(o, s, (size_t)(e - s));
        } else {
            push_capture(m, text[i] - '1', s, e);
            out_value(o);
        }
    }
}

/* What a function or a table has for the match; false and nil leave it as it was. */
static void add_lookup(struct matcher *m, struct out *o, const char *s, const char *e)
{
    lua_State *L = m->L;
    if (lua_isfunction(L, 3)) {
        lua_pushvalue(L, 3);
        int n = push_captures(m, s, e);
        lua_call(L, n, 1);
    } else {
        push_capture(m, 0, s, e);
        lua_gettable(L, 3);
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        out_bytes(o, s, (size_t)(e - s));
        return;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    out_value(o);
}

int pattern_gsub(lua_State *L)
{
    size_t n;
    const char *s = luaL_checklstring(L, 1, &n);
    const char *p = luaL_checkstring(L, 2);
    int type = lua_type(L, 3);
    int most = (int)luaL_optinteger(L, 4, (lua_Integer)n + 1);
    luaL_argcheck(L,
                  type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION ||
                      type == LUA_TTABLE,
                  3, "string/function/table expected");
    bool anchored = *p == '^';
    p += anchored;

    struct matcher m;
    struct out o;
    matcher_init(&m, L, s, n);
    lua_settop(L, 3);
    out_init(&o, L);

    int done = 0;
    while (done < most) {
        const char *e = match_at(&m, s, p);
        if (e) {
            done++;
            if (type == LUA_TNUMBER || type == LUA_TSTRING)
                add_text(&m, &o, s, e);
            else
                add_lookup(&m, &o, s, e);
        }
        if (e && e > s)
            s = e;
        else if (s < m.end)
            out_char(&o, *s++);
        else
            break;
        if (anchored)
            break;
    }
    out_bytes(&o, s, (size_t)(m.end - s));
    out_push(&o);
    lua_pushinteger(L, done);
    return 2;
}
