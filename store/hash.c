#include "store/hash.h"

#include "base/hash.h"
#include "store/packed.h"

#include <limits.h>

/*
 * Small, a hash is a packed run: name, value, name, value. A lock with one owner costs two bytes
 * more than its text. Looking up is comparing along at most 512 bytes, which is faster than hashing
 * for the few fields that locks have.
 *
 * Large, each field is one arena object with name and value, found through a dict and linked in
 * order of arrival. The links cost 8 bytes a field; walking the dict instead would be free, but
 * then growing would change the order of replies, and the order would depend on the seed.
 *
 * A value that grows out of its field's object, or would leave half of it empty, moves the field to
 * another one. There is no size at which this stops fitting before memory does.
 */
struct field {
    struct dict_node node;
    ref prev, next; /* in order; 0 ends */
    uint32_t name_len, value_len;
    char body[]; /* the name, then the value */
};

struct hash {
    struct dict index;
    uint64_t seed;
    ref first, last;
    size_t longest; /* name or value ever put */
    size_t bytes;   /* of all fields */
};

static struct bytes field_name(const struct field *f)
{
    return (struct bytes){f->body, f->name_len};
}

static struct bytes field_value(const struct field *f)
{
    return (struct bytes){f->body + f->name_len, f->value_len};
}

static bool match(const void *object, struct bytes name)
{
    return bytes_eq(field_name(object), name);
}

static struct field *field_at(const struct hash *h, ref r)
{
    return arena_at(h->index.arena, r);
}

static uint32_t hash_name(const struct hash *h, struct bytes name)
{
    return (uint32_t)hash_bytes(h->seed, name);
}

/* The neighbours, or the ends of the chain, learn where a field is. */
static void relink(struct hash *h, const struct field *f)
{
    *(f->prev ? &field_at(h, f->prev)->next : &h->first) = arena_ref(f);
    *(f->next ? &field_at(h, f->next)->prev : &h->last) = arena_ref(f);
}

static void drop_field(struct hash *h, struct field *f)
{
    *(f->prev ? &field_at(h, f->prev)->next : &h->first) = f->next;
    *(f->next ? &field_at(h, f->next)->prev : &h->last) = f->prev;
    h->bytes -= arena_room(f);
    arena_drop(h->index.arena, f);
}

static struct field *new_field(struct hash *h, size_t name_len, size_t value_len)
{
    struct field *f = arena_new(h->index.arena, sizeof *f + name_len + value_len);
    if (f)
        h->bytes += arena_room(f);
    return f;
}

static struct field *find(const struct hash *h, struct bytes name)
{
    return dict_find(&h->index, name, hash_name(h, name));
}

static bool add_field(struct hash *h, struct bytes name, struct bytes value)
{
    struct field *f = new_field(h, name.n, value.n);
    if (f == NULL)
        return false;
    *f = (struct field){
        .prev = h->last, .name_len = (uint32_t)name.n, .value_len = (uint32_t)value.n};
    bytes_copy(bytes_copy(f->body, name), value);
    dict_insert(&h->index, f, hash_name(h, name));
    relink(h, f);
    return true;
}

/* A copy of the field with room for a value of another size takes its place. */
static struct field *move_field(struct hash *h, struct field *f, size_t value_len)
{
    struct field *moved = new_field(h, f->name_len, value_len);
    if (moved == NULL)
        return NULL;
    memcpy(moved, f, sizeof *f + f->name_len);
    dict_replace(&h->index, arena_ref(f), moved);
    relink(h, moved);
    h->bytes -= arena_room(f);
    arena_drop(h->index.arena, f);
    return moved;
}

static bool set_value(struct hash *h, struct field *f, struct bytes value)
{
    size_t size = sizeof *f + f->name_len + value.n;
    if (size > arena_room(f) || size < arena_room(f) / 2)
        f = move_field(h, f, value.n);
    if (f == NULL)
        return false;
    bytes_copy(f->body + f->name_len, value);
    f->value_len = (uint32_t)value.n;
    return true;
}

static bool put(struct hash *h, struct bytes name, struct bytes value)
{
    struct field *f = find(h, name);
    size_t longer = name.n > value.n ? name.n : value.n;
    if (!(f ? set_value(h, f, value) : add_field(h, name, value)))
        return false;
    if (longer > h->longest)
        h->longest = longer;
    return true;
}

static bool drop(struct arena *a, void *object, int *budget)
{
    struct hash *h = object;
    for (; h->first; --*budget) {
        if (*budget <= 0)
            return false;
        drop_field(h, field_at(h, h->first));
    }
    if (!dict_shed(&h->index, budget))
        return false;
    arena_block_drop(a, h);
    return true;
}

static void drop_whole(struct hash *h)
{
    int budget = INT_MAX;
    while (!drop(h->index.arena, h, &budget))
        budget = INT_MAX;
}

