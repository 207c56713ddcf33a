/*
 * Output that a socket would not take, in pieces as they came. Growing one buffer instead would be
 * slow where it matters: a thousand silent subscribers would all need a larger one at the same
 * message.
 */
#ifndef SERVER_NET_TAIL_H
#define SERVER_NET_TAIL_H

#include "base/buf.h"
#include "base/list.h"

/* Less than this is not worth a piece, if there is one already. */
enum { TAIL_PIECE = 64 << 10 };

struct tail {
    struct list pieces; /* oldest first */
    size_t size;        /* bytes of memory that it takes */
    int64_t slow_since; /* over its soft limit since then, or lingering; 0: not */
};

struct tail *tail_new(void);
void tail_free(struct tail *t); /* NULL is fine */

/* Takes the buffer, and leaves an empty one. */
void tail_put(struct tail *t, struct buf *b);

/* The oldest piece with something in it, to be consumed; NULL when all is gone. */
struct buf *tail_next(struct tail *t);

#endif
