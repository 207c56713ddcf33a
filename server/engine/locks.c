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

int64_t locks_age(const struct engine *e, struct hold h)
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

struct lock_view locks_view(const struct engine *e, const struct entry *en, const struct session *s)
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
        .age = locks_age(e, h),
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
        struct lock_view v = locks_view(e, en, client_of(e, entry_hold(en)));
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
