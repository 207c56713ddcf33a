/*
 * What the commands of hashes, lists, sets and sorted sets share.
 */
#ifndef SERVER_COMMANDS_CONTAINERS_H
#define SERVER_COMMANDS_CONTAINERS_H

#include "server/engine/call.h"

/* How long a new container with the arguments from `i` on will be; for call_edit. */
size_t container_room(const struct call *c, size_t i);

/* Closes the bracket after a change, and notes what OBJECT ENCODING will say. */
void container_commit(struct call *c, struct entry *e, enum key_event ev);

/* The same when nothing is to be left: it goes as a whole, and is freed in slices. No bracket is
 * open. */
void container_clear(struct call *c, struct entry *e, enum key_event ev);

/* HLEN, LLEN, SCARD and ZCARD: how many items the container under argument 1 has. */
void container_count(struct call *c, enum value_type type);

/* BLPOP, BZPOPMIN and their relatives: `pop` replies with argument i, the first key that holds such
 * a container, and with what it takes out of it at one end or the other; without any, the client
 * waits. The handler is simply run again when a key has come. */
typedef void container_pop_fn(struct call *c, size_t i, struct entry *e, bool last);
void container_pop_or_wait(struct call *c, enum value_type type, container_pop_fn *pop, bool last);

/* HDEL, SREM and ZREM: takes out the items named from argument 2 on, and replies how many. */
typedef bool container_remove_fn(struct keys *k, struct entry **e, struct bytes name);
void container_remove(struct call *c, enum value_type type, container_remove_fn *remove,
                      enum key_event ev);

/* Sets memory aside for the arguments from `i` on, `per` for each element of `e`, which may be
 * NULL: all of them will be put in, or none. False after an error. */
bool container_reserve(struct call *c, const struct entry *e, size_t i, size_t per);

/* Closes the bracket when memory has run out, and replies so. A new container goes altogether. In
 * an older one, what this command has put there stays: only when somebody else took what was set
 * aside does it come to that. */
void container_out_of_memory(struct call *c, struct entry *e, bool changed, enum key_event ev);

/* Argument `i` as a count that must not be negative. */
bool container_read_count(struct call *c, size_t i, int64_t *count);

/* The items from index `first` to index `last`, where negative ones count from the end of `n`: how
 * many there are, and the first of them. */
size_t container_range(int64_t first, int64_t last, size_t n, size_t *from);

/*
 * What one call of SCAN and its relatives may do, whatever its COUNT and its pattern: looking at an
 * element costs SCAN_LOOK, matching it what the match takes, and keeping it a little for each byte
 * of the reply. A call that has done SCAN_WORK returns with what it has; the cursor goes on from
 * there. That is a few milliseconds, and 8,192 elements with a pattern that is not made to be
 * slow.
 */
enum { SCAN_WORK = 1 << 19, SCAN_LOOK = 64, SCAN_BYTES = 16 };

/* Does the element belong to the result? Adds to `*work`. `pattern` NULL: whatever its name. */
bool scan_wants(const struct bytes *pattern, struct bytes name, size_t *work);

/*
 * HSCAN, SSCAN and ZSCAN. A container that a Redis would keep in its compact encoding is given as a
 * whole, in order; a larger one in steps of about `count`.
 */
struct scan_item {
    struct bytes name, value;
    double score;
};

struct scan {
    uint32_t cursor;
    int64_t count;
    const struct bytes *pattern; /* NULL: no pattern */
    bool novalues;               /* HSCAN only */
    size_t seen;                 /* items visited, whether they match or not */
    size_t work;
    struct scan_item *items;
    size_t n, cap;
    bool lost; /* there was no memory for all items */
};

/* Reads the cursor, finds the container and reads the options. False after a reply, which may
 * just say that there is nothing to scan. */
bool scan_begin(struct call *c, enum value_type type, struct scan *s, struct entry **e);

/* For the visitor: keeps the item if it matches. */
void scan_add(struct scan *s, struct scan_item item);

/* True while the large container should be stepped on. */
bool scan_goes_on(const struct scan *s);

/* The cursor, and what `put` replies for each item, which is `per_item` values. Frees the items. */
typedef void scan_put_fn(struct call *c, const struct scan_item *item);
void scan_reply(struct call *c, struct scan *s, size_t per_item, scan_put_fn *put);

#endif
