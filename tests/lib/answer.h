/*
 * One reply of a RESP server, RESP2 or RESP3, as a tree. Tests that only want to know whether the
 * bytes are the same do not need it; it is for looking inside and for finding where a reply ends.
 * It shares no code with resp/: what is tested must not be what judges.
 */
#ifndef TESTS_LIB_ANSWER_H
#define TESTS_LIB_ANSWER_H

#include "base/bytes.h"

#include <stdint.h>
#include <sys/types.h>

struct answer {
    char kind;            /* the type byte: + - : $ * , # ( ! = % ~ > |; '_' for every null */
    struct bytes raw;     /* the whole reply, as it came */
    struct bytes text;    /* of a scalar: without type byte, length and line ends */
    struct answer *items; /* of an aggregate; a map of n pairs has 2n items */
    size_t n;
};

/* Bytes of the reply that `in` begins with; 0 if it is not complete, -1 if it is no reply. */
ssize_t answer_length(struct bytes in);

/* Parses a complete reply. The tree borrows `raw`; answer_free releases what it holds itself. */
bool answer_parse(struct bytes raw, struct answer *out);
void answer_free(struct answer *a);

/* Arrays, sets, maps and pushes. */
bool answer_is_aggregate(const struct answer *a);

/* The number of a `:` reply or of a text that is one. */
bool answer_int(const struct answer *a, int64_t *out);

#endif
