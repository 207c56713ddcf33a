/*
 * A list: items numbered from 0, cheap to add and take at both ends.
 *
 * Items are borrowed from the entry and valid until it is next edited. What is put in must not lie
 * in the entry.
 */
#ifndef STORE_DEQUE_H
#define STORE_DEQUE_H

#include "store/keys.h"
#include "store/limits.h"

extern const struct value_ops deque_ops;

size_t deque_count(const struct entry *e);
struct bytes deque_at(const struct entry *e, size_t i); /* i < deque_count */

/* Inside the bracket. The first two return false, and have done nothing, when memory is out. */
bool deque_insert(struct keys *k, struct entry **e, size_t i, struct bytes item); /* i <= count */
bool deque_replace(struct keys *k, struct entry **e, size_t i, struct bytes item);
void deque_remove(struct keys *k, struct entry **e, size_t i, size_t n);

/* Takes out items equal to `item`: leaves the first `skip` of them, then at most `max`. One pass.
 */
void deque_purge(struct keys *k, struct entry **e, struct bytes item, size_t skip, size_t max);
void deque_grade(struct entry *e, const struct value_limits *limits);

/* Items from number `i` on: `struct deque_walk w = deque_walk(e, 0); while (deque_next(&w)) ...`.
 */
struct deque_walk {
    struct bytes item;
    const struct entry *entry;
    size_t at; /* an offset into the packed run, or the number of the item to come */
};

struct deque_walk deque_walk(const struct entry *e, size_t i);
bool deque_next(struct deque_walk *w);

#endif
