/*
 * The shell inside a test: sockets are real, time is a number, and the loop turns when it is told
 * to. So what one turn does, and whether the loop would then wait, can be looked at.
 */
#ifndef TESTS_LIB_SHELL_H
#define TESTS_LIB_SHELL_H

#include "server/net/net.h"
#include "tests/lib/client.h"

struct shell {
    uv_loop_t loop;
    struct config config;
    struct log log;
    struct buf lines; /* what was logged */
    struct engine *engine;
    struct net net;
    size_t most; /* bytes of output that waited when the engine said that it is crowded */
    int64_t now;
    int64_t cost;                       /* ms that pass with every command */
    int64_t running_ms;                 /* how long a script thinks it has been running */
    void (*meanwhile)(struct shell *s); /* called while it does, after others were served */
    void *arg;                          /* for that */
    char dir[40];
    char path[64]; /* of the unix socket */
};

/* Listens on a unix socket; `settings` are option, value, ... and NULL, and may be NULL. */
struct shell *shell_new(const char *const *settings);
void shell_free(struct shell *s);

/* The same without listening yet. */
struct shell *shell_new_deaf(const char *const *settings);

/* One turn, without waiting. */
void shell_turn(struct shell *s);

/* Turns until the loop would wait. */
void shell_rest(struct shell *s);

/* Milliseconds that the loop would wait when nothing happens; -1: for ever. */
int shell_would_wait(const struct shell *s);

/* Time passes. */
void shell_later(struct shell *s, int64_t ms);

struct client shell_dial(struct shell *s);

/* Sends it and comes to rest; the reply must be exactly that. */
void shell_ask(struct shell *s, struct client *c, const char *line, const char *reply);

/* The next reply, which has arrived already, is exactly this. */
void shell_hears(struct client *c, const char *reply);

/* The server has closed it, and nothing is left to read. */
bool shell_closed(struct client *c);

/* The most recent session. */
struct session *shell_session(const struct shell *s);

/* Was a line with that text logged? */
bool shell_logged(const struct shell *s, const char *text);

#endif
