#include "server/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_us(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t machine_us(const struct clock *c)
{
    (void)c;
    return read_us(CLOCK_MONOTONIC);
}

static int64_t machine_wall_us(const struct clock *c)
{
    (void)c;
    return read_us(CLOCK_REALTIME);
}

void clock_init(struct clock *c)
{
    *c = (struct clock){.us = machine_us, .wall_us = machine_wall_us};
}

int64_t clock_wall_us(struct clock *c, int64_t us)
{
    int64_t apart = c->wall_us(c) - c->us(c);
    if (llabs(apart - c->offset_us) > 1000)
        c->offset_us = (apart + 500) / 1000 * 1000;
    return us + c->offset_us + c->wall_ahead_us - c->ahead_us;
}

static void shift(struct clock *c, int64_t us)
{
    c->ahead_us += us;
    c->wall_ahead_us += us;
}

void clock_move(struct clock *c, int64_t ms)
{
    assert(ms >= 0);
    shift(c, ms * 1000);
    c->stands_us += ms * 1000;
}

void clock_freeze(struct clock *c)
{
    c->stands_us = clock_us(c);
    c->frozen = true;
}

/* The time that it stood is taken off in whole milliseconds, for the distance between the two lines
 * is counted in those; the rest makes it jump ahead by less than one. */
void clock_thaw(struct clock *c)
{
    if (!c->frozen)
        return;
    c->frozen = false;
    shift(c, -((clock_us(c) - c->stands_us) / 1000 * 1000));
}

void clock_reset(struct clock *c)
{
    clock_thaw(c);
    c->wall_ahead_us = 0;
}

int64_t clock_until(const struct clock *c, int64_t at)
{
    int64_t left = at - clock_ms(c);
    if (left <= 0)
        return 0;
    return c->frozen ? -1 : left;
}
