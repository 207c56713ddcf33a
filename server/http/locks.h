/*
 * The locks of all databases as JSON: key, kind, holder, TTL, age, client. A holder's name is the
 * token that releases the lock, so only its beginning is shown.
 */
#ifndef SERVER_HTTP_LOCKS_H
#define SERVER_HTTP_LOCKS_H

#include "server/engine/engine.h"

enum { HTTP_LOCKS_MAX = 1000 }; /* the oldest; `total` says how many there are */

void http_locks_print(struct engine *e, struct buf *out);

#endif
