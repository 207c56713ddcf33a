/* The clock on a machine whose time is a number. */
#include "server/clock.h"

#include "tests/lib/test.h"

/* The clock comes first, so that its functions find the rest. */
struct machine {
    struct clock clock;
    int64_t us, wall_us;
};

static int64_t us(const struct clock *c)
{
    return ((const struct machine *)c)->us;
}

static int64_t wall_us(const struct clock *c)
{
    return ((const struct machine *)c)->wall_us;
}

static struct machine machine(void)
{
    return (struct machine){
        .clock = {.us = us, .wall_us = wall_us}, .us = 5000000, .wall_us = 1700000005000000};
}

static void pass(struct machine *m, int64_t ms)
{
    m->us += ms * 1000;
    m->wall_us += ms * 1000;
}

static int64_t wall(struct machine *m)
{
    return clock_wall_us(&m->clock, clock_us(&m->clock)) / 1000;
}

TEST(clock, runs_with_the_machine)
{
    struct machine m = machine();
    assert_int_equal(clock_ms(&m.clock), 5000);
    assert_int_equal(wall(&m), 1700000005000);
    pass(&m, 10);
    assert_int_equal(clock_ms(&m.clock), 5010);
    assert_int_equal(wall(&m), 1700000005010);
    assert_int_equal(clock_until(&m.clock, 5030), 20);
    assert_int_equal(clock_until(&m.clock, 5000), 0);
}

TEST(clock, moves_ahead_and_runs_on)
{
    struct machine m = machine();
    clock_move(&m.clock, 30000);
    pass(&m, 10);
    assert_int_equal(clock_ms(&m.clock), 35010);
    assert_int_equal(wall(&m), 1700000035010);
    assert_int_equal(clock_until(&m.clock, 35030), 20);
    assert_int_equal(clock_real_ms(&m.clock), 5010);
}

TEST(clock, stands_still_until_it_is_let_go)
{
    struct machine m = machine();
    clock_freeze(&m.clock);
    pass(&m, 1000);
    assert_int_equal(clock_ms(&m.clock), 5000);
    assert_int_equal(wall(&m), 1700000005000);
    assert_int_equal(clock_until(&m.clock, 5030), -1);
    assert_int_equal(clock_until(&m.clock, 5000), 0);
    assert_int_equal(clock_real_ms(&m.clock), 6000);
    clock_freeze(&m.clock);
    clock_move(&m.clock, 7);
    assert_int_equal(clock_ms(&m.clock), 5007);
    assert_int_equal(wall(&m), 1700000005007);
    clock_thaw(&m.clock);
    assert_int_equal(clock_ms(&m.clock), 5007);
    pass(&m, 3);
    assert_int_equal(clock_ms(&m.clock), 5010);
    assert_int_equal(wall(&m), 1700000005010);
    clock_thaw(&m.clock);
    assert_int_equal(clock_ms(&m.clock), 5010);
}

TEST(clock, never_goes_back)
{
    struct machine m = machine();
    clock_freeze(&m.clock);
    m.us += 1500;
    m.wall_us += 1500;
    int64_t stood = clock_us(&m.clock);
    clock_thaw(&m.clock);
    assert_in_range(clock_us(&m.clock), stood, stood + 999);
    clock_move(&m.clock, 100);
    int64_t before = clock_us(&m.clock);
    clock_reset(&m.clock);
    assert_in_range(clock_us(&m.clock), before, before);
}

TEST(clock, shows_the_machines_wall_time_again_after_a_reset)
{
    struct machine m = machine();
    clock_move(&m.clock, 30000);
    clock_freeze(&m.clock);
    pass(&m, 50);
    clock_reset(&m.clock);
    assert_int_equal(wall(&m), 1700000005050);
    pass(&m, 10);
    assert_int_equal(wall(&m), 1700000005060);
    assert_int_equal(clock_ms(&m.clock), 35010);
}
