#include "store/zset.h"

#include "tests/lib/shelf.h"

#include <math.h>

/* The naive model: one array, kept in order by insertion. */
struct pair {
    struct bytes name;
    double score;
};

struct model {
    struct pair pair[8192];
    size_t n;
};

static size_t model_find(const struct model *m, struct bytes name)
{
    size_t i = 0;
    while (i < m->n && !bytes_eq(m->pair[i].name, name))
        i++;
    return i;
}

static void model_remove(struct model *m, size_t i, size_t n)
{
    for (size_t j = i; j < i + n; j++)
        free((char *)m->pair[j].name.p);
    m->n -= n;
    memmove(&m->pair[i], &m->pair[i + n], (m->n - i) * sizeof m->pair[0]);
}

static void model_add(struct model *m, struct bytes name, double score)
{
    size_t i = m->n++;
    for (; i > 0; i--) {
        const struct pair *p = &m->pair[i - 1];
        if (p->score < score || (p->score == score && bytes_cmp(p->name, name) < 0))
            break;
        m->pair[i] = *p;
    }
    m->pair[i] = (struct pair){name, score};
}

static void same(const struct shelf *s, const struct model *m)
{
    size_t i = 0;
    struct zset_walk up = zset_walk(s->e, 0, false);
    for (; zset_next(&up); i++) {
        assert_bytes_equal(up.name, m->pair[i].name);
        assert_true(up.score == m->pair[i].score);
    }
    assert_int_equal(i, m->n);
    assert_int_equal(zset_count(s->e), m->n);
    struct zset_walk down = zset_walk(s->e, m->n - 1, true);
    for (; zset_next(&down); i--)
        assert_bytes_equal(down.name, m->pair[i - 1].name);
    assert_int_equal(i, 0);
}

static void same_questions(struct shelf *s, const struct model *m)
{
    double score, bound = (double)shelf_random(s, 30);
    size_t rank, below = 0, upto = 0, i = m->n ? shelf_random(s, (uint32_t)m->n) : 0;
    for (size_t j = 0; j < m->n; j++) {
        below += m->pair[j].score < bound;
        upto += m->pair[j].score <= bound;
    }
    assert_int_equal(zset_below(s->e, bound, false), below);
    assert_int_equal(zset_below(s->e, bound, true), upto);
    if (m->n == 0)
        return;
    assert_true(zset_rank(s->e, m->pair[i].name, &rank, &score));
    assert_int_equal(rank, i);
    assert_true(score == m->pair[i].score);
    struct zset_walk w = zset_walk(s->e, i, shelf_random(s, 2));
    assert_true(zset_next(&w));
    assert_bytes_equal(w.name, m->pair[i].name);
}

static void range_step(struct shelf *s, struct model *m)
{
    size_t i = shelf_random(s, (uint32_t)m->n);
    size_t n = 1 + shelf_random(s, (uint32_t)(m->n - i));
    n = n > 2000 ? 2000 : n;
    zset_remove_range(s->k, &s->e, i, n);
    model_remove(m, i, n);
}

static void random_step(struct shelf *s, struct model *m, uint32_t ids, size_t spread, bool adds)
{
    uint32_t id = shelf_random(s, ids);
    struct bytes name = shelf_text(id, id % 97 == 0 ? 700 : id % spread);
    size_t i = model_find(m, name);
    double score;
    assert_int_equal(zset_score(s->e, name, &score), i < m->n);
    if (!adds) {
        assert_int_equal(zset_remove(s->k, &s->e, name), i < m->n);
        free((char *)name.p);
        if (i < m->n)
            model_remove(m, i, 1);
        return;
    }
    score = (double)shelf_random(s, 60) / 2;
    assert_true(zset_put(s->k, &s->e, name, score));
    if (i < m->n)
        model_remove(m, i, 1);
    model_add(m, name, score);
}

static void against_model(uint64_t seed, uint32_t ids, size_t spread, int steps)
{
    struct shelf s;
    struct model *m = calloc(1, sizeof *m);
    shelf_init(&s, VALUE_ZSET, seed);
    for (int i = 0; i < steps; i++) {
        bool grows = i / (steps / 4) % 2 == 0; /* tides, so that it also gets small again */
        random_step(&s, m, ids, spread, shelf_random(&s, 10) < (grows ? 8 : 2));
        if (m->n && shelf_random(&s, (uint32_t)steps / 4) == 0)
            range_step(&s, m);
        if (m->n < 50 || i % 64 == 0)
            same(&s, m);
        same_questions(&s, m);
    }
    same(&s, m);
    model_remove(m, 0, m->n);
    free(m);
    shelf_free(&s);
}

TEST(zset, agrees_with_a_model_of_few_members)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        against_model(seed, 8, 60, 400);
}

TEST(zset, agrees_with_a_model_of_many_members)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        against_model(seed, 4000, 20, 12000);
}

TEST(zset, agrees_with_a_model_of_long_members)
{
    for (uint64_t seed = 1; seed <= 5; seed++)
        against_model(seed, 90, 80, 600);
}

static void add_numbered(struct shelf *s, uint32_t i, double score)
{
    char name[16];
    snprintf(name, sizeof name, "m%08u", i);
    assert_true(zset_put(s->k, &s->e, bytes_of(name), score));
}

TEST(zset, members_that_come_in_order_fill_their_leaves)
{
    struct shelf s;
    shelf_init(&s, VALUE_ZSET, 1);
    for (uint32_t i = 0; i < 20000; i++)
        add_numbered(&s, i, i);
    size_t ordered = zset_ops.memory(entry_object(s.e));
    assert_true(ordered < 20000ul * (32 + 4 + 5)); /* object, dict slot, place and a little */
    shelf_free(&s);
}

