/*
 * The decimal digits of a double: few, and always enough to read the same double back.
 */
#ifndef BASE_GRISU_H
#define BASE_GRISU_H

#include <stddef.h>

#define GRISU_MAX 18 /* digits at the most */

/* `v` is finite and above zero; it is `digits` x 10^scale. Returns the number of digits. */
size_t grisu_digits(double v, char digits[GRISU_MAX], int *scale);

#endif
