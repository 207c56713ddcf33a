/*
 * The compact form of every small container: a run of items inside the entry's own body. An item is
 * its length, in one byte up to 127 and in two from there on, and its bytes. There is nothing else:
 * no header, no count, no spare room.
 *
 * What the items mean is the container's business: a hash has a name and a value in turns, a sorted
 * set a name and a score. A run holds ENTRY_INLINE_MAX bytes at the most, so walking all of it is
 * about as dear as one cache miss; a container that needs more becomes an object and stays one.
 *
 * Items are borrowed from the entry and valid until it is next edited. Positions are byte offsets
 * into the run, always at the start of an item or at the end.
 */
#ifndef STORE_PACKED_H
#define STORE_PACKED_H

#include "store/keys.h"

static inline bool entry_is_packed(const struct entry *e)
{
    return !(e->flags & ENTRY_OUTSIDE);
}

/* The item at `*at`, which moves past it; false at the end. */
bool packed_next(struct bytes run, size_t *at, struct bytes *item);

size_t packed_count(struct bytes run);
size_t packed_longest(struct bytes run); /* bytes of the longest item; 0 when there is none */

/* Where the item number `i` begins; the end when there are fewer. */
size_t packed_seek(struct bytes run, size_t i);

/* Looks for an item among the first, the `step`-th after it, and so on. */
bool packed_find(struct bytes run, struct bytes item, size_t step, size_t *at);

/* For building a run elsewhere: writes one item and returns where it ends. */
char *packed_write(char *to, struct bytes item);

/* Would the run still be short enough with `items` instead of its bytes from `from` to `to`? */
bool packed_fits(const struct entry *e, size_t from, size_t to, const struct bytes *items,
                 size_t n);

/*
 * Puts `items`, which must not lie in the entry and must fit, in place of the bytes from `from` to
 * `to`. False, and nothing done, when memory is out; never when the run gets no longer.
 */
bool packed_splice(struct keys *k, struct entry **e, size_t from, size_t to,
                   const struct bytes *items, size_t n);

/* These cannot fail. The first takes out the bytes from `from` to `to`; the second only the item at
 * `from`, and the last item comes to stand in the gap. */
void packed_cut(struct keys *k, struct entry **e, size_t from, size_t to);
void packed_take(struct keys *k, struct entry **e, size_t from);

#endif
