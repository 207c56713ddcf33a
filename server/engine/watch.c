#include "server/engine/watch.h"

#include "base/hash.h"
#include "server/engine/engine.h"
#include "server/engine/session.h"

#include <limits.h>

struct watch {
    struct dict_node node;  /* in watches->pairs */
    struct list of_key;     /* on interest->who */
    struct list of_session; /* on session->more->watched */
    struct session *session;
    struct interest *key;
};

/* What the dict's key points to. */
struct probe {
    const struct session *session;
    const struct interest *key;
};

static bool match(const void *object, struct bytes key)
{
    const struct watch *w = object;
    const struct probe *p = (const struct probe *)(const void *)key.p;
    return w->session == p->session && w->key == p->key;
}

static struct bytes bytes_of_probe(const struct probe *p)
{
    return (struct bytes){(const char *)p, sizeof *p};
}

void watches_init(struct watches *w, uint64_t seed)
{
    interests_init(&w->keys, seed);
    arena_init(&w->arena);
    dict_init(&w->pairs, &w->arena, match);
}

void watches_free(struct watches *w)
{
    dict_free(&w->pairs);
    arena_free(&w->arena);
    interests_free(&w->keys);
}

/* What it takes of its client's memory. */
static size_t cost(const struct watch *w)
{
    return sizeof *w + sizeof *w->key + w->key->n;
}

bool watch_add(struct session *s, struct keys *k, struct bytes name)
{
    struct watches *all = &s->engine->watches;
    keys_peek(k, name); /* one that is overdue goes now: its end is no change */
    struct interest *key = interests_get(&all->keys, k->id, name);
    if (key == NULL)
        return false;
    struct probe probe = {s, key};
    uint32_t hash = (uint32_t)hash_bytes(all->keys.seed, bytes_of_probe(&probe));
    if (dict_find(&all->pairs, bytes_of_probe(&probe), hash))
        return true;
    struct watch *w = arena_new(&all->arena, sizeof *w);
    w->session = s;
    w->key = key;
    list_append(&key->who, &w->of_key);
    list_append(&session_more(s)->watched, &w->of_session);
    dict_insert(&all->pairs, w, hash);
    s->more->kept += cost(w);
    return true;
}

static void drop(struct watches *all, struct watch *w)
{
    struct interest *key = w->key;
    w->session->more->kept -= cost(w);
    list_unlink(&w->of_key);
    list_unlink(&w->of_session);
    dict_remove(&all->pairs, w);
    arena_drop(&all->arena, w);
    interests_release(&all->keys, key);
}

bool watch_drop_some(struct session *s, int *budget)
{
    for (; s->more && !list_empty(&s->more->watched); --*budget) {
        if (*budget <= 0)
            return false;
        drop(&s->engine->watches, container_of(s->more->watched.next, struct watch, of_session));
    }
    return true;
}

void watch_clear(struct session *s)
{
    s->flags &= ~SESSION_DIRTY_CAS;
    for (int budget = INT_MAX; !watch_drop_some(s, &budget);)
        budget = INT_MAX;
}

bool watch_broken(struct session *s)
{
    for (struct list *l = s->more ? s->more->watched.next : NULL;
         l && l != &s->more->watched && !(s->flags & SESSION_DIRTY_CAS);) {
        struct watch *w = container_of(l, struct watch, of_session);
        l = l->next;
        keys_peek(keyspace_db(&s->engine->space, w->key->db), interest_name(w->key));
    }
    return s->flags & SESSION_DIRTY_CAS;
}

/* Marks all who watch the key; the interest goes with the last of them. */
static void break_watches(struct watches *all, struct interest *key)
{
    for (bool last = false; !last;) {
        struct watch *w = container_of(key->who.next, struct watch, of_key);
        last = w->of_key.next == &key->who;
        w->session->flags |= SESSION_DIRTY_CAS;
        drop(all, w);
    }
}

void watch_touch(struct engine *e, struct keys *k, struct bytes name)
{
    struct interest *key = interests_find(&e->watches.keys, k->id, name);
    if (key)
        break_watches(&e->watches, key);
}

struct flushing {
    struct engine *engine;
    struct keys *keys;
};

static void mark_if_there(void *ctx, void *object)
{
    struct flushing *f = ctx;
    struct interest *key = object;
    struct keys *k = f->engine->space.dbs[key->db];
    if (k == NULL || (f->keys && f->keys != k) || !keys_holds(k, interest_name(key)))
        return;
    list_each (l, &key->who)
        container_of(l, struct watch, of_key)->session->flags |= SESSION_DIRTY_CAS;
}

void watch_flush(struct engine *e, struct keys *k)
{
    struct flushing f = {e, k};
    uint32_t cursor = 0;
    do {
        cursor = dict_scan(&e->watches.keys.dict, cursor, mark_if_there, &f);
    } while (cursor);
}

size_t watch_count(const struct session *s)
{
    size_t n = 0;
    if (s->more)
        list_each (at, &s->more->watched)
            n++;
    return n;
}
