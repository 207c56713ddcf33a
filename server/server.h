/*
 * A server: a loop, a clock, an engine and the sockets around it. A process may run several;
 * nothing is shared between them.
 */
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "base/log.h"
#include "server/clock.h"
#include "server/engine/config.h"

struct engine;
struct server;
struct session;
struct uv_loop_s;

struct server_options {
    struct config *config; /* borrowed; CONFIG SET changes it */
    const struct log *log; /* borrowed */
    const int *sockets; /* already listening, taken over; then the configuration's are not used */
    size_t nsockets;
    bool may_be_deaf; /* without a socket: for those who execute commands themselves */
    bool frozen;      /* the clock stands */
    /* A session without a socket has something to say. It is said when the turn is over. */
    void (*wake)(void *ctx, struct session *s);
    void *ctx;
};

/* It listens when this returns; NULL, after log lines, when it cannot. */
struct server *server_new(const struct server_options *o);

/* Serves until it is stopped. */
void server_run(struct server *s);

/* Ends server_run: when what was received has been answered, or at once. May be called from a
 * signal handler and from any thread. */
void server_stop(struct server *s, bool at_once);

/* Reads the certificates again, soon. May be called from a signal handler and from any thread. */
void server_reload(struct server *s);

/* After server_run. */
void server_free(struct server *s);

/* For what else the process wants to wait for (signals). Handles on it are unreferenced or closed,
 * and closed before server_free. */
struct uv_loop_s *server_loop(struct server *s);

/* For sessions without a socket, on the server's own thread. */
struct engine *server_engine(struct server *s);
void server_execute(struct server *s, struct session *session, const struct bytes *argv,
                    size_t argc);

/* The TCP port in use, 0 when there is none. */
int server_port(const struct server *s);

#endif
