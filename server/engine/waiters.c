#include "server/engine/waiters.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/engine/alarms.h"
#include "server/engine/argv.h"
#include "server/engine/call.h"

#include <assert.h>
#include <math.h>

/* One place in one key's queue. */
struct place {
    struct list link; /* on interest->who */
    struct interest *key;
    struct wait *wait;
};

struct wait {
    struct leaving leaving;
    struct session *session; /* NULL: nothing will come of it any more */
    struct argv *command;
    struct alarms *alarms; /* where `alarm` is set */
    struct alarm *alarm;
    struct list link; /* on waiters->postponed or ->unfinished, or a queue of somebody else's */
    bool postponed;   /* its command has not begun */
    bool unfinished;  /* it is at work, and waits for nothing but its turn */
    enum value_type type;
    size_t size; /* bytes, with the command and the queues */
    size_t nplaces;
    struct place places[];
};

void waiters_init(struct waiters *w, uint64_t seed)
{
    interests_init(&w->keys, seed);
    list_init(&w->ready);
    list_init(&w->postponed);
    list_init(&w->unfinished);
}

void waiters_free(struct waiters *w)
{
    assert(w->blocked == 0 && list_empty(&w->ready));
    interests_free(&w->keys);
}

static struct wait *wait_of(const struct session *s)
{
    return s->more ? s->more->wait : NULL;
}

/* Out of the queues. */
static bool forget(struct engine *e, struct leaving *l, int *budget)
{
    struct wait *w = container_of(l, struct wait, leaving);
    for (; w->nplaces; --*budget) {
        if (*budget <= 0)
            return false;
        struct place *p = &w->places[--w->nplaces];
        list_unlink(&p->link);
        interests_release(&e->waiters.keys, p->key);
    }
    mem_free(w->command);
    mem_free(w);
    return true;
}

/* The session may be fed again. */
static void end_wait(struct session *s)
{
    struct wait *w = wait_of(s);
    assert(w);
    list_unlink(&w->link);
    alarms_cancel(w->alarms, w->alarm);
    s->flags &= ~SESSION_BLOCKED;
    s->engine->waiters.blocked--;
    s->more->kept -= w->size;
    s->more->wait = NULL;
    w->session = NULL;
    leavings_add(s->engine, &w->leaving, forget);
}

void waiters_drop(struct session *s)
{
    if (wait_of(s))
        end_wait(s);
}

/* Runs the waiting command once more; the wait ends unless the handler says to go on waiting. */
static void run_again(struct session *s, unsigned flags)
{
    struct wait *w = wait_of(s);
    assert(w);
    struct argv *command = w->command;
    w->command = NULL;
    if (w->postponed)
        end_wait(s);
    s->flags &= ~SESSION_BLOCKED;
    engine_run(s->engine, s, command->argv, command->argc, flags);
    if (flags & CALL_RETRY && s->flags & SESSION_BLOCKED) {
        w->command = command;
        return;
    }
    if (flags & CALL_RETRY)
        end_wait(s);
    mem_free(command);
    s->engine->host->wake(s->engine->ctx, s);
}

static void time_is_up(struct engine *e, void *owner)
{
    (void)e;
    struct session *s = owner;
    struct wait *w = wait_of(s);
    assert(w);
    w->alarm = NULL;
    run_again(s, w->postponed ? 0 : CALL_RETRY | CALL_TIMED_OUT);
}

/* A wait on `nplaces` keys; NULL when memory is out. */
static struct wait *begin_wait(struct call *c, size_t nplaces)
{
    struct wait *w = mem_try(sizeof *w + nplaces * sizeof *w->places);
    if (w == NULL)
        return NULL;
    *w = (struct wait){.session = c->session,
                       .command = argv_copy(c->argv, c->argc),
                       .alarms = &c->engine->alarms};
    if (w->command == NULL) {
        mem_free(w);
        return NULL;
    }
    size_t per_key = sizeof *w->places + sizeof(struct interest);
    w->size = sizeof *w + nplaces * per_key + w->command->size;
    list_init(&w->link);
    session_more(c->session)->wait = w;
    c->session->more->kept += w->size;
    c->session->flags |= SESSION_BLOCKED;
    c->engine->waiters.blocked++;
    return w;
}

