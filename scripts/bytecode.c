/*
 * Reads the format in which Lua 5.1 dumps a function, as this very interpreter writes it: numbers
 * in the machine's own sizes and order. Anything unexpected is answered with "cannot tell", which
 * is always safe.
 */
#include "scripts/bytecode.h"

#include "base/buf.h"

#include <stdint.h>

enum { HEADER = 12, OP_MASK = 0x3f, OP_SETGLOBAL = 7, DEPTH_MAX = 200 };

struct dump {
    const char *p, *end;
    bool bad, sets;
};

static const char *take(struct dump *d, size_t n)
{
    const char *at = d->p;
    if (d->bad || (size_t)(d->end - d->p) < n) {
        d->bad = true;
        return NULL;
    }
    d->p += n;
    return at;
}

/* A count of things that take at least a byte each. */
static size_t take_count(struct dump *d)
{
    int n = 0;
    const char *at = take(d, sizeof n);
    if (at)
        memcpy(&n, at, sizeof n);
    if (n < 0 || n > d->end - d->p)
        d->bad = true;
    return d->bad ? 0 : (size_t)n;
}

static void skip_string(struct dump *d)
{
    size_t n = 0;
    const char *at = take(d, sizeof n);
    if (at)
        memcpy(&n, at, sizeof n);
    take(d, n);
}

static void scan_code(struct dump *d)
{
    size_t n = take_count(d);
    const char *code = take(d, n * sizeof(uint32_t));
    for (size_t i = 0; code && i < n; i++) {
        uint32_t instruction;
        memcpy(&instruction, code + i * sizeof instruction, sizeof instruction);
        if ((instruction & OP_MASK) == OP_SETGLOBAL)
            d->sets = true;
    }
}

static void skip_constants(struct dump *d)
{
    for (size_t n = take_count(d); n > 0 && !d->bad; n--) {
        const char *type = take(d, 1);
        switch (type ? *type : LUA_TNONE) {
        case LUA_TNIL: break;
        case LUA_TBOOLEAN: take(d, 1); break;
        case LUA_TNUMBER: take(d, sizeof(lua_Number)); break;
        case LUA_TSTRING: skip_string(d); break;
        default: d->bad = true;
        }
    }
}

static void skip_debug(struct dump *d)
{
    take(d, take_count(d) * sizeof(int)); /* lines */
    for (size_t n = take_count(d); n > 0 && !d->bad; n--) {
        skip_string(d); /* locals: name, from, to */
        take(d, 2 * sizeof(int));
    }
    for (size_t n = take_count(d); n > 0 && !d->bad; n--)
        skip_string(d); /* upvalues */
}

static void scan_function(struct dump *d, int depth)
{
    if (depth > DEPTH_MAX)
        d->bad = true;
    skip_string(d);               /* source */
    take(d, 2 * sizeof(int) + 4); /* lines, and four single bytes */
    scan_code(d);
    skip_constants(d);
    for (size_t n = take_count(d); n > 0 && !d->bad; n--)
        scan_function(d, depth + 1);
    skip_debug(d);
}

static int append(lua_State *L, const void *p, size_t n, void *ud)
{
    (void)L;
    buf_put(ud, (struct bytes){p, n});
    return 0;
}

bool bytecode_sets_globals(lua_State *L)
{
    /* Version 5.1, official format, little endian, int 4, size_t 8, instruction 4, number 8. */
    static const char header[] = LUA_SIGNATURE "\x51\x00\x01\x04\x08\x04\x08";
    struct buf dumped = {0};
    struct dump d = {.bad = lua_dump(L, append, &dumped) != 0};
    d.p = dumped.p + dumped.from;
    d.end = dumped.p + dumped.to;
    const char *head = take(&d, HEADER);
    if (head && memcmp(head, header, sizeof header - 1) == 0)
        scan_function(&d, 0);
    else
        d.bad = true;
    buf_free(&dumped);
    return d.bad || d.sets;
}
