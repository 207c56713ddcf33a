/*
 * Time: two lines. One only ever grows, and deadlines lie on it; the other is the wall clock, which
 * may be set. Both begin as the machine's, and run as fast. Under --test they may be moved ahead,
 * made to stand still and let go again. The machine's own time can always be asked for: sockets and
 * people wait by that.
 *
 * The sources are functions, so that a test can put its own in their place.
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
    int64_t (*us)(const struct clock *c);      /* the machine's: monotonic, microseconds */
    int64_t (*wall_us)(const struct clock *c); /* and since 1970 */
    int64_t offset_us;                         /* from the one to the other, whole milliseconds */
    int64_t ahead_us;      /* how far the first line is ahead of the machine's */
    int64_t wall_ahead_us; /* the same of the wall clock */
    int64_t stands_us;     /* the first line, while frozen */
    bool frozen;
};

void clock_init(struct clock *c);

static inline int64_t clock_us(const struct clock *c)
{
    return c->frozen ? c->stands_us : c->us(c) + c->ahead_us;
}

static inline int64_t clock_ms(const struct clock *c)
{
    return clock_us(c) / 1000;
}

/* The machine's own time, however the clock has been moved. */
static inline int64_t clock_real_us(const struct clock *c)
{
    return c->us(c);
}

static inline int64_t clock_real_ms(const struct clock *c)
{
    return clock_real_us(c) / 1000;
}

/* The wall clock at the moment `us` of the first line, which was just now. */
int64_t clock_wall_us(struct clock *c, int64_t us);

/* Moving it: ahead by so much; to a standstill; and on from where it stood. */
void clock_move(struct clock *c, int64_t ms);
void clock_freeze(struct clock *c);
void clock_thaw(struct clock *c);

/* It runs, and the wall clock is the machine's again. The first line stays ahead: it never goes
 * back. */
void clock_reset(struct clock *c);

/* How many milliseconds of real time pass before the clock shows `at` (ms); negative when it will
 * not come by itself. */
int64_t clock_until(const struct clock *c, int64_t at);

#endif
