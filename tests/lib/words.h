/*
 * A line split into words by Redis's quoting rules, for tests that write commands as text.
 */
#ifndef TESTS_LIB_WORDS_H
#define TESTS_LIB_WORDS_H

#include "base/buf.h"

struct words {
    struct bytes *word;
    size_t n;
    struct buf text; /* what the words point into */
};

/* False when the quotes do not balance. */
bool words_split(struct words *w, struct bytes line);
void words_free(struct words *w);

#endif
