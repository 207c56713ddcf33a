/* The interpreter's heap when there is no memory under it. */
#include "scripts/pool.h"
#include "tests/faults/failing.h"
#include "tests/lib/test.h"

#include <stdint.h>
#include <string.h>

enum { CEILING = 1 << 20, LARGE = 2 * POOL_SMALL };

TEST(pool, below_its_ceiling_memory_may_be_out)
{
    struct pool p;
    pool_init(&p, CEILING);
    failing_arm(0);
    assert_null(pool_resize(&p, NULL, 0, 16));
    failing_arm(0);
    assert_null(pool_resize(&p, NULL, 0, LARGE));
    assert_true(failing_disarm());
    assert_int_equal(p.used, 0);
    assert_non_null(pool_resize(&p, NULL, 0, 16));
    pool_drop(&p);
}

TEST(pool, shrinking_works_without_memory)
{
    struct pool p;
    pool_init(&p, CEILING);
    char *block = pool_resize(&p, NULL, 0, LARGE);
    assert_non_null(block);
    memset(block, 'x', LARGE);
    failing_arm(0);
    block = pool_resize(&p, block, LARGE, 32);
    assert_true(failing_disarm());
    assert_non_null(block);
    assert_memory_equal(block, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", 32);
    assert_int_equal(p.used, 32);
    pool_resize(&p, block, 32, 0);
    assert_int_equal(p.used, 0);
    pool_drop(&p);
}

TEST(pool, without_a_ceiling_nothing_may_fail)
{
    struct pool p;
    pool_init(&p, SIZE_MAX);
    failing_arm(0);
    assert_non_null(pool_resize(&p, NULL, 0, 16));
    assert_non_null(pool_resize(&p, NULL, 0, LARGE));
    assert_false(failing_disarm()); /* nothing that may fail was asked for */
    pool_drop(&p);
}