TEST(zset, joins_leaves_that_members_have_left)
{
    struct shelf s;
    char name[16];
    shelf_init(&s, VALUE_ZSET, 1);
    for (uint32_t i = 0; i < 50000; i++)
        add_numbered(&s, i, i);
    size_t full = zset_ops.memory(entry_object(s.e));
    for (uint32_t i = 0; i < 50000; i++) {
        snprintf(name, sizeof name, "m%08u", i);
        assert_true(i % 250 == 0 || zset_remove(s.k, &s.e, bytes_of(name)));
    }
    assert_int_equal(zset_count(s.e), 200);
    assert_true(zset_ops.memory(entry_object(s.e)) < full / 50);
    shelf_free(&s);
}

TEST(zset, a_hundred_thousand_members_in_any_order_keep_their_ranks)
{
    struct shelf s;
    size_t rank;
    double score;
    char name[16];
    shelf_init(&s, VALUE_ZSET, 1);
    for (uint32_t i = 0; i < 100000; i++)
        add_numbered(&s, i, (double)((i * 7919ull) % 100003));
    for (uint32_t i = 0; i < 100000; i += 997) {
        snprintf(name, sizeof name, "m%08u", i);
        assert_true(zset_rank(s.e, bytes_of(name), &rank, &score));
        struct zset_walk w = zset_walk(s.e, rank, false);
        assert_true(zset_next(&w));
        assert_bytes_equal(w.name, bytes_of(name));
        assert_int_equal(zset_below(s.e, score, false), rank);
    }
    zset_remove_range(s.k, &s.e, 10, 99980);
    assert_int_equal(zset_count(s.e), 20);
    shelf_free(&s);
}

TEST(zset, counts_by_name_where_scores_are_equal)
{
    struct shelf s;
    shelf_init(&s, VALUE_ZSET, 1);
    zset_put(s.k, &s.e, BYTES("b"), 0);
    zset_put(s.k, &s.e, BYTES("c"), 0);
    zset_put(s.k, &s.e, BYTES("a"), 0);
    assert_int_equal(zset_below_name(s.e, BYTES("b"), false), 1);
    assert_int_equal(zset_below_name(s.e, BYTES("b"), true), 2);
    assert_int_equal(zset_below_name(s.e, BYTES("bb"), false), 2);
    shelf_free(&s);
}

TEST(zset, infinite_scores_stand_at_the_ends)
{
    struct shelf s;
    double score;
    size_t rank;
    shelf_init(&s, VALUE_ZSET, 1);
    zset_put(s.k, &s.e, BYTES("top"), (double)INFINITY);
    zset_put(s.k, &s.e, BYTES("mid"), 1e308);
    zset_put(s.k, &s.e, BYTES("low"), (double)-INFINITY);
    assert_true(zset_rank(s.e, BYTES("low"), &rank, &score));
    assert_int_equal(rank, 0);
    assert_true(zset_rank(s.e, BYTES("top"), &rank, &score));
    assert_int_equal(rank, 2);
    assert_int_equal(zset_below(s.e, (double)INFINITY, true), 3);
    shelf_free(&s);
}

static void count_visit(void *ctx, struct bytes name, double score)
{
    (void)name;
    assert_true(score == 1);
    ++*(int *)ctx;
}

TEST(zset, a_scan_visits_every_member)
{
    struct shelf s;
    int seen = 0;
    shelf_init(&s, VALUE_ZSET, 1);
    for (uint32_t i = 0; i < 400; i++)
        add_numbered(&s, i, 1);
    uint32_t cursor = 0;
    do {
        cursor = zset_scan(s.e, cursor, count_visit, &seen);
    } while (cursor);
    assert_int_equal(seen, 400);
    shelf_free(&s);
}

TEST(zset, is_graded_by_count_and_by_length)
{
    struct shelf s;
    const struct value_limits limits = {.zset_entries = 2, .zset_value = 64};
    shelf_init(&s, VALUE_ZSET, 1);
    zset_put(s.k, &s.e, BYTES("a"), 1);
    zset_put(s.k, &s.e, BYTES("b"), 2);
    zset_grade(s.e, &limits);
    assert_false(s.e->flags & ENTRY_OUTGROWN);
    zset_put(s.k, &s.e, BYTES("c"), 3);
    zset_grade(s.e, &limits);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    shelf_free(&s);
}

TEST(zset, is_graded_by_the_length_of_names_alone)
{
    struct shelf s;
    const struct value_limits limits = {.zset_entries = 2, .zset_value = 1};
    shelf_init(&s, VALUE_ZSET, 1);
    zset_put(s.k, &s.e, BYTES("a"), 0.1);
    zset_grade(s.e, &limits);
    assert_false(s.e->flags & ENTRY_OUTGROWN);
    zset_put(s.k, &s.e, BYTES("ab"), 0.1);
    zset_grade(s.e, &limits);
    assert_true(s.e->flags & ENTRY_OUTGROWN);
    shelf_free(&s);
}

TEST(zset, refuses_what_no_memory_can_hold_and_is_unchanged)
{
    struct shelf s;
    struct bytes absurd = {"", SIZE_MAX / 4};
    shelf_init(&s, VALUE_ZSET, 1);
    zset_put(s.k, &s.e, BYTES("kept"), 1);
    assert_false(zset_put(s.k, &s.e, absurd, 2));
    assert_true(entry_is_packed(s.e));
    assert_int_equal(zset_count(s.e), 1);
    shelf_free(&s);
}
