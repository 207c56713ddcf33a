/*
 * Which keys are locks, who holds them, and since when. A lock is recognised by what was done: a
 * key that SET NX or SETNX made, or one that a script made and left with a deadline. Neither its
 * name nor the script's text is looked at. It stays one for as long as the key lives, whoever
 * renews it.
 *
 * `hold-warn` watches some of them: one that is held for too long is logged, counted and published
 * once. Only those pay for being watched.
 */
#ifndef SERVER_ENGINE_LOCKS_H
#define SERVER_ENGINE_LOCKS_H

#include "base/buf.h"
#include "server/engine/interest.h"
#include "store/keys.h"

struct engine;
struct session;

struct locks {
    struct buf made;       /* the keys that the running script has made */
    struct interests held; /* the locks that hold-warn is still to report */
};

void locks_init(struct locks *l, uint64_t seed);
void locks_free(struct engine *e);

/* Held from now on by that client; what keys_create_lock wants to know. */
struct hold locks_hold(const struct engine *e, const struct session *s);

/* There is a new lock. */
void locks_taken(struct engine *e, struct keys *k, struct bytes name);

/* Scripts: a key was made by the running one; and it has ended, so what it left can be told. */
void locks_made(struct engine *e, const struct keys *k, struct bytes name);
void locks_recognise(struct engine *e, const struct session *s);

/* A key has gone, or another has taken its name. */
void locks_gone(struct engine *e, const struct keys *k, struct bytes name);

/* For those who list locks. All is borrowed, until the next change. */
struct lock_view {
    uint32_t db;
    struct bytes key;
    enum value_type kind;
    struct bytes holder; /* a string's value, else the first field or member */
    size_t holders;      /* how many of them there are */
    uint64_t client;     /* the id of who took it */
    bool connected;      /* is it still there? */
    const char *name, *library, *library_version; /* what it says of itself; NULL: nothing */
    int64_t age;                                  /* ms since it was taken */
    int64_t ttl;                                  /* ms left; -1: no deadline */
};

struct lock_view locks_view(const struct engine *e, const struct entry *en,
                            const struct session *s);     /* NULL: who took it has gone */
int64_t locks_age(const struct engine *e, struct hold h); /* ms */

/* A holder's name is the token that releases the lock: this much of it is shown to everybody. */
enum { LOCK_TOKEN_SHOWN = 8 };

#endif
