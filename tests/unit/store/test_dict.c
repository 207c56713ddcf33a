#include "store/dict.h"

#include "tests/lib/random.h"
#include "tests/lib/test.h"

struct item {
    struct dict_node node;
    uint32_t id;
    uint32_t visits;
};

static bool match(const void *object, struct bytes key)
{
    return ((const struct item *)object)->id == *(const uint32_t *)(const void *)key.p;
}

/* Few distinct hashes now and then, so that long chains are exercised too. */
static uint32_t hash_of(uint32_t id)
{
    uint32_t h = id * 2654435761u;
    return id % 7 == 0 ? h & 0xff : h;
}

static struct item *find(const struct dict *d, uint32_t id)
{
    return dict_find(d, (struct bytes){(const char *)&id, sizeof id}, hash_of(id));
}

static struct item *add(struct dict *d, uint32_t id)
{
    struct item *it = arena_new(d->arena, sizeof *it);
    it->id = id;
    it->visits = 0;
    dict_insert(d, it, hash_of(id));
    return it;
}

static void drop(struct dict *d, struct item *it)
{
    assert_true(dict_remove(d, it));
    arena_drop(d->arena, it);
}

static void free_all(struct dict *d, struct arena *a)
{
    for (struct item *it; (it = dict_take(d));)
        arena_drop(a, it);
    assert_int_equal(d->count, 0);
    dict_free(d);
    assert_int_equal(a->bytes, 0);
    arena_free(a);
}

TEST(dict, agrees_with_a_naive_model)
{
    enum { IDS = 5000, STEPS = 200000 };
    static bool there[IDS];
    struct arena a;
    struct dict d;
    uint64_t random = 99;
    uint32_t count = 0;
    arena_init(&a);
    dict_init(&d, &a, match);
    memset(there, 0, sizeof there);
    for (int step = 0; step < STEPS; step++) {
        /* It breathes: mostly growing, then mostly shrinking. */
        bool growing = step / 20000 % 2 == 0;
        uint32_t id = (uint32_t)random_below(&random, IDS);
        struct item *it = find(&d, id);
        assert_int_equal(it != NULL, there[id]);
        if (it && (!growing || random_below(&random, 4) == 0)) {
            drop(&d, it);
            there[id] = false;
            count--;
        } else if (!it && (growing || random_below(&random, 4) == 0)) {
            add(&d, id);
            there[id] = true;
            count++;
        }
        assert_int_equal(d.count, count);
    }
    free_all(&d, &a);
}

TEST(dict, grows_and_shrinks_by_bounded_steps)
{
    enum { N = 100000 };
    struct arena a;
    struct dict d;
    arena_init(&a);
    dict_init(&d, &a, match);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t before = d.nslots;
        add(&d, i);
        assert_true(d.nslots - before <= 1 || before == 0);
        assert_true(d.count <= d.nslots);
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t before = d.nslots;
        drop(&d, find(&d, i));
        assert_true(before - d.nslots <= 2);
    }
    assert_true(d.nslots <= 64); /* and the memory has followed */
    free_all(&d, &a);
}

static void visit(void *ctx, void *object)
{
    (void)ctx;
    ((struct item *)object)->visits++;
}

/* Elements that stay are seen, however the table changes between two steps of the scan. */
TEST(dict, a_scan_sees_everything_that_stays)
{
    enum { STAYS = 2000 };
    for (int round = 0; round < 20; round++) {
        struct arena a;
        struct dict d;
        uint64_t random = (uint64_t)round + 1;
        uint32_t next = STAYS, gone = STAYS, cursor = 0;
        arena_init(&a);
        dict_init(&d, &a, match);
        for (uint32_t i = 0; i < STAYS; i++)
            add(&d, i);
        do {
            cursor = dict_scan(&d, cursor, visit, NULL);
            for (uint64_t n = random_below(&random, 4); n; n--) {
                if (round % 2 && gone < next)
                    drop(&d, find(&d, gone++));
                else
                    add(&d, next++);
            }
            if (round % 3 == 0)
                while (gone < next && random_below(&random, 3))
                    drop(&d, find(&d, gone++));
        } while (cursor);
        for (uint32_t i = 0; i < STAYS; i++)
            assert_true(find(&d, i)->visits >= 1);
        free_all(&d, &a);
    }
}

TEST(dict, a_scan_of_a_table_at_rest_sees_each_element_once)
{
    struct arena a;
    struct dict d;
    uint32_t cursor = 0;
    arena_init(&a);
    dict_init(&d, &a, match);
    for (uint32_t i = 0; i < 3000; i++)
        add(&d, i);
    do {
        cursor = dict_scan(&d, cursor, visit, NULL);
    } while (cursor);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(find(&d, i)->visits, 1);
    free_all(&d, &a);
}

TEST(dict, a_copy_takes_the_place_of_its_original)
{
    struct arena a;
    struct dict d;
    arena_init(&a);
    dict_init(&d, &a, match);
    for (uint32_t i = 0; i < 100; i++)
        add(&d, i);
    for (uint32_t i = 0; i < 100; i++) {
        struct item *old = find(&d, i), *fresh = arena_new(&a, 200);
        *fresh = *old;
        dict_replace(&d, arena_ref(old), fresh);
        arena_drop(&a, old);
        assert_ptr_equal(find(&d, i), fresh);
    }
    free_all(&d, &a);
}

TEST(dict, any_element_may_be_drawn)
{
    enum { N = 50, DRAWS = 20000 };
    struct arena a;
    struct dict d;
    uint64_t random = 5;
    arena_init(&a);
    dict_init(&d, &a, match);
    assert_null(dict_any(&d, 1));
    for (uint32_t i = 0; i < N; i++)
        add(&d, i);
    for (int i = 0; i < DRAWS; i++)
        ((struct item *)dict_any(&d, random_u64(&random)))->visits++;
    for (uint32_t i = 0; i < N; i++)
        assert_true(find(&d, i)->visits > 0);
    free_all(&d, &a);
}

TEST(dict, a_stranger_is_not_removed)
{
    struct arena a;
    struct dict d;
    arena_init(&a);
    dict_init(&d, &a, match);
    struct item *stranger = arena_new(&a, sizeof *stranger);
    stranger->node.hash = 3;
    assert_false(dict_remove(&d, stranger));
    add(&d, 1);
    assert_false(dict_remove(&d, stranger));
    assert_int_equal(d.count, 1);
    arena_drop(&a, stranger);
    free_all(&d, &a);
}

TEST(dict, is_shed_in_pieces)
{
    enum { SEGMENTS = 10, STEP = 3 };
    struct arena a;
    struct dict d;
    arena_init(&a);
    dict_init(&d, &a, match);
    static struct item *items[SEGMENTS * DICT_SEGMENT];
    for (uint32_t i = 0; i < SEGMENTS * DICT_SEGMENT; i++)
        items[i] = add(&d, i);
    for (uint32_t i = 0; i < SEGMENTS * DICT_SEGMENT; i++)
        arena_drop(&a, items[i]);
    size_t last = a.bytes;
    int steps = 1;
    for (int budget = STEP; !dict_shed(&d, &budget); budget = STEP, steps++) {
        assert_in_range(last - a.bytes, 1, STEP * (DICT_SEGMENT * sizeof(ref) + 64));
        last = a.bytes;
    }
    assert_in_range(steps, (SEGMENTS - 1) / STEP, SEGMENTS / STEP + 2);
    assert_int_equal(a.bytes, 0);
    arena_free(&a);
}
