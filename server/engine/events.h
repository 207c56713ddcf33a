/*
 * The one place that hears of every change to a key and passes it on, in a fixed order. Nothing
 * else needs to be told, and nothing can be forgotten.
 */
#ifndef SERVER_ENGINE_EVENTS_H
#define SERVER_ENGINE_EVENTS_H

#include "store/keys.h"

struct engine;

/* A keys_event_fn; ctx is the engine. */
void events_raise(void *ctx, struct keys *k, struct bytes name, enum key_event ev);

/* A whole database is about to be emptied; NULL: all of them. */
void events_flush(struct engine *e, struct keys *k);

/* After each command, script or transaction: serve those who were woken by it. */
void events_settle(struct engine *e);

#endif
