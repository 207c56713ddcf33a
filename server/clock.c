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

static int64_t hand_us(const struct clock *c)
{
    return c->moved_us;
}

static int64_t hand_wall_us(const struct clock *c)
{
    return c->moved_us + c->offset_us;
}

void clock_init(struct clock *c)
{
    *c = (struct clock){.us = machine_us, .wall_us = machine_wall_us};
}

void clock_init_by_hand(struct clock *c, int64_t wall_us)
{
    *c = (struct clock){.us = hand_us,
                        .wall_us = hand_wall_us,
                        .by_hand = true,
                        .offset_us = wall_us / 1000 * 1000};
}

int64_t clock_wall_us(struct clock *c, int64_t us)
{
    int64_t apart = c->wall_us(c) - c->us(c);
    if (llabs(apart - c->offset_us) > 1000)
        c->offset_us = (apart + 500) / 1000 * 1000;
    return us + c->offset_us;
}

void clock_move(struct clock *c, int64_t ms)
{
    assert(c->by_hand && ms >= 0);
    c->moved_us += ms * 1000;
}

int64_t clock_until(const struct clock *c, int64_t at)
{
    int64_t left = at - clock_ms(c);
    if (left <= 0)
        return 0;
    return c->by_hand ? -1 : left;
}
