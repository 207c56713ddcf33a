#include "store/deque.h"

#include "store/packed.h"

#include <assert.h>
#include <limits.h>

/*
 * Small, a list is a packed run of items. Large, each item is an arena object, and their references
 * stand in a ring: both ends and any number in between are one step away, and a change in the
 * middle moves the references of the shorter side, 4 bytes an item.
 *
 * Considered: chains of packed blocks, as Redis has them. They take half the memory for short
 * items, but need lengths at both ends of an item, splitting and joining, and a walk to reach the
 * middle. The lists that locks use are queues of waiters and signals. A ring of ten million items
 * is 64 MB to double, some milliseconds once; an insertion in its middle moves 20 MB.
 */
struct item {
    uint32_t n;
    char p[];
};

struct deque {
    struct arena *arena;
    ref *ring;
    uint32_t head, count, cap; /* cap is a power of two */
    size_t bytes;              /* of all items */
};

#define RING_MIN 16u
#define RING_MAX (1u << 31)

static ref *slot(const struct deque *d, uint32_t i)
{
    return &d->ring[(d->head + i) & (d->cap - 1)];
}

static struct bytes item_at(const struct deque *d, uint32_t i)
{
    const struct item *item = arena_at(d->arena, *slot(d, i));
    return (struct bytes){item->p, item->n};
}

static struct item *new_item(struct deque *d, struct bytes s)
{
    struct item *item = arena_new(d->arena, sizeof *item + s.n);
    if (item) {
        item->n = (uint32_t)s.n;
        bytes_copy(item->p, s);
        d->bytes += arena_room(item);
    }
    return item;
}

static void drop_item(struct deque *d, ref r)
{
    struct item *item = arena_at(d->arena, r);
    d->bytes -= arena_room(item);
    arena_drop(d->arena, item);
}

static bool make_room(struct deque *d)
{
    if (d->count < d->cap)
        return true;
    if (d->cap == RING_MAX)
        return false;
    uint32_t old = d->cap, cap = old ? old * 2 : RING_MIN;
    ref *ring = arena_block(d->arena, d->ring, cap * sizeof *ring);
    if (ring == NULL)
        return false;
    /* What had wrapped round to the front goes on behind the old end. */
    memcpy(ring + old, ring, d->head * sizeof *ring);
    d->ring = ring;
    d->cap = cap;
    return true;
}

/* Keeps the old ring when memory is out: it is only larger than it needs to be. */
static void give_room_back(struct deque *d)
{
    if (d->cap <= RING_MIN || d->count > d->cap / 4)
        return;
    ref *ring = arena_block(d->arena, NULL, d->cap / 2 * sizeof *ring);
    if (ring == NULL)
        return;
    for (uint32_t i = 0; i < d->count; i++)
        ring[i] = *slot(d, i);
    arena_block_drop(d->arena, d->ring);
    d->ring = ring;
    d->head = 0;
    d->cap /= 2;
}

/* Opens a gap at `i`, moving the shorter side. */
static void open_gap(struct deque *d, uint32_t i)
{
    d->count++;
    if (i < d->count / 2) {
        d->head = (d->head - 1) & (d->cap - 1);
        for (uint32_t j = 0; j < i; j++)
            *slot(d, j) = *slot(d, j + 1);
    } else {
        for (uint32_t j = d->count - 1; j > i; j--)
            *slot(d, j) = *slot(d, j - 1);
    }
}

static void close_gap(struct deque *d, uint32_t i, uint32_t n)
{
    uint32_t after = d->count - i - n;
    if (i < after) {
        for (uint32_t j = i; j-- > 0;)
            *slot(d, j + n) = *slot(d, j);
        d->head = (d->head + n) & (d->cap - 1);
    } else {
        for (uint32_t j = i; j < i + after; j++)
            *slot(d, j) = *slot(d, j + n);
    }
    d->count -= n;
}

static bool insert(struct deque *d, uint32_t i, struct bytes s)
{
    struct item *item = make_room(d) ? new_item(d, s) : NULL;
    if (item == NULL)
        return false;
    open_gap(d, i);
    *slot(d, i) = arena_ref(item);
    return true;
}

static bool drop(struct arena *a, void *object, int *budget)
{
    struct deque *d = object;
    for (; d->count; --*budget) {
        if (*budget <= 0)
            return false;
        drop_item(d, *slot(d, --d->count));
    }
    arena_block_drop(a, d->ring);
    arena_block_drop(a, d);
    return true;
}

static void drop_whole(struct deque *d)
{
    int budget = INT_MAX;
    while (!drop(d->arena, d, &budget))
        budget = INT_MAX;
}

/* The packed items as an object; NULL when memory is out. */
static struct deque *unpack(struct keys *k, const struct entry *e)
{
    struct deque *d = arena_block(&k->space->arena, NULL, sizeof *d);
    if (d == NULL)
        return NULL;
    *d = (struct deque){.arena = &k->space->arena};
    struct deque_walk w = deque_walk(e, 0);
    while (deque_next(&w)) {
        if (!insert(d, d->count, w.item)) {
            drop_whole(d);
            return NULL;
        }
    }
    return d;
}

static bool replace(struct deque *d, uint32_t i, struct bytes s)
{
    struct item *item = new_item(d, s);
    if (item == NULL)
        return false;
    drop_item(d, *slot(d, i));
    *slot(d, i) = arena_ref(item);
    return true;
}

