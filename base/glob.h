/*
 * Redis's glob patterns: `*`, `?`, `[a-z]`, `[^a]`, and backslash to take the next byte as it is.
 * A match takes at most |pattern| x |text| steps and no more than `glob_steps(text)`: a pattern
 * that would need more does not match.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include "base/bytes.h"

bool glob_match(struct bytes pattern, struct bytes text);
bool glob_imatch(struct bytes pattern, struct bytes text); /* letters folded as ASCII */

/* What any match with `text` may take. */
size_t glob_steps(struct bytes text);

/* The same with other means: takes the steps that it needs from `*steps`. */
bool glob_match_within(struct bytes pattern, struct bytes text, size_t *steps);

#endif
