/*
 * Reads the format in which Lua 5.1 dumps a function, as this very interpreter writes it: numbers
 * in the machine's own sizes and order. Anything unexpected is answered with "cannot tell", which
 * is always safe.
 */
#include "scripts/bytecode.h"

#include "base/buf.h"

#include <stdint.h>

enum { HEADER = 12, DEPTH_MAX = 200, NAMES_MAX = 64 };

/* An instruction: its kind in the lowest bits; in the highest the number of a constant, or how far
 * to jump, where JUMP_ZERO is nowhere. */
enum {
    OP_MASK = 0x3f,
    OP_GETGLOBAL = 5,
    OP_SETGLOBAL = 7,
    OP_SETTABLE = 9,
    OP_JMP = 22,
    OP_FORLOOP = 31,
    OP_TFORLOOP = 33,
    OP_CLOSURE = 36,
    BX_SHIFT = 14,
    JUMP_ZERO = 131071,
};

/* Globals by which no table is changed and no Lua code is made, whatever is done with them. */
static const struct bytes harmless[] = {
    BYTES("KEYS"),   BYTES("ARGV"),   BYTES("redis"), BYTES("server"),   BYTES("tonumber"),
    BYTES("type"),   BYTES("unpack"), BYTES("pairs"), BYTES("ipairs"),   BYTES("tostring"),
    BYTES("next"),   BYTES("error"),  BYTES("pcall"), BYTES("assert"),   BYTES("select"),
    BYTES("string"), BYTES("math"),   BYTES("cjson"), BYTES("cmsgpack"), BYTES("struct"),
    BYTES("bit"),
};

struct dump {
    const char *p, *end;
    bool bad;
    unsigned traits;
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

/* The size counts the NUL at its end; no string at all has none. */
static struct bytes take_string(struct dump *d)
{
    size_t n = 0;
    const char *at = take(d, sizeof n);
    if (at)
        memcpy(&n, at, sizeof n);
    at = take(d, n);
    return at && n ? (struct bytes){at, n - 1} : (struct bytes){"", 0};
}

static void skip_constant(struct dump *d, struct bytes *name)
{
    const char *type = take(d, 1);
    switch (type ? *type : LUA_TNONE) {
    case LUA_TNIL: break;
    case LUA_TBOOLEAN: take(d, 1); break;
    case LUA_TNUMBER: take(d, sizeof(lua_Number)); break;
    case LUA_TSTRING: *name = take_string(d); break;
    default: d->bad = true;
    }
}

static bool is_harmless(struct bytes name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (bytes_eq(harmless[i], name))
            return true;
    return false;
}

/* The data word that may follow an instruction is looked at as if it were one, which can only add
 * a trait. */
static unsigned traits_of(uint32_t instruction, const struct bytes *names, size_t n)
{
    size_t bx = instruction >> BX_SHIFT;
    switch (instruction & OP_MASK) {
    case OP_SETGLOBAL: return BYTECODE_SETS_GLOBALS | BYTECODE_CHANGES_TABLES;
    case OP_SETTABLE: return BYTECODE_CHANGES_TABLES;
    case OP_GETGLOBAL:
        return bx < n && is_harmless(names[bx]) ? 0 : BYTECODE_CHANGES_TABLES | BYTECODE_LOOPS;
    case OP_JMP: return bx < JUMP_ZERO ? BYTECODE_LOOPS : 0;
    case OP_FORLOOP:
    case OP_TFORLOOP:
    case OP_CLOSURE: return BYTECODE_LOOPS;
    default: return 0;
    }
}

/* Instructions come first, then the constants that they name. */
static void scan_code(struct dump *d)
{
    struct bytes names[NAMES_MAX] = {{0}}, spare;
    size_t ninstructions = take_count(d);
    const char *code = take(d, ninstructions * sizeof(uint32_t));
    size_t nconstants = take_count(d);
    for (size_t i = 0; i < nconstants && !d->bad; i++)
        skip_constant(d, i < NAMES_MAX ? &names[i] : &spare);

    size_t nnames = nconstants < NAMES_MAX ? nconstants : NAMES_MAX;
    for (size_t i = 0; i < ninstructions && !d->bad; i++) {
        uint32_t instruction;
        memcpy(&instruction, code + i * sizeof instruction, sizeof instruction);
        d->traits |= traits_of(instruction, names, nnames);
    }
}

static void skip_debug(struct dump *d)
{
    take(d, take_count(d) * sizeof(int)); /* lines */
    for (size_t n = take_count(d); n > 0 && !d->bad; n--) {
        take_string(d); /* locals: name, from, to */
        take(d, 2 * sizeof(int));
    }
    for (size_t n = take_count(d); n > 0 && !d->bad; n--)
        take_string(d); /* upvalues */
}

static void scan_function(struct dump *d, int depth)
{
    if (depth > DEPTH_MAX)
        d->bad = true;
    take_string(d);               /* source */
    take(d, 2 * sizeof(int) + 4); /* lines, and four single bytes */
    scan_code(d);
    for (size_t n = take_count(d); n > 0 && !d->bad; n--)
        scan_function(d, depth + 1);
    skip_debug(d);
}

static int append(lua_State *L, const void *p, size_t n, void *ud)
{
    (void)L;
    if (!buf_try_room(ud, n))
        return 1;
    buf_put(ud, (struct bytes){p, n});
    return 0;
}

unsigned bytecode_traits(lua_State *L)
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
    return d.bad ? BYTECODE_ANYTHING : d.traits;
}
