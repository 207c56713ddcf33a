#include "scripts/pool.h"
#include "tests/lib/test.h"

#include <string.h>

enum { BLOCKS = 200 };

/* Blocks of all sizes grow and shrink; each keeps its bytes, and what is in use is what was asked.
 */
TEST(pool, blocks_keep_their_bytes)
{
    struct pool p;
    unsigned char *block[BLOCKS] = {0};
    size_t size[BLOCKS] = {0};
    uint32_t random = 1;
    pool_init(&p, SIZE_MAX);
    for (int round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        size_t i = (random >> 8) % BLOCKS, old = size[i];
        size_t want = (random >> 16) % 4 == 0 ? 0 : (random >> 4) % (round % 10 ? 600 : 5000);
        unsigned char *b = pool_resize(&p, block[i], old, want);
        assert_int_equal(b == NULL, want == 0);
        for (size_t at = 0; at < (old < want ? old : want); at++)
            assert_int_equal(b[at], (unsigned char)i);
        if (want)
            memset(b, (int)i, want);
        block[i] = b;
        size[i] = want;
    }
    size_t used = 0;
    for (size_t i = 0; i < BLOCKS; i++)
        used += (size[i] + POOL_GRAIN - 1) / POOL_GRAIN * POOL_GRAIN;
    assert_int_equal(p.used, used);
    pool_drop(&p);
    assert_int_equal(p.used, 0);
    assert_int_equal(p.held, 0);
}

TEST(pool, growing_stops_at_the_ceiling_and_shrinking_never_does)
{
    struct pool p;
    pool_init(&p, 4096);
    void *a = pool_resize(&p, NULL, 0, 4000);
    assert_non_null(a);
    assert_null(pool_resize(&p, NULL, 0, 200));
    assert_null(pool_resize(&p, a, 4000, 5000));
    assert_null(pool_resize(&p, NULL, 0, SIZE_MAX));
    p.cap = 100; /* lowered below what is in use */
    a = pool_resize(&p, a, 4000, 3000);
    assert_non_null(a);
    a = pool_resize(&p, a, 3000, 50);
    assert_non_null(a);
    assert_int_equal(p.used, 64);
    assert_null(pool_resize(&p, NULL, 0, 48));
    assert_non_null(pool_resize(&p, NULL, 0, 32));
    pool_drop(&p);
}
