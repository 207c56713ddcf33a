#include "server/http/locks.h"

struct listing {
    struct buf *out;
    bool any;
};

/* Bytes are taken for Latin-1 where they are not ASCII: JSON knows characters only. */
static void put_string(struct buf *out, struct bytes s)
{
    buf_putc(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch == '"' || ch == '\\')
            buf_printf(out, "\\%c", ch);
        else if (ch < ' ' || ch > '~')
            buf_printf(out, "\\u%04x", ch);
        else
            buf_putc(out, (char)ch);
    }
    buf_putc(out, '"');
}

static void put_text(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, ",\"%s\":", name);
    if (text)
        put_string(out, bytes_of(text));
    else
        buf_put(out, BYTES("null"));
}

static void put_client(struct buf *out, const struct lock_view *v)
{
    static const struct session_more none;
    const struct session_more *more = v->session && v->session->more ? v->session->more : &none;
    buf_printf(out, ",\"client\":{\"id\":%llu,\"connected\":%s", (unsigned long long)v->client,
               v->session ? "true" : "false");
    put_text(out, "name", more->name);
    put_text(out, "library", more->lib_name);
    put_text(out, "library_version", more->lib_ver);
    buf_put(out, BYTES("}}"));
}

static void put_lock(void *ctx, const struct lock_view *v)
{
    static const char *const kinds[VALUE_TYPES] = {"string", "list", "set", "zset", "hash"};
    struct listing *l = ctx;
    struct bytes token = v->holder;
    if (token.n > LOCK_TOKEN_SHOWN)
        token.n = LOCK_TOKEN_SHOWN;
    buf_printf(l->out, "%s\n{\"db\":%u,\"key\":", l->any ? "," : "", v->db);
    put_string(l->out, v->key);
    buf_printf(l->out, ",\"kind\":\"%s\",\"holder\":", kinds[v->kind]);
    put_string(l->out, token);
    buf_printf(l->out, ",\"holders\":%zu,\"age_ms\":%lld", v->holders, (long long)v->age);
    if (v->ttl >= 0)
        buf_printf(l->out, ",\"ttl_ms\":%lld", (long long)v->ttl);
    else
        buf_put(l->out, BYTES(",\"ttl_ms\":null"));
    put_client(l->out, v);
    l->any = true;
}

void http_locks_print(struct engine *e, struct buf *out)
{
    struct listing l = {.out = out};
    buf_put(out, BYTES("{\"locks\":["));
    size_t n = locks_each(e, NULL, BYTES("*"), HTTP_LOCKS_MAX, put_lock, &l);
    buf_printf(out, "],\n\"total\":%zu}\n", n);
}
