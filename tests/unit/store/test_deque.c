#include "store/deque.h"

#include "tests/lib/shelf.h"

/* The naive model: one array. */
struct model {
    struct bytes item[8192];
    size_t n;
};

static void model_insert(struct model *m, size_t i, struct bytes item)
{
    memmove(&m->item[i + 1], &m->item[i], (m->n++ - i) * sizeof item);
    m->item[i] = item;
}

static void model_remove(struct model *m, size_t i, size_t n)
{
    for (size_t j = i; j < i + n; j++)
        free((char *)m->item[j].p);
    m->n -= n;
    memmove(&m->item[i], &m->item[i + n], (m->n - i) * sizeof m->item[0]);
}

static void model_purge(struct model *m, struct bytes item, size_t skip, size_t max)
{
    for (size_t i = 0; i < m->n && max > 0;) {
        if (!bytes_eq(m->item[i], item)) {
            i++;
        } else if (skip > 0) {
            skip--;
            i++;
        } else {
            model_remove(m, i, 1);
            max--;
        }
    }
}

static void same(const struct shelf *s, const struct model *m)
{
    size_t i = 0;
    struct deque_walk w = deque_walk(s->e, 0);
    for (; deque_next(&w); i++)
        assert_bytes_equal(w.item, m->item[i]);
    assert_int_equal(i, m->n);
    assert_int_equal(deque_count(s->e), m->n);
}

static void insert_step(struct shelf *s, struct model *m, size_t usual)
{
    size_t ends[] = {0, m->n, shelf_random(s, (uint32_t)m->n + 1)};
    size_t i = ends[shelf_random(s, 3)];
    struct bytes item = shelf_text(shelf_random(s, 10), shelf_length(s, usual));
    assert_true(deque_insert(s->k, &s->e, i, item));
    model_insert(m, i, item);
    assert_bytes_equal(deque_at(s->e, i), item);
}

static void remove_step(struct shelf *s, struct model *m)
{
    size_t n = 1 + shelf_random(s, m->n > 4 ? 4 : (uint32_t)m->n);
    size_t ends[] = {0, m->n - n, shelf_random(s, (uint32_t)(m->n - n) + 1)};
    size_t i = ends[shelf_random(s, 3)];
    deque_remove(s->k, &s->e, i, n);
    model_remove(m, i, n);
}

static void replace_step(struct shelf *s, struct model *m, size_t usual)
{
    size_t i = shelf_random(s, (uint32_t)m->n);
    struct bytes item = shelf_text(shelf_random(s, 10), shelf_length(s, usual));
    assert_true(deque_replace(s->k, &s->e, i, item));
    free((char *)m->item[i].p);
    m->item[i] = item;
}

static void purge_step(struct shelf *s, struct model *m)
{
    struct bytes one = m->item[shelf_random(s, (uint32_t)m->n)];
    char *copy = malloc(one.n + 1);
    struct bytes item = {copy, one.n};
    bytes_copy(copy, one);
    size_t skip = shelf_random(s, 3), max = 1 + shelf_random(s, 3);
    deque_purge(s->k, &s->e, item, skip, max);
    model_purge(m, item, skip, max);
    free(copy);
}

static void against_model(uint64_t seed, size_t most, size_t usual, int steps)
{
    struct shelf s;
    struct model *m = calloc(1, sizeof *m);
    bool growing = true;
    shelf_init(&s, VALUE_LIST, seed);
    for (int i = 0; i < steps; i++) {
        if (m->n == 0 || m->n >= most)
            growing = m->n == 0;
        uint32_t kind = shelf_random(&s, 20);
        if (m->n == 0 || kind < (growing ? 14 : 5))
            insert_step(&s, m, usual);
        else if (kind < 17)
            remove_step(&s, m);
        else if (kind < 19)
            replace_step(&s, m, usual);
        else
            purge_step(&s, m);
        if (m->n < 100 || i % 64 == 0)
            same(&s, m);
    }
    same(&s, m);
    model_remove(m, 0, m->n);
    free(m);
    shelf_free(&s);
}

TEST(deque, agrees_with_a_model_of_few_items)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        against_model(seed, 6, 30, 300);
}

