#include "store/hash.h"

#include "tests/lib/shelf.h"

/* The naive model: pairs in one array, in order of arrival. */
struct model {
    struct bytes name[4096], value[4096];
    size_t n;
};

static size_t model_find(const struct model *m, struct bytes name)
{
    size_t i = 0;
    while (i < m->n && !bytes_eq(m->name[i], name))
        i++;
    return i;
}

static void model_put(struct model *m, struct bytes name, struct bytes value)
{
    size_t i = model_find(m, name);
    if (i < m->n) {
        free((char *)name.p);
        free((char *)m->value[i].p);
    } else {
        m->name[m->n++] = name;
    }
    m->value[i] = value;
}

static void model_remove(struct model *m, size_t i)
{
    free((char *)m->name[i].p);
    free((char *)m->value[i].p);
    m->n--;
    memmove(&m->name[i], &m->name[i + 1], (m->n - i) * sizeof m->name[0]);
    memmove(&m->value[i], &m->value[i + 1], (m->n - i) * sizeof m->value[0]);
}

static void same(const struct shelf *s, const struct model *m)
{
    size_t i = 0;
    struct hash_walk w = hash_walk(s->e);
    for (; hash_next(&w); i++) {
        assert_bytes_equal(w.name, m->name[i]);
        assert_bytes_equal(w.value, m->value[i]);
    }
    assert_int_equal(i, m->n);
    assert_int_equal(hash_count(s->e), m->n);
}

static void random_step(struct shelf *s, struct model *m, uint32_t names, size_t usual)
{
    uint32_t id = shelf_random(s, names);
    struct bytes name = shelf_text(id, id % 50), got;
    size_t i = model_find(m, name);
    if (shelf_random(s, 3) == 0) {
        assert_int_equal(hash_remove(s->k, &s->e, name), i < m->n);
        free((char *)name.p);
        if (i < m->n)
            model_remove(m, i);
        return;
    }
    struct bytes value = shelf_text(shelf_random(s, 1000), shelf_length(s, usual));
    assert_true(hash_put(s->k, &s->e, name, value));
    assert_true(hash_get(s->e, name, &got));
    assert_bytes_equal(got, value);
    model_put(m, name, value);
}

static void against_model(uint64_t seed, uint32_t names, size_t usual, int steps)
{
    struct shelf s;
    struct model *m = calloc(1, sizeof *m);
    shelf_init(&s, VALUE_HASH, seed);
    for (int i = 0; i < steps; i++) {
        random_step(&s, m, names, usual);
        if (i < 200 || i % 64 == 0)
            same(&s, m);
    }
    same(&s, m);
    while (m->n)
        model_remove(m, m->n - 1);
    free(m);
    shelf_free(&s);
}

TEST(hash, agrees_with_a_model_of_few_fields)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        against_model(seed, 5, 20, 300);
}

TEST(hash, agrees_with_a_model_of_many_fields)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        against_model(seed, 3000, 12, 6000);
}

TEST(hash, agrees_with_a_model_of_long_values)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        against_model(seed, 8, 300, 500);
}

TEST(hash, a_lock_with_one_owner_takes_104_bytes)
{
    struct shelf s;
    shelf_init(&s, VALUE_STRING, 1);
    keys_abandon(s.k, s.e);
    s.e = keys_create(s.k, BYTES("{job}:order-processor:07"), VALUE_HASH, 0);
    assert_true(hash_put(s.k, &s.e, BYTES("4f8f9c3e-6d2b-4a7e-9d55-0f3a5b9c1e2f:1"), BYTES("1")));
    assert_int_equal(arena_room(s.e), 104);
    shelf_free(&s);
}

