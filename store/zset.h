/*
 * A sorted set: members in the order of their scores and, where these are equal, of the bytes of
 * their names. A member's rank is how many come before it.
 *
 * Names are borrowed from the entry and valid until it is next edited. What is put in must not lie
 * in the entry, and a score is never NaN.
 */
#ifndef STORE_ZSET_H
#define STORE_ZSET_H

#include "store/keys.h"
#include "store/limits.h"

extern const struct value_ops zset_ops;

size_t zset_count(const struct entry *e);
bool zset_score(const struct entry *e, struct bytes name, double *score);
bool zset_rank(const struct entry *e, struct bytes name, size_t *rank, double *score);

/* How many members stand below a score, or below it and at it. */
size_t zset_below(const struct entry *e, double score, bool inclusive);

/* The same by name, for sets whose members all have one score. */
size_t zset_below_name(const struct entry *e, struct bytes name, bool inclusive);

/* Inside the bracket. zset_put sets or adds; false, and nothing done, when memory is out.
 * zset_remove says whether the member was there. */
bool zset_put(struct keys *k, struct entry **e, struct bytes name, double score);
bool zset_remove(struct keys *k, struct entry **e, struct bytes name);
void zset_remove_range(struct keys *k, struct entry **e, size_t rank, size_t n);
void zset_grade(struct entry *e, const struct value_limits *limits);

/* Members from `rank` on, upwards or, in reverse, downwards:
 * `struct zset_walk w = zset_walk(e, 0, false); while (zset_next(&w)) ... w.name, w.score`. */
struct zset_walk {
    struct bytes name;
    double score;
    const struct entry *entry;
    size_t left;      /* members to come */
    uint32_t leaf, i; /* the next; in a packed set `i` is its rank */
    bool reverse;
};

struct zset_walk zset_walk(const struct entry *e, size_t rank, bool reverse);
bool zset_next(struct zset_walk *w);

/* As dict_scan; in a packed set one step visits all. */
typedef void zset_visit_fn(void *ctx, struct bytes name, double score);
uint32_t zset_scan(const struct entry *e, uint32_t cursor, zset_visit_fn *fn, void *ctx);

#endif
