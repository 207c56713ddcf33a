#include "server/clock.h"

#include <assert.h>
#include <time.h>

static int64_t machine_ms(const struct clock *c)
{
    struct timespec t;
    (void)c;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t machine_wall_us(const struct clock *c)
{
    struct timespec t;
    (void)c;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t hand_ms(const struct clock *c)
{
    return c->moved_ms;
}

static int64_t hand_wall_us(const struct clock *c)
{
    return c->start_us + c->moved_ms * 1000;
}

void clock_init(struct clock *c)
{
    *c = (struct clock){.ms = machine_ms, .wall_us = machine_wall_us};
}

void clock_init_by_hand(struct clock *c, int64_t wall_us)
{
    *c = (struct clock){
        .ms = hand_ms, .wall_us = hand_wall_us, .by_hand = true, .start_us = wall_us};
}

void clock_move(struct clock *c, int64_t ms)
{
    assert(c->by_hand && ms >= 0);
    c->moved_ms += ms;
}

int64_t clock_until(const struct clock *c, int64_t at)
{
    int64_t left = at - clock_ms(c);
    if (left <= 0)
        return 0;
    return c->by_hand ? -1 : left;
}
