#include "store/zset.h"

#include "base/hash.h"
#include "store/packed.h"

#include <limits.h>

/*
 * Small, a sorted set is a packed run of pairs, name and score, kept in order.
 *
 * Large, each member is an arena object, found by name through a dict, and the order is a tree of
 * two levels: leaves with up to 256 references each, and one array that lists the leaves and how
 * many each holds. Finding a place is a binary search in the array and one in the leaf; adding
 * moves half a kilobyte; a rank is the sum of the counts in front. Measured: at 100,000 members an
 * insertion and a rank take 1 microsecond each, nearly all of it cache misses; at a million 2.5
 * and 4.5; at ten million 7 and 25, and that is the size at which a third level would pay.
 *
 * Considered: a skip list with spans (three times the memory for the order, chance for each member,
 * and a cache miss at each step where this has them only in its searches) and a B-tree with counts
 * (this is one, of fixed depth, without the code that a variable depth needs).
 *
 * Leaves that members keep leaving are joined with a neighbour once both are half a leaf together.
 */
#define LEAF_MAX   256u
#define LEAF_BYTES (LEAF_MAX * sizeof(ref))

struct member {
    struct dict_node node;
    double score;
    uint32_t name_len;
    char name[];
};

struct leaf {
    ref refs; /* an arena object: ref[LEAF_MAX] */
    uint32_t n;
};

struct zset {
    struct dict index;
    uint64_t seed;
    struct leaf *leaves;
    uint32_t nleaves, cap;
    size_t longest; /* name ever put */
    size_t bytes;   /* of all members */
};

/* A point in the order: before a member, or before or after all of one score or of one name. */
struct bound {
    enum { BOUND_SCORE, BOUND_NAME, BOUND_MEMBER } kind;
    bool after;
    double score;
    struct bytes name;
};

struct place {
    uint32_t leaf, i;
};

static bool is_below(double score, struct bytes name, const struct bound *b)
{
    if (b->kind != BOUND_NAME && score != b->score)
        return score < b->score;
    if (b->kind == BOUND_SCORE)
        return b->after;
    int order = bytes_cmp(name, b->name);
    return order < 0 || (order == 0 && b->after);
}

static struct bytes member_name(const struct member *m)
{
    return (struct bytes){m->name, m->name_len};
}

static bool match(const void *object, struct bytes name)
{
    return bytes_eq(member_name(object), name);
}

static uint32_t hash_name(const struct zset *z, struct bytes name)
{
    return (uint32_t)hash_bytes(z->seed, name);
}

static struct member *member_at(const struct zset *z, ref r)
{
    return arena_at(z->index.arena, r);
}

static ref *leaf_refs(const struct zset *z, uint32_t leaf)
{
    return arena_at(z->index.arena, z->leaves[leaf].refs);
}

static bool member_is_below(const struct zset *z, ref r, const struct bound *b)
{
    const struct member *m = member_at(z, r);
    return is_below(m->score, member_name(m), b);
}

/* The point where all members below the bound end. Between two leaves it is the end of the first.
 * There is a leaf. */
static struct place seek(const struct zset *z, const struct bound *b)
{
    uint32_t low = 0, high = z->nleaves; /* the last leaf that begins below, or the first */
    while (high - low > 1) {
        uint32_t mid = low + (high - low) / 2;
        if (member_is_below(z, leaf_refs(z, mid)[0], b))
            low = mid;
        else
            high = mid;
    }
    struct place p = {.leaf = low};
    const ref *refs = leaf_refs(z, low);
    for (high = z->leaves[low].n; p.i < high;) {
        uint32_t mid = p.i + (high - p.i) / 2;
        if (member_is_below(z, refs[mid], b))
            p.i = mid + 1;
        else
            high = mid;
    }
    return p;
}

static size_t rank_of(const struct zset *z, struct place p)
{
    size_t rank = p.i;
    for (uint32_t l = 0; l < p.leaf; l++)
        rank += z->leaves[l].n;
    return rank;
}

static struct place place_of(const struct zset *z, size_t rank)
{
    struct place p = {0};
    for (; rank >= z->leaves[p.leaf].n; p.leaf++)
        rank -= z->leaves[p.leaf].n;
    p.i = (uint32_t)rank;
    return p;
}

