/*
 * The interpreter's heap: a lua_Alloc with a ceiling. Small blocks come from free lists by size
 * over large chunks, so that the usual allocation is a dozen instructions; blocks past POOL_SMALL
 * are allocated one by one. Nothing is returned to the system before pool_drop, which returns
 * everything at once: an interpreter is thrown away without walking it.
 */
#ifndef SCRIPTS_POOL_H
#define SCRIPTS_POOL_H

#include "base/list.h"

enum {
    POOL_GRAIN = 16,
    POOL_SMALL = 512,
    POOL_CHUNK = 64 * 1024,
};

struct pool_free {
    struct pool_free *next;
};

struct pool {
    size_t used; /* bytes in blocks that are alive, rounded up as they are kept */
    size_t cap;  /* growing past this fails; shrinking never does. SIZE_MAX: nothing may fail */
    size_t held; /* bytes taken from the system */
    struct pool_free *free[POOL_SMALL / POOL_GRAIN + 1];
    char *bump, *end;   /* the untouched rest of the newest chunk */
    struct list blocks; /* chunks and large blocks */
};

void pool_init(struct pool *p, size_t cap);
void pool_drop(struct pool *p); /* frees everything; as after pool_init, with the same cap */

/* What lua_Alloc promises: `old` is the size the block was asked with, `want` 0 frees. NULL when
 * the ceiling is reached or, below one, memory is out. */
void *pool_resize(struct pool *p, void *block, size_t old, size_t want);

#endif
