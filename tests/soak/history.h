/*
 * What clients of locks noted down, in memory that outlives them: when they asked, when they were
 * answered, what they were told. Points in time are nanoseconds of the monotonic clock, which is
 * one for all processes.
 *
 * Nobody but the server knows when exactly a lock was granted; but it was after the question was
 * sent and before the answer had come. So each holding has a part that is certain, from its answer
 * to its question plus its lease, and an end that it cannot outlive, its answer plus its lease. The
 * checks use only these, and are therefore right however slow the machine is.
 */
#ifndef TESTS_SOAK_HISTORY_H
#define TESTS_SOAK_HISTORY_H

#include "base/buf.h"

#include <stdint.h>

enum lock_kind { LOCK_STRING, LOCK_REENTRANT, LOCK_FAIR, LOCK_SEMAPHORE, LOCK_KINDS };
enum { LOCKS_PER_KIND = 2, PERMITS = 3 };

enum outcome {
    ASKED,    /* no answer: the client died, or the server is still to speak */
    REFUSED,  /* somebody else has it */
    GRANTED,  /* and perhaps given back */
    EXTENDED, /* asked for more time, and was not answered */
};

struct record {
    int64_t asked, answered;
    int64_t certain;  /* held at least until here, from `answered` on */
    int64_t latest;   /* and at most until here */
    int64_t returned; /* when giving back was asked for; 0: never */
    int64_t gone;     /* when that was answered; 0: never */
    uint8_t kind, lock, outcome;
    bool refused_return; /* it was told that the lock was not its own */
};

/* One for each client; it alone writes there. */
struct notes {
    size_t n, cap;
    struct record *records;
};

struct history {
    size_t clients;
    struct notes *notes;
    size_t granted, refused; /* found by history_check */
};

/* In memory that is shared with processes to come. */
bool history_init(struct history *h, size_t clients, size_t records_each);
void history_free(struct history *h);

/* The next record; NULL when there is no room. */
struct record *history_next(struct notes *n);

/* How many rules were broken; what they are is appended to `report`. */
size_t history_check(struct history *h, struct buf *report);

#endif
