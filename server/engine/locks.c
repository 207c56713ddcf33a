/*
 * SET NX knows that it makes a lock. A script does not: it makes a key with one command and gives
 * it a deadline with another, in any order that its author liked. So the names of the keys that a
 * script makes are written down while it runs, and looked up when it has ended: those that are
 * there and have a deadline are locks. Scripts that make more than a few keys do something else
 * than locking; only the first of them are looked at.
 */
#include "server/engine/locks.h"

#include "base/glob.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/quote.h"
#include "server/engine/engine.h"
#include "server/engine/roster.h"
#include "store/deque.h"
#include "store/hash.h"
#include "store/packed.h"
#include "store/set.h"
#include "store/values.h"
#include "store/zset.h"

#include <stdlib.h>

enum { MADE_MAX = 4096 }; /* bytes of names that are written down */

/* A lock that hold-warn is to report unless it goes before. */
struct held {
    struct list link; /* alone on its interest */
    struct interest *key;
    struct alarm *alarm;
};

void locks_init(struct locks *l, uint64_t seed)
{
    *l = (struct locks){0};
    interests_init(&l->held, seed);
}

static struct held *held_of(struct interest *key)
{
    return container_of(key->who.next, struct held, link);
}

static void forget(struct engine *e, struct held *h)
{
    alarms_cancel(&e->alarms, h->alarm);
    list_unlink(&h->link);
    interests_release(&e->locks.held, h->key);
    mem_free(h);
}

static void free_held(void *ctx, void *object)
{
    (void)ctx;
    mem_free(held_of(object));
}

void locks_free(struct engine *e)
{
    uint32_t cursor = 0;
    do {
        cursor = dict_scan(&e->locks.held.dict, cursor, free_held, NULL);
    } while (cursor);
    interests_free(&e->locks.held);
    buf_free(&e->locks.made);
}

struct hold locks_hold(const struct engine *e, const struct session *s)
{
    return (struct hold){.since = (uint64_t)(e->now & HOLD_SINCE_MASK),
                         .client = s->id & HOLD_CLIENT_MASK};
}

static int64_t age_of(const struct engine *e, struct hold h)
{
    return (e->now - (int64_t)h.since) & HOLD_SINCE_MASK;
}

/* What locks look like from outside. */

static struct bytes first_member(const struct entry *en)
{
    struct zset_walk w = zset_walk(en, 0, false);
    zset_next(&w);
    return w.name;
}

static struct bytes first_field(const struct entry *en)
{
    struct hash_walk w = hash_walk(en);
    hash_next(&w);
    return w.name;
}

static struct bytes first_item(const struct entry *en)
{
    switch (en->type) {
    case VALUE_LIST: return deque_at(en, 0);
    case VALUE_SET: return set_at(en, 0);
    case VALUE_ZSET: return first_member(en);
    case VALUE_HASH: return first_field(en);
    default: return entry_value(en);
    }
}

/* A hash counts how often each holder has come in. What is no number, such as the mode of a lock
 * for readers and writers, is no holder. 0: it is no such hash. */
static size_t counted_holders(const struct entry *en, struct bytes *first)
{
    struct hash_walk w = hash_walk(en);
    size_t n = 0;
    int64_t depth;
    while (hash_next(&w))
        if (num_parse_i64(w.value, &depth) && n++ == 0)
            *first = w.name;
    return n;
}

static size_t holders_of(const struct entry *en, struct bytes *first)
{
    size_t n = en->type == VALUE_HASH && entry_is_packed(en) ? counted_holders(en, first) : 0;
    if (n)
        return n;
    *first = first_item(en);
    return en->type == VALUE_STRING ? 1 : value_ops[en->type]->count(en);
}

static struct lock_view view_of(const struct engine *e, const struct entry *en,
                                const struct session *s)
{
    static const struct session_more nothing;
    const struct session_more *said = s && s->more ? s->more : &nothing;
    struct hold h = entry_hold(en);
    int64_t deadline = entry_deadline(en);
    struct lock_view v = {
        .db = en->db,
        .key = entry_name(en),
        .kind = en->type,
        .client = s ? s->id : h.client,
        .connected = s != NULL,
        .name = said->name,
        .library = said->lib_name,
        .library_version = said->lib_ver,
        .age = age_of(e, h),
        .ttl = deadline == WHEEL_NEVER ? -1 : deadline - e->now,
    };
    v.holders = holders_of(en, &v.holder);
    return v;
}

