#include "server/engine/session.h"

#include "base/mem.h"
#include "server/engine/engine.h"
#include "server/engine/errors.h"
#include "server/engine/monitor.h"
#include "server/engine/multi.h"
#include "server/engine/testing.h"

enum { MUCH = 4 << 20 };

struct session *session_new(struct engine *e, void *owner, uint32_t flags)
{
    struct session *s = mem_alloc(sizeof *s);
    s->engine = e;
    s->owner = owner;
    s->id = ++e->next_session;
    s->resp = 2;
    s->created = s->last_used = e->now;
    s->flags = flags;
    acl_welcome(s);
    list_append(&e->sessions, &s->link);
    if (!(flags & SESSION_INTERNAL)) {
        e->nsessions++;
        e->stats.connections++;
    }
    return s;
}

size_t session_memory(const struct session *s)
{
    const struct session_more *more = s->more;
    return sizeof *s + s->out.cap +
           (more ? sizeof *more + more->held.cap + more->kept + multi_memory(s) : 0);
}

static void free_more(struct session_more *m)
{
    if (m == NULL)
        return;
    buf_free(&m->held);
    mem_free(m->name);
    mem_free(m->lib_name);
    mem_free(m->lib_ver);
    mem_free(m);
}

void session_leave(struct session *s)
{
    waiters_drop(s);
    multi_discard(s);
    monitor_end(s);
    pubsub_leave(s);
}

void session_free(struct session *s)
{
    struct engine *e = s->engine;
    session_leave(s);
    tracking_leave(s);
    list_unlink(&s->link);
    if (e->testing)
        testing_left(e);
    if (!(s->flags & SESSION_INTERNAL))
        e->nsessions--;
    buf_free(&s->out);
    free_more(s->more);
    mem_free(s);
}

struct session_more *session_more(struct session *s)
{
    if (s->more == NULL)
        s->more = mem_alloc(sizeof *s->more);
    return s->more;
}

static void set_text(char **field, struct bytes text)
{
    mem_free(*field);
    *field = NULL;
    if (text.n) {
        *field = mem_alloc(text.n + 1);
        memcpy(*field, text.p, text.n);
    }
}

void session_set_name(struct session *s, struct bytes name)
{
    if (name.n || s->more)
        set_text(&session_more(s)->name, name);
}

void session_set_library(struct session *s, enum session_library which, struct bytes text)
{
    struct session_more *more = session_more(s);
    set_text(which == SESSION_LIBRARY_NAME ? &more->lib_name : &more->lib_ver, text);
}

void session_calm(struct session *s)
{
    multi_discard(s);
    monitor_end(s);
    pubsub_leave(s);
    tracking_disable(s);
}

void session_reset(struct session *s)
{
    const uint32_t kept = SESSION_RUNNING | SESSION_UNIX | SESSION_LOCAL | SESSION_INTERNAL |
                          SESSION_CLOSING | SESSION_KILLED | SESSION_MUTE;
    session_calm(s);
    s->flags &= kept;
    s->db = 0;
    s->resp = 2;
    session_set_name(s, (struct bytes){0});
    acl_welcome(s);
}

/* Would `n` bytes more pass the hard limit of its class? The soft one, which needs time, is the
 * shell's to watch. */
static bool over_limit(const struct session *s, size_t n)
{
    enum client_class class = s->flags & SESSION_PUBSUB ? CLIENT_CLASS_PUBSUB : CLIENT_CLASS_NORMAL;
    int64_t hard = s->engine->config->output_limit[class].hard;
    size_t held = s->more ? buf_len(&s->more->held) : 0;
    return hard > 0 && buf_len(&s->out) + held + s->unsent + n > (size_t)hard;
}

__attribute__((cold, noinline)) static void cut_off(struct session *s)
{
    log_warning(s->engine->log,
                "Client id=%llu scheduled to be closed ASAP for overcoming of output buffer "
                "limits.",
                (unsigned long long)s->id);
    s->engine->stats.output_limit_closed++;
    session_close(s, true);
}

static inline bool may_keep(struct session *s, size_t n)
{
    if (!(s->flags & SESSION_KILLED) && over_limit(s, n))
        cut_off(s);
    return !(s->flags & SESSION_KILLED);
}

bool session_may_keep(struct session *s, size_t n)
{
    return may_keep(s, n);
}

/* Where a message goes now. */
static struct buf *push_to(struct session *s)
{
    return s->flags & SESSION_RUNNING ? &session_more(s)->held : &s->out;
}

struct reply *session_push(struct session *s)
{
    struct engine *e = s->engine;
    struct buf *to = push_to(s);
    if (!may_keep(s, 0))
        buf_clear(to);
    wire_init(&e->push, to, s->resp);
    e->host->wake(e->ctx, s);
    return &e->push.reply;
}

void session_no_room(struct session *s)
{
    log_warning(s->engine->log, "Client id=%llu closed: no memory for a message.",
                (unsigned long long)s->id);
    session_close(s, true);
}

void session_excuse(struct session *s, struct reply *r, size_t mark)
{
    s->out.to = s->out.from + mark;
    r->lost = false;
    reply_error(r, ERR_OOM);
    if (r->lost)
        session_close(s, true);
}

/* Much has been sent. */
__attribute__((cold, noinline)) static void crowd(struct engine *e)
{
    e->push_room = MUCH;
    if (e->host->crowded)
        e->host->crowded(e->ctx);
}

static bool put(struct session *s, struct bytes message)
{
    const struct engine *e = s->engine;
    struct buf *to = push_to(s);
    if (to == &s->out && s->unsent && buf_len(to) == 0)
        return e->host->keep(e->ctx, s, message);
    if (to->cap - to->to < message.n && !buf_try_room(to, message.n))
        return false;
    buf_put(to, message);
    return true;
}

void session_push_bytes(struct session *s, struct bytes message)
{
    struct engine *e = s->engine;
    if (!may_keep(s, message.n) || s->flags & SESSION_CLOSING)
        return;
    if (!put(s, message)) {
        session_no_room(s);
        return;
    }
    e->host->wake(e->ctx, s);
    e->push_room -= (int64_t)message.n;
    if (e->push_room < 0)
        crowd(e);
}

void session_close(struct session *s, bool at_once)
{
    s->flags |= at_once ? SESSION_KILLED | SESSION_CLOSING : SESSION_CLOSING;
    s->engine->host->wake(s->engine->ctx, s);
}
