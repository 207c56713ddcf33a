#include "tests/lib/audit.h"

#include "store/values.h"

struct tally {
    const struct keys *keys;
    const char *wrong;
    size_t entries, timed;
};

static void visit(void *ctx, void *object)
{
    struct tally *t = ctx;
    const struct entry *e = object;
    t->entries++;
    t->timed += e->ttl.at != WHEEL_NEVER;
    if (e->flags & ENTRY_FRESH)
        t->wrong = "an entry is still fresh after its bracket";
    if (e->db != t->keys->id)
        t->wrong = "an entry is of another database";
    if (!keys_holds(t->keys, entry_name(e)))
        t->wrong = "an entry is not found by its name";
    if (e->type != VALUE_STRING && value_ops[e->type]->count(e) == 0)
        t->wrong = "a container is empty";
}

/* A chain may be seen twice when the table shrank meanwhile, but here nothing moves. */
static const char *audit_db(const struct keys *k, size_t *timed)
{
    struct tally t = {.keys = k};
    uint32_t cursor = 0;
    do
        cursor = dict_scan(&k->dict, cursor, visit, &t);
    while (cursor);
    if (t.wrong)
        return t.wrong;
    if (t.entries != k->dict.count)
        return "the table counts other than it holds";
    if (t.timed != k->expires)
        return "deadlines are not counted right";
    *timed += t.timed;
    return NULL;
}

static struct timer *timer_at(const struct wheel *w, ref r)
{
    return (struct timer *)((char *)arena_at(w->arena, r) + w->offset);
}

static size_t timers(const struct wheel *w)
{
    size_t n = 0;
    for (size_t i = 0; i < WHEEL_LISTS; i++)
        for (ref r = w->lists[i].first; r >= ARENA_PAGE_UNITS; r = timer_at(w, r)->next)
            n++;
    return n;
}

const char *audit_store(const struct keyspace *s)
{
    size_t timed = 0;
    if (s->editing != 0)
        return "a bracket is open";
    for (uint32_t i = 0; i < s->ndbs; i++) {
        const char *wrong = s->dbs[i] ? audit_db(s->dbs[i], &timed) : NULL;
        if (wrong)
            return wrong;
    }
    size_t armed = timers(&s->wheel);
    if (armed < timed)
        return "a deadline is not on the wheel";
    if (armed > timed && list_empty(&s->doomed))
        return "the wheel holds what no table has";
    return NULL;
}
