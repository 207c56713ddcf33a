#include "server/engine/events.h"

#include "server/engine/engine.h"
#include "server/engine/testing.h"

/* Only these can bring what somebody waits for: whoever waits has found the key absent. */
static bool brings_key(enum key_event ev)
{
    return ev == EV_NEW || ev == EV_RENAME_TO;
}

/* After these the name is another key's, or nobody's. */
static bool ends_hold(enum key_event ev)
{
    return ev == EV_DEL || ev == EV_EXPIRED || ev == EV_RENAME_FROM || ev == EV_RENAME_TO;
}

/* EV_NEW is always followed by the event that says what came. */
static bool changes_value(enum key_event ev)
{
    return ev != EV_KEYMISS && ev != EV_NEW;
}

/* What a channel's name has besides what it is about, at the most: "__keyspace@16383__:". */
enum { CHANNEL_FRAME = 32 };

/* To "__keyevent@0__:" and what the channel is about; nobody is told when memory is out. */
static void publish(struct engine *e, struct bytes kind, uint32_t db, struct bytes about,
                    struct bytes message)
{
    struct buf *channel = &e->channel;
    buf_clear(channel);
    if (!buf_try_room(channel, CHANNEL_FRAME + about.n))
        return;
    buf_put(channel, BYTES("__"));
    buf_put(channel, kind);
    buf_putc(channel, '@');
    buf_put_i64(channel, db);
    buf_put(channel, BYTES("__:"));
    buf_put(channel, about);
    pubsub_publish(&e->pubsub, buf_bytes(channel), message);
}

/* One notification says what happened to this key, the other to which key this happened. */
static void notify(struct engine *e, const struct keys *k, struct bytes name, enum key_event ev)
{
    struct bytes event = event_infos[ev].name;
    if (e->config->notify & NOTIFY_KEYSPACE)
        publish(e, BYTES("keyspace"), k->id, name, event);
    if (e->config->notify & NOTIFY_KEYEVENT)
        publish(e, BYTES("keyevent"), k->id, event, name);
}

void events_raise(void *ctx, struct keys *k, struct bytes name, enum key_event ev)
{
    struct engine *e = ctx;
    if (ev == EV_EXPIRED)
        stats_expired(&e->stats, (uint64_t)e->space.late);
    if (ev != EV_KEYMISS)
        watch_touch(e, k, name);
    if (brings_key(ev))
        waiters_signal(e, k, name);
    if (ev == EV_NEW && e->scripting.run)
        locks_made(e, k, name);
    if (ends_hold(ev))
        locks_gone(e, k, name);
    if (changes_value(ev) && ev != EV_EXPIRED)
        tracking_touch(e, name, e->running);
    if (e->config->notify & event_infos[ev].notify && pubsub_anyone(&e->pubsub))
        notify(e, k, name, ev);
    if (ev == EV_EXPIRED) /* told of after the notification, and not of anybody's doing */
        tracking_touch(e, name, NULL);
}

void events_flush(struct engine *e, struct keys *k)
{
    watch_flush(e, k);
    tracking_flush(e);
}

void events_settle(struct engine *e)
{
    waiters_serve(e);
    tracking_settle(e);
    pause_settle(e);
    if (e->testing)
        testing_settle(e);
}
