/*
 * Clients that wait: for a key (BLPOP), for time to pass (WAIT), or for a pause to end.
 *
 * A blocking handler looks whether it can answer; if it cannot, it says call_wait and returns. The
 * engine keeps a copy of the command, and when one of the keys may have come the same handler is
 * simply run again. So there is no second implementation of any command.
 *
 * Those who wait for a key are served first come first, and only after the whole command, script or
 * transaction that brought it.
 */
#ifndef SERVER_ENGINE_WAITERS_H
#define SERVER_ENGINE_WAITERS_H

#include "server/engine/interest.h"
#include "store/keys.h"

struct alarms;
struct call;
struct engine;
struct session;

struct waiters {
    struct interests keys;
    struct list ready;      /* keys that were signalled and have waiters */
    struct list postponed;  /* sessions whose command waits for a pause to end, in order */
    struct list unfinished; /* sessions whose command goes on in another turn */
    size_t blocked;         /* sessions that wait, postponed and unfinished ones included */
    bool serving;
};

void waiters_init(struct waiters *w, uint64_t seed);
void waiters_free(struct waiters *w);

/*
 * For handlers. True: the client waits now (or goes on waiting, or was told that memory is out),
 * and the handler returns without a reply. False: it cannot wait, because it is in a script or
 * transaction or because its time is up, and the handler answers as after a timeout. Keys are
 * argv[first_key..first_key + nkeys) and are waited for as values of `type`; `deadline` counts the
 * first time only.
 */
bool call_wait(struct call *c, size_t first_key, size_t nkeys, enum value_type type,
               int64_t deadline);

/* The same for something else than a key: the client stands in `queue`, a list of the caller's,
 * whose commands waiters_try_again runs once more; its time is up at `deadline` of `alarms`. */
bool call_wait_on(struct call *c, struct list *queue, struct alarms *alarms, int64_t deadline);
void waiters_try_again(struct list *queue);

/* For a handler that has done a part of its work, the rest of which would keep others waiting.
 * True: it returns now and is run again (CALL_RETRY) in another turn, before anything else that its
 * client has sent. False: it cannot be, in a script or transaction or without memory, and does it
 * all now.
 */
bool call_go_on_later(struct call *c);

/* Runs one of them; true when there are more to run. */
bool waiters_go_on(struct engine *e);

/* Timeouts of blocking commands: seconds with a fraction, or milliseconds; 0 is for ever. */
bool call_timeout_s(struct call *c, size_t i, int64_t *deadline);
bool call_timeout_ms(struct call *c, size_t i, int64_t *deadline);

/* The call is put off as it is; waiters_resume runs all such calls, in the order they came. */
void waiters_postpone(struct call *c);
void waiters_resume(struct engine *e);

/* The same, but it is run at that moment of `alarms`, or never; until then it stands in `queue`. */
void waiters_postpone_until(struct call *c, struct list *queue, struct alarms *alarms, int64_t at);

/* A key may have come into being: from events_raise. Cheap when nobody waits. */
void waiters_signal(struct engine *e, struct keys *k, struct bytes name);

/* Runs those who wait for the keys signalled since. */
void waiters_serve(struct engine *e);

/* CLIENT UNBLOCK: as after its timeout, or with an error. False when it does not wait for a key or
 * for time. */
bool waiters_unblock(struct session *s, bool with_error);

/* How many wait for that key. */
size_t waiters_count(struct engine *e, const struct keys *k, struct bytes name);

void waiters_drop(struct session *s); /* harmless when it does not wait */

#endif
