/*
 * A string under construction. Short ones stay on the C stack; longer ones live in a block of the
 * state's own allocator, so the heap cap bounds them, owned by a box on the Lua stack, so an
 * error thrown halfway leaks nothing.
 *
 * luaL_Buffer was refused: it keeps its pieces on the Lua stack, between the caller's own values,
 * and leaves every intermediate size behind as garbage that only counts against the cap.
 */
#ifndef SCRIPTS_LIB_OUT_H
#define SCRIPTS_LIB_OUT_H

#include <lua.h>
#include <stddef.h>
#include <string.h>

enum { OUT_INLINE = 1024 };

struct out {
    lua_State *L;
    int slot; /* where on the Lua stack the box is, or will be */
    char *p;
    size_t n, room;
    char first[OUT_INLINE];
};

/* Takes one slot at the top of the Lua stack, to be left in place while the buffer is in use. */
void out_init(struct out *o, lua_State *L);

/*
 * Makes space for `n` more bytes, with four free slots on the Lua stack to work in. Raises "not
 * enough memory" when the cap does not allow it.
 */
void out_grow(struct out *o, size_t n);

/* Pushes what was written as a Lua string, and gives the memory back. */
void out_push(struct out *o);

/* A place for `n` bytes; count them in `o->n` once they are written. */
static inline char *out_reserve(struct out *o, size_t n)
{
    if (o->room - o->n < n)
        out_grow(o, n);
    return o->p + o->n;
}

static inline void out_bytes(struct out *o, const void *p, size_t n)
{
    if (n == 0)
        return;
    memcpy(out_reserve(o, n), p, n);
    o->n += n;
}

static inline void out_char(struct out *o, char c)
{
    *out_reserve(o, 1) = c;
    o->n++;
}

/* Appends the string or number on top of the Lua stack and pops it. */
void out_value(struct out *o);

#endif
