#include "store/wheel.h"

#include "tests/lib/random.h"
#include "tests/lib/test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct thing {
    char before[8]; /* the timer is not at the start */
    struct timer timer;
    uint32_t id;
};

struct set {
    struct arena arena;
    struct wheel wheel;
};

static void set_init(struct set *s, int64_t now)
{
    arena_init(&s->arena);
    wheel_init(&s->wheel, &s->arena, offsetof(struct thing, timer), now);
}

static struct thing *thing(struct set *s, uint32_t id, int64_t at)
{
    struct thing *t = arena_new(&s->arena, sizeof *t);
    t->id = id;
    wheel_arm(&s->wheel, t, at);
    return t;
}

static struct thing *pop(struct set *s, int64_t now)
{
    int budget = INT_MAX;
    return wheel_pop(&s->wheel, now, &budget);
}

TEST(wheel, pops_in_deadline_order)
{
    struct set s;
    static const int64_t at[] = {5000000000, 70, 1001, 64, 1000, 4096, 1LL << 50, 65};
    static const uint32_t order[] = {3, 7, 1, 4, 2, 5, 0, 6};
    set_init(&s, 10);
    for (uint32_t i = 0; i < 8; i++)
        thing(&s, i, at[i]);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pop(&s, INT64_MAX - 1)->id, order[i]);
    assert_null(pop(&s, INT64_MAX - 1));
    arena_free(&s.arena);
}

TEST(wheel, timers_of_one_millisecond_come_in_the_order_they_were_armed)
{
    struct set s;
    set_init(&s, 0);
    for (uint32_t i = 0; i < 100; i++)
        thing(&s, i, 12345);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(pop(&s, 20000)->id, i);
    arena_free(&s.arena);
}

TEST(wheel, nothing_comes_early)
{
    struct set s;
    set_init(&s, 999);
    thing(&s, 1, 123456);
    for (int64_t now = 999; now < 123456; now++)
        assert_null(pop(&s, now));
    assert_int_equal(pop(&s, 123456)->id, 1);
    arena_free(&s.arena);
}

TEST(wheel, next_is_never_after_a_deadline)
{
    struct set s;
    set_init(&s, 0);
    assert_int_equal(wheel_next(&s.wheel), WHEEL_NEVER);
    thing(&s, 1, 100000);
    int wakes = 0;
    for (int64_t now = wheel_next(&s.wheel); pop(&s, now) == NULL; now = wheel_next(&s.wheel)) {
        assert_true(now <= 100000);
        wakes++;
    }
    assert_true(wakes <= WHEEL_LEVELS); /* one a level at the most, however far the deadline */
    assert_int_equal(s.wheel.now, 100000);
    arena_free(&s.arena);
}

TEST(wheel, what_is_overdue_when_armed_is_due_at_once)
{
    struct set s;
    set_init(&s, 1000);
    thing(&s, 1, 5);
    assert_int_equal(wheel_next(&s.wheel), 1000);
    assert_int_equal(pop(&s, 1000)->id, 1);
    arena_free(&s.arena);
}

TEST(wheel, a_slot_of_many_is_paid_for_step_by_step)
{
    enum { N = 10000 };
    struct set s;
    set_init(&s, 0);
    for (uint32_t i = 0; i < N; i++)
        thing(&s, i, 300000 + i % 64); /* two levels up */
    int popped = 0, calls = 0;
    while (popped < N) {
        int budget = 100, before = budget;
        while (wheel_pop(&s.wheel, 400000, &budget)) {
            assert_true(budget < before);
            before = budget;
            popped++;
        }
        assert_in_range(budget, 0, 100);
        calls++;
        assert_true(calls < 10 * N);
    }
    assert_true(calls >= N / 100);
    arena_free(&s.arena);
}

TEST(wheel, a_timer_can_be_disarmed_while_its_slot_moves_down)
{
    enum { N = 200 };
    struct set s;
    struct thing *t[N];
    set_init(&s, 0);
    for (uint32_t i = 0; i < N; i++)
        t[i] = thing(&s, i, 5000 + i % 10);
    int budget = 50; /* some have moved, some have not */
    assert_null(wheel_pop(&s.wheel, 6000, &budget));
    for (uint32_t i = 0; i < N; i += 2)
        wheel_disarm(&s.wheel, t[i]);
    int left = 0;
    for (struct thing *p; (p = pop(&s, 6000)); left++)
        assert_int_equal(p->id % 2, 1);
    assert_int_equal(left, N / 2);
    arena_free(&s.arena);
}

/* The model: an array, searched. */
enum { THINGS = 400 };

struct model {
    struct thing *t[THINGS];
    int64_t at[THINGS];
};

static int64_t some_deadline(uint64_t *random, int64_t now)
{
    int bits = (int)random_below(random, 40);
    return now - 5 + (int64_t)random_below(random, (UINT64_C(1) << bits) + 1);
}

static void model_step(struct set *s, struct model *m, uint64_t *random, int64_t now)
{
    size_t i = random_below(random, THINGS);
    switch (random_below(random, 4)) {
    case 0:
    case 1:
        wheel_disarm(&s->wheel, m->t[i]);
        m->at[i] = some_deadline(random, now);
        wheel_arm(&s->wheel, m->t[i], m->at[i]);
        break;
    case 2:
        wheel_disarm(&s->wheel, m->t[i]);
        m->at[i] = WHEEL_NEVER;
        break;
    default: { /* it moves in memory */
        struct thing *copy = arena_new(&s->arena, sizeof *copy);
        *copy = *m->t[i];
        arena_drop(&s->arena, m->t[i]);
        m->t[i] = copy;
        wheel_moved(&s->wheel, copy);
    }
    }
}

static void check_due(struct set *s, struct model *m, int64_t now)
{
    int64_t last = INT64_MIN, soonest = WHEEL_NEVER;
    for (struct thing *p; (p = pop(s, now));) {
        int64_t at = m->at[p->id];
        assert_ptr_equal(p, m->t[p->id]);
        assert_true(at <= now);
        if (at > last)
            last = at;
        m->at[p->id] = WHEEL_NEVER;
    }
    for (size_t i = 0; i < THINGS; i++) {
        assert_true(m->at[i] > now);
        if (m->at[i] < soonest)
            soonest = m->at[i];
    }
    assert_true(wheel_next(&s->wheel) <= soonest);
}

TEST(wheel, agrees_with_a_naive_model)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct set s;
        struct model m;
        uint64_t random = seed;
        int64_t now = (int64_t)random_below(&random, 1000000);
        set_init(&s, now);
        for (uint32_t i = 0; i < THINGS; i++) {
            m.t[i] = thing(&s, i, WHEEL_NEVER);
            m.at[i] = WHEEL_NEVER;
        }
        for (int step = 0; step < 20000; step++) {
            model_step(&s, &m, &random, now);
            if (random_below(&random, 10) == 0) {
                now += (int64_t)random_below(&random, UINT64_C(1) << random_below(&random, 24));
                check_due(&s, &m, now);
            }
        }
        arena_free(&s.arena);
    }
}
