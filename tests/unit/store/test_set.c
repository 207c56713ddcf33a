#include "store/set.h"

#include "tests/lib/shelf.h"

/* The naive model: an array in which the last member fills a gap. */
struct model {
    struct bytes member[4096];
    size_t n;
};

static size_t model_find(const struct model *m, struct bytes member)
{
    size_t i = 0;
    while (i < m->n && !bytes_eq(m->member[i], member))
        i++;
    return i;
}

static void model_remove(struct model *m, size_t i)
{
    free((char *)m->member[i].p);
    m->member[i] = m->member[--m->n];
}

static void same(const struct shelf *s, const struct model *m)
{
    size_t i = 0;
    struct set_walk w = set_walk(s->e);
    for (; set_next(&w); i++)
        assert_bytes_equal(w.member, m->member[i]);
    assert_int_equal(i, m->n);
    assert_int_equal(set_count(s->e), m->n);
    for (i = 0; i < m->n; i += 1 + m->n / 7)
        assert_bytes_equal(set_at(s->e, i), m->member[i]);
}

static void random_step(struct shelf *s, struct model *m, uint32_t ids, size_t spread, bool adds)
{
    uint32_t id = shelf_random(s, ids);
    struct bytes member = shelf_text(id, id % 97 == 0 ? 700 : id % spread);
    size_t i = model_find(m, member);
    assert_int_equal(set_has(s->e, member), i < m->n);
    if (adds && i == m->n) {
        assert_true(set_add(s->k, &s->e, member));
        m->member[m->n++] = member;
        return;
    }
    if (!adds) {
        assert_int_equal(set_remove(s->k, &s->e, member), i < m->n);
        if (i < m->n)
            model_remove(m, i);
    }
    free((char *)member.p);
}

static void against_model(uint64_t seed, uint32_t ids, size_t spread, int steps)
{
    struct shelf s;
    struct model *m = calloc(1, sizeof *m);
    shelf_init(&s, VALUE_SET, seed);
    for (int i = 0; i < steps; i++) {
        bool grows = i / (steps / 4) % 2 == 0; /* tides, so that it also gets small again */
        random_step(&s, m, ids, spread, shelf_random(&s, 10) < (grows ? 7 : 2));
        if (m->n < 50 || i % 64 == 0)
            same(&s, m);
    }
    same(&s, m);
    while (m->n)
        model_remove(m, m->n - 1);
    free(m);
    shelf_free(&s);
}

TEST(set, agrees_with_a_model_of_few_members)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        against_model(seed, 8, 60, 400);
}

TEST(set, agrees_with_a_model_of_many_members)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        against_model(seed, 3000, 20, 12000);
}

TEST(set, agrees_with_a_model_of_long_members)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        against_model(seed, 90, 80, 600);
}

TEST(set, a_member_may_be_removed_by_its_own_bytes)
{
    struct shelf s;
    char name[16];
    shelf_init(&s, VALUE_SET, 1);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "m%d", i);
        set_add(s.k, &s.e, bytes_of(name));
        assert_true(i % 2 == 0 || set_remove(s.k, &s.e, set_at(s.e, 0)));
    }
    assert_int_equal(set_count(s.e), 100);
    while (set_count(s.e))
        assert_true(set_remove(s.k, &s.e, set_at(s.e, set_count(s.e) / 2)));
    shelf_free(&s);
}

static void count_visit(void *ctx, struct bytes member)
{
    (void)member;
    ++*(int *)ctx;
}

TEST(set, a_scan_visits_every_member)
{
    struct shelf s;
    char name[16];
    int seen = 0;
    shelf_init(&s, VALUE_SET, 1);
    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "m%d", i);
        set_add(s.k, &s.e, bytes_of(name));
    }
    uint32_t cursor = 0;
    do {
        cursor = set_scan(s.e, cursor, count_visit, &seen);
    } while (cursor);
    assert_int_equal(seen, 400);
    shelf_free(&s);
}

TEST(set, is_graded_by_what_it_has_held)
{
    struct shelf s;
    const struct value_limits limits = {.set_entries = 2, .set_value = 3, .set_integers = 4};
    shelf_init(&s, VALUE_SET, 1);
    const char *numbers[] = {"1", "-2", "123456", "4"};
    for (int i = 0; i < 4; i++)
        set_add(s.k, &s.e, bytes_of(numbers[i]));
    set_grade(s.e, &limits);
    assert_int_equal(s.e->flags & (ENTRY_TEXT | ENTRY_OUTGROWN), 0);

    set_remove(s.k, &s.e, BYTES("123456"));
    set_remove(s.k, &s.e, BYTES("4"));
    set_remove(s.k, &s.e, BYTES("-2"));
    set_add(s.k, &s.e, BYTES("04"));
    set_grade(s.e, &limits);
    assert_int_equal(s.e->flags & (ENTRY_TEXT | ENTRY_OUTGROWN), ENTRY_TEXT);

    set_remove(s.k, &s.e, BYTES("04"));
    set_add(s.k, &s.e, BYTES("1234"));
    set_grade(s.e, &limits);
    assert_int_equal(s.e->flags & (ENTRY_TEXT | ENTRY_OUTGROWN), ENTRY_TEXT | ENTRY_OUTGROWN);
    shelf_free(&s);
}

TEST(set, refuses_what_no_memory_can_hold_and_is_unchanged)
{
    struct shelf s;
    struct bytes absurd = {"", SIZE_MAX / 4};
    shelf_init(&s, VALUE_SET, 1);
    set_add(s.k, &s.e, BYTES("kept"));
    assert_false(set_add(s.k, &s.e, absurd));
    assert_true(entry_is_packed(s.e));
    assert_int_equal(set_count(s.e), 1);
    assert_true(set_has(s.e, BYTES("kept")));
    shelf_free(&s);
}