/* Makes sure that a member can be placed at the bound. */
static bool make_room(struct zset *z, const struct bound *b)
{
    if (z->nleaves && z->leaves[seek(z, b).leaf].n < LEAF_MAX)
        return true;
    if (z->nleaves == z->cap) {
        uint32_t cap = z->cap ? z->cap * 2 : 1;
        struct leaf *leaves = arena_block(z->index.arena, z->leaves, cap * sizeof *leaves);
        if (leaves == NULL)
            return false;
        z->leaves = leaves;
        z->cap = cap;
    }
    return true;
}

/* A leaf of its own for the last `n` members of the one in front. */
static void add_leaf(struct zset *z, uint32_t at, uint32_t n)
{
    memmove(&z->leaves[at + 1], &z->leaves[at], (z->nleaves - at) * sizeof *z->leaves);
    z->leaves[at] = (struct leaf){arena_ref(arena_new(z->index.arena, LEAF_BYTES)), n};
    z->nleaves++;
    if (n) {
        z->leaves[at - 1].n -= n;
        memcpy(leaf_refs(z, at), leaf_refs(z, at - 1) + z->leaves[at - 1].n, n * sizeof(ref));
    }
}

/* There is room. A full leaf is halved, unless the member comes last in it: then it stays full, so
 * that members that come in order, as timestamps do, fill their leaves. */
static void place_member(struct zset *z, ref r, const struct bound *b)
{
    if (z->nleaves == 0)
        add_leaf(z, 0, 0);
    struct place p = seek(z, b);
    if (z->leaves[p.leaf].n == LEAF_MAX) {
        add_leaf(z, p.leaf + 1, p.i == LEAF_MAX ? 0 : LEAF_MAX / 2);
        uint32_t kept = z->leaves[p.leaf].n;
        if (p.i >= kept)
            p = (struct place){p.leaf + 1, p.i - kept};
    }
    ref *refs = leaf_refs(z, p.leaf);
    uint32_t n = z->leaves[p.leaf].n++;
    memmove(refs + p.i + 1, refs + p.i, (n - p.i) * sizeof *refs);
    refs[p.i] = r;
}

static bool can_join(const struct zset *z, uint32_t leaf)
{
    return leaf + 1 < z->nleaves && z->leaves[leaf].n + z->leaves[leaf + 1].n <= LEAF_MAX / 2;
}

/* Drops empty leaves and joins small ones, from the one before `first` on. */
static void tidy(struct zset *z, uint32_t first)
{
    uint32_t kept = first ? first - 1 : 0;
    for (uint32_t l = kept; l < z->nleaves; l++) {
        struct leaf leaf = z->leaves[l];
        struct leaf *left = kept ? &z->leaves[kept - 1] : NULL;
        if (leaf.n && !(left && left->n + leaf.n <= LEAF_MAX / 2)) {
            z->leaves[kept++] = leaf;
            continue;
        }
        if (leaf.n) {
            memcpy(leaf_refs(z, kept - 1) + left->n, arena_at(z->index.arena, leaf.refs),
                   leaf.n * sizeof(ref));
            left->n += leaf.n;
        }
        arena_drop(z->index.arena, arena_at(z->index.arena, leaf.refs));
    }
    z->nleaves = kept;
}

static struct bound bound_of(const struct member *m)
{
    return (struct bound){.kind = BOUND_MEMBER, .score = m->score, .name = member_name(m)};
}

/* Takes a member out of the order; it stays an object. */
static void displace(struct zset *z, const struct member *m)
{
    struct bound b = bound_of(m);
    struct place p = seek(z, &b);
    if (p.i == z->leaves[p.leaf].n)
        p = (struct place){p.leaf + 1, 0};
    ref *refs = leaf_refs(z, p.leaf);
    uint32_t n = --z->leaves[p.leaf].n;
    memmove(refs + p.i, refs + p.i + 1, (n - p.i) * sizeof *refs);
    if (n == 0 || can_join(z, p.leaf) || (p.leaf && can_join(z, p.leaf - 1)))
        tidy(z, p.leaf);
}

