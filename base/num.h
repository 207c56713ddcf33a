/*
 * Numbers to text and back, exactly as Redis reads and prints them.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/bytes.h"

#include <stdint.h>

#define NUM_I64_MAX 21 /* bytes that the longest int64 takes, and one more */
#define NUM_F64_MAX 32
#define NUM_LD_MAX  5120 /* the longest long double without an exponent: 4933 digits and a tail */

/* Strict: digits with an optional minus sign; no plus, no leading zero, no space, no "-0". */
bool num_parse_i64(struct bytes s, int64_t *out);

/* As C reads them ("1e3", "0x10", "inf", "-Infinity"), but no leading space, never NaN, and
 * shorter than NUM_LD_MAX bytes. */
bool num_parse_f64(struct bytes s, double *out);
bool num_parse_ld(struct bytes s, long double *out);

/* All return the number of bytes written; nothing is NUL-terminated. */
size_t num_format_i64(char out[NUM_I64_MAX], int64_t v);

/* The shortest text that reads back as `v`; integers up to 2^53 and beyond without an exponent,
 * "inf", "-inf", "nan", "-0". This is how scores are printed. */
size_t num_format_f64(char out[NUM_F64_MAX], double v);

/* Seventeen decimals at the most, trailing zeros removed: how INCRBYFLOAT prints. */
size_t num_format_ld(char out[NUM_LD_MAX], long double v);

#endif
