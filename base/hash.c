#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(uint64_t seed, struct bytes s)
{
    return XXH3_64bits_withSeed(s.p, s.n, seed);
}
