/*
 * Redis's glob patterns: `*`, `?`, `[a-z]`, `[^a]`, and backslash to take the next byte as it is.
 * Never takes more than |pattern| x |text| steps, whatever the pattern.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/bytes.h"

bool glob_match(struct bytes pattern, struct bytes text);
bool glob_imatch(struct bytes pattern, struct bytes text); /* letters folded as ASCII */

#endif
