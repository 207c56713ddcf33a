/*
 * For timing what takes less than a microsecond: asking the machine for the time would take as
 * long. The processor's own counter is read instead, and compared with the clock about once a
 * millisecond: how fast it counts is learnt on the way, and a counter that jumps is soon noticed.
 * Only for statistics; no deadline depends on it. Where there is no such counter, the clock is
 * asked each time.
 */
#ifndef SERVER_STOPWATCH_H
#define SERVER_STOPWATCH_H

#include "server/clock.h"

struct stopwatch {
    uint64_t (*ticks)(void); /* NULL: there is no counter */
    uint64_t first_ticks, last_ticks;
    int64_t first_us, last_us; /* the clock at the first and at the last comparison */
    double us_per_tick;        /* 0: not known yet */
};

void stopwatch_init(struct stopwatch *w);

/* The machine's own time in microseconds, more or less. */
int64_t stopwatch_us(struct stopwatch *w, const struct clock *c);

#endif
