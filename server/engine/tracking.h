/*
 * Client-side caching: who has read which key, so that those who may have kept its value are told
 * when it changes.
 *
 * A tracking client either has the keys remembered that it reads, until each is invalidated once,
 * or (BCAST) names prefixes and is told of every change below them. The message goes to the client
 * itself if it speaks RESP3, or to another client that it redirects to.
 *
 * Names are remembered whatever database they are in, as Redis does.
 */
#ifndef SERVER_ENGINE_TRACKING_H
#define SERVER_ENGINE_TRACKING_H

#include "base/buf.h"
#include "base/list.h"
#include "store/dict.h"

struct call;
struct engine;
struct session;

enum tracking_option {
    TRACKING_BCAST = 1 << 0,
    TRACKING_OPTIN = 1 << 1,
    TRACKING_OPTOUT = 1 << 2,
    TRACKING_NOLOOP = 1 << 3,
    TRACKING_CACHING = 1 << 4, /* CLIENT CACHING was said of the next command */
    TRACKING_BROKEN = 1 << 5,  /* the client that it redirects to has gone */
};

/*
 * What is known of a tracking client, or of one that others redirect to: session_more.tracker. It
 * outlives the session for as long as something points to it, so that a client with many remembered
 * keys can go at once. Whether it tracks now is told by the session's SESSION_TRACKING.
 */
struct tracker {
    struct session *session; /* NULL once the client has gone */
    uint64_t id;             /* the session's */
    unsigned options;        /* enum tracking_option */
    struct tracker *redirect;
    struct list prefixes; /* of struct prefix_use, sorted */
    size_t refs;
};

/* Prefixes are compared with each other when they come and with every change from then on, so there
 * are few of them, and short ones: for one client, for all together, and bytes. */
enum { TRACKING_PREFIXES = 256, TRACKING_PREFIXES_ALL = 1024, TRACKING_PREFIX_MAX = 1024 };

/* A prefix that some BCAST client follows. */
struct prefix {
    struct list users; /* of struct prefix_use, in the order in which they came */
    size_t n;
    char text[];
};

/* That one client follows one prefix. */
struct prefix_use {
    struct list in_prefix, in_tracker;
    struct prefix *prefix;
    struct tracker *tracker;
};

struct tracking {
    struct arena *arena;
    uint64_t seed;
    size_t clients;           /* that track now */
    struct dict keys;         /* remembered names */
    struct dict readers;      /* who has read one, by name and tracker */
    struct list order;        /* remembered names, the one that was not read for longest first */
    size_t live;              /* names that were read since the last flush */
    uint32_t flushes;         /* how many there were: names from before the last are dead */
    struct prefix **prefixes; /* sorted */
    size_t nprefixes, prefixes_cap;
    struct buf changes; /* of struct change: for BCAST clients, since the last settling */
    struct buf names;   /* their names */
    bool missed;        /* there was no memory for a change */
};

void tracking_init(struct tracking *t, struct arena *a, uint64_t seed);
void tracking_free(struct tracking *t); /* after all sessions */

/* CLIENT TRACKING ON. `redirect` may be NULL. The options, `how`, have been checked against each
 * other, the prefixes against the limits; they add to those that the client has, and none at all
 * means "". */
void tracking_enable(struct session *s, unsigned how, struct session *redirect,
                     const struct bytes *prefixes, size_t n);
void tracking_disable(struct session *s);
void tracking_leave(struct session *s); /* the client has gone */

/* Never NULL: of a client that has never tracked it is an empty one. */
const struct tracker *tracker_of(const struct session *s);

/* As CLIENT GETREDIR tells it: -1 when the client does not track, 0 when it does not redirect. */
int64_t tracking_redirect_id(const struct session *s);

/* A reading command has run: its keys are remembered for the client that it ran for. */
void tracking_remember(struct call *c);

/* A client's whole command has run, so CLIENT CACHING has been used up. */
void tracking_command_done(struct session *s);

/* From the events. `by` is the client that changed the key; NULL when nobody did. */
void tracking_touch(struct engine *e, struct bytes name, const struct session *by);
void tracking_flush(struct engine *e);
void tracking_settle(struct engine *e); /* sends what BCAST clients are to be told */

#endif
