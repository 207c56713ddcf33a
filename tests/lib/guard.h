/*
 * Bytes that end right before memory that may not be touched: reading one byte too far ends the
 * test.
 */
#ifndef TESTS_LIB_GUARD_H
#define TESTS_LIB_GUARD_H

#include "base/bytes.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
    char *map;
    size_t usable; /* bytes before the forbidden page */
    size_t page;
};

static inline void guard_init(struct guard *g, size_t bytes)
{
    g->page = (size_t)sysconf(_SC_PAGESIZE);
    g->usable = (bytes + g->page) / g->page * g->page;
    g->map =
        mmap(NULL, g->usable + g->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g->map == NULL || g->map == MAP_FAILED ||
        mprotect(g->map + g->usable, g->page, PROT_NONE) != 0)
        abort();
}

/* A copy of `s` at the edge; it replaces the one before. */
static inline struct bytes guard_place(struct guard *g, struct bytes s)
{
    if (s.n > g->usable)
        abort();
    char *at = g->map + g->usable - s.n;
    if (s.n)
        memcpy(at, s.p, s.n);
    return (struct bytes){at, s.n};
}

static inline void guard_free(struct guard *g)
{
    munmap(g->map, g->usable + g->page);
}

#endif