/* The session that took it; its id is known modulo its width. */
static const struct session *client_of(const struct engine *e, struct hold h)
{
    roster_each (e, s)
        if ((s->id & HOLD_CLIENT_MASK) == h.client)
            return s;
    return NULL;
}

/* The same for many locks: a list of all clients, sorted once. */
static int by_number(const void *a, const void *b)
{
    const struct session *const *x = a, *const *y = b;
    uint64_t m = (*x)->id & HOLD_CLIENT_MASK, n = (*y)->id & HOLD_CLIENT_MASK;
    return (m > n) - (m < n);
}

static void list_clients(const struct engine *e, struct buf *out)
{
    roster_each (e, s)
        buf_put(out, (struct bytes){(const char *)&s, sizeof s});
    if (buf_len(out))
        qsort(out->p, buf_len(out) / sizeof(void *), sizeof(void *), by_number);
}

static const struct session *find_client(const struct buf *clients, struct hold h)
{
    const struct session wanted = {.id = h.client}, *key = &wanted;
    struct session **found = NULL;
    if (buf_len(clients))
        found = bsearch(&key, clients->p, buf_len(clients) / sizeof key, sizeof key, by_number);
    return found ? *found : NULL;
}

/* Those that were found. When there are many more than are wanted, the younger ones are dropped on
 * the way: what is kept and compared stays small. */
struct found {
    const struct entry *entry;
    int64_t age;
};

struct search {
    struct engine *engine;
    const struct keys *keys;
    struct bytes glob;
    size_t max, total;
    int64_t least; /* the age from which on one can be among the first `max` */
    struct found *found;
    size_t n, cap;
};

/* The order is the same on every run: age, then database, then name. */
static int by_age(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->age != y->age)
        return x->age > y->age ? -1 : 1;
    if (x->entry->db != y->entry->db)
        return x->entry->db < y->entry->db ? -1 : 1;
    return bytes_cmp(entry_name(x->entry), entry_name(y->entry));
}

static void sort_and_cut(struct search *s)
{
    if (s->n)
        qsort(s->found, s->n, sizeof *s->found, by_age);
    if (s->n > s->max) {
        s->n = s->max;
        s->least = s->found[s->n - 1].age;
    }
}

static void keep(struct search *s, struct found f)
{
    if (s->n / 2 >= s->max)
        sort_and_cut(s);
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->found = mem_grow(s->found, s->cap * sizeof *s->found);
    }
    s->found[s->n++] = f;
}

static void consider(void *ctx, void *object)
{
    struct search *s = ctx;
    const struct entry *en = object;
    if (!(en->flags & ENTRY_LOCK) || keys_overdue(s->keys, en) ||
        !glob_match(s->glob, entry_name(en)))
        return;
    struct found f = {en, age_of(s->engine, entry_hold(en))};
    s->total++;
    if (f.age >= s->least)
        keep(s, f);
}

static void search_in(struct search *s, const struct keys *k)
{
    uint32_t cursor = 0;
    s->keys = k;
    do {
        cursor = dict_scan(&k->dict, cursor, consider, s);
    } while (cursor);
}

size_t locks_each(struct engine *e, struct keys *k, struct bytes glob, size_t max,
                  lock_visit_fn *visit, void *ctx)
{
    struct search s = {.engine = e, .glob = glob, .max = max};
    struct buf clients = {0};
    for (uint32_t i = 0; i < e->space.ndbs; i++)
        if (e->space.dbs[i] && e->space.dbs[i]->locks && (k == NULL || k == e->space.dbs[i]))
            search_in(&s, e->space.dbs[i]);
    sort_and_cut(&s);
    list_clients(e, &clients);
    for (size_t i = 0; i < s.n; i++) {
        const struct entry *en = s.found[i].entry;
        struct lock_view v = view_of(e, en, find_client(&clients, entry_hold(en)));
        visit(ctx, &v);
    }
    buf_free(&clients);
    mem_free(s.found);
    return s.total;
}

