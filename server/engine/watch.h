/*
 * WATCH: a session's transaction fails when a key that it watches is changed first, by whomever: a
 * client, a script, or the passing of time.
 *
 * A change marks the sessions that watch the key and takes them off its list, since one mark is
 * enough. So however many watch however many keys, each watch costs a constant; and all of a
 * session are given up as one.
 */
#ifndef SERVER_ENGINE_WATCH_H
#define SERVER_ENGINE_WATCH_H

#include "server/engine/interest.h"
#include "store/keys.h"

struct engine;
struct session;

struct watches {
    struct interests keys;
    struct arena arena;
    struct dict pairs; /* of session and key, so that watching twice is noticed at once */
};

void watches_init(struct watches *w, uint64_t seed);
void watches_free(struct watches *w);

/* False when memory is out. */
bool watch_add(struct session *s, struct keys *k, struct bytes name);
void watch_clear(struct session *s); /* UNWATCH, EXEC, DISCARD */

size_t watch_count(const struct session *s);

/* Has any watched key changed? Looks at deadlines too, so that a key which is due but not yet
 * removed counts. */
bool watch_broken(struct session *s);

/* From the events: a key has changed; a database (NULL: each of them) is about to be emptied. */
void watch_touch(struct engine *e, struct keys *k, struct bytes name);
void watch_flush(struct engine *e, struct keys *k);

#endif