/* Becomes an object, with `item` put in at `i` or instead of what is there. */
static bool outgrow(struct keys *k, struct entry **e, size_t i, struct bytes item, bool instead)
{
    struct deque *d = unpack(k, *e);
    if (d == NULL)
        return false;
    uint32_t at = (uint32_t)i;
    if (!(instead ? replace(d, at, item) : insert(d, at, item)) || !keys_set_object(k, e, d)) {
        drop_whole(d);
        return false;
    }
    return true;
}

size_t deque_count(const struct entry *e)
{
    if (entry_is_packed(e))
        return packed_count(entry_value(e));
    const struct deque *d = entry_object(e);
    return d->count;
}

struct bytes deque_at(const struct entry *e, size_t i)
{
    struct deque_walk w = deque_walk(e, i);
    bool there = deque_next(&w);
    assert(there);
    (void)there;
    return w.item;
}

bool deque_insert(struct keys *k, struct entry **e, size_t i, struct bytes item)
{
    if (!entry_is_packed(*e))
        return insert(entry_object(*e), (uint32_t)i, item);
    size_t at = packed_seek(entry_value(*e), i);
    if (!packed_fits(*e, at, at, &item, 1))
        return outgrow(k, e, i, item, false);
    return packed_splice(k, e, at, at, &item, 1);
}

bool deque_replace(struct keys *k, struct entry **e, size_t i, struct bytes item)
{
    if (!entry_is_packed(*e))
        return replace(entry_object(*e), (uint32_t)i, item);
    struct bytes run = entry_value(*e), gone;
    size_t from = packed_seek(run, i), to = from;
    packed_next(run, &to, &gone);
    if (!packed_fits(*e, from, to, &item, 1))
        return outgrow(k, e, i, item, true);
    return packed_splice(k, e, from, to, &item, 1);
}

void deque_remove(struct keys *k, struct entry **e, size_t i, size_t n)
{
    if (entry_is_packed(*e)) {
        struct bytes run = entry_value(*e);
        packed_cut(k, e, packed_seek(run, i), packed_seek(run, i + n));
        return;
    }
    struct deque *d = entry_object(*e);
    for (size_t j = i; j < i + n; j++)
        drop_item(d, *slot(d, (uint32_t)j));
    close_gap(d, (uint32_t)i, (uint32_t)n);
    give_room_back(d);
}

static void purge_packed(struct keys *k, struct entry **e, struct bytes item, size_t skip,
                         size_t max)
{
    struct bytes here;
    for (size_t from = 0, to = 0; max > 0 && packed_next(entry_value(*e), &to, &here); from = to) {
        if (!bytes_eq(here, item))
            continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        packed_cut(k, e, from, to);
        to = from;
        max--;
    }
}

void deque_purge(struct keys *k, struct entry **e, struct bytes item, size_t skip, size_t max)
{
    if (entry_is_packed(*e)) {
        purge_packed(k, e, item, skip, max);
        return;
    }
    struct deque *d = entry_object(*e);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        bool equal = max > 0 && bytes_eq(item_at(d, i), item);
        if (equal && skip == 0) {
            drop_item(d, *slot(d, i));
            max--;
            continue;
        }
        skip -= equal;
        *slot(d, kept++) = *slot(d, i);
    }
    d->count = kept;
    give_room_back(d);
}

struct deque_walk deque_walk(const struct entry *e, size_t i)
{
    size_t at = entry_is_packed(e) ? packed_seek(entry_value(e), i) : i;
    return (struct deque_walk){.entry = e, .at = at};
}

bool deque_next(struct deque_walk *w)
{
    if (entry_is_packed(w->entry))
        return packed_next(entry_value(w->entry), &w->at, &w->item);
    const struct deque *d = entry_object(w->entry);
    if (w->at >= d->count)
        return false;
    w->item = item_at(d, (uint32_t)w->at++);
    return true;
}

/* About the bytes that the items take in a Redis listpack. */
static size_t encoded_size(const struct entry *e)
{
    if (entry_is_packed(e))
        return entry_value(e).n;
    return ((const struct deque *)entry_object(e))->bytes;
}

/* The most that a limit of this kind allows: bytes from -1 down, which go no further than -5, else
 * items, of which one always is allowed. */
static size_t most_of(int64_t list_size)
{
    if (list_size < 0)
        return (size_t)4096 << (list_size < -5 ? 4 : -list_size - 1);
    return list_size ? (size_t)list_size : 1;
}

/* A Redis goes back to the compact encoding at half the size; this is the only type that does. */
void deque_grade(struct entry *e, const struct value_limits *limits)
{
    bool sized = limits->list_size < 0;
    size_t most = most_of(limits->list_size);
    size_t n = sized ? encoded_size(e) : deque_count(e);
    if (n > most)
        e->flags |= ENTRY_OUTGROWN;
    else if (n <= most / 2)
        entry_unset(e, ENTRY_OUTGROWN);
}

static size_t memory(const void *object)
{
    const struct deque *d = object;
    return sizeof *d + d->bytes + d->cap * sizeof(ref);
}

static size_t growth(const void *object, size_t n)
{
    const struct deque *d = object;
    return d->count + n > d->cap ? 3 * sizeof(ref) * (d->count + n) : 0;
}

const struct value_ops deque_ops = {
    .count = deque_count, .drop = drop, .memory = memory, .growth = growth};