/* hold-warn. */

static void publish(struct engine *e, const struct lock_view *v)
{
    struct buf channel = {0};
    buf_printf(&channel, "__lock@%u__:held", v->db);
    pubsub_publish(&e->pubsub, buf_bytes(&channel), v->key);
    buf_free(&channel);
}

static void report(struct engine *e, const struct lock_view *v)
{
    struct buf name = {0};
    quote_put(&name, v->key);
    log_warning(e->log, "Lock %.*s has been held for %lld ms by client id=%llu name=%s%s",
                BYTES_FMT(buf_bytes(&name)), (long long)v->age, (unsigned long long)v->client,
                v->name ? v->name : "", v->connected ? "" : " (disconnected)");
    buf_free(&name);
    e->stats.hold_warnings++;
    publish(e, v);
}

/* The watch goes first: looking up a lock that is overdue by now removes it, and its watch too. */
static void on_held_long(struct engine *e, void *owner)
{
    struct held *h = owner;
    struct keys *k = keyspace_db(&e->space, h->key->db);
    struct buf name = {0};
    buf_put(&name, interest_name(h->key));
    h->alarm = NULL;
    forget(e, h);
    struct entry *en = keys_peek(k, buf_bytes(&name));
    if (en && en->flags & ENTRY_LOCK) {
        struct lock_view v = view_of(e, en, client_of(e, entry_hold(en)));
        report(e, &v);
    }
    buf_free(&name);
}

/* How long a lock of that name may be held; -1: as long as it likes. The first rule counts. */
static int64_t patience(const struct config *cfg, struct bytes name)
{
    int64_t ms = -1;
    for (size_t i = 0; i + 1 < cfg->hold_warn.n && ms < 0; i += 2)
        if (glob_match(bytes_of(cfg->hold_warn.item[i]), name))
            num_parse_i64(bytes_of(cfg->hold_warn.item[i + 1]), &ms);
    return ms;
}

void locks_taken(struct engine *e, struct keys *k, struct bytes name)
{
    if (e->config->hold_warn.n == 0)
        return;
    locks_gone(e, k, name); /* one that was flushed left its watch behind */
    int64_t ms = patience(e->config, name);
    struct interest *key = ms < 0 ? NULL : interests_get(&e->locks.held, k->id, name);
    if (key == NULL)
        return;
    struct held *h = mem_alloc(sizeof *h);
    h->key = key;
    list_append(&key->who, &h->link);
    h->alarm = alarms_set(&e->alarms, e->now + ms, on_held_long, h);
}

void locks_gone(struct engine *e, const struct keys *k, struct bytes name)
{
    struct interest *key = interests_find(&e->locks.held, k->id, name);
    if (key)
        forget(e, held_of(key));
}

/* Scripts. */

struct made {
    uint32_t db, n; /* and the name after it */
};

void locks_made(struct engine *e, const struct keys *k, struct bytes name)
{
    struct buf *b = &e->locks.made;
    struct made m = {k->id, (uint32_t)name.n};
    if (name.n > MADE_MAX || buf_len(b) + sizeof m + name.n > MADE_MAX)
        return;
    buf_put(b, (struct bytes){(const char *)&m, sizeof m});
    buf_put(b, name);
}

static void recognise(struct engine *e, const struct session *s, uint32_t db, struct bytes name)
{
    struct keys *k = keyspace_db(&e->space, db);
    struct entry *en = keys_peek(k, name);
    if (en && !(en->flags & ENTRY_LOCK) && entry_deadline(en) != WHEEL_NEVER &&
        keys_hold(k, &en, locks_hold(e, s)))
        locks_taken(e, k, name);
}

void locks_recognise(struct engine *e, const struct session *s)
{
    struct bytes rest = buf_bytes(&e->locks.made);
    while (rest.n) {
        struct made m;
        memcpy(&m, rest.p, sizeof m);
        recognise(e, s, m.db, (struct bytes){rest.p + sizeof m, m.n});
        rest.p += sizeof m + m.n;
        rest.n -= sizeof m + m.n;
    }
    buf_clear(&e->locks.made);
}
