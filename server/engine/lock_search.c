#include "server/engine/lock_search.h"

#include "base/glob.h"
#include "base/mem.h"
#include "server/engine/engine.h"
#include "server/engine/roster.h"

#include <stdlib.h>

/* Entries come and go between two steps, so what was found is kept by name. */
struct found {
    int64_t since;
    uint32_t db, len;
    char name[];
};

struct lock_search {
    struct engine *engine;
    const struct keys *only; /* NULL: all */
    struct buf glob;
    size_t max, total;
    uint32_t db, cursor; /* where it stands */
    bool begun;          /* is in the midst of that database */
    int64_t latest;      /* who was taken later cannot be among the first `max` */
    struct found **found;
    size_t n, cap;
    bool lost; /* there was no memory for the pattern, or for a name that was found */
};

struct lock_search *lock_search_new(struct engine *e, const struct keys *k, struct bytes glob,
                                    size_t max)
{
    struct lock_search *s = mem_alloc(sizeof *s);
    s->engine = e;
    s->only = k;
    s->max = max;
    s->latest = INT64_MAX;
    s->lost = !buf_try_room(&s->glob, glob.n);
    if (!s->lost)
        buf_put(&s->glob, glob);
    return s;
}

static void cut(struct lock_search *s, size_t n)
{
    while (s->n > n)
        mem_free(s->found[--s->n]);
}

void lock_search_free(struct lock_search *s)
{
    if (s == NULL)
        return;
    cut(s, 0);
    mem_free(s->found);
    buf_free(&s->glob);
    mem_free(s);
}

static struct bytes name_of(const struct found *f)
{
    return (struct bytes){f->name, f->len};
}

/* The order is the same on every run: age, then database, then name. */
static int by_age(const void *a, const void *b)
{
    const struct found *x = *(struct found *const *)a, *y = *(struct found *const *)b;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    if (x->db != y->db)
        return x->db < y->db ? -1 : 1;
    return bytes_cmp(name_of(x), name_of(y));
}

/* When there are many more than are wanted, the younger ones are dropped on the way: what is kept
 * and compared stays small. */
static void sort_and_cut(struct lock_search *s)
{
    if (s->n)
        qsort(s->found, s->n, sizeof(struct found *), by_age);
    if (s->n > s->max) {
        cut(s, s->max);
        s->latest = s->found[s->n - 1]->since;
    }
}

static bool grow(struct lock_search *s)
{
    struct found **found = mem_try_double(s->found, &s->cap, 64, sizeof *found);
    if (found)
        s->found = found;
    return found != NULL;
}

static void keep(struct lock_search *s, const struct entry *en, int64_t since)
{
    if (s->n / 2 >= s->max)
        sort_and_cut(s);
    struct bytes name = entry_name(en);
    struct found *f = s->n == s->cap && !grow(s) ? NULL : mem_try(sizeof *f + name.n);
    if (f == NULL) {
        s->lost = true;
        return;
    }
    f->since = since;
    f->db = en->db;
    f->len = (uint32_t)name.n;
    memcpy(f->name, name.p, name.n);
    s->found[s->n++] = f;
}

static void consider(void *ctx, void *object)
{
    struct lock_search *s = ctx;
    const struct entry *en = object;
    const struct engine *e = s->engine;
    if (!(en->flags & ENTRY_LOCK) || keys_overdue(e->space.dbs[s->db], en) ||
        !glob_match(buf_bytes(&s->glob), entry_name(en)))
        return;
    int64_t since = e->now - locks_age(e, entry_hold(en));
    s->total++;
    if (since <= s->latest)
        keep(s, en, since);
}

static bool is_wanted(const struct lock_search *s, const struct keys *k)
{
    return k && k->locks && (s->only == NULL || s->only == k);
}

bool lock_search_step(struct lock_search *s, int keys)
{
    const struct keyspace *space = &s->engine->space;
    for (; s->db < space->ndbs; s->db++) {
        const struct keys *k = space->dbs[s->db];
        while (is_wanted(s, k) && (s->cursor || !s->begun)) {
            if (keys-- == 0)
                return true;
            s->begun = true;
            s->cursor = dict_scan(&k->dict, s->cursor, consider, s);
        }
        s->begun = false;
        s->cursor = 0;
    }
    sort_and_cut(s);
    return false;
}

bool lock_search_lost(const struct lock_search *s)
{
    return s->lost;
}

/* Who took them: a list of all clients, sorted once. Their ids are known modulo their width. */
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

size_t lock_search_tell(const struct lock_search *s, lock_visit_fn *visit, void *ctx)
{
    struct engine *e = s->engine;
    struct buf clients = {0};
    list_clients(e, &clients);
    for (size_t i = 0; i < s->n; i++) {
        if (i && by_age(&s->found[i - 1], &s->found[i]) == 0)
            continue; /* the table had changed, and was walked there twice */
        const struct found *f = s->found[i];
        const struct entry *en = keys_peek(e->space.dbs[f->db], name_of(f));
        if (en == NULL || !(en->flags & ENTRY_LOCK))
            continue;
        struct lock_view v = locks_view(e, en, find_client(&clients, entry_hold(en)));
        visit(ctx, &v);
    }
    buf_free(&clients);
    return s->total;
}
