#include "server/engine/watch.h"

#include "base/hash.h"
#include "base/mem.h"
#include "server/engine/engine.h"
#include "server/engine/session.h"

/* What session_more.watcher points to, from the first watch until all are given up at once. */
struct watcher {
    struct leaving leaving;
    struct session *session; /* NULL: it does not care any more */
    struct list watches;
    size_t n;
    size_t bytes; /* of its client's memory */
};

struct watch {
    struct dict_node node;  /* in watches->pairs */
    struct list of_key;     /* on interest->who */
    struct list of_watcher; /* on watcher->watches */
    struct watcher *watcher;
    struct interest *key;
};

/* What the dict's key points to. */
struct probe {
    const struct watcher *watcher;
    const struct interest *key;
};

static bool match(const void *object, struct bytes key)
{
    const struct watch *w = object;
    const struct probe *p = (const struct probe *)(const void *)key.p;
    return w->watcher == p->watcher && w->key == p->key;
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

static struct watcher *watcher_of(struct session *s)
{
    struct session_more *more = session_more(s);
    if (more->watcher == NULL) {
        more->watcher = mem_alloc(sizeof *more->watcher);
        more->watcher->session = s;
        list_init(&more->watcher->watches);
    }
    return more->watcher;
}

bool watch_add(struct session *s, struct keys *k, struct bytes name)
{
    struct watches *all = &s->engine->watches;
    leavings_make_room(s->engine);
    keys_peek(k, name); /* one that is overdue goes now: its end is no change */
    struct interest *key = interests_get(&all->keys, k->id, name);
    if (key == NULL)
        return false;
    struct watcher *who = watcher_of(s);
    struct probe probe = {who, key};
    uint32_t hash = (uint32_t)hash_bytes(all->keys.seed, bytes_of_probe(&probe));
    if (dict_find(&all->pairs, bytes_of_probe(&probe), hash))
        return true;
    struct watch *w = arena_new(&all->arena, sizeof *w);
    w->watcher = who;
    w->key = key;
    list_append(&key->who, &w->of_key);
    list_append(&who->watches, &w->of_watcher);
    dict_insert(&all->pairs, w, hash);
    who->n++;
    who->bytes += cost(w);
    s->more->kept += cost(w);
    return true;
}

static void drop(struct watches *all, struct watch *w)
{
    struct interest *key = w->key;
    struct watcher *who = w->watcher;
    who->n--;
    who->bytes -= cost(w);
    if (who->session)
        who->session->more->kept -= cost(w);
    list_unlink(&w->of_key);
    list_unlink(&w->of_watcher);
    dict_remove(&all->pairs, w);
    arena_drop(&all->arena, w);
    interests_release(&all->keys, key);
}

static bool forget(struct engine *e, struct leaving *l, int *budget)
{
    struct watcher *who = container_of(l, struct watcher, leaving);
    for (; who->n; --*budget) {
        if (*budget <= 0)
            return false;
        drop(&e->watches, container_of(who->watches.next, struct watch, of_watcher));
    }
    mem_free(who);
    return true;
}

void watch_clear(struct session *s)
{
    struct watcher *who = s->more ? s->more->watcher : NULL;
    s->flags &= ~SESSION_DIRTY_CAS;
    if (who == NULL)
        return;
    s->more->watcher = NULL;
    s->more->kept -= who->bytes;
    who->session = NULL;
    leavings_add(s->engine, &who->leaving, forget);
}

/* Looks at each key, which removes it if it is overdue; when none is, there is nothing to see. */
static void look_at_keys(struct session *s, const struct watcher *who)
{
    for (struct list *l = who->watches.next;
         l != &who->watches && !(s->flags & SESSION_DIRTY_CAS);) {
        struct watch *w = container_of(l, struct watch, of_watcher);
        l = l->next;
        keys_peek(keyspace_db(&s->engine->space, w->key->db), interest_name(w->key));
    }
}

bool watch_broken(struct session *s)
{
    if (s->engine->behind && watch_count(s))
        look_at_keys(s, s->more->watcher);
    return s->flags & SESSION_DIRTY_CAS;
}

static void mark(const struct watch *w)
{
    if (w->watcher->session)
        w->watcher->session->flags |= SESSION_DIRTY_CAS;
}

/* Marks all who watch the key; the interest goes with the last of them. */
static void break_watches(struct watches *all, struct interest *key)
{
    for (bool last = false; !last;) {
        struct watch *w = container_of(key->who.next, struct watch, of_key);
        last = w->of_key.next == &key->who;
        mark(w);
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
        mark(container_of(l, struct watch, of_key));
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
    return s->more && s->more->watcher ? s->more->watcher->n : 0;
}
