/*
 * Memory for the store: small objects without headers, named by 32-bit references, and plain
 * blocks, all of it counted.
 *
 * A reference is half a pointer, so links between objects cost half as much, and an object
 * carries no allocator header: together they are a third of a lock's size. Objects of one size
 * class share 64 KB pages; an empty page goes back to the system. A reference stays valid until
 * the object is freed; objects never move.
 *
 * All sizes may come from clients, so everything here that allocates may fail and says so.
 */
#ifndef STORE_ARENA_H
#define STORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t ref; /* 0 is no object */

#define ARENA_PAGE       65536u
#define ARENA_UNIT       8u  /* references count in these */
#define ARENA_PAGE_UNITS (ARENA_PAGE / ARENA_UNIT)
#define ARENA_SMALL      1024u /* larger objects get an allocation of their own */
#define ARENA_CLASSES    (ARENA_SMALL / ARENA_UNIT + 1)

struct arena_page;

struct arena {
    char **pages;                              /* by page number */
    struct arena_page **infos;                 /* the same, what we know of it */
    uint32_t n, cap;
    uint32_t spare;                            /* a page number that may be used again, or 0 */
    struct arena_page *open[ARENA_CLASSES];    /* pages of this class with room */
    struct arena_page *idle;                   /* mapped, empty, of no class */
    void *chunks;                              /* what was mapped, for arena_free */
    size_t bytes;                              /* in use by objects and blocks */
};

void arena_init(struct arena *a);
void arena_free(struct arena *a); /* all objects go; blocks must have been freed before */

/* An object of `size` bytes, 8-aligned, not zeroed; 0 when memory is out. */
ref arena_new(struct arena *a, size_t size);
void arena_drop(struct arena *a, ref r, size_t size); /* `size` as it was asked for */

static inline void *arena_at(const struct arena *a, ref r)
{
    return a->pages[r / ARENA_PAGE_UNITS] + (size_t)(r % ARENA_PAGE_UNITS) * ARENA_UNIT;
}

/* Would an object that grows from one size to the other stay where it is? */
bool arena_fits(size_t from, size_t to);

/* Blocks: counted, resizable, by pointer. NULL when memory is out, and then `p` is untouched. */
void *arena_block(struct arena *a, void *p, size_t size);
void arena_block_drop(struct arena *a, void *p);

#endif