static void drop_member(struct zset *z, struct member *m)
{
    z->bytes -= arena_room(m);
    arena_drop(z->index.arena, m);
}

static struct member *find(const struct zset *z, struct bytes name)
{
    return dict_find(&z->index, name, hash_name(z, name));
}

static bool add(struct zset *z, struct bytes name, double score)
{
    struct bound b = {.kind = BOUND_MEMBER, .score = score, .name = name};
    size_t size = offsetof(struct member, name) + name.n;
    struct member *m = make_room(z, &b) ? arena_new(z->index.arena, size) : NULL;
    if (m == NULL)
        return false;
    m->score = score;
    m->name_len = (uint32_t)name.n;
    bytes_copy(m->name, name);
    dict_insert(&z->index, m, hash_name(z, name));
    place_member(z, arena_ref(m), &b);
    z->bytes += arena_room(m);
    if (name.n > z->longest)
        z->longest = name.n;
    return true;
}

static bool move(struct zset *z, struct member *m, double score)
{
    struct bound to = bound_of(m);
    to.score = score;
    if (!make_room(z, &to))
        return false;
    displace(z, m);
    m->score = score;
    place_member(z, arena_ref(m), &to);
    return true;
}

static bool put(struct zset *z, struct bytes name, double score)
{
    struct member *m = find(z, name);
    return m ? move(z, m, score) : add(z, name, score);
}

static bool remove_member(struct zset *z, struct bytes name)
{
    struct member *m = find(z, name);
    if (m == NULL)
        return false;
    displace(z, m);
    dict_remove(&z->index, m);
    drop_member(z, m);
    return true;
}

static void remove_range(struct zset *z, size_t rank, size_t n)
{
    struct place p = place_of(z, rank);
    uint32_t first = p.leaf;
    for (; n > 0; p = (struct place){p.leaf + 1, 0}) {
        struct leaf *leaf = &z->leaves[p.leaf];
        ref *refs = leaf_refs(z, p.leaf);
        uint32_t here = n < leaf->n - p.i ? (uint32_t)n : leaf->n - p.i;
        for (uint32_t i = p.i; i < p.i + here; i++) {
            struct member *m = member_at(z, refs[i]);
            dict_remove(&z->index, m);
            drop_member(z, m);
        }
        leaf->n -= here;
        memmove(refs + p.i, refs + p.i + here, (leaf->n - p.i) * sizeof *refs);
        n -= here;
    }
    tidy(z, first);
}

static bool drop(struct arena *a, void *object, int *budget)
{
    struct zset *z = object;
    for (; z->nleaves; z->nleaves--) {
        struct leaf *leaf = &z->leaves[z->nleaves - 1];
        const ref *refs = leaf_refs(z, z->nleaves - 1);
        for (; leaf->n; --*budget) {
            if (*budget <= 0)
                return false;
            drop_member(z, member_at(z, refs[--leaf->n]));
        }
        arena_drop(a, arena_at(a, leaf->refs));
    }
    if (!dict_shed(&z->index, budget))
        return false;
    arena_block_drop(a, z->leaves);
    arena_block_drop(a, z);
    return true;
}

static void drop_whole(struct zset *z)
{
    int budget = INT_MAX;
    while (!drop(z->index.arena, z, &budget))
        budget = INT_MAX;
}

/* The packed members and a new one, for a known one always fits, as an object; NULL when memory is
 * out. */
static struct zset *unpack(struct keys *k, const struct entry *e, struct bytes name, double score)
{
    struct arena *a = &k->space->arena;
    struct zset *z = arena_block(a, NULL, sizeof *z);
    if (z == NULL)
        return NULL;
    *z = (struct zset){.seed = k->space->seed};
    dict_init(&z->index, a, match);

    struct zset_walk w = zset_walk(e, 0, false);
    while (zset_next(&w))
        if (!add(z, w.name, w.score))
            goto out_of_memory;
    if (add(z, name, score))
        return z;

out_of_memory:
    drop_whole(z);
    return NULL;
}

