/* LOCKS: the locks of the database, for people. */
#include "server/engine/lock_search.h"

#include "base/quote.h"
#include "server/commands/families.h"
#include "server/engine/call.h"
#include "store/values.h"

enum { LINE_FRAME = 256 }; /* what a line has besides names */

/* What is being printed: one line for each lock. */
struct listing {
    struct call *call;
    struct buf lines;
    struct buf ends; /* size_t: where in `lines` each one ends */
    bool lost;       /* there was no memory for one */
};

/* As it is when that can be read, else in quotes. */
static void put_word(struct buf *out, struct bytes word)
{
    bool plain = word.n > 0;
    for (size_t i = 0; i < word.n && plain; i++)
        plain = word.p[i] > ' ' && word.p[i] <= '~' && word.p[i] != '"';
    if (plain)
        buf_put(out, word);
    else
        quote_put(out, word);
}

/* Whoever may read the key may see all of the token that releases it. */
static bool may_read(const struct call *c, const struct lock_view *v)
{
    static const struct bytes readers[VALUE_TYPES] = {
        BYTES("get"), BYTES("lrange"), BYTES("smembers"), BYTES("zrange"), BYTES("hgetall"),
    };
    const struct command *cmd = registry_find(c->engine->registry, readers[v->kind]);
    struct bytes argv[] = {readers[v->kind], v->key, BYTES("0"), BYTES("-1")};
    size_t at;
    return c->session->user->unrestricted ||
           acl_check(c->engine, c->session->user, cmd, argv, 4, &at) == ACL_ALLOWED;
}

static void put_holder(struct buf *out, const struct lock_view *v, bool whole)
{
    struct bytes token = v->holder;
    bool cut = !whole && token.n > LOCK_TOKEN_SHOWN;
    if (cut)
        token.n = LOCK_TOKEN_SHOWN;
    put_word(out, token);
    if (cut)
        buf_put(out, BYTES("..."));
    if (v->holders > 1)
        buf_printf(out, " holders=%zu", v->holders);
}

static void put_client(struct buf *out, const struct lock_view *v)
{
    buf_printf(out, " client=%llu%s name=%s lib=%s", (unsigned long long)v->client,
               v->connected ? "" : "(gone)", v->name ? v->name : "", v->library ? v->library : "");
    if (v->library_version)
        buf_printf(out, "/%s", v->library_version);
}

/* Room for a line, at most. */
static bool make_room(struct listing *l, const struct lock_view *v)
{
    const char *const names[] = {v->name, v->library, v->library_version};
    size_t n = LINE_FRAME + quote_len(v->key) + quote_len(v->holder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        n += names[i] ? strlen(names[i]) : 0;
    return buf_try_room(&l->lines, n) && buf_try_room(&l->ends, sizeof(size_t));
}

static void put_line(void *ctx, const struct lock_view *v)
{
    struct listing *l = ctx;
    struct buf *out = &l->lines;
    if (l->lost || !make_room(l, v)) {
        l->lost = true;
        return;
    }
    buf_put(out, BYTES("key="));
    put_word(out, v->key);
    buf_printf(out, " kind=%s holder=", value_names[v->kind]);
    put_holder(out, v, may_read(l->call, v));
    put_client(out, v);
    buf_printf(out, " held-ms=%lld ttl-ms=%lld", (long long)v->age, (long long)v->ttl);
    size_t end = buf_len(out);
    buf_put(&l->ends, (struct bytes){(const char *)&end, sizeof end});
}

static void reply_lines(const struct listing *l)
{
    struct reply *r = l->call->reply;
    size_t n = buf_len(&l->ends) / sizeof(size_t);
    reply_array(r, n);
    for (size_t i = 0, from = 0, to = 0; i < n; i++, from = to) {
        memcpy(&to, buf_bytes(&l->ends).p + i * sizeof to, sizeof to);
        reply_bulk(r, (struct bytes){buf_bytes(&l->lines).p + from, to - from});
    }
}

static void cmd_locks(struct call *c)
{
    bool matched = c->argc == 3 && call_arg_is(c, 1, BYTES("MATCH"));
    if (c->argc != 1 && !matched) {
        call_syntax_error(c);
        return;
    }
    struct listing l = {.call = c};
    struct lock_search *search =
        lock_search_new(c->engine, c->keys, matched ? c->argv[2] : BYTES("*"), SIZE_MAX);
    lock_search_step(search, LOCK_SEARCH_ALL);
    lock_search_tell(search, put_line, &l);
    if (l.lost || lock_search_lost(search))
        call_out_of_memory(c);
    else
        reply_lines(&l);
    lock_search_free(search);
    buf_free(&l.lines);
    buf_free(&l.ends);
}

/* clang-format off */
const struct command lock_commands[] = {
    {.name = "locks", .run = cmd_locks, .arity = -1, .flags = CMD_READONLY,
     .acl = ACL_KEYSPACE | ACL_DANGEROUS, .group = GROUP_GENERIC, .since = "0.1.0",
     .complexity = "O(N), N being the number of keys in the database", .syntax = "[MATCH pattern]",
     .summary = "Lists the locks: key, holder, client, for how long it is held and what is left."},
    {0},
};
/* clang-format on */
