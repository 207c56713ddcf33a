#include "server/engine/multi.h"

#include "base/mem.h"
#include "server/engine/argv.h"
#include "server/engine/watch.h"

struct multi {
    struct leaving leaving;
    struct argv **queue;
    size_t n, cap;
    size_t bytes;
    bool grows;  /* holds a command that may need memory */
    bool writes; /* holds one that may write */
};

void multi_begin(struct session *s)
{
    s->flags |= SESSION_MULTI;
    session_more(s)->multi = mem_alloc(sizeof(struct multi));
}

void multi_fail(struct session *s)
{
    if (s->flags & SESSION_MULTI)
        s->flags |= SESSION_DIRTY_EXEC;
}

static bool forget(struct engine *e, struct leaving *l, int *budget)
{
    struct multi *m = container_of(l, struct multi, leaving);
    (void)e;
    for (; m->n; --*budget) {
        if (*budget <= 0)
            return false;
        mem_free(m->queue[--m->n]);
    }
    mem_free(m->queue);
    mem_free(m);
    return true;
}

static struct multi *end(struct session *s)
{
    struct multi *m = s->more ? s->more->multi : NULL;
    if (m)
        s->more->multi = NULL;
    s->flags &= ~(SESSION_MULTI | SESSION_DIRTY_EXEC);
    watch_clear(s);
    return m;
}

void multi_discard(struct session *s)
{
    struct multi *m = end(s);
    if (m)
        leavings_add(s->engine, &m->leaving, forget);
}

static bool grow(struct multi *m)
{
    struct argv **queue = mem_try_double(m->queue, &m->cap, 8, sizeof *queue);
    if (queue)
        m->queue = queue;
    return queue != NULL;
}

/* The queue is bounded like any other input of a client. */
static bool keep(struct call *c, struct multi *m)
{
    leavings_make_room(c->engine);
    struct argv *a = m->n == m->cap && !grow(m) ? NULL : argv_copy(c->argv, c->argc);
    if (a == NULL)
        return false;
    if (m->bytes + a->size > (size_t)c->engine->config->client_query_buffer_limit) {
        mem_free(a);
        return false;
    }
    m->queue[m->n++] = a;
    m->bytes += a->size;
    m->grows |= (c->cmd->flags & CMD_DENYOOM) != 0;
    m->writes |= (c->cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE)) != 0;
    return true;
}

void multi_queue(struct call *c)
{
    /* What will fail anyway is not kept. */
    bool doomed = c->session->flags & (SESSION_DIRTY_CAS | SESSION_DIRTY_EXEC);
    if (doomed || keep(c, c->session->more->multi)) {
        reply_status(c->reply, BYTES("QUEUED"));
    } else {
        multi_fail(c->session);
        call_out_of_memory(c);
    }
}

void multi_abort(struct call *c, const char *why)
{
    multi_discard(c->session);
    reply_errorf(c->reply, "EXECABORT Transaction discarded because of: %s", why);
}

void multi_exec(struct call *c)
{
    struct session *s = c->session;
    bool broken = watch_broken(s), failed = s->flags & SESSION_DIRTY_EXEC;
    if (broken || failed) {
        multi_discard(s);
        if (failed)
            reply_error(c->reply, ERR_EXECABORT);
        else
            reply_null_array(c->reply);
        return;
    }
    if (s->more->multi->grows && engine_out_of_memory(c->engine)) {
        multi_abort(c, ERR_OOM.p);
        return;
    }
    struct multi *m = end(s);
    reply_array(c->reply, m->n);
    for (size_t i = 0; i < m->n && !c->reply->lost; i++) {
        size_t mark = buf_len(&s->out);
        struct call queued = *c;
        queued.argv = m->queue[i]->argv;
        queued.argc = m->queue[i]->argc;
        queued.flags |= CALL_EXEC;
        queued.resp = s->resp;
        call_run(&queued);
        if (c->reply->lost)
            session_excuse(s, c->reply, mark);
    }
    leavings_add(c->engine, &m->leaving, forget);
}

bool multi_writes(const struct session *s)
{
    return s->flags & SESSION_MULTI && s->more->multi->writes;
}

int multi_count(const struct session *s)
{
    return s->flags & SESSION_MULTI ? (int)s->more->multi->n : -1;
}

size_t multi_memory(const struct session *s)
{
    return s->flags & SESSION_MULTI ? s->more->multi->bytes : 0;
}
