#include "server/engine/monitor.h"

#include "base/quote.h"
#include "server/engine/roster.h"

void monitor_begin(struct session *s)
{
    s->flags |= SESSION_MONITOR;
    s->engine->nmonitors++;
}

void monitor_end(struct session *s)
{
    if (!(s->flags & SESSION_MONITOR))
        return;
    s->flags &= ~SESSION_MONITOR;
    s->engine->nmonitors--;
}

static void put_origin(struct call *c, struct buf *line)
{
    struct session_facts facts;
    if (c->flags & CALL_SCRIPT) {
        buf_put(line, BYTES("lua"));
    } else if (c->session->flags & SESSION_UNIX) {
        buf_printf(line, "unix:%s", c->engine->config->unixsocket);
    } else {
        roster_facts(c->session, &facts);
        buf_put(line, bytes_of(facts.peer));
    }
}

static void print_call(struct call *c, struct buf *line)
{
    int64_t us = call_wall_us(c);
    buf_printf(line, "%lld.%06lld [%u ", (long long)(us / 1000000), (long long)(us % 1000000),
               c->keys->id);
    put_origin(c, line);
    buf_putc(line, ']');
    for (size_t i = 0; i < c->argc; i++) {
        buf_putc(line, ' ');
        quote_put(line, call_redacted(c, i) ? BYTES("(redacted)") : c->argv[i]);
    }
}

void monitor_show(struct call *c)
{
    struct buf line = {0};
    print_call(c, &line);
    roster_each (c->engine, s)
        if (s->flags & SESSION_MONITOR)
            reply_status(session_push(s), buf_bytes(&line));
    buf_free(&line);
}