static bool outgrow(struct keys *k, struct entry **e, struct bytes name, double score)
{
    struct zset *z = unpack(k, *e, name, score);
    if (z == NULL)
        return false;
    if (!keys_set_object(k, e, z)) {
        drop_whole(z);
        return false;
    }
    return true;
}

/* The bytes of a score as an item, and back. */
static struct bytes score_item(const double *score)
{
    return (struct bytes){(const char *)score, sizeof *score};
}

static bool next_pair(struct bytes run, size_t *at, struct bytes *name, double *score)
{
    struct bytes item;
    if (!packed_next(run, at, name))
        return false;
    packed_next(run, at, &item);
    memcpy(score, item.p, sizeof *score);
    return true;
}

static bool find_pair(struct bytes run, struct bytes name, size_t *from, size_t *to, double *score)
{
    struct bytes same;
    if (!packed_find(run, name, 2, from))
        return false;
    *to = *from;
    return next_pair(run, to, &same, score);
}

static char *write_pair(char *to, struct bytes name, double score)
{
    return packed_write(packed_write(to, name), score_item(&score));
}

/* Writes the run anew, without the member where it was and with it where it belongs. */
static bool put_packed(struct keys *k, struct entry **e, struct bytes name, double score)
{
    const struct bytes items[] = {name, score_item(&score)};
    struct bytes run = entry_value(*e), here;
    double old;
    size_t from = run.n, to = from;
    find_pair(run, name, &from, &to, &old);
    if (!packed_fits(*e, from, to, items, 2))
        return outgrow(k, e, name, score);

    struct bound b = {.kind = BOUND_MEMBER, .score = score, .name = name};
    char fresh[ENTRY_INLINE_MAX], *end = fresh;
    bool placed = false;
    for (size_t start = 0, at = 0; next_pair(run, &at, &here, &old); start = at) {
        if (start == from)
            continue;
        if (!placed && !is_below(old, here, &b)) {
            end = write_pair(end, name, score);
            placed = true;
        }
        end = write_pair(end, here, old);
    }
    if (!placed)
        end = write_pair(end, name, score);
    return keys_assign(k, e, (struct bytes){fresh, (size_t)(end - fresh)});
}

static size_t below(const struct entry *e, const struct bound *b)
{
    if (!entry_is_packed(e)) {
        const struct zset *z = entry_object(e);
        return z->nleaves ? rank_of(z, seek(z, b)) : 0;
    }
    size_t n = 0;
    struct zset_walk w = zset_walk(e, 0, false);
    while (zset_next(&w) && is_below(w.score, w.name, b))
        n++;
    return n;
}

size_t zset_count(const struct entry *e)
{
    if (entry_is_packed(e))
        return packed_count(entry_value(e)) / 2;
    const struct zset *z = entry_object(e);
    return z->index.count;
}

bool zset_score(const struct entry *e, struct bytes name, double *score)
{
    size_t from, to;
    if (entry_is_packed(e))
        return find_pair(entry_value(e), name, &from, &to, score);
    const struct zset *z = entry_object(e);
    const struct member *m = find(z, name);
    if (m == NULL)
        return false;
    *score = m->score;
    return true;
}

bool zset_rank(const struct entry *e, struct bytes name, size_t *rank, double *score)
{
    if (!zset_score(e, name, score))
        return false;
    *rank = below(e, &(struct bound){.kind = BOUND_MEMBER, .score = *score, .name = name});
    return true;
}

size_t zset_below(const struct entry *e, double score, bool inclusive)
{
    return below(e, &(struct bound){.kind = BOUND_SCORE, .score = score, .after = inclusive});
}

size_t zset_below_name(const struct entry *e, struct bytes name, bool inclusive)
{
    return below(e, &(struct bound){.kind = BOUND_NAME, .name = name, .after = inclusive});
}

bool zset_put(struct keys *k, struct entry **e, struct bytes name, double score)
{
    return entry_is_packed(*e) ? put_packed(k, e, name, score) : put(entry_object(*e), name, score);
}

