/* The stopwatch on a machine whose clock and counter are numbers. */
#include "server/stopwatch.h"

#include "tests/lib/test.h"

enum { TICKS_PER_US = 2000 };

struct machine {
    struct clock clock; /* comes first, so that its function finds the rest */
    int64_t us;
    int asked;
};

static int64_t us(const struct clock *c)
{
    struct machine *m = (struct machine *)c;
    m->asked++;
    return m->us;
}

static uint64_t counter; /* a counter has no argument to keep it in */

static uint64_t ticks(void)
{
    return counter;
}

static void pass(struct machine *m, int64_t time)
{
    m->us += time;
    counter += (uint64_t)time * TICKS_PER_US;
}

static struct machine machine(void)
{
    counter = 1000;
    return (struct machine){.clock = {.us = us}, .us = 5000000};
}

TEST(stopwatch, asks_the_clock_seldom)
{
    struct machine m = machine();
    struct stopwatch w = {.ticks = ticks};
    for (int i = 0; i < 10000; i++) { /* 100 ms */
        pass(&m, 10);
        assert_in_range(stopwatch_us(&w, &m.clock), m.us - 1, m.us);
    }
    assert_in_range(m.asked, 50, 150);
}

TEST(stopwatch, is_right_again_after_a_counter_has_jumped)
{
    struct machine m = machine();
    struct stopwatch w = {.ticks = ticks};
    for (int i = 0; i < 10; i++) {
        pass(&m, 1000);
        stopwatch_us(&w, &m.clock);
    }
    counter = 1; /* another processor's, which was started later */
    for (int i = 0; i < 10; i++) {
        pass(&m, 1000);
        assert_in_range(stopwatch_us(&w, &m.clock), m.us - 1, m.us);
    }
}

TEST(stopwatch, is_the_clock_where_there_is_no_counter)
{
    struct machine m = machine();
    struct stopwatch w = {.ticks = NULL};
    assert_int_equal(stopwatch_us(&w, &m.clock), 5000000);
    m.us += 3;
    assert_int_equal(stopwatch_us(&w, &m.clock), 5000003);
}

TEST(stopwatch, knows_this_machine)
{
    struct clock c;
    struct stopwatch w;
    clock_init(&c);
    stopwatch_init(&w);
    int64_t began = clock_real_us(&c);
    for (int i = 0; i < 1000000; i++) {
        int64_t before = clock_real_us(&c), read = stopwatch_us(&w, &c);
        if (i > 500000) /* a processor that was taken away in between is no fault of ours */
            assert_true(read > before - 2000);
    }
    assert_true(stopwatch_us(&w, &c) > began);
}
