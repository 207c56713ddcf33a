#include "server/engine/interest.h"

#include "base/hash.h"

/* What the dict's key points to. */
struct probe {
    uint32_t db;
    struct bytes name;
};

static bool match(const void *object, struct bytes key)
{
    const struct interest *i = object;
    const struct probe *p = (const struct probe *)(const void *)key.p;
    return i->db == p->db && bytes_eq(interest_name(i), p->name);
}

void interests_init(struct interests *t, uint64_t seed)
{
    t->seed = seed;
    arena_init(&t->arena);
    dict_init(&t->dict, &t->arena, match);
}

void interests_free(struct interests *t)
{
    dict_free(&t->dict);
    arena_free(&t->arena);
}

static uint32_t hash(const struct interests *t, uint32_t db, struct bytes name)
{
    return (uint32_t)hash_bytes(t->seed + db, name);
}

struct interest *interests_find(struct interests *t, uint32_t db, struct bytes name)
{
    if (t->dict.count == 0)
        return NULL;
    struct probe probe = {db, name};
    return dict_find(&t->dict, (struct bytes){(const char *)&probe, sizeof probe},
                     hash(t, db, name));
}

struct interest *interests_get(struct interests *t, uint32_t db, struct bytes name)
{
    struct interest *i = interests_find(t, db, name);
    if (i)
        return i;
    if (name.n > INT32_MAX || (i = arena_new(&t->arena, sizeof *i + name.n)) == NULL)
        return NULL;
    list_init(&i->who);
    i->db = db;
    i->n = (uint32_t)name.n & INT32_MAX;
    i->ready = 0;
    if (name.n)
        memcpy(i->name, name.p, name.n);
    dict_insert(&t->dict, i, hash(t, db, name));
    return i;
}

void interests_release(struct interests *t, struct interest *i)
{
    if (!list_empty(&i->who) || i->ready)
        return;
    dict_remove(&t->dict, i);
    arena_drop(&t->arena, i);
}
