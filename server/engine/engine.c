#include "server/engine/engine.h"

#include "base/hash.h"
#include "base/mem.h"
#include "server/engine/call.h"
#include "server/engine/events.h"
#include "server/engine/testing.h"

#include <assert.h>
#include <limits.h>
#include <sha1.h>

/* Entries touched before a command, and in a slice of its own. Overdue keys are absent to every
 * lookup anyway; this only decides how soon their memory and their events follow. */
enum { WORK_PER_COMMAND = 16, WORK_PER_SLICE = 512 };

/* 40 hexadecimal digits. They are shown to clients, and what engine_random gave could be reckoned
 * back to the seed of every hash table; so they are a digest of it. */
static void draw_id(struct engine *e, char out[41])
{
    uint64_t random[2] = {engine_random(e), engine_random(e)};
    SHA1Data((const uint8_t *)random, sizeof random, out);
}

struct engine *engine_new(const struct engine_options *o)
{
    struct engine *e = mem_alloc(sizeof *e);
    e->config = o->config;
    e->log = o->log;
    e->host = o->host;
    e->ctx = o->ctx;
    e->now = o->now;
    e->random = o->seed;
    e->started = o->now;
    draw_id(e, e->run_id);
    draw_id(e, e->replication_id);
    e->registry = registry_new(o->config->test);
    if (o->config->test)
        e->testing = testing_new(o->host->real_ms(o->ctx));
    for (size_t i = 0; i < o->config->renames.n; i += 2) /* config_load has tried them */
        registry_rename(e->registry, bytes_of(o->config->renames.item[i]),
                        bytes_of(o->config->renames.item[i + 1]));
    acl_init(e);
    stats_init(&e->stats, registry_count(e->registry));
    slowlog_init(&e->slowlog);
    list_init(&e->sessions);
    list_init(&e->leavings);
    alarms_init(&e->alarms, o->now);
    waiters_init(&e->waiters, engine_random(e));
    watches_init(&e->watches, engine_random(e));
    locks_init(&e->locks, engine_random(e));
    keyspace_init(&e->space, (uint32_t)o->config->databases, o->now, engine_random(e), events_raise,
                  e);
    pubsub_init(&e->pubsub, &e->space.arena, engine_random(e));
    tracking_init(&e->tracking, &e->space.arena, engine_random(e));
    return e;
}

void engine_free(struct engine *e)
{
    assert(list_empty(&e->sessions));
    leavings_forget_all(e);
    scripting_free(e);
    slowlog_clear(&e->slowlog);
    latency_free(&e->latency);
    stats_free(&e->stats);
    watches_free(&e->watches);
    waiters_free(&e->waiters);
    locks_free(e);
    alarms_free(&e->alarms);
    tracking_free(&e->tracking);
    pubsub_free(&e->pubsub);
    buf_free(&e->channel);
    keyspace_free(&e->space);
    acl_free(e);
    testing_free(e->testing);
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
    int budget = e->lazy_expiry ? 0 : WORK_PER_SLICE;
    int rings = WORK_PER_SLICE, forgets = WORK_PER_SLICE;
    move_to(e, now);
    e->behind = keyspace_advance(&e->space, e->now, &budget);
    bool more = e->behind && !e->lazy_expiry;
    more |= alarms_ring(&e->alarms, e, e->now, &rings);
    more |= leavings_forget(e, &forgets);
    more |= waiters_go_on(e);
    events_settle(e);
    return more;
}

int64_t engine_deadline(const struct engine *e)
{
    int64_t keys = e->lazy_expiry ? WHEEL_NEVER : keyspace_deadline(&e->space);
    int64_t alarm = wheel_next(&e->alarms.wheel);
    if (!list_empty(&e->leavings) || !list_empty(&e->waiters.unfinished))
        return e->now;
    return keys < alarm ? keys : alarm;
}

/* Replies that the client has asked not to get, or that a fault loses, are written and taken back.
 */
