/*
 * A client of locks that does what clients do: takes them, extends them, gives them back, forgets
 * them, and vanishes. What it does is decided by its dice and noted in its history.
 */
#ifndef TESTS_SOAK_HOLDER_H
#define TESTS_SOAK_HOLDER_H

#include "tests/lib/dice.h"
#include "tests/soak/history.h"

struct scripts {
    struct buf acquire[LOCK_KINDS], release[LOCK_KINDS], extend;
};

/* Reads scripts/canonical below the working directory. */
bool scripts_read(struct scripts *s);
void scripts_free(struct scripts *s);

struct holder {
    const struct scripts *scripts;
    const char *socket;
    struct notes *notes;
    uint64_t seed;
    int64_t until; /* ns */
};

/* Until the time is up or the notes are full. */
void holder_run(const struct holder *h);

int64_t monotonic_ns(void);

#endif
