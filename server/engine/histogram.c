#include "server/engine/histogram.h"

/* Values below 32 have a bucket each; above, the highest bit says which group of 16, and the four
 * bits below it which of them. */
static unsigned bucket_of(uint64_t us)
{
    if (us < 32)
        return (unsigned)us;
    unsigned high = 63u - (unsigned)__builtin_clzll(us);
    unsigned i = 16 * (high - 3) + (unsigned)(us >> (high - 4) & 15);
    return i < HISTOGRAM_BUCKETS ? i : HISTOGRAM_BUCKETS - 1;
}

/* The highest value that falls into it. */
static uint64_t highest(unsigned bucket)
{
    if (bucket < 32)
        return bucket;
    unsigned high = bucket / 16 + 3;
    return ((UINT64_C(16) + bucket % 16 + 1) << (high - 4)) - 1;
}

void histogram_add(struct histogram *h, uint64_t us)
{
    h->n++;
    h->sum += us;
    h->buckets[bucket_of(us)]++;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
    double wanted = (double)h->n * percent / 100;
    uint64_t seen = 0;
    unsigned i = 0, last = 0;
    for (; i < HISTOGRAM_BUCKETS; i++) {
        seen += h->buckets[i];
        if (h->buckets[i])
            last = i;
        if (seen && (double)seen >= wanted)
            break;
    }
    return highest(last);
}

uint64_t histogram_upto(const struct histogram *h, uint64_t us)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i <= bucket_of(us); i++)
        seen += h->buckets[i];
    return seen;
}
