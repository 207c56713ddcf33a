/*
 * A hash: fields with a value each, in the order in which they first came. Setting a field that is
 * there changes its value and not its place.
 *
 * Names and values are borrowed from the entry and valid until it is next edited. What is put in
 * must not lie in the entry.
 */
#ifndef STORE_HASH_H
#define STORE_HASH_H

#include "store/keys.h"
#include "store/limits.h"

extern const struct value_ops hash_ops;

size_t hash_count(const struct entry *e);
bool hash_get(const struct entry *e, struct bytes name, struct bytes *value);

/* Inside the bracket. hash_put sets or adds; false, and nothing done, when memory is out.
 * hash_remove says whether the field was there. */
bool hash_put(struct keys *k, struct entry **e, struct bytes name, struct bytes value);
bool hash_remove(struct keys *k, struct entry **e, struct bytes name);
void hash_grade(struct entry *e, const struct value_limits *limits);

/* All fields in order: `struct hash_walk w = hash_walk(e); while (hash_next(&w)) ... w.name`. */
struct hash_walk {
    struct bytes name, value;
    const struct entry *entry;
    size_t at; /* an offset into the packed run, or the field to come */
};

struct hash_walk hash_walk(const struct entry *e);
bool hash_next(struct hash_walk *w);

/* As dict_scan; in a packed hash one step visits all. */
typedef void hash_visit_fn(void *ctx, struct bytes name, struct bytes value);
uint32_t hash_scan(const struct entry *e, uint32_t cursor, hash_visit_fn *fn, void *ctx);

#endif