/* The packed fields and one more as an object; NULL when memory is out. */
static struct hash *unpack(struct keys *k, const struct entry *e, struct bytes name,
                           struct bytes value)
{
    struct arena *a = &k->space->arena;
    struct hash *h = arena_block(a, NULL, sizeof *h);
    if (h == NULL)
        return NULL;
    *h = (struct hash){.seed = k->space->seed};
    dict_init(&h->index, a, match);

    struct hash_walk w = hash_walk(e);
    while (hash_next(&w))
        if (!put(h, w.name, w.value))
            goto out_of_memory;
    if (put(h, name, value))
        return h;

out_of_memory:
    drop_whole(h);
    return NULL;
}

static bool outgrow(struct keys *k, struct entry **e, struct bytes name, struct bytes value)
{
    struct hash *h = unpack(k, *e, name, value);
    if (h == NULL)
        return false;
    if (!keys_set_object(k, e, h)) {
        drop_whole(h);
        return false;
    }
    return true;
}

size_t hash_count(const struct entry *e)
{
    if (entry_is_packed(e))
        return packed_count(entry_value(e)) / 2;
    const struct hash *h = entry_object(e);
    return h->index.count;
}

bool hash_get(const struct entry *e, struct bytes name, struct bytes *value)
{
    if (entry_is_packed(e)) {
        struct bytes run = entry_value(e), skipped;
        size_t at;
        return packed_find(run, name, 2, &at) && packed_next(run, &at, &skipped) &&
               packed_next(run, &at, value);
    }
    const struct hash *h = entry_object(e);
    const struct field *f = find(h, name);
    if (f == NULL)
        return false;
    *value = field_value(f);
    return true;
}

bool hash_put(struct keys *k, struct entry **e, struct bytes name, struct bytes value)
{
    if (!entry_is_packed(*e))
        return put(entry_object(*e), name, value);

    const struct bytes items[] = {name, value};
    struct bytes run = entry_value(*e), skipped;
    size_t from = run.n, to = from;
    if (packed_find(run, name, 2, &from)) {
        to = from;
        packed_next(run, &to, &skipped);
        packed_next(run, &to, &skipped);
    }
    if (!packed_fits(*e, from, to, items, 2))
        return outgrow(k, e, name, value);
    return packed_splice(k, e, from, to, items, 2);
}

bool hash_remove(struct keys *k, struct entry **e, struct bytes name)
{
    if (entry_is_packed(*e)) {
        struct bytes run = entry_value(*e), skipped;
        size_t from;
        if (!packed_find(run, name, 2, &from))
            return false;
        size_t to = from;
        packed_next(run, &to, &skipped);
        packed_next(run, &to, &skipped);
        packed_cut(k, e, from, to);
        return true;
    }
    struct hash *h = entry_object(*e);
    struct field *f = find(h, name);
    if (f == NULL)
        return false;
    dict_remove(&h->index, f);
    drop_field(h, f);
    return true;
}

void hash_grade(struct entry *e, const struct value_limits *limits)
{
    size_t longest = entry_is_packed(e) ? packed_longest(entry_value(e))
                                        : ((struct hash *)entry_object(e))->longest;
    if (longest > limits->hash_value || hash_count(e) > limits->hash_entries)
        e->flags |= ENTRY_OUTGROWN;
}

struct hash_walk hash_walk(const struct entry *e)
{
    size_t first = entry_is_packed(e) ? 0 : ((const struct hash *)entry_object(e))->first;
    return (struct hash_walk){.entry = e, .at = first};
}

bool hash_next(struct hash_walk *w)
{
    if (entry_is_packed(w->entry)) {
        struct bytes run = entry_value(w->entry);
        return packed_next(run, &w->at, &w->name) && packed_next(run, &w->at, &w->value);
    }
    if (w->at == 0)
        return false;
    const struct field *f = field_at(entry_object(w->entry), (ref)w->at);
    w->name = field_name(f);
    w->value = field_value(f);
    w->at = f->next;
    return true;
}

struct visit {
    hash_visit_fn *fn;
    void *ctx;
};

static void visit_field(void *ctx, void *object)
{
    const struct visit *v = ctx;
    v->fn(v->ctx, field_name(object), field_value(object));
}

uint32_t hash_scan(const struct entry *e, uint32_t cursor, hash_visit_fn *fn, void *ctx)
{
    if (entry_is_packed(e)) {
        struct hash_walk w = hash_walk(e);
        while (hash_next(&w))
            fn(ctx, w.name, w.value);
        return 0;
    }
    const struct hash *h = entry_object(e);
    struct visit v = {fn, ctx};
    return dict_scan(&h->index, cursor, visit_field, &v);
}

static size_t memory(const void *object)
{
    const struct hash *h = object;
    return sizeof *h + h->bytes + dict_memory(&h->index);
}

const struct value_ops hash_ops = {.count = hash_count, .drop = drop, .memory = memory};
