#include "server/engine/testing.h"

#include "base/mem.h"
#include "server/engine/call.h"
#include "server/engine/events.h"
#include "server/engine/multi.h"
#include "server/engine/roster.h"

#include <assert.h>
#include <limits.h>

struct testing *testing_new(int64_t real_now)
{
    struct testing *t = mem_alloc(sizeof *t);
    alarms_init(&t->real, real_now);
    t->rings = WHEEL_NEVER;
    list_init(&t->awaiting);
    list_init(&t->delayed);
    list_init(&t->swallowed);
    faults_init(&t->faults);
    return t;
}

void testing_free(struct testing *t)
{
    if (t == NULL)
        return;
    assert(list_empty(&t->awaiting) && list_empty(&t->delayed) && list_empty(&t->swallowed));
    faults_clear(&t->faults);
    alarms_free(&t->real);
    mem_free(t);
}

/* The engine's time. */

static void step_to(struct engine *e, int64_t at)
{
    if (at > e->now)
        e->host->move(e->ctx, at - e->now);
    engine_advance(e, at);
}

void testing_walk(struct engine *e, int64_t ms)
{
    int64_t until = e->now + ms;
    for (int64_t next; (next = engine_deadline(e)) <= until;)
        step_to(e, next > e->now ? next : e->now);
    step_to(e, until);
}

/* The machine's time. */

static void ring_at(struct engine *e, int64_t at)
{
    if (at >= e->testing->rings)
        return;
    e->testing->rings = at;
    e->host->ring_at(e->ctx, at);
}

int64_t testing_real_deadline(struct engine *e, int64_t ms)
{
    int64_t at = e->host->real_ms(e->ctx) + ms;
    ring_at(e, at);
    return at;
}

void testing_ring(struct engine *e)
{
    struct testing *t = e->testing;
    int budget = INT32_MAX;
    t->rings = WHEEL_NEVER;
    alarms_ring(&t->real, e, e->host->real_ms(e->ctx), &budget);
    events_settle(e);
    ring_at(e, wheel_next(&t->real.wheel));
}

void testing_settle(struct engine *e)
{
    waiters_try_again(&e->testing->awaiting);
}

/* Not at once: the client is still on its way out. */
void testing_left(struct engine *e)
{
    if (!list_empty(&e->testing->awaiting))
        testing_real_deadline(e, 0);
}

/* Beginning afresh. */

/* Connections that a fault has made unusable are closed; those that wait are told so. */
static void reset_client(struct session *s)
{
    const uint32_t unset = SESSION_REPLY_OFF | SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT |
                           SESSION_NO_EVICT | SESSION_NO_TOUCH;
    bool waits = s->flags & SESSION_BLOCKED;
    waiters_drop(s);
    session_calm(s);
    s->flags &= ~unset;
    if (s->flags & SESSION_MUTE)
        session_close(s, true);
    else if (waits)
        reply_error(session_push(s), BYTES("UNBLOCKED the server was reset by TEST.RESET"));
}

static void reset_counts(struct engine *e)
{
    stats_reset(&e->stats);
    slowlog_clear(&e->slowlog);
    latency_free(&e->latency);
    e->started = e->now;
}

void testing_reset(struct engine *e)
{
    faults_clear(&e->testing->faults);
    pause_end(e);
    roster_each (e, s)
        reset_client(s);
    events_flush(e, NULL);
    for (uint32_t i = 0; i < e->space.ndbs; i++)
        if (e->space.dbs[i])
            keys_flush(e->space.dbs[i]);
    if (e->scripting.host)
        script_flush(e->scripting.host);
    leavings_forget_all(e);
    reset_counts(e);
    e->lazy_expiry = false;
    e->host->set_clock(e->ctx, CLOCK_RESET);
    e->wall_us = 0;
}
