#include "server/commands/dump.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "server/engine/engine.h"
#include "store/deque.h"
#include "store/hash.h"
#include "store/set.h"
#include "store/values.h"
#include "store/zset.h"

#include <stdlib.h>

/* JSON knows no infinity: as text then. */
static void put_score(struct buf *out, double score)
{
    char text[NUM_F64_MAX];
    struct bytes s = {text, num_format_f64(text, score)};
    bool finite = score - score == 0;
    if (finite)
        buf_put(out, s);
    else
        json_put_text(out, s);
}

/* Values. */

static void separate(struct buf *out, bool *first)
{
    if (!*first)
        buf_putc(out, ',');
    *first = false;
}

static void put_list(struct buf *out, const struct entry *e)
{
    struct deque_walk w = deque_walk(e, 0);
    bool first = true;
    buf_putc(out, '[');
    while (deque_next(&w)) {
        separate(out, &first);
        json_put_text(out, w.item);
    }
    buf_putc(out, ']');
}

static void put_set(struct buf *out, const struct entry *e)
{
    struct set_walk w = set_walk(e);
    bool first = true;
    buf_putc(out, '[');
    while (set_next(&w)) {
        separate(out, &first);
        json_put_text(out, w.member);
    }
    buf_putc(out, ']');
}

static void put_zset(struct buf *out, const struct entry *e)
{
    struct zset_walk w = zset_walk(e, 0, false);
    bool first = true;
    buf_putc(out, '[');
    while (zset_next(&w)) {
        separate(out, &first);
        buf_putc(out, '[');
        json_put_text(out, w.name);
        buf_putc(out, ',');
        put_score(out, w.score);
        buf_putc(out, ']');
    }
    buf_putc(out, ']');
}

static void put_hash(struct buf *out, const struct entry *e)
{
    struct hash_walk w = hash_walk(e);
    bool first = true;
    buf_putc(out, '{');
    while (hash_next(&w)) {
        separate(out, &first);
        json_put_text(out, w.name);
        buf_putc(out, ':');
        json_put_text(out, w.value);
    }
    buf_putc(out, '}');
}

static void put_value(struct buf *out, const struct entry *e)
{
    switch ((enum value_type)e->type) {
    case VALUE_STRING: json_put_text(out, entry_value(e)); break;
    case VALUE_LIST: put_list(out, e); break;
    case VALUE_SET: put_set(out, e); break;
    case VALUE_ZSET: put_zset(out, e); break;
    case VALUE_HASH: put_hash(out, e); break;
    case VALUE_TYPES: break;
    }
}

static void put_entry(struct buf *out, const struct entry *e, int64_t now)
{
    json_put_text(out, entry_name(e));
    buf_printf(out, ":{\"type\":\"%s\",", value_names[e->type]);
    if (entry_deadline(e) != WHEEL_NEVER)
        buf_printf(out, "\"ttl\":%lld,", (long long)(entry_deadline(e) - now));
    buf_put(out, BYTES("\"value\":"));
    put_value(out, e);
    buf_putc(out, '}');
}

/* Databases. */

struct living {
    const struct keys *keys;
    const struct entry **entries;
    size_t n;
};

static void take(void *ctx, void *object)
{
    struct living *l = ctx;
    if (!keys_overdue(l->keys, object))
        l->entries[l->n++] = object;
}

static int by_name(const void *a, const void *b)
{
    const struct entry *const *x = a, *const *y = b;
    return bytes_cmp(entry_name(*x), entry_name(*y));
}

static void put_database(struct buf *out, const struct keys *k, int64_t now, bool *first)
{
    struct living l = {.keys = k};
    uint32_t cursor = 0;
    l.entries = mem_alloc((k->dict.count + 1) * sizeof *l.entries);
    do
        cursor = dict_scan(&k->dict, cursor, take, &l);
    while (cursor);
    qsort(l.entries, l.n, sizeof *l.entries, by_name);
    for (size_t i = 0; i < l.n; i++) {
        if (i == 0) {
            separate(out, first);
            buf_printf(out, "\"%u\":{", k->id);
        } else {
            buf_putc(out, ',');
        }
        put_entry(out, l.entries[i], now);
    }
    if (l.n)
        buf_putc(out, '}');
    mem_free(l.entries);
}

void dump_keyspace(struct engine *e, struct buf *out)
{
    bool first = true;
    buf_putc(out, '{');
    for (uint32_t i = 0; i < e->space.ndbs; i++)
        if (e->space.dbs[i])
            put_database(out, e->space.dbs[i], e->now, &first);
    buf_putc(out, '}');
}
