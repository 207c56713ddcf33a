#include "store/arena.h"

#include "tests/lib/random.h"
#include "tests/lib/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(arena, an_object_leads_to_its_reference_and_back)
{
    struct arena a;
    arena_init(&a);
    static const size_t sizes[] = {1, 8, 104, 1024, 1025, 32752, 32753, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *p = arena_new(&a, sizes[i]);
        memset(p, 'x', sizes[i]);
        assert_true(arena_ref(p) >= ARENA_PAGE_UNITS);
        assert_ptr_equal(arena_at(&a, arena_ref(p)), p);
        assert_true(arena_room(p) >= sizes[i]);
        assert_int_equal((uintptr_t)p % ARENA_UNIT, 0);
    }
    arena_free(&a);
}

TEST(arena, small_sizes_waste_less_than_a_unit_and_larger_ones_a_quarter)
{
    for (size_t n = 1; n <= ARENA_SMALL; n++) {
        size_t got = arena_round(n);
        assert_true(got >= n);
        assert_true(n <= ARENA_FINE ? got - n < ARENA_UNIT : got - n <= n / 4 + ARENA_UNIT);
    }
}

TEST(arena, counts_what_is_in_use)
{
    struct arena a;
    arena_init(&a);
    char *small = arena_new(&a, 100), *large = arena_new(&a, 100000);
    size_t with_objects = a.bytes;
    assert_true(with_objects >= 100100 && with_objects < 110000);
    void *block = arena_block(&a, NULL, 5000);
    assert_true(a.bytes >= with_objects + 5000);
    block = arena_block(&a, block, 9000);
    assert_true(a.bytes >= with_objects + 9000);
    arena_block_drop(&a, block);
    assert_int_equal(a.bytes, with_objects);
    arena_drop(&a, small);
    arena_drop(&a, large);
    assert_int_equal(a.bytes, 0);
    arena_free(&a);
}

TEST(arena, a_size_that_cannot_be_had_is_refused)
{
    struct arena a;
    arena_init(&a);
    assert_null(arena_new(&a, SIZE_MAX / 2));
    assert_null(arena_new(&a, UINT32_MAX));
    assert_int_equal(a.bytes, 0);
    arena_free(&a);
}

TEST(arena, freed_space_is_used_again)
{
    struct arena a;
    arena_init(&a);
    for (int i = 0; i < 1000000; i++)
        arena_drop(&a, arena_new(&a, (size_t)(i % 500) + 1));
    assert_true(a.n < 64 * 8); /* pages: one per size class at the most, in whole chunks */
    arena_free(&a);
}

TEST(arena, a_lonely_object_that_comes_and_goes_keeps_its_page)
{
    struct arena a;
    arena_init(&a);
    void *first = arena_new(&a, 100);
    uint32_t idle = a.nidle;
    arena_drop(&a, first);
    assert_int_equal(a.nidle, idle);
    assert_ptr_equal(arena_new(&a, 100), first);
    arena_free(&a);
}

/* Objects of random sizes come and go; each keeps its own bytes. */
TEST(arena, no_object_touches_another)
{
    enum { OBJECTS = 3000, STEPS = 60000 };
    static unsigned char *object[OBJECTS];
    static size_t size[OBJECTS];
    struct arena a;
    uint64_t random = 7;
    arena_init(&a);
    memset(object, 0, sizeof object);
    for (int step = 0; step < STEPS; step++) {
        size_t i = random_below(&random, OBJECTS);
        if (object[i]) {
            for (size_t k = 0; k < size[i]; k++)
                assert_int_equal(object[i][k], i % 251);
            arena_drop(&a, object[i]);
            object[i] = NULL;
        } else {
            size[i] = random_below(&random, random_below(&random, 20) ? 300 : 50000) + 1;
            object[i] = arena_new(&a, size[i]);
            memset(object[i], (int)(i % 251), size[i]);
        }
    }
    for (size_t i = 0; i < OBJECTS; i++)
        if (object[i])
            arena_drop(&a, object[i]);
    assert_int_equal(a.bytes, 0);
    arena_free(&a);
}

static int count_mappings(void)
{
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    for (int c; (c = fgetc(f)) != EOF;)
        n += c == '\n';
    fclose(f);
    return n;
}

/* A process may have 65,530 of them, and a client could have asked for one each. */
TEST(arena, large_objects_share_mappings)
{
    enum { MANY = 1000 };
    struct arena a;
    int before = count_mappings();
    arena_init(&a);
    for (int i = 0; i < MANY; i++)
        assert_non_null(arena_new(&a, ARENA_SMALL + 1));
    assert_true(count_mappings() < before + MANY / 10);
    arena_free(&a);
    assert_true(count_mappings() < before + MANY / 10);
}
