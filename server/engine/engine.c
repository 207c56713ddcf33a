#include "server/engine/engine.h"

#include "base/hash.h"
#include "base/mem.h"
#include "server/engine/call.h"
#include "server/engine/events.h"

#include <assert.h>

/* Entries touched before a command, and in a slice of its own. Overdue keys are absent to every
 * lookup anyway; this only decides how soon their memory and their events follow. */
enum { WORK_PER_COMMAND = 16, WORK_PER_SLICE = 512 };

struct engine *engine_new(const struct engine_options *o)
{
    struct engine *e = mem_alloc(sizeof *e);
    e->config = o->config;
    e->log = o->log;
    e->host = o->host;
    e->ctx = o->ctx;
    e->now = o->now;
    e->random = o->seed;
    e->registry = registry_new();
    list_init(&e->sessions);
    alarms_init(&e->alarms, o->now);
    waiters_init(&e->waiters, engine_random(e));
    watches_init(&e->watches, engine_random(e));
    keyspace_init(&e->space, (uint32_t)o->config->databases, o->now, engine_random(e), events_raise,
                  e);
    pubsub_init(&e->pubsub, &e->space.arena, engine_random(e));
    tracking_init(&e->tracking, &e->space.arena, engine_random(e));
    return e;
}

void engine_free(struct engine *e)
{
    assert(list_empty(&e->sessions));
    scripting_free(e);
    watches_free(&e->watches);
    waiters_free(&e->waiters);
    alarms_free(&e->alarms);
    tracking_free(&e->tracking);
    pubsub_free(&e->pubsub);
    keyspace_free(&e->space);
    registry_free(e->registry);
    mem_free(e);
}

/* SplitMix64: one word of state, every seed is good. */
uint64_t engine_random(struct engine *e)
{
    uint64_t z = e->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

size_t engine_memory(const struct engine *e)
{
    return e->space.arena.bytes;
}

static void move_to(struct engine *e, int64_t now)
{
    if (now > e->now)
        e->now = now;
    e->wall_us = 0;
}

bool engine_out_of_memory(struct engine *e)
{
    size_t limit = (size_t)config_memory_limit(e->config);
    for (bool more = true; more && engine_memory(e) > limit;) {
        int budget = WORK_PER_SLICE;
        more = keyspace_reclaim(&e->space, &budget);
    }
    return engine_memory(e) > limit;
}

bool engine_advance(struct engine *e, int64_t now)
{
    int budget = WORK_PER_SLICE, rings = WORK_PER_SLICE;
    move_to(e, now);
    bool more = keyspace_advance(&e->space, e->now, &budget);
    more |= alarms_ring(&e->alarms, e, e->now, &rings);
    events_settle(e);
    return more;
}

int64_t engine_deadline(const struct engine *e)
{
    int64_t keys = keyspace_deadline(&e->space), alarm = wheel_next(&e->alarms.wheel);
    return keys < alarm ? keys : alarm;
}

/* Replies that the client has asked not to get are written and taken back. */
static void drop_reply(struct session *s, size_t mark)
{
    if (s->flags & (SESSION_REPLY_OFF | SESSION_REPLY_SKIP))
        s->out.to = s->out.from + mark;
    s->flags &= ~SESSION_REPLY_SKIP;
    if (s->flags & SESSION_REPLY_SKIP_NEXT)
        s->flags = (s->flags & ~SESSION_REPLY_SKIP_NEXT) | SESSION_REPLY_SKIP;
}

static void release_held(struct session *s)
{
    if (s->more && buf_len(&s->more->held)) {
        buf_put(&s->out, buf_bytes(&s->more->held));
        buf_free(&s->more->held);
    }
}

void engine_run(struct engine *e, struct session *s, const struct bytes *argv, size_t argc,
                unsigned flags)
{
    struct wire wire;
    size_t mark = buf_len(&s->out);
    struct session *outer = e->running;
    s->flags |= SESSION_RUNNING;
    e->running = s;
    wire_init(&wire, &s->out, s->resp);
    call_run(&(struct call){.engine = e,
                            .session = s,
                            .argv = argv,
                            .argc = argc,
                            .reply = &wire.reply,
                            .now = e->now,
                            .flags = flags,
                            .resp = s->resp});
    e->running = outer;
    s->flags &= ~SESSION_RUNNING;
    tracking_command_done(s);
    drop_reply(s, mark);
    release_held(s);
}

void engine_execute(struct engine *e, struct session *s, int64_t now, const struct bytes *argv,
                    size_t argc)
{
    int budget = WORK_PER_COMMAND;
    move_to(e, now);
    keyspace_advance(&e->space, e->now, &budget);
    s->last_used = e->now;
    engine_run(e, s, argv, argc, 0);
    assert(e->space.editing == 0);
    events_settle(e);
}

void engine_execute_busy(struct engine *e, struct session *s, const struct bytes *argv, size_t argc)
{
    engine_run(e, s, argv, argc, CALL_BUSY);
}