TEST(hash, a_new_one_is_written_into_the_room_given_in_advance)
{
    struct shelf s;
    shelf_init(&s, VALUE_STRING, 1);
    keys_abandon(s.k, s.e);
    s.e = keys_create(s.k, BYTES("h"), VALUE_HASH, 2 + 2 + 200 + 2);
    const struct entry *first = s.e;
    struct bytes value = shelf_text(1, 200);
    assert_int_equal(hash_count(s.e), 0);
    assert_true(hash_put(s.k, &s.e, BYTES("a"), BYTES("1")));
    assert_true(hash_put(s.k, &s.e, BYTES("b"), value));
    assert_ptr_equal(s.e, first);
    assert_true(hash_remove(s.k, &s.e, BYTES("b")));
    assert_int_equal(arena_room(s.e), arena_round(ENTRY_HEADER + 1 + 4));
    free((char *)value.p);
    shelf_free(&s);
}

/* Growing out of the entry must not show. */
TEST(hash, keeps_its_order_when_it_becomes_an_object)
{
    struct shelf s;
    char name[16];
    shelf_init(&s, VALUE_HASH, 1);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "field:%d", (i * 37) % 100);
        hash_put(s.k, &s.e, bytes_of(name), BYTES("v"));
    }
    assert_false(entry_is_packed(s.e));
    struct hash_walk w = hash_walk(s.e);
    for (int i = 0; hash_next(&w); i++) {
        snprintf(name, sizeof name, "field:%d", (i * 37) % 100);
        assert_bytes_equal(w.name, bytes_of(name));
    }
    shelf_free(&s);
}

static void count_visit(void *ctx, struct bytes name, struct bytes value)
{
    (void)name;
    assert_bytes_equal(value, BYTES("v"));
    ++*(int *)ctx;
}

TEST(hash, a_scan_visits_every_field)
{
    struct shelf s;
    char name[16];
    int seen = 0;
    shelf_init(&s, VALUE_HASH, 1);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "f%d", i);
        hash_put(s.k, &s.e, bytes_of(name), BYTES("v"));
        if (i == 9) {
            assert_int_equal(hash_scan(s.e, 0, count_visit, &seen), 0);
            assert_int_equal(seen, 10);
            seen = 0;
        }
    }
    uint32_t cursor = 0;
    do {
        cursor = hash_scan(s.e, cursor, count_visit, &seen);
    } while (cursor);
    assert_int_equal(seen, 500);
    shelf_free(&s);
}

TEST(hash, is_graded_by_count_and_by_length_and_stays_outgrown)
{
    struct shelf s;
    const struct value_limits limits = {.hash_entries = 2, .hash_value = 5};
    shelf_init(&s, VALUE_HASH, 1);
    hash_put(s.k, &s.e, BYTES("a"), BYTES("12345"));
    hash_put(s.k, &s.e, BYTES("b"), BYTES(""));
    hash_grade(s.e, &limits);
    assert_false(s.e->flags & ENTRY_OUTGROWN);
    hash_put(s.k, &s.e, BYTES("c"), BYTES(""));
    hash_grade(s.e, &limits);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    hash_remove(s.k, &s.e, BYTES("c"));
    hash_grade(s.e, &limits);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    s.e->flags &= ~ENTRY_OUTGROWN & 31;
    hash_put(s.k, &s.e, BYTES("a"), BYTES("123456"));
    hash_grade(s.e, &limits);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    shelf_free(&s);
}

TEST(hash, refuses_what_no_memory_can_hold_and_is_unchanged)
{
    struct shelf s;
    struct bytes got, absurd = {"", SIZE_MAX / 4};
    shelf_init(&s, VALUE_HASH, 1);
    hash_put(s.k, &s.e, BYTES("a"), BYTES("kept"));
    assert_false(hash_put(s.k, &s.e, BYTES("b"), absurd));
    assert_true(entry_is_packed(s.e));
    assert_false(hash_put(s.k, &s.e, BYTES("a"), absurd));
    struct bytes filler = shelf_text(1, 600);
    hash_put(s.k, &s.e, BYTES("filler"), filler);
    free((char *)filler.p);
    assert_false(entry_is_packed(s.e));
    assert_false(hash_put(s.k, &s.e, BYTES("b"), absurd));
    assert_false(hash_put(s.k, &s.e, BYTES("a"), absurd));
    assert_int_equal(hash_count(s.e), 2);
    assert_true(hash_get(s.e, BYTES("a"), &got));
    assert_bytes_equal(got, BYTES("kept"));
    shelf_free(&s);
}
