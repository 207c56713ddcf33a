#include "server/commands/dump.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/engine/engine.h"
#include "store/deque.h"
#include "store/hash.h"
#include "store/set.h"
#include "store/zset.h"

#include <stdlib.h>

/* Text. */

/* The length of the UTF-8 sequence at p, 0 when there is none. */
static size_t utf8_len(const uint8_t *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (len == 0 || len > n || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || outside ? 0 : len;
}

static void put_text(struct buf *out, struct bytes s)
{
    const uint8_t *p = (const uint8_t *)s.p;
    buf_putc(out, '"');
    for (size_t i = 0, len; i < s.n; i += len) {
        len = utf8_len(p + i, s.n - i);
        if (len == 0) {
            buf_printf(out, "\\udc%02x", p[i]);
            len = 1;
        } else if (p[i] == '"' || p[i] == '\\') {
            buf_putc(out, '\\');
            buf_putc(out, (char)p[i]);
        } else if (p[i] < 0x20 || p[i] == 0x7f) {
            buf_printf(out, "\\u%04x", p[i]);
        } else {
            buf_put(out, (struct bytes){s.p + i, len});
        }
    }
    buf_putc(out, '"');
}

/* JSON knows no infinity: as text then. */
static void put_score(struct buf *out, double score)
{
    char text[NUM_F64_MAX];
    struct bytes s = {text, num_format_f64(text, score)};
    bool finite = score - score == 0;
    if (finite)
        buf_put(out, s);
    else
        put_text(out, s);
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
        put_text(out, w.item);
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
        put_text(out, w.member);
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
        put_text(out, w.name);
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
        put_text(out, w.name);
        buf_putc(out, ':');
        put_text(out, w.value);
    }
    buf_putc(out, '}');
}

static void put_value(struct buf *out, const struct entry *e)
{
    switch ((enum value_type)e->type) {
    case VALUE_STRING: put_text(out, entry_value(e)); break;
    case VALUE_LIST: put_list(out, e); break;
    case VALUE_SET: put_set(out, e); break;
    case VALUE_ZSET: put_zset(out, e); break;
    case VALUE_HASH: put_hash(out, e); break;
    case VALUE_TYPES: break;
    }
}

static void put_entry(struct buf *out, const struct entry *e, int64_t now)
{
    static const char *const types[] = {[VALUE_STRING] = "string",
                                        [VALUE_LIST] = "list",
                                        [VALUE_SET] = "set",
                                        [VALUE_ZSET] = "zset",
                                        [VALUE_HASH] = "hash"};
    put_text(out, entry_name(e));
    buf_printf(out, ":{\"type\":\"%s\",", types[e->type]);
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
