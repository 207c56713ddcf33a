#include "store/set.h"

#include "base/hash.h"
#include "base/num.h"
#include "store/packed.h"

#include <limits.h>

/*
 * Small, a set is a packed run of members. Large, each member is an arena object, found through a
 * dict, and its reference stands in one array at the number that the member carries: that makes
 * picking by number a lookup and removing a swap. It costs 8 bytes a member beside its name and its
 * place in the dict. The array doubles; at ten million members that is one copy of 40 MB, a few
 * milliseconds, and the size at which to think of segments.
 *
 * Both forms follow the same rule of order, so it shows nowhere which form a set has.
 */
struct member {
    struct dict_node node;
    uint32_t number;
    uint32_t name_len;
    char name[];
};

struct set {
    struct dict index;
    uint64_t seed;
    ref *all;
    uint32_t cap;
    size_t longest; /* member ever added */
    bool text;      /* one that is no integer was ever added */
    size_t bytes;   /* of all members */
};

#define SET_MIN_CAP 16

static struct bytes member_name(const struct member *m)
{
    return (struct bytes){m->name, m->name_len};
}

static bool match(const void *object, struct bytes name)
{
    return bytes_eq(member_name(object), name);
}

static struct member *member_at(const struct set *s, ref r)
{
    return arena_at(s->index.arena, r);
}

static uint32_t hash_name(const struct set *s, struct bytes name)
{
    return (uint32_t)hash_bytes(s->seed, name);
}

static bool is_text(struct bytes name)
{
    int64_t v;
    return !num_parse_i64(name, &v);
}

static bool make_room(struct set *s)
{
    if (s->index.count < s->cap)
        return true;
    uint32_t cap = s->cap ? s->cap * 2 : SET_MIN_CAP;
    ref *all = arena_block(s->index.arena, s->all, cap * sizeof *all);
    if (all == NULL)
        return false;
    s->all = all;
    s->cap = cap;
    return true;
}

/* Keeps the old array when memory is out: it is only larger than it needs to be. */
static void give_room_back(struct set *s)
{
    if (s->cap <= SET_MIN_CAP || s->index.count > s->cap / 4)
        return;
    ref *all = arena_block(s->index.arena, s->all, s->cap / 2 * sizeof *all);
    if (all != NULL) {
        s->all = all;
        s->cap /= 2;
    }
}

static struct member *find(const struct set *s, struct bytes name)
{
    return dict_find(&s->index, name, hash_name(s, name));
}

static bool add(struct set *s, struct bytes name)
{
    struct member *m = make_room(s) ? arena_new(s->index.arena, sizeof *m + name.n) : NULL;
    if (m == NULL)
        return false;
    *m = (struct member){.number = s->index.count, .name_len = (uint32_t)name.n};
    bytes_copy(m->name, name);
    s->all[m->number] = arena_ref(m);
    dict_insert(&s->index, m, hash_name(s, name));
    s->bytes += arena_room(m);
    s->text = s->text || is_text(name);
    if (name.n > s->longest)
        s->longest = name.n;
    return true;
}

static void drop_member(struct set *s, struct member *m)
{
    s->bytes -= arena_room(m);
    arena_drop(s->index.arena, m);
}

static bool remove_member(struct set *s, struct bytes name)
{
    struct member *m = find(s, name);
    if (m == NULL)
        return false;
    dict_remove(&s->index, m);
    ref last = s->all[s->index.count];
    s->all[m->number] = last;
    member_at(s, last)->number = m->number;
    drop_member(s, m);
    give_room_back(s);
    return true;
}

static bool drop(struct arena *a, void *object, int *budget)
{
    struct set *s = object;
    for (; s->index.count; --*budget) {
        if (*budget <= 0)
            return false;
        drop_member(s, member_at(s, s->all[--s->index.count]));
    }
    if (!dict_shed(&s->index, budget))
        return false;
    arena_block_drop(a, s->all);
    arena_block_drop(a, s);
    return true;
}

static void drop_whole(struct set *s)
{
    int budget = INT_MAX;
    while (!drop(s->index.arena, s, &budget))
        budget = INT_MAX;
}

/* The packed members and one more as an object; NULL when memory is out. */
static struct set *unpack(struct keys *k, const struct entry *e, struct bytes name)
{
    struct arena *a = &k->space->arena;
    struct set *s = arena_block(a, NULL, sizeof *s);
    if (s == NULL)
        return NULL;
    *s = (struct set){.seed = k->space->seed};
    dict_init(&s->index, a, match);

