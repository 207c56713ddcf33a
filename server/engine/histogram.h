/*
 * How often which duration was seen. Buckets grow with what they count: 16 to each doubling, so a
 * value read back is at most about 6 % off, and all of 1 us to an hour fits in 4 KB.
 */
#ifndef SERVER_ENGINE_HISTOGRAM_H
#define SERVER_ENGINE_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BUCKETS = 16 * 29 };

struct histogram {
    uint64_t n, sum; /* of the values themselves: these two are exact */
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

void histogram_add(struct histogram *h, uint64_t us);

/* The value that `percent` of all are not above. */
uint64_t histogram_percentile(const struct histogram *h, double percent);

/* How many were not above `us`, or not above what shares its bucket. */
uint64_t histogram_upto(const struct histogram *h, uint64_t us);

#endif
