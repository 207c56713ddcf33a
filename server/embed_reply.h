/* A struct latch_reply from the bytes that a session was answered with. */
#ifndef SERVER_EMBED_REPLY_H
#define SERVER_EMBED_REPLY_H

#include "base/buf.h"
#include "include/latch/latch.h"

/* The first value in `bytes`, which are RESP3 of our own and are taken over. */
struct latch_reply *embed_reply_new(struct buf *bytes);

#endif
