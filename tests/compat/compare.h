/*
 * Are two replies the same, as far as a case cares?
 */
#ifndef TESTS_COMPAT_COMPARE_H
#define TESTS_COMPAT_COMPARE_H

#include "tests/compat/script.h"

bool compare(const struct check *check, struct bytes a, struct bytes b);

/* Sorts the elements of an aggregate by their bytes and drops repetitions, `width` elements being
 * taken as one (2 for fields with their values). Appends them to `out`, each as it came. */
void compare_collect(struct bytes elements, size_t width, struct buf *out);

#endif
