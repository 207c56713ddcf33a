/*
 * A sink that records typed values in the order they were said: for scripts, for transactions, for
 * embedding programs and for tests. A tape may be played into another sink as if the values were
 * said again. How much there is to record is for clients to choose: when memory is out, or there is
 * more than `most`, the tape says so with `reply.lost`, and what is on it is of no use.
 */
#ifndef RESP_TAPE_H
#define RESP_TAPE_H

#include "base/buf.h"
#include "resp/reply.h"

enum tape_kind {
    TAPE_STATUS,
    TAPE_ERROR,
    TAPE_INT,
    TAPE_REAL,
    TAPE_BOOL,
    TAPE_BULK,
    TAPE_VERBATIM, /* its format: tape_format */
    TAPE_BIGNUM,
    TAPE_NULL,
    TAPE_NULL_ARRAY,
    TAPE_ARRAY,
    TAPE_MAP, /* len is in pairs */
    TAPE_SET,
    TAPE_PUSH,
};

struct tape_node {
    enum tape_kind kind;
    uint32_t len; /* of an aggregate: elements; of a text: bytes */
    union {
        int64_t i;
        double f;
        bool b;
        size_t at; /* where the text begins in `text` */
    };
};

struct tape {
    struct reply reply; /* first, so that a tape is a reply */
    struct tape_node *nodes;
    size_t n, cap;
    struct buf text;
    size_t most; /* bytes of text, and again of nodes; any number at first */
};

void tape_init(struct tape *t);
void tape_reset(struct tape *t); /* empty it, keep a moderate amount of memory */
void tape_play(const struct tape *t, struct reply *to);
void tape_free(struct tape *t);

static inline struct bytes tape_text(const struct tape *t, const struct tape_node *n)
{
    return (struct bytes){t->text.p + n->at, n->len};
}

/* The three bytes that name a verbatim text's format ("txt"); they stand right before the text. */
static inline const char *tape_format(const struct tape *t, const struct tape_node *n)
{
    return t->text.p + n->at - 3;
}

#endif
