/*
 * Who is interested in a key that may or may not exist: a table from database and name to a list.
 * Those who wait for a key and those who watch one each have such a table.
 */
#ifndef SERVER_ENGINE_INTEREST_H
#define SERVER_ENGINE_INTEREST_H

#include "base/bytes.h"
#include "base/list.h"
#include "store/dict.h"

struct interest {
    struct dict_node node;
    struct list who;      /* of the user's own nodes, first come first */
    struct list in_ready; /* for the waiters' own use, while `ready` is set */
    uint32_t db;
    uint32_t n : 31, ready : 1;
    char name[];
};

struct interests {
    struct arena arena;
    struct dict dict;
    uint64_t seed;
};

void interests_init(struct interests *t, uint64_t seed);
void interests_free(struct interests *t);

/* NULL when nobody is. Costs next to nothing while the table is empty. */
struct interest *interests_find(struct interests *t, uint32_t db, struct bytes name);

/* Creates it when it is missing; NULL when memory is out. */
struct interest *interests_get(struct interests *t, uint32_t db, struct bytes name);

/* Goes when its list is empty and it is not ready. */
void interests_release(struct interests *t, struct interest *i);

static inline struct bytes interest_name(const struct interest *i)
{
    return (struct bytes){i->name, i->n};
}

#endif
