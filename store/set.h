/*
 * A set: members without order of their own, kept in one that depends on nothing but what was done
 * to the set. A new member comes last; when one goes, the last takes its place. So members have
 * numbers, and picking one by number costs the same anywhere.
 *
 * Members are borrowed from the entry and valid until it is next edited. What is added must not lie
 * in the entry.
 */
#ifndef STORE_SET_H
#define STORE_SET_H

#include "store/keys.h"
#include "store/limits.h"

extern const struct value_ops set_ops;

size_t set_count(const struct entry *e);
bool set_has(const struct entry *e, struct bytes member);
struct bytes set_at(const struct entry *e, size_t i); /* i < set_count */

/* Inside the bracket. A member that is added must not be there yet: false, and nothing done, when
 * memory is out. set_remove says whether it was there; its argument may lie in the entry. */
bool set_add(struct keys *k, struct entry **e, struct bytes member);
bool set_remove(struct keys *k, struct entry **e, struct bytes member);
void set_grade(struct entry *e, const struct value_limits *limits);

/* All members in order: `struct set_walk w = set_walk(e); while (set_next(&w)) ... w.member`. */
struct set_walk {
    struct bytes member;
    const struct entry *entry;
    size_t at; /* an offset into the packed run, or the number of the member to come */
};

struct set_walk set_walk(const struct entry *e);
bool set_next(struct set_walk *w);

/* As dict_scan; in a packed set one step visits all. */
typedef void set_visit_fn(void *ctx, struct bytes member);
uint32_t set_scan(const struct entry *e, uint32_t cursor, set_visit_fn *fn, void *ctx);

#endif