bool zset_remove(struct keys *k, struct entry **e, struct bytes name)
{
    size_t from, to;
    double score;
    if (!entry_is_packed(*e))
        return remove_member(entry_object(*e), name);
    if (!find_pair(entry_value(*e), name, &from, &to, &score))
        return false;
    packed_cut(k, e, from, to);
    return true;
}

void zset_remove_range(struct keys *k, struct entry **e, size_t rank, size_t n)
{
    if (!entry_is_packed(*e)) {
        remove_range(entry_object(*e), rank, n);
        return;
    }
    struct bytes run = entry_value(*e);
    packed_cut(k, e, packed_seek(run, 2 * rank), packed_seek(run, 2 * (rank + n)));
}

/* Only names count, so this is not packed_longest. */
static size_t longest_name(struct bytes run)
{
    size_t longest = 0;
    struct bytes name;
    double score;
    for (size_t at = 0; next_pair(run, &at, &name, &score);)
        if (name.n > longest)
            longest = name.n;
    return longest;
}

void zset_grade(struct entry *e, const struct value_limits *limits)
{
    size_t longest = entry_is_packed(e) ? longest_name(entry_value(e))
                                        : ((const struct zset *)entry_object(e))->longest;
    if (longest > limits->zset_value || zset_count(e) > limits->zset_entries)
        e->flags |= ENTRY_OUTGROWN;
}

struct zset_walk zset_walk(const struct entry *e, size_t rank, bool reverse)
{
    struct zset_walk w = {.entry = e, .reverse = reverse};
    size_t count = zset_count(e);
    if (rank >= count)
        return w;
    w.left = reverse ? rank + 1 : count - rank;
    if (entry_is_packed(e)) {
        w.i = (uint32_t)rank;
        return w;
    }
    struct place p = place_of(entry_object(e), rank);
    w.leaf = p.leaf;
    w.i = p.i;
    return w;
}

/* The next of an object; there is one, and another one after it unless this was the last. */
static void step(struct zset_walk *w)
{
    const struct zset *z = entry_object(w->entry);
    const struct member *m = member_at(z, leaf_refs(z, w->leaf)[w->i]);
    w->name = member_name(m);
    w->score = m->score;
    if (w->left == 0)
        return;
    if (!w->reverse && ++w->i == z->leaves[w->leaf].n) {
        w->leaf++;
        w->i = 0;
    } else if (w->reverse && w->i-- == 0) {
        w->i = z->leaves[--w->leaf].n - 1;
    }
}

bool zset_next(struct zset_walk *w)
{
    if (w->left == 0)
        return false;
    w->left--;
    if (!entry_is_packed(w->entry)) {
        step(w);
        return true;
    }
    struct bytes run = entry_value(w->entry);
    size_t at = packed_seek(run, 2 * (size_t)w->i);
    w->i += w->reverse ? -1u : 1u;
    return next_pair(run, &at, &w->name, &w->score);
}

struct visit {
    zset_visit_fn *fn;
    void *ctx;
};

static void visit_member(void *ctx, void *object)
{
    const struct visit *v = ctx;
    const struct member *m = object;
    v->fn(v->ctx, member_name(m), m->score);
}

uint32_t zset_scan(const struct entry *e, uint32_t cursor, zset_visit_fn *fn, void *ctx)
{
    if (entry_is_packed(e)) {
        struct zset_walk w = zset_walk(e, 0, false);
        while (zset_next(&w))
            fn(ctx, w.name, w.score);
        return 0;
    }
    const struct zset *z = entry_object(e);
    struct visit v = {fn, ctx};
    return dict_scan(&z->index, cursor, visit_member, &v);
}

static size_t memory(const void *object)
{
    const struct zset *z = object;
    return sizeof *z + z->bytes + dict_memory(&z->index) + z->nleaves * LEAF_BYTES +
           z->cap * sizeof *z->leaves;
}

/* At the worst, every second member halves a leaf of its own. */
static size_t growth(const void *object, size_t n)
{
    const struct zset *z = object;
    size_t all = z->nleaves + n;
    return all > z->cap ? 3 * sizeof *z->leaves * all : 0;
}

const struct value_ops zset_ops = {
    .count = zset_count, .drop = drop, .memory = memory, .growth = growth};
