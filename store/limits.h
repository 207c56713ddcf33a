/*
 * Up to which size a Redis would keep a container in its compact encoding. Our own forms change at
 * other sizes and nobody sees it; but OBJECT ENCODING and the SCAN family show what Redis would
 * have done. Each container's `_grade` function, called after an edit, compares and keeps the
 * answer in the entry's flags.
 */
#ifndef STORE_LIMITS_H
#define STORE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

struct value_limits {
    size_t hash_entries, hash_value;
    size_t zset_entries, zset_value;
    size_t set_entries, set_value, set_integers;
    int64_t list_size; /* a count; -1 to -5, and whatever is below: 4 KB, 8 KB, up to 64 KB */
};

#endif
