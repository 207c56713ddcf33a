#include "server/http/locks.h"

#include "base/json.h"
#include "store/values.h"

/* Of a key's name; whole ones may be longer than anybody reads. */
enum { KEY_SHOWN = 1024 };

struct listing {
    struct buf *out;
    bool any;
};

static void put_text(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, ",\"%s\":", name);
    if (text)
        json_put_text(out, bytes_of(text));
    else
        buf_put(out, BYTES("null"));
}

static void put_client(struct buf *out, const struct lock_view *v)
{
    buf_printf(out, ",\"client\":{\"id\":%llu,\"connected\":%s", (unsigned long long)v->client,
               v->connected ? "true" : "false");
    put_text(out, "name", v->name);
    put_text(out, "library", v->library);
    put_text(out, "library_version", v->library_version);
    buf_put(out, BYTES("}}"));
}

static struct bytes cut(struct bytes text, size_t most)
{
    return (struct bytes){text.p, text.n < most ? text.n : most};
}

static void put_lock(void *ctx, const struct lock_view *v)
{
    struct listing *l = ctx;
    buf_printf(l->out, "%s\n{\"db\":%u,\"key\":", l->any ? "," : "", v->db);
    json_put_text(l->out, cut(v->key, KEY_SHOWN));
    buf_printf(l->out, ",\"kind\":\"%s\",\"holder\":", value_names[v->kind]);
    json_put_text(l->out, cut(v->holder, LOCK_TOKEN_SHOWN));
    buf_printf(l->out, ",\"holders\":%zu,\"age_ms\":%lld", v->holders, (long long)v->age);
    if (v->ttl >= 0)
        buf_printf(l->out, ",\"ttl_ms\":%lld", (long long)v->ttl);
    else
        buf_put(l->out, BYTES(",\"ttl_ms\":null"));
    put_client(l->out, v);
    l->any = true;
}

void http_locks_print(const struct lock_search *search, struct buf *out)
{
    struct listing l = {.out = out};
    buf_put(out, BYTES("{\"locks\":["));
    size_t n = lock_search_tell(search, put_lock, &l);
    buf_printf(out, "],\n\"total\":%zu}\n", n);
}
