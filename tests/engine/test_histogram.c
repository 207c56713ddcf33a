#include "server/engine/histogram.h"

#include "tests/lib/test.h"

#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

TEST(histogram, is_exact_where_values_are_small)
{
    struct histogram h = {0};
    for (uint64_t us = 0; us < 32; us++)
        histogram_add(&h, us);
    assert_int_equal(histogram_upto(&h, 0), 1);
    assert_int_equal(histogram_upto(&h, 15), 16);
    assert_int_equal(histogram_upto(&h, 31), 32);
    assert_int_equal(histogram_percentile(&h, 50), 15);
    assert_int_equal(histogram_percentile(&h, 100), 31);
}

TEST(histogram, knows_the_sum_of_what_it_was_told)
{
    struct histogram h = {0};
    histogram_add(&h, 1000);
    histogram_add(&h, 1001); /* the same bucket */
    assert_int_equal(h.n, 2);
    assert_int_equal(h.sum, 2001);
}

TEST(histogram, counts_beyond_what_32_bits_hold)
{
    struct histogram h = {0};
    histogram_add(&h, 7);
    h.n = h.buckets[7] = UINT32_MAX;
    histogram_add(&h, 7);
    assert_int_equal(histogram_upto(&h, 7), UINT64_C(1) << 32);
}

TEST(histogram, takes_any_value)
{
    struct histogram h = {0};
    histogram_add(&h, UINT64_MAX);
    histogram_add(&h, 1);
    assert_int_equal(histogram_upto(&h, 1), 1);
    assert_int_equal(histogram_upto(&h, UINT64_MAX), 2);
    assert_true(histogram_percentile(&h, 99) > 1000000000);
}

/* Against the values themselves, sorted. */
TEST(histogram, percentiles_are_nearly_those_of_the_values)
{
    enum { N = 5000 };
    static uint64_t values[N];
    struct histogram h = {0};
    uint64_t random = 7;
    for (int i = 0; i < N; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        values[i] = (random >> 33) % (UINT64_C(1) << (4 + (random >> 60)));
        histogram_add(&h, values[i]);
    }
    qsort(values, N, sizeof *values, by_size);
    for (int percent = 1; percent <= 100; percent++) {
        uint64_t exact = values[N / 100 * percent - 1];
        uint64_t told = histogram_percentile(&h, percent);
        assert_in_range(told, exact, exact + exact / 15 + 1);
    }
}
