/*
 * Which servers a case speaks of. A Valkey names two versions: the Redis that it continues and its
 * own; a range may ask for either.
 */
#ifndef TESTS_COMPAT_VERSION_H
#define TESTS_COMPAT_VERSION_H

#include "base/bytes.h"

struct version {
    int redis;   /* major * 100 + minor */
    int valkey;  /* 0: none */
    bool latchd; /* ours: has all that is written out, whatever version it reports */
};

struct version_range {
    int since_redis, since_valkey; /* either suffices; 0: not asked */
    int until_redis;               /* 0: no end */
};

/* Reads "7.2" or "valkey 8.1" into the range. */
bool version_since(struct version_range *r, struct bytes text);
bool version_until(struct version_range *r, struct bytes text);

bool version_holds(const struct version_range *r, const struct version *v);

/* From the text of INFO server. */
struct version version_of_info(struct bytes info);

#endif
