/*
 * Time, from the machine or moved by hand. Two lines: one that only ever grows, on which deadlines
 * lie, and the wall clock, which may be set. Both sources are functions, so that a test can put its
 * own in their place.
 *
 * The wall clock is kept as a distance from the first line, in whole milliseconds, and follows the
 * machine's only when the two are more than a millisecond apart. So a deadline that was given as a
 * wall time reads back as the same wall time, unless the clock has been set in between.
 */
#ifndef SERVER_CLOCK_H
#define SERVER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    int64_t (*us)(const struct clock *c);      /* monotonic, microseconds */
    int64_t (*wall_us)(const struct clock *c); /* the machine's, since 1970 */
    int64_t offset_us;                         /* from the one to the other, whole milliseconds */
    bool by_hand;
    int64_t moved_us; /* by hand: how far it has been moved */
};

void clock_init(struct clock *c);
void clock_init_by_hand(struct clock *c, int64_t wall_us);

static inline int64_t clock_us(const struct clock *c)
{
    return c->us(c);
}

static inline int64_t clock_ms(const struct clock *c)
{
    return clock_us(c) / 1000;
}

/* The wall clock at the moment `us` of the first line, which was just now. */
int64_t clock_wall_us(struct clock *c, int64_t us);

/* For a clock moved by hand. */
void clock_move(struct clock *c, int64_t ms);

/* How many milliseconds of real time pass before the clock shows `at` (ms); negative when it will
 * not come by itself. */
int64_t clock_until(const struct clock *c, int64_t at);

#endif
