/*
 * From Lua's doubles to C integers, defined for every input: what the compiler's own conversion
 * does on x86-64, where Redis's answers come from, without its undefined cases.
 */
#ifndef SCRIPTS_LIB_NUM_H
#define SCRIPTS_LIB_NUM_H

#include <stdint.h>

#define NUM_2_63 9223372036854775808.0

/* Truncates; NaN and what does not fit give INT64_MIN. */
static inline int64_t num_to_i64(double d)
{
    return d >= -NUM_2_63 && d < NUM_2_63 ? (int64_t)d : INT64_MIN;
}

/* Truncates; a negative number wraps round. */
static inline uint64_t num_to_u64(double d)
{
    if (d >= NUM_2_63)
        return (uint64_t)num_to_i64(d - NUM_2_63) ^ UINT64_C(1) << 63;
    return (uint64_t)num_to_i64(d);
}

#endif
