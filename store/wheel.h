/*
 * Deadlines, in milliseconds on any line that only goes forward. A hierarchical timer wheel: eleven
 * levels of 64 slots, six bits of the deadline each, so all of int64 fits and a jump in time costs
 * nothing. A timer lives on the level of the highest digit in which its deadline differs from the
 * wheel's present, and moves down when that digit comes up.
 *
 * The wheel calls nobody: wheel_pop hands back one due timer at a time, and in between anything may
 * be armed or disarmed. All work is paid from a budget that the caller sets, moving down included,
 * so a million timers in one slot are a million small steps and never one long one.
 */
#ifndef STORE_WHEEL_H
#define STORE_WHEEL_H

#include "store/arena.h"

#define WHEEL_NEVER  INT64_MAX
#define WHEEL_LEVELS 11
#define WHEEL_SLOTS  64
#define WHEEL_LISTS  (WHEEL_LEVELS * WHEEL_SLOTS + 3)

/* Embedded in an arena object at the offset given to wheel_init. */
struct timer {
    int64_t at;     /* WHEEL_NEVER: not armed */
    ref prev, next; /* neighbours on the same list; a small number is the list itself */
};

struct wheel_list {
    ref first, last;
};

struct wheel {
    struct arena *arena;
    size_t offset;
    int64_t popped;                       /* the deadline of what was last popped */
    int64_t now;                          /* how far it has come; lags while there is work */
    uint64_t busy[WHEEL_LEVELS];          /* which slots hold anything */
    struct wheel_list lists[WHEEL_LISTS]; /* the slots, what moves down, what is due */
};

void wheel_init(struct wheel *w, struct arena *a, size_t offset, int64_t now);

void wheel_arm(struct wheel *w, void *object, int64_t at); /* is not armed; WHEEL_NEVER: stays so */
void wheel_disarm(struct wheel *w, void *object);          /* harmless when not armed */
void wheel_moved(struct wheel *w, void *copy);             /* an armed object now lives here */

/* No timer is due before this; WHEEL_NEVER when there is none. */
int64_t wheel_next(const struct wheel *w);

/*
 * The next object whose deadline is at or before `now`, disarmed; NULL when there is none, or when
 * the budget is used up (then `*budget` is 0 and the caller comes again).
 */
void *wheel_pop(struct wheel *w, int64_t now, int *budget);

/* What will be popped next, if that is known: it is in the cache already. */
const void *wheel_following(const struct wheel *w);

#endif
