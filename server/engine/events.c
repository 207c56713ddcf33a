#include "server/engine/events.h"

#include "server/engine/engine.h"

void events_raise(void *ctx, struct keys *k, struct bytes name, enum key_event ev)
{
    struct engine *e = ctx;
    (void)k;
    (void)name;
    if (ev == EV_EXPIRED)
        e->stats.expired++;
}

void events_settle(struct engine *e)
{
    (void)e;
}

void events_flushed(struct engine *e, struct keys *k)
{
    (void)e;
    (void)k;
}
