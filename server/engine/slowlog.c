#include "server/engine/slowlog.h"

#include "base/buf.h"
#include "base/mem.h"
#include "server/engine/call.h"
#include "server/engine/roster.h"

enum { ARGS_MOST = 32, BYTES_MOST = 128 };

void slowlog_init(struct slowlog *l)
{
    list_init(&l->entries);
}

static void drop(struct slowlog *l, struct slow_command *s)
{
    list_unlink(&s->link);
    l->n--;
    mem_free(s->text);
    mem_free(s);
}

void slowlog_clear(struct slowlog *l)
{
    while (!list_empty(&l->entries))
        drop(l, container_of(l->entries.next, struct slow_command, link));
}

static void put_argument(struct buf *out, const struct call *c, size_t i)
{
    struct bytes arg = c->argv[i];
    if (call_redacted(c, i)) {
        buf_put(out, BYTES("(redacted)"));
    } else if (arg.n > BYTES_MOST) {
        buf_put(out, (struct bytes){arg.p, BYTES_MOST});
        buf_printf(out, "... (%zu more bytes)", arg.n - BYTES_MOST);
    } else {
        buf_put(out, arg);
    }
}

/* Notes where the text that was just put ends; slices are made when the buffer moves no more. */
static size_t mark(const struct buf *b)
{
    return buf_len(b);
}

static struct bytes slice(const char *text, size_t from, size_t to)
{
    return (struct bytes){text + from, to - from};
}

/* Whoever asked; of a script's own calls Redis does not say for whom they are. */
static void put_asker(struct buf *out, const struct call *c, size_t ends[2])
{
    const struct session *s = c->session;
    struct session_facts facts;
    bool known = !(c->flags & CALL_SCRIPT);
    if (known)
        roster_facts(s, &facts);
    buf_put(out, known ? bytes_of(facts.peer) : BYTES("?:0"));
    ends[0] = mark(out);
    buf_put(out, bytes_of(known && s->more && s->more->name ? s->more->name : ""));
    ends[1] = mark(out);
}

void slowlog_add(const struct call *c, int64_t us)
{
    struct engine *e = c->engine;
    struct slowlog *l = &e->slowlog;
    size_t kept = c->argc < ARGS_MOST ? c->argc : ARGS_MOST, ends[ARGS_MOST + 2], from = 0;
    struct slow_command *slow = mem_alloc(sizeof *slow + kept * sizeof *slow->argv);
    struct buf text = {0};
    for (size_t i = 0; i < kept; i++) {
        if (i == ARGS_MOST - 1 && c->argc > ARGS_MOST)
            buf_printf(&text, "... (%zu more arguments)", c->argc - ARGS_MOST + 1);
        else
            put_argument(&text, c, i);
        ends[i] = mark(&text);
    }
    put_asker(&text, c, ends + kept);
    slow->text = text.p;
    for (size_t i = 0; i < kept; from = ends[i], i++)
        slow->argv[i] = slice(text.p, from, ends[i]);
    slow->peer = slice(text.p, from, ends[kept]);
    slow->name = slice(text.p, ends[kept], ends[kept + 1]);
    slow->id = l->next_id++;
    slow->wall_s = engine_wall_us(e) / 1000000;
    slow->us = us;
    slow->argc = kept;
    list_append(&l->entries, &slow->link);
    l->n++;
    while (l->n > (size_t)e->config->slowlog_max_len)
        drop(l, container_of(l->entries.next, struct slow_command, link));
}
