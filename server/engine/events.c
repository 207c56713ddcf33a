#include "server/engine/events.h"

#include "server/engine/engine.h"

/* Only these can bring what somebody waits for: whoever waits has found the key absent. */
static bool brings_key(enum key_event ev)
{
    return ev == EV_NEW || ev == EV_RENAME_TO;
}

void events_raise(void *ctx, struct keys *k, struct bytes name, enum key_event ev)
{
    struct engine *e = ctx;
    if (ev == EV_EXPIRED)
        e->stats.expired++;
    if (ev != EV_KEYMISS)
        watch_touch(e, k, name);
    if (brings_key(ev))
        waiters_signal(e, k, name);
}

void events_flush(struct engine *e, struct keys *k)
{
    watch_flush(e, k);
}

void events_settle(struct engine *e)
{
    waiters_serve(e);
}
