/*
 * The connected clients: finding one, telling what kind it is, and printing what is known of it.
 */
#ifndef SERVER_ENGINE_ROSTER_H
#define SERVER_ENGINE_ROSTER_H

#include "server/engine/engine.h"

/* Walks over the sessions that are clients; one that was killed is none any more. The body must not
 * free the session it looks at. */
#define roster_each(e, s)                                                                          \
    for (struct session *s = roster_next((e), NULL); s; s = roster_next((e), s))

/* The client after `s`, the first for NULL; NULL at the end. */
struct session *roster_next(const struct engine *e, const struct session *s);

/* The client of that id, or NULL. */
struct session *roster_find(const struct engine *e, uint64_t id);

/* The class of that name ("normal", "replica", "slave", "pubsub", "master"); false when there is
 * none. Nobody is a replica or a master here, but both may be asked for. */
enum roster_kind { ROSTER_NORMAL, ROSTER_REPLICA, ROSTER_PUBSUB, ROSTER_MASTER };
bool roster_kind_named(struct bytes name, enum roster_kind *out);
enum roster_kind roster_kind(const struct session *s);

/* What the socket's owner knows; zeros and empty texts when there is no socket. */
void roster_facts(const struct session *s, struct session_facts *out);
void roster_measure(const struct session *s, struct session_facts *out); /* no addresses: cheaper */

/* Bytes that the session and its connection take. */
size_t roster_memory(const struct session *s, const struct session_facts *f);

/* Appends the line of CLIENT LIST, without its newline. */
void roster_print(const struct session *s, struct buf *out);

#endif
