/*
 * Time, from the machine or moved by hand. Two lines: milliseconds that only ever grow, on which
 * deadlines lie, and the wall clock, which may be set. Both sources are functions, so that a test
 * can put its own in their place.
 */
#ifndef SERVER_CLOCK_H
#define SERVER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock {
    int64_t (*ms)(const struct clock *c);      /* monotonic */
    int64_t (*wall_us)(const struct clock *c); /* since 1970 */
    bool by_hand;
    int64_t moved_ms; /* by hand: how far it has been moved */
    int64_t start_us; /* by hand: the wall clock where that began */
};

void clock_init(struct clock *c);
void clock_init_by_hand(struct clock *c, int64_t wall_us);

static inline int64_t clock_ms(const struct clock *c)
{
    return c->ms(c);
}

static inline int64_t clock_wall_us(const struct clock *c)
{
    return c->wall_us(c);
}

/* For a clock moved by hand. */
void clock_move(struct clock *c, int64_t ms);

/* How many milliseconds of real time pass before the clock shows `at`; negative when it will not
 * come by itself. */
int64_t clock_until(const struct clock *c, int64_t at);

#endif
