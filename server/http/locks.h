/*
 * The locks of all databases as JSON: key, kind, holder, TTL, age, client. A holder's name is the
 * token that releases the lock, so only its beginning is shown.
 */
#ifndef SERVER_HTTP_LOCKS_H
#define SERVER_HTTP_LOCKS_H

#include "server/engine/lock_search.h"

void http_locks_print(const struct lock_search *search, struct buf *out);

#endif
