/*
 * Output that a socket would not take, in pieces. Growing one buffer instead would be slow where it
 * matters: a thousand silent subscribers would all need a larger one at the same message.
 *
 * To get pages and to give them back is slow as well, about a millisecond for four megabytes; and a
 * client may leave hundreds of megabytes behind. So what is no longer needed is scrap, from which
 * new pieces are made, and which is given back a little at a time.
 */
#ifndef SERVER_NET_TAIL_H
#define SERVER_NET_TAIL_H

#include "base/buf.h"
#include "base/list.h"

/* So much in one buffer is not copied: it becomes a piece as it is. */
enum { TAIL_PIECE = 32 << 10, TAIL_LARGE = 256 << 10 };

struct scrap {
    struct list pieces;
};

struct tail {
    struct scrap *scrap;
    struct list pieces; /* oldest first */
    size_t size;        /* bytes of memory that it takes */
    int64_t slow_since; /* over its soft limit since then, or lingering; 0: not */
};

void scrap_init(struct scrap *s);

/* Gives back about so many bytes; false when there is nothing left. */
bool scrap_free_some(struct scrap *s, size_t n);

struct tail *tail_new(struct scrap *s);
void tail_free(struct tail *t); /* NULL is fine */

/* Both are false when memory is out, and some of it may be there then. */
bool tail_append(struct tail *t, struct bytes text);
bool tail_put(struct tail *t, struct buf *b); /* leaves it empty */

/* The oldest piece with something in it, to be consumed; NULL when all is gone. */
struct buf *tail_next(struct tail *t);

#endif
