/*
 * Seeded XXH3. The seed is drawn once by the shell and handed down, so that a client cannot
 * prepare keys that collide.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/bytes.h"

#include <stdint.h>

uint64_t hash_bytes(uint64_t seed, struct bytes s);

#endif