    struct set_walk w = set_walk(e);
    while (set_next(&w))
        if (!add(s, w.member))
            goto out_of_memory;
    if (add(s, name))
        return s;

out_of_memory:
    drop_whole(s);
    return NULL;
}

static bool outgrow(struct keys *k, struct entry **e, struct bytes name)
{
    struct set *s = unpack(k, *e, name);
    if (s == NULL)
        return false;
    if (!keys_set_object(k, e, s)) {
        drop_whole(s);
        return false;
    }
    return true;
}

size_t set_count(const struct entry *e)
{
    if (entry_is_packed(e))
        return packed_count(entry_value(e));
    const struct set *s = entry_object(e);
    return s->index.count;
}

bool set_has(const struct entry *e, struct bytes member)
{
    size_t at;
    if (entry_is_packed(e))
        return packed_find(entry_value(e), member, 1, &at);
    const struct set *s = entry_object(e);
    return find(s, member) != NULL;
}

struct bytes set_at(const struct entry *e, size_t i)
{
    struct set_walk w = set_walk(e);
    w.at = entry_is_packed(e) ? packed_seek(entry_value(e), i) : i;
    set_next(&w);
    return w.member;
}

bool set_add(struct keys *k, struct entry **e, struct bytes member)
{
    if (!entry_is_packed(*e))
        return add(entry_object(*e), member);
    size_t end = entry_value(*e).n;
    if (!packed_fits(*e, end, end, &member, 1))
        return outgrow(k, e, member);
    return packed_splice(k, e, end, end, &member, 1);
}

bool set_remove(struct keys *k, struct entry **e, struct bytes member)
{
    size_t at;
    if (!entry_is_packed(*e))
        return remove_member(entry_object(*e), member);
    if (!packed_find(entry_value(*e), member, 1, &at))
        return false;
    packed_take(k, e, at);
    return true;
}

static bool has_text(const struct entry *e)
{
    if (!entry_is_packed(e))
        return ((const struct set *)entry_object(e))->text;
    struct set_walk w = set_walk(e);
    while (set_next(&w))
        if (is_text(w.member))
            return true;
    return false;
}

void set_grade(struct entry *e, const struct value_limits *limits)
{
    if (!(e->flags & ENTRY_TEXT) && has_text(e))
        e->flags |= ENTRY_TEXT;
    bool text = e->flags & ENTRY_TEXT;
    size_t longest = entry_is_packed(e) ? packed_longest(entry_value(e))
                                        : ((const struct set *)entry_object(e))->longest;
    if (set_count(e) > (text ? limits->set_entries : limits->set_integers) ||
        (text && longest > limits->set_value))
        e->flags |= ENTRY_OUTGROWN;
}

struct set_walk set_walk(const struct entry *e)
{
    return (struct set_walk){.entry = e};
}

bool set_next(struct set_walk *w)
{
    if (entry_is_packed(w->entry))
        return packed_next(entry_value(w->entry), &w->at, &w->member);
    const struct set *s = entry_object(w->entry);
    if (w->at >= s->index.count)
        return false;
    w->member = member_name(member_at(s, s->all[w->at++]));
    return true;
}

struct visit {
    set_visit_fn *fn;
    void *ctx;
};

static void visit_member(void *ctx, void *object)
{
    const struct visit *v = ctx;
    v->fn(v->ctx, member_name(object));
}

uint32_t set_scan(const struct entry *e, uint32_t cursor, set_visit_fn *fn, void *ctx)
{
    if (entry_is_packed(e)) {
        struct set_walk w = set_walk(e);
        while (set_next(&w))
            fn(ctx, w.member);
        return 0;
    }
    const struct set *s = entry_object(e);
    struct visit v = {fn, ctx};
    return dict_scan(&s->index, cursor, visit_member, &v);
}

static size_t memory(const void *object)
{
    const struct set *s = object;
    return sizeof *s + s->bytes + s->cap * sizeof(ref) + dict_memory(&s->index);
}

static size_t growth(const void *object, size_t n)
{
    const struct set *s = object;
    size_t all = s->index.count + n;
    return all > s->cap ? 3 * sizeof(ref) * all : 0;
}

const struct value_ops set_ops = {
    .count = set_count, .drop = drop, .memory = memory, .growth = growth};
