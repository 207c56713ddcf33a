/*
 * Deadlines, in milliseconds on any line that only goes forward. A hierarchical timer wheel: eleven
 * levels of 64 slots, six bits of the deadline each, so all of int64 fits and a jump in time costs
 * nothing. A timer lives on the level of the highest digit in which its deadline differs from the
 * wheel's present, and moves down as that digit comes up.
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

/* Embedded in an arena object at the offset given to wheel_init. */
struct timer {
    int64_t at;     /* WHEEL_NEVER: not armed */
    ref prev, next; /* 0 ends; of no meaning unless armed */
};

struct wheel {
    struct arena *arena;
    size_t offset;
    int64_t now;                                 /* how far it has come; may lag while there is work */
    uint64_t busy[WHEEL_LEVELS];                 /* which slots hold anything */
    ref slots[WHEEL_LEVELS][WHEEL_SLOTS], ends[WHEEL_LEVELS][WHEEL_SLOTS];
    ref due, due_end;                            /* at or before `now`, in order */
};

void wheel_init(struct wheel *w, struct arena *a, size_t offset, int64_t now);
void wheel_arm(struct wheel *w, ref r, int64_t at); /* not armed yet; WHEEL_NEVER does nothing */
void wheel_disarm(struct wheel *w, ref r);          /* harmless when not armed */
void wheel_moved(struct wheel *w, ref from, ref to); /* an armed object was copied to another place */

/* No timer is due before this; WHEEL_NEVER when there is none. */
int64_t wheel_next(const struct wheel *w);

/*
 * The next timer with a deadline at or before `now`, disarmed; 0 when there is none, or when the
 * budget is used up (then `*budget` is 0 and the caller comes again).
 */
ref wheel_pop(struct wheel *w, int64_t now, int *budget);

#endif
