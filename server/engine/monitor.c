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

/* Bytes before the arguments, at most, the path of a unix socket apart. */
enum { ORIGIN_MAX = 256 };

static struct bytes shown(const struct call *c, size_t i)
{
    return call_redacted(c, i) ? BYTES("(redacted)") : c->argv[i];
}

/* As a status in protocol bytes; false when there is no memory for it. */
static bool print_call(struct call *c, struct buf *line)
{
    int64_t us = call_wall_us(c);
    size_t n = ORIGIN_MAX + strlen(c->engine->config->unixsocket);
    for (size_t i = 0; i < c->argc; i++)
        n += 1 + quote_len(shown(c, i));
    if (!buf_try_room(line, n))
        return false;
    buf_printf(line, "+%lld.%06lld [%u ", (long long)(us / 1000000), (long long)(us % 1000000),
               c->keys->id);
    put_origin(c, line);
    buf_putc(line, ']');
    for (size_t i = 0; i < c->argc; i++) {
        buf_putc(line, ' ');
        quote_put(line, shown(c, i));
    }
    buf_put(line, BYTES("\r\n"));
    return true;
}

void monitor_show(struct call *c)
{
    struct buf line = {0};
    bool printed = print_call(c, &line);
    roster_each (c->engine, s) {
        if (!(s->flags & SESSION_MONITOR))
            continue;
        if (printed)
            session_push_bytes(s, buf_bytes(&line));
        else
            session_no_room(s);
    }
    buf_free(&line);
}