TEST(deque, agrees_with_a_model_of_many_items)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        against_model(seed, 2000, 8, 6000);
}

TEST(deque, agrees_with_a_model_of_long_items)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        against_model(seed, 10, 300, 400);
}

TEST(deque, gives_the_ring_back_as_it_empties)
{
    struct shelf s;
    shelf_init(&s, VALUE_LIST, 1);
    for (int i = 0; i < 10000; i++)
        deque_insert(s.k, &s.e, 0, BYTES("item"));
    size_t full = deque_ops.memory(entry_object(s.e));
    deque_remove(s.k, &s.e, 100, 9900);
    for (int i = 0; i < 90; i++)
        deque_remove(s.k, &s.e, 0, 1);
    assert_int_equal(deque_count(s.e), 10);
    assert_true(deque_ops.memory(entry_object(s.e)) < full / 100);
    shelf_free(&s);
}

TEST(deque, an_object_holds_what_the_packed_run_held)
{
    struct shelf s;
    struct bytes item = shelf_text(1, 600);
    shelf_init(&s, VALUE_LIST, 1);
    deque_insert(s.k, &s.e, 0, BYTES("a"));
    deque_insert(s.k, &s.e, 1, BYTES("b"));
    deque_replace(s.k, &s.e, 0, item);
    assert_false(entry_is_packed(s.e));
    assert_bytes_equal(deque_at(s.e, 0), item);
    assert_bytes_equal(deque_at(s.e, 1), BYTES("b"));
    free((char *)item.p);
    shelf_free(&s);
}

TEST(deque, is_graded_back_at_half_the_size)
{
    struct shelf s;
    const struct value_limits by_count = {.list_size = 4}, by_size = {.list_size = -1};
    shelf_init(&s, VALUE_LIST, 1);
    for (int i = 0; i < 5; i++)
        deque_insert(s.k, &s.e, 0, BYTES("x"));
    deque_grade(s.e, &by_count);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    deque_remove(s.k, &s.e, 0, 2);
    deque_grade(s.e, &by_count);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    deque_remove(s.k, &s.e, 0, 1);
    deque_grade(s.e, &by_count);
    assert_false(s.e->flags & ENTRY_OUTGROWN);

    struct bytes big = shelf_text(1, 4097);
    deque_insert(s.k, &s.e, 0, big);
    deque_grade(s.e, &by_size);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    free((char *)big.p);
    shelf_free(&s);
}

TEST(deque, is_graded_by_the_nearest_limit_that_there_is)
{
    struct shelf s;
    const struct value_limits none = {.list_size = 0}, lowest = {.list_size = INT32_MIN};
    struct bytes item = shelf_text(1, 60000);
    shelf_init(&s, VALUE_LIST, 1);
    deque_insert(s.k, &s.e, 0, item);
    deque_grade(s.e, &none);
    assert_false(s.e->flags & ENTRY_OUTGROWN);
    deque_grade(s.e, &lowest);
    assert_false(s.e->flags & ENTRY_OUTGROWN);
    deque_insert(s.k, &s.e, 0, item);
    deque_grade(s.e, &lowest);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    deque_grade(s.e, &none);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    free((char *)item.p);
    shelf_free(&s);
}

TEST(deque, refuses_what_no_memory_can_hold_and_is_unchanged)
{
    struct shelf s;
    struct bytes absurd = {"", SIZE_MAX / 4}, filler = shelf_text(1, 600);
    shelf_init(&s, VALUE_LIST, 1);
    deque_insert(s.k, &s.e, 0, BYTES("kept"));
    assert_false(deque_insert(s.k, &s.e, 0, absurd));
    assert_false(deque_replace(s.k, &s.e, 0, absurd));
    assert_true(entry_is_packed(s.e));
    deque_insert(s.k, &s.e, 1, filler);
    assert_false(deque_insert(s.k, &s.e, 1, absurd));
    assert_false(deque_replace(s.k, &s.e, 0, absurd));
    assert_int_equal(deque_count(s.e), 2);
    assert_bytes_equal(deque_at(s.e, 0), BYTES("kept"));
    free((char *)filler.p);
    shelf_free(&s);
}