/* A key that is named twice has one place: its last one would be ours. */
static void take_place(struct wait *w, struct interest *key)
{
    if (!list_empty(&key->who) && container_of(key->who.prev, struct place, link)->wait == w)
        return;
    struct place *p = &w->places[w->nplaces++];
    *p = (struct place){.key = key, .wait = w};
    list_append(&key->who, &p->link);
}

bool call_wait(struct call *c, size_t first_key, size_t nkeys, enum value_type type,
               int64_t deadline)
{
    struct engine *e = c->engine;
    if (c->flags & (CALL_SCRIPT | CALL_EXEC | CALL_TIMED_OUT))
        return false;
    if (c->flags & CALL_RETRY) {
        c->session->flags |= SESSION_BLOCKED;
        return true;
    }
    struct wait *w = begin_wait(c, nkeys);
    if (w == NULL) {
        call_out_of_memory(c);
        return true;
    }
    w->type = type;
    for (size_t i = 0; i < nkeys; i++) {
        leavings_make_room(e);
        struct interest *key = interests_get(&e->waiters.keys, c->keys->id, c->argv[first_key + i]);
        if (key == NULL)
            break; /* no memory for its name: it is not waited for, the others are */
        take_place(w, key);
    }
    w->alarm = alarms_set(&e->alarms, deadline, time_is_up, c->session);
    return true;
}

bool call_wait_on(struct call *c, struct list *queue, struct alarms *alarms, int64_t deadline)
{
    if (!call_wait(c, 0, 0, VALUE_STRING, WHEEL_NEVER))
        return false;
    struct wait *w = wait_of(c->session);
    if (w == NULL || c->flags & CALL_RETRY)
        return true;
    list_append(queue, &w->link);
    w->alarms = alarms;
    w->alarm = alarms_set(alarms, deadline, time_is_up, c->session);
    return true;
}

void waiters_try_again(struct list *queue)
{
    list_each_safe (pos, queue)
        run_again(container_of(pos, struct wait, link)->session, CALL_RETRY);
}

bool call_go_on_later(struct call *c)
{
    if (c->flags & (CALL_SCRIPT | CALL_EXEC))
        return false;
    if (c->flags & CALL_RETRY) {
        c->session->flags |= SESSION_BLOCKED;
        return true;
    }
    struct wait *w = begin_wait(c, 0);
    if (w == NULL)
        return false;
    w->unfinished = true;
    list_append(&c->engine->waiters.unfinished, &w->link);
    return true;
}

bool waiters_go_on(struct engine *e)
{
    struct list *unfinished = &e->waiters.unfinished;
    if (list_empty(unfinished))
        return false;
    struct wait *w = container_of(unfinished->next, struct wait, link);
    struct session *s = w->session;
    list_unlink(&w->link);
    list_append(unfinished, &w->link); /* next time it is somebody else's turn */
    run_again(s, CALL_RETRY);
    e->host->wake(e->ctx, s);
    return !list_empty(unfinished);
}

static bool timeout_error(struct call *c, const char *text)
{
    reply_errorf(c->reply, "ERR timeout is %s", text);
    return false;
}

static bool deadline_after(struct call *c, int64_t ms, int64_t *deadline)
{
    if (ms < 0)
        return timeout_error(c, "negative");
    if (ms == 0)
        *deadline = WHEEL_NEVER;
    else if (__builtin_add_overflow(c->now, ms, deadline) || *deadline == WHEEL_NEVER)
        return timeout_error(c, "out of range");
    return true;
}