static void drop_reply(struct session *s, size_t mark)
{
    if (s->flags & (SESSION_REPLY_OFF | SESSION_REPLY_SKIP | SESSION_MUTE))
        s->out.to = s->out.from + mark;
    s->flags &= ~SESSION_REPLY_SKIP;
    if (s->flags & SESSION_REPLY_SKIP_NEXT)
        s->flags = (s->flags & ~SESSION_REPLY_SKIP_NEXT) | SESSION_REPLY_SKIP;
}

static void release_held(struct session *s)
{
    if (s->more == NULL || buf_len(&s->more->held) == 0)
        return;
    if (buf_try_room(&s->out, buf_len(&s->more->held)))
        buf_put(&s->out, buf_bytes(&s->more->held));
    else
        session_no_room(s);
    buf_free(&s->more->held);
}

/* One command may ask for more than the client may ever leave unread: MGET of one large value, a
 * thousand times. */
static bool may_grow(struct wire *w, size_t n)
{
    return session_may_keep(container_of(w->out, struct session, out), n);
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
    wire.may_grow = may_grow;
    call_run(&(struct call){.engine = e,
                            .session = s,
                            .argv = argv,
                            .argc = argc,
                            .reply = &wire.reply,
                            .now = e->now,
                            .flags = flags,
                            .resp = s->resp});
    if (wire.reply.lost)
        session_excuse(s, &wire.reply, mark);
    e->running = outer;
    s->flags &= ~SESSION_RUNNING;
    tracking_command_done(s);
    drop_reply(s, mark);
    release_held(s);
}

/* Does a fault that a test suite has asked for take the command's place? */
static bool interrupted(struct engine *e, struct session *s, const struct bytes *argv, size_t argc)
{
    struct wire wire;
    wire_init(&wire, &s->out, s->resp);
    return faults_catch(&(struct call){.engine = e,
                                       .session = s,
                                       .argv = argv,
                                       .argc = argc,
                                       .reply = &wire.reply,
                                       .keys = keyspace_db(&e->space, s->db),
                                       .now = e->now,
                                       .resp = s->resp});
}

void engine_execute(struct engine *e, struct session *s, int64_t now, const struct bytes *argv,
                    size_t argc)
{
    e->wall_us = 0;
    if (now > e->now || e->behind) { /* within a millisecond nothing new can be due */
        int budget = e->lazy_expiry ? 0 : WORK_PER_COMMAND;
        move_to(e, now);
        e->behind = keyspace_advance(&e->space, e->now, &budget);
    }
    s->last_used = e->now;
    e->handled = NULL;
    if (e->testing == NULL || !interrupted(e, s, argv, argc))
        engine_run(e, s, argv, argc, 0);
    assert(e->space.editing == 0);
    events_settle(e);
    stats_tick(&e->stats, e->now);
    if (engine_memory(e) > e->stats.peak_memory)
        e->stats.peak_memory = engine_memory(e);
}

struct command_stats *engine_stats_of(struct engine *e, const struct command *cmd)
{
    return &e->stats.by_command[registry_id(e->registry, cmd)];
}

int64_t engine_wall_us(struct engine *e)
{
    if (e->wall_us == 0)
        e->wall_us = e->host->wall_us(e->ctx);
    return e->wall_us;
}

void engine_took(struct engine *e, struct session *s, const struct bytes *argv, size_t argc,
                 int64_t us)
{
    if (e->handled == NULL)
        return;
    stats_took(e->counts, (uint64_t)us, e->config->latency_tracking);
    if (config_is_slow(e->config, us))
        call_was_slow(&(struct call){.engine = e,
                                     .session = s,
                                     .cmd = e->handled,
                                     .argv = argv,
                                     .argc = argc,
                                     .redacted = e->redacted},
                      us);
}

void engine_execute_busy(struct engine *e, struct session *s, const struct bytes *argv, size_t argc)
{
    engine_run(e, s, argv, argc, CALL_BUSY);
}
