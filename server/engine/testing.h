/*
 * What a test suite may do to the server, under --test: move its time, break it on purpose
 * (faults.h), wait for what other clients do, and begin afresh. The rest of the engine knows only
 * that engine->testing is there or not.
 *
 * Time has two lines here. Keys, waits and pauses live on the engine's, which is moved. What
 * promises something to the person who runs the tests (the DELAY of a fault, the TIMEOUT of
 * TEST.AWAIT) lives on the machine's, also while the other stands still.
 */
#ifndef SERVER_ENGINE_TESTING_H
#define SERVER_ENGINE_TESTING_H

#include "server/engine/alarms.h"
#include "server/engine/faults.h"

struct call;
struct engine;

struct testing {
    struct alarms real;    /* on the machine's time */
    int64_t rings;         /* when testing_ring was asked for; WHEEL_NEVER: not */
    struct list awaiting;  /* clients in TEST.AWAIT */
    struct list delayed;   /* clients whose command a fault holds back */
    struct list swallowed; /* clients that are never answered again */
    struct faults faults;
};

struct testing *testing_new(int64_t real_now);
void testing_free(struct testing *t); /* after all sessions; NULL is harmless */

/* Lets time pass: from deadline to deadline, each at its own moment. */
void testing_walk(struct engine *e, int64_t ms);

/* As a server that has just been started, but for its configuration and for what clients say once,
 * when they connect. */
void testing_reset(struct engine *e);

/* A moment `ms` from now on the machine's time; testing_ring will be called then. */
int64_t testing_real_deadline(struct engine *e, int64_t ms);

/* The machine's time has come to what was asked for. */
void testing_ring(struct engine *e);

/* After each command: are those in TEST.AWAIT there yet? */
void testing_settle(struct engine *e);

/* A client has gone, which may be what somebody waits for. */
void testing_left(struct engine *e);

#endif