bool call_timeout_s(struct call *c, size_t i, int64_t *deadline)
{
    long double s;
    if (!num_parse_ld(c->argv[i], &s) || isnan(s))
        return timeout_error(c, "not a float or out of range");
    s *= 1000;
    if (s > (long double)INT64_MAX)
        return timeout_error(c, "out of range");
    return deadline_after(c, s <= -1 ? -1 : (int64_t)ceill(s), deadline);
}

bool call_timeout_ms(struct call *c, size_t i, int64_t *deadline)
{
    int64_t ms;
    if (!num_parse_i64(c->argv[i], &ms))
        return timeout_error(c, "not an integer or out of range");
    return deadline_after(c, ms, deadline);
}

/* NULL, after the error, when memory is out. */
static struct wait *postpone(struct call *c, struct list *queue)
{
    struct wait *w = begin_wait(c, 0);
    if (w == NULL) {
        call_out_of_memory(c);
        return NULL;
    }
    w->postponed = true;
    list_append(queue, &w->link);
    return w;
}

void waiters_postpone(struct call *c)
{
    postpone(c, &c->engine->waiters.postponed);
}

void waiters_postpone_until(struct call *c, struct list *queue, struct alarms *alarms, int64_t at)
{
    struct wait *w = postpone(c, queue);
    if (w == NULL)
        return;
    w->alarms = alarms;
    w->alarm = alarms_set(alarms, at, time_is_up, c->session);
}

void waiters_resume(struct engine *e)
{
    struct list again;
    list_take_all(&e->waiters.postponed, &again);
    while (!list_empty(&again)) {
        struct wait *w = container_of(again.next, struct wait, link);
        run_again(w->session, 0);
    }
}

void waiters_signal(struct engine *e, struct keys *k, struct bytes name)
{
    struct waiters *w = &e->waiters;
    struct interest *i = interests_find(&w->keys, k->id, name);
    if (i == NULL || i->ready)
        return;
    i->ready = 1;
    list_append(&w->ready, &i->in_ready);
}

/* Runs the queue of one key, for as long as the key is there. Only the waiter who is served leaves
 * the queue meanwhile; a node of our own marks its end and keeps it from being freed. */
static void serve_key(struct engine *e, struct interest *i)
{
    struct keys *k = keyspace_db(&e->space, i->db);
    struct place end = {0};
    list_append(&i->who, &end.link);
    i->ready = 0;
    for (struct list *l = i->who.next, *next; l != &end.link; l = next) {
        struct place *p = container_of(l, struct place, link);
        struct entry *entry = keys_peek(k, interest_name(i));
        next = l->next;
        if (entry == NULL)
            break;
        struct session *s = p->wait->session;
        if (entry->type == p->wait->type && s && !(s->flags & SESSION_KILLED))
            run_again(s, CALL_RETRY);
    }
    list_unlink(&end.link);
    interests_release(&e->waiters.keys, i);
}

void waiters_serve(struct engine *e)
{
    struct waiters *w = &e->waiters;
    if (w->serving)
        return;
    w->serving = true;
    while (!list_empty(&w->ready)) {
        struct interest *i = container_of(w->ready.next, struct interest, in_ready);
        list_unlink(&i->in_ready);
        serve_key(e, i);
    }
    w->serving = false;
}

bool waiters_unblock(struct session *s, bool with_error)
{
    struct wait *w = wait_of(s);
    if (w == NULL || w->postponed || w->unfinished)
        return false;
    if (!with_error) {
        run_again(s, CALL_RETRY | CALL_TIMED_OUT);
        return true;
    }
    end_wait(s);
    reply_error(session_push(s), BYTES("UNBLOCKED client unblocked via CLIENT UNBLOCK"));
    return true;
}

size_t waiters_count(struct engine *e, const struct keys *k, struct bytes name)
{
    const struct interest *i = interests_find(&e->waiters.keys, k->id, name);
    size_t n = 0;
    if (i)
        list_each (pos, &i->who)
            n += container_of(pos, struct place, link)->wait->session != NULL;
    return n;
}
