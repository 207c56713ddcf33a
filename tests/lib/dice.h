/*
 * Where a generator's choices come from: from a seed, for runs that go on for ever, or from bytes
 * that a fuzzer has made, so that changing a byte changes one choice.
 */
#ifndef TESTS_LIB_DICE_H
#define TESTS_LIB_DICE_H

#include "base/bytes.h"
#include "tests/lib/random.h"

#include <assert.h>

struct dice {
    struct bytes left; /* of the fuzzer's bytes, one or two for each choice */
    uint64_t state;    /* or a seed; 0: the bytes decide */
};

/* From 0 to n - 1, n not being 0; 0 for ever once the bytes are used up. */
static inline uint64_t dice_roll(struct dice *d, uint64_t n)
{
    uint64_t v = 0;
    assert(n > 0);
    if (d->state)
        return random_below(&d->state, n);
    for (uint64_t reach = 1; reach < n && d->left.n; reach <<= 8) {
        v = v << 8 | (uint8_t)d->left.p[0];
        d->left = (struct bytes){d->left.p + 1, d->left.n - 1};
    }
    return v % n;
}

/* True once in n times. */
static inline bool dice_once_in(struct dice *d, uint64_t n)
{
    return dice_roll(d, n) == n - 1;
}

static inline bool dice_over(const struct dice *d)
{
    return d->state == 0 && d->left.n == 0;
}

#endif
