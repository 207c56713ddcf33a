#include "server/engine/roster.h"

#include "server/engine/multi.h"
#include "server/engine/pubsub.h"
#include "server/engine/registry.h"

#include <stdio.h>

struct session *roster_next(const struct engine *e, const struct session *s)
{
    const struct list *at = s ? s->link.next : e->sessions.next;
    for (; at != &e->sessions; at = at->next) {
        struct session *next = container_of(at, struct session, link);
        if (!(next->flags & (SESSION_INTERNAL | SESSION_KILLED)))
            return next;
    }
    return NULL;
}

struct session *roster_find(const struct engine *e, uint64_t id)
{
    roster_each (e, s)
        if (s->id == id)
            return s;
    return NULL;
}

bool roster_kind_named(struct bytes name, enum roster_kind *out)
{
    static const struct {
        const char *name;
        enum roster_kind kind;
    } names[] = {
        {"normal", ROSTER_NORMAL}, {"slave", ROSTER_REPLICA}, {"replica", ROSTER_REPLICA},
        {"pubsub", ROSTER_PUBSUB}, {"master", ROSTER_MASTER},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (bytes_ieq(name, bytes_of(names[i].name))) {
            *out = names[i].kind;
            return true;
        }
    }
    return false;
}

enum roster_kind roster_kind(const struct session *s)
{
    return s->flags & SESSION_PUBSUB ? ROSTER_PUBSUB : ROSTER_NORMAL;
}

static void ask_host(const struct session *s, bool addresses, struct session_facts *out)
{
    const struct engine_host *host = s->engine->host;
    *out = (struct session_facts){.fd = -1};
    if (host->describe)
        host->describe(s->engine->ctx, s, addresses, out);
}

void roster_facts(const struct session *s, struct session_facts *out)
{
    ask_host(s, true, out);
}

void roster_measure(const struct session *s, struct session_facts *out)
{
    ask_host(s, false, out);
}

size_t roster_memory(const struct session *s, const struct session_facts *f)
{
    return session_memory(s) + f->memory;
}

static void put_tracking_flags(const struct session *s, struct buf *out)
{
    unsigned how = tracker_of(s)->options;
    if (how & TRACKING_BROKEN)
        buf_putc(out, 'R');
    if (how & TRACKING_BCAST)
        buf_putc(out, 'B');
}

/* One letter for each thing that is special about a client, in Redis's order; N for none. */
static void put_flags(const struct session *s, struct buf *out)
{
    static const struct {
        uint32_t flag;
        char letter;
    } letters[] = {
        {SESSION_MONITOR, 'O'},  {SESSION_PUBSUB, 'P'},   {SESSION_MULTI, 'x'},
        {SESSION_BLOCKED, 'b'},  {SESSION_TRACKING, 't'}, {SESSION_DIRTY_CAS, 'd'},
        {SESSION_CLOSING, 'c'},  {SESSION_UNIX, 'U'},     {SESSION_NO_EVICT, 'e'},
        {SESSION_NO_TOUCH, 'T'},
    };
    size_t before = buf_len(out);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (s->flags & letters[i].flag)
            buf_putc(out, letters[i].letter);
        if (letters[i].flag == SESSION_TRACKING)
            put_tracking_flags(s, out);
    }
    if (buf_len(out) == before)
        buf_putc(out, 'N');
}

static const char *text_or_empty(const char *s)
{
    return s ? s : "";
}

void roster_print(const struct session *s, struct buf *out)
{
    static const struct session_more none;
    const struct session_more *more = s->more ? s->more : &none;
    struct session_facts f;
    roster_facts(s, &f);
    buf_printf(out, "id=%llu addr=%s laddr=%s fd=%d name=%s age=%lld idle=%lld flags=",
               (unsigned long long)s->id, f.peer, f.local, f.fd, text_or_empty(more->name),
               (long long)(s->engine->now - s->created) / 1000,
               (long long)(s->engine->now - s->last_used) / 1000);
    put_flags(s, out);
    buf_printf(out, " db=%u sub=%zu psub=%zu ssub=%zu multi=%d watch=%zu", s->db,
               pubsub_count(s, TOPIC_CHANNEL), pubsub_count(s, TOPIC_PATTERN),
               pubsub_count(s, TOPIC_SHARD), multi_count(s), watch_count(s));
    /* Arguments are slices of the input, so qbuf has counted them already. */
    buf_printf(out, " qbuf=%zu qbuf-free=%zu argv-mem=0 multi-mem=%zu", f.query, f.query_free,
               multi_memory(s));
    buf_printf(out, " rbs=%zu rbp=%zu obl=%zu oll=%d omem=%zu tot-mem=%zu", s->out.cap, s->out.cap,
               buf_len(&s->out), s->unsent > 0, s->unsent, roster_memory(s, &f));
    buf_printf(out, " events=%s%s cmd=%s user=%.*s redir=%lld resp=%d lib-name=%s lib-ver=%s",
               f.reading ? "r" : "", f.writing ? "w" : "",
               s->last ? command_full_name(s->last) : "NULL", BYTES_FMT(acl_user_name(s->user)),
               (long long)tracking_redirect_id(s), s->resp, text_or_empty(more->lib_name),
               text_or_empty(more->lib_ver));
    if (f.known) /* Redis does not tell */
        buf_printf(out, " peer-uid=%lld peer-gid=%lld peer-pid=%lld", (long long)f.uid,
                   (long long)f.gid, (long long)f.pid);
}
