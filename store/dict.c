/*
 * Linear hashing. With `nslots` slots between `low` and 2 * `low`, the slots below nslots - low
 * have already been split and, like their new halves from `low` on, take one more bit of the hash
 * than the others. Adding a slot splits one chain; removing the last slot joins two.
 *
 * Slots stand in segments of a fixed size, so that growing never copies them. Only the first
 * segment begins small and doubles: most tables are those of middling containers and never fill it.
 *
 * A scan walks the hashes in the order of their reversed bits. In that order every slot, split or
 * not, owns one unbroken stretch, so a position in it means the same whatever size the table has.
 */
#include "store/dict.h"

#include "base/mem.h"

#include <assert.h>

enum { MIN_SLOTS = 16 };

void dict_init(struct dict *d, struct arena *a, dict_match_fn *match)
{
    *d = (struct dict){.arena = a, .match = match};
}

static ref *slot_at(const struct dict *d, uint32_t i)
{
    return &d->segments[i / DICT_SEGMENT][i % DICT_SEGMENT];
}

static uint32_t slot_index(const struct dict *d, uint32_t hash)
{
    uint32_t i = hash & (2 * d->low - 1);
    return i < d->nslots ? i : i & (d->low - 1);
}

static struct dict_node *node_at(const struct dict *d, ref r)
{
    return arena_at(d->arena, r);
}

void *dict_find(const struct dict *d, struct bytes key, uint32_t hash)
{
    if (d->count == 0)
        return NULL;
    for (ref r = *slot_at(d, slot_index(d, hash)); r;) {
        struct dict_node *n = node_at(d, r);
        if (n->hash == hash && d->match(n, key))
            return n;
        r = n->next;
    }
    return NULL;
}

/* How many slots the first segment has room for. */
static uint32_t first_room(uint32_t nslots)
{
    uint32_t room = MIN_SLOTS;
    while (room < nslots && room < DICT_SEGMENT)
        room *= 2;
    return room;
}

static bool grow_first(struct dict *d)
{
    uint32_t room = first_room(d->nslots + 1);
    if (room == first_room(d->nslots))
        return true;
    ref *grown = arena_block(d->arena, d->segments[0], room * sizeof *grown);
    if (grown == NULL)
        return false;
    d->segments[0] = grown;
    return true;
}

/* Room for slot number `nslots`. False when memory is out: then chains just get longer. */
static bool add_segment(struct dict *d)
{
    uint32_t n = d->nslots / DICT_SEGMENT;
    if (n == 0 && d->nslots)
        return grow_first(d);
    if (d->nslots % DICT_SEGMENT)
        return true;
    if ((n & (n - 1)) == 0) {
        ref **grown = arena_block(d->arena, d->segments, (n ? 2 * n : 1) * sizeof *grown);
        if (grown == NULL)
            return false;
        d->segments = grown;
    }
    size_t room = n ? DICT_SEGMENT : MIN_SLOTS;
    ref *segment = arena_block(d->arena, NULL, room * sizeof *segment);
    if (segment == NULL)
        return false;
    memset(segment, 0, room * sizeof *segment);
    d->segments[n] = segment;
    return true;
}

static void first_slots(struct dict *d)
{
    if (!add_segment(d))
        mem_out(MIN_SLOTS * sizeof(ref));
    d->nslots = d->low = MIN_SLOTS;
}

static void grow(struct dict *d)
{
    if (d->nslots == 1u << 31 || !add_segment(d))
        return;
    uint32_t fresh = d->nslots++;
    ref *from = slot_at(d, fresh - d->low), *to = slot_at(d, fresh);
    *to = 0;
    while (*from) {
        struct dict_node *n = node_at(d, *from);
        if ((n->hash & (2 * d->low - 1)) == fresh) {
            ref moved = *from;
            *from = n->next;
            n->next = *to;
            *to = moved;
        } else {
            from = &n->next;
        }
    }
    if (d->nslots == 2 * d->low)
        d->low *= 2;
    ref following = *slot_at(d, d->nslots - d->low);
    if (following) /* is looked at when the next slot is added */
        __builtin_prefetch(node_at(d, following));
}

static void drop_last_slot(struct dict *d)
{
    if (--d->nslots < d->low)
        d->low /= 2;
    if (d->nslots % DICT_SEGMENT == 0)
        arena_block_drop(d->arena, d->segments[d->nslots / DICT_SEGMENT]);
}

