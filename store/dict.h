/*
 * An intrusive hash table over arena objects, by linear hashing: the table grows by one slot for
 * each element that comes and shrinks a little for each that goes, so there is never a rehash,
 * never a second table, and the memory follows the count. Growing splits one chain; that is the
 * most work any call does.
 *
 * An object begins with its `struct dict_node`.
 */
#ifndef STORE_DICT_H
#define STORE_DICT_H

#include "base/bytes.h"
#include "store/arena.h"

struct dict_node {
    ref next;
    uint32_t hash;
};

typedef bool dict_match_fn(const void *object, struct bytes key);
typedef void dict_visit_fn(void *ctx, void *object);

struct dict {
    struct arena *arena;
    dict_match_fn *match;
    ref **segments;  /* DICT_SEGMENT slots each; the first may have fewer */
    uint32_t nslots; /* 0 until the first insert */
    uint32_t low;    /* the power of two with low <= nslots < 2 * low */
    uint32_t count;
};

#define DICT_SEGMENT 1024u

void dict_init(struct dict *d, struct arena *a, dict_match_fn *match);

/* The object, or NULL when there is none. */
void *dict_find(const struct dict *d, struct bytes key, uint32_t hash);

void dict_insert(struct dict *d, void *object, uint32_t hash); /* it must not be there yet */
bool dict_remove(struct dict *d, void *object);                /* false when it is not there */
void dict_prefetch(const struct dict *d, uint32_t hash);       /* one with it is soon removed */
void dict_replace(struct dict *d, ref old, void *fresh);       /* a copy takes the object's place */

/*
 * Visits one chain and returns the cursor to go on from; 0 begins and 0 is the end. An element that
 * is there from the first call to the last is visited at least once, whatever comes and goes
 * meanwhile. The visitor must not change the table.
 */
uint32_t dict_scan(const struct dict *d, uint32_t cursor, dict_visit_fn *fn, void *ctx);

/* Any element, chosen by `random`; NULL when empty. */
void *dict_any(const struct dict *d, uint64_t random);

/* Takes some element out, for emptying a table piece by piece; NULL when none is left. */
void *dict_take(struct dict *d);

/* Frees the slots piece by piece, about one for each of `*budget`, whatever is in them. True when
 * nothing is left. */
bool dict_shed(struct dict *d, int *budget);

size_t dict_memory(const struct dict *d); /* of the slots */
void dict_free(struct dict *d);           /* the slots only; the objects are the caller's */

#endif
