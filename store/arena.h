/*
 * Memory for the store: small objects without headers, named by 32-bit references, and plain
 * blocks, all of it counted.
 *
 * A reference is half a pointer, so links between objects cost half as much, and an object carries
 * no allocator header: together they are a third of a lock's size. Objects of one size class share
 * 64 KB pages; the memory of an empty page goes back to the system. Objects never move.
 *
 * Page numbers begin at 1, so references below ARENA_PAGE_UNITS never name an object; the wheel
 * uses them to name its own lists.
 *
 * A failure to get memory for something small ends the process (see base/mem.h); objects and blocks
 * larger than ARENA_SMALL, whose size a client chose, may fail and say so. Whoever is about to make
 * several of them, and must make all or none, sets memory aside first.
 */
#ifndef STORE_ARENA_H
#define STORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t ref; /* 0 is no object */

#define ARENA_PAGE       65536u
#define ARENA_UNIT       8u /* references count in these */
#define ARENA_PAGE_UNITS (ARENA_PAGE / ARENA_UNIT)
#define ARENA_FINE       1024u  /* up to here, size classes are one unit apart */
#define ARENA_SMALL      32752u /* up to here, objects share pages */
#define ARENA_CLASSES    160

/* Stands at the start of every page, and of every larger object's own memory. */
struct arena_page {
    uint32_t number;
    uint32_t size;       /* of each object */
    uint32_t used;       /* objects in use */
    uint32_t fresh;      /* offset of the first object that was never used */
    uint32_t freed;      /* offset of the first freed object, 0 when there is none */
    uint32_t prev, next; /* numbers of pages of the same class with room */
    uint32_t class;
};

struct arena {
    char **pages;    /* by number; NULL while the number is spare */
    uint32_t *after; /* the next number on the same free list, idle or spare */
    uint32_t n, cap;
    uint32_t idle, nidle;         /* mapped pages of no class */
    uint32_t spare;               /* numbers without memory */
    uint32_t open[ARENA_CLASSES]; /* pages of this class with room */
    char **chunks;                /* what was mapped, for arena_free */
    uint32_t nchunks;
    char *lowest; /* where the last mapping begins: the next one is asked for right below it */
    size_t bytes; /* in use by objects and blocks */
    void *aside;  /* mapped and not used: given up when memory runs out */
    size_t naside;
};

void arena_init(struct arena *a);
void arena_free(struct arena *a); /* all objects go; blocks must have been dropped before */

/* An object of `size` bytes, 8-aligned, not zeroed; NULL when memory is out and size is large. */
void *arena_new(struct arena *a, size_t size);
void arena_drop(struct arena *a, void *object);

static inline void *arena_at(const struct arena *a, ref r)
{
    return a->pages[r / ARENA_PAGE_UNITS] + (size_t)(r % ARENA_PAGE_UNITS) * ARENA_UNIT;
}

static inline struct arena_page *arena_page_of(const void *object)
{
    return (struct arena_page *)((uintptr_t)object & ~(uintptr_t)(ARENA_PAGE - 1));
}

static inline ref arena_ref(const void *object)
{
    return arena_page_of(object)->number * ARENA_PAGE_UNITS +
           (ref)((uintptr_t)object & (ARENA_PAGE - 1)) / ARENA_UNIT;
}

/* What the object can hold: at least what was asked for. */
static inline size_t arena_room(const void *object)
{
    return arena_page_of(object)->size;
}

/* What an object of that size would hold. */
size_t arena_round(size_t size);

/* Blocks: counted, resizable, by pointer. NULL when memory is out for a large one, and then `p` is
 * untouched. */
void *arena_block(struct arena *a, void *p, size_t size);
void arena_block_drop(struct arena *a, void *p);

/*
 * Sets aside what objects and blocks of `size` bytes together, as told by arena_cost, take at the
 * most: until arena_release they will not fail. False, and nothing set aside, when memory is out.
 */
bool arena_reserve(struct arena *a, size_t size);
void arena_give_up(struct arena *a);

static inline void arena_release(struct arena *a)
{
    if (a->aside)
        arena_give_up(a);
}

/* What something of `n` bytes that a client sent takes at the most when it is kept. */
static inline size_t arena_cost(size_t n)
{
    return n + n / 4 + (n > ARENA_SMALL / 2 ? 2 * ARENA_PAGE : 64);
}

#endif