static void shrink(struct dict *d)
{
    uint32_t last = d->nslots - 1;
    uint32_t low = last < d->low ? d->low / 2 : d->low;
    ref *to = slot_at(d, last - low), *end = slot_at(d, last);
    if (*end) {
        ref rest = *to;
        *to = *end;
        for (end = to; *end;)
            end = &node_at(d, *end)->next;
        *end = rest;
    }
    drop_last_slot(d);
}

void dict_insert(struct dict *d, void *object, uint32_t hash)
{
    if (d->nslots == 0)
        first_slots(d);
    else if (d->count >= d->nslots)
        grow(d);
    struct dict_node *n = object;
    ref *slot = slot_at(d, slot_index(d, hash));
    n->hash = hash;
    n->next = *slot;
    *slot = arena_ref(object);
    d->count++;
}

/* The link that points to `r`; NULL when the table does not hold it. */
static ref *link_to(const struct dict *d, ref r, uint32_t hash)
{
    if (d->nslots == 0)
        return NULL;
    ref *link = slot_at(d, slot_index(d, hash));
    while (*link && *link != r)
        link = &node_at(d, *link)->next;
    return *link ? link : NULL;
}

bool dict_remove(struct dict *d, void *object)
{
    struct dict_node *n = object;
    ref *link = link_to(d, arena_ref(object), n->hash);
    if (link == NULL)
        return false;
    *link = n->next;
    d->count--;
    for (int i = 0; i < 2 && d->nslots > MIN_SLOTS && d->count < d->nslots / 2; i++)
        shrink(d);
    return true;
}

void dict_prefetch(const struct dict *d, uint32_t hash)
{
    if (d->nslots)
        __builtin_prefetch(slot_at(d, slot_index(d, hash)));
}

void dict_replace(struct dict *d, ref old, void *fresh)
{
    ref *link = link_to(d, old, ((struct dict_node *)fresh)->hash);
    assert(link);
    *link = arena_ref(fresh);
}

static uint32_t reverse(uint32_t v)
{
    v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
    v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
    v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(v);
}

uint32_t dict_scan(const struct dict *d, uint32_t cursor, dict_visit_fn *fn, void *ctx)
{
    if (d->count == 0)
        return 0;
    uint32_t i = slot_index(d, reverse(cursor));
    for (ref r = *slot_at(d, i); r;) {
        struct dict_node *n = node_at(d, r);
        r = n->next;
        fn(ctx, n);
    }
    bool split = i >= d->low || i < d->nslots - d->low;
    uint64_t stretch = (UINT64_C(1) << 32) / (split ? 2 * (uint64_t)d->low : d->low);
    return (uint32_t)((cursor & ~(stretch - 1)) + stretch);
}

void *dict_any(const struct dict *d, uint64_t random)
{
    if (d->count == 0)
        return NULL;
    uint32_t i = (uint32_t)(random % d->nslots);
    ref first;
    while ((first = *slot_at(d, i)) == 0)
        i = i + 1 < d->nslots ? i + 1 : 0;
    uint32_t length = 0;
    for (ref r = first; r; r = node_at(d, r)->next)
        length++;
    ref r = first;
    for (uint32_t skip = (uint32_t)(random >> 32) % length; skip; skip--)
        r = node_at(d, r)->next;
    return arena_at(d->arena, r);
}

void *dict_take(struct dict *d)
{
    if (d->count == 0)
        return NULL;
    while (*slot_at(d, d->nslots - 1) == 0)
        drop_last_slot(d);
    ref *slot = slot_at(d, d->nslots - 1);
    struct dict_node *n = node_at(d, *slot);
    *slot = n->next;
    d->count--;
    return n;
}

static uint32_t segments(const struct dict *d)
{
    return (d->nslots + DICT_SEGMENT - 1) / DICT_SEGMENT;
}

size_t dict_memory(const struct dict *d)
{
    if (d->nslots <= DICT_SEGMENT)
        return d->nslots ? first_room(d->nslots) * sizeof(ref) + sizeof(ref *) : 0;
    return segments(d) * (DICT_SEGMENT * sizeof(ref) + sizeof(ref *));
}

void dict_free(struct dict *d)
{
    for (uint32_t i = 0; i < segments(d); i++)
        arena_block_drop(d->arena, d->segments[i]);
    arena_block_drop(d->arena, d->segments);
    dict_init(d, d->arena, d->match);
}

bool dict_shed(struct dict *d, int *budget)
{
    for (; d->nslots > DICT_SEGMENT; --*budget) {
        if (*budget <= 0)
            return false;
        uint32_t last = segments(d) - 1;
        arena_block_drop(d->arena, d->segments[last]);
        d->nslots = last * DICT_SEGMENT;
    }
    dict_free(d);
    return true;
}
