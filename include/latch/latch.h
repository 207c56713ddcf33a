/*
 * liblatch: a lock server inside your own process, for tests.
 *
 *     struct latch *server = latch_start(NULL, NULL, 0);     // on a free port of this machine
 *     connect_my_client("127.0.0.1", latch_port(server));
 *     latch_advance(server, 30001);                          // thirty seconds later
 *     latch_stop(server);
 *
 * Each server has a thread of its own and shares nothing with others; there may be any number.
 * Every function may be called from any thread. Nothing here touches signals, the environment, the
 * locale or the current directory of the process, or ends it. docs/embedding.md has a whole test.
 */
#ifndef LATCH_LATCH_H
#define LATCH_LATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LATCH_API      __attribute__((visibility("default")))
#define LATCH_SENTINEL __attribute__((sentinel))
#else
#define LATCH_API
#define LATCH_SENTINEL
#endif

struct latch;        /* a server */
struct latch_client; /* a client of it that needs no socket */
struct latch_reply;  /* what a command answered */

/* Starting and stopping. */

#define LATCH_PORT_AUTO (-1) /* any free port */

enum latch_level { LATCH_DEBUG, LATCH_VERBOSE, LATCH_NOTICE, LATCH_WARNING };

/* A line of the log, without a newline. It is called on the server's thread, and must not call the
 * server in turn: that would wait for itself. */
typedef void latch_log_fn(void *ctx, enum latch_level level, const char *line);

/*
 * Begin with LATCH_OPTIONS, and what you leave out has its default; so a program that was built
 * with an older header goes on working:
 *
 *     struct latch_options o = {LATCH_OPTIONS, .port = LATCH_PORT_AUTO};
 */
struct latch_options {
    size_t size;                 /* of this struct */
    int port;                    /* TCP, on loopback unless `bind` says otherwise; 0: none */
    const char *unix_socket;     /* its path; NULL: none */
    const char *const *settings; /* options of latchd: name, value, name, value, ..., NULL */
    latch_log_fn *log;           /* NULL: the log is dropped */
    void *log_ctx;
    bool frozen; /* the clock stands from the beginning */
};

#define LATCH_OPTIONS .size = sizeof(struct latch_options)

/* It accepts clients when this returns. NULL, and a reason in `error` if there is room, when it
 * cannot. Without options it takes a free port. Without any socket it serves latch_run alone. */
LATCH_API struct latch *latch_start(const struct latch_options *options, char *error, size_t size);

/* Closes all connections and frees everything, its clients included. Calls that are under way on
 * other threads end with NULL first; later ones are yours to prevent. NULL is harmless. */
LATCH_API void latch_stop(struct latch *l);

/* The TCP port, 0 when there is none. */
LATCH_API int latch_port(const struct latch *l);

/* Time. Each is false when the server was told to do without (`test no`) or has been shut down. */

/* Lets it pass: leases end, waits time out, in their order, before this returns. A lease is still
 * held in its last millisecond: one of 30,000 ms is gone after 30,001. */
LATCH_API bool latch_advance(struct latch *l, int64_t ms);
LATCH_API bool latch_set_time(struct latch *l, int64_t unix_ms); /* forward only */
LATCH_API bool latch_freeze(struct latch *l);
LATCH_API bool latch_thaw(struct latch *l);

/* As TEST.RESET: data, scripts, faults, clock, statistics, clients. Between two tests. */
LATCH_API bool latch_reset(struct latch *l);

/* Breaks the connections of clients that have called themselves so (CLIENT SETNAME), or of all for
 * NULL. Gives their number. */
LATCH_API int latch_drop(struct latch *l, const char *client_name);

/*
 * Commands without a socket. Words end with NULL; runv has lengths too (NULL: they are C strings).
 * latch_run is a client of its own each time; a latch_client keeps what a connection would: its
 * database, its transaction, its name. One that waits (BLPOP) waits here, and no other client with
 * it. A client's messages (SUBSCRIBE) are dropped.
 *
 * NULL when the server or the client has ended; else free it with latch_reply_free.
 */
LATCH_API struct latch_reply *latch_run(struct latch *l, ...) LATCH_SENTINEL;
LATCH_API struct latch_reply *latch_runv(struct latch *l, size_t argc, const char *const *argv,
                                         const size_t *lengths);

LATCH_API struct latch_client *latch_connect(struct latch *l); /* NULL when the server has ended */
LATCH_API void latch_disconnect(struct latch_client *c);       /* not after latch_stop */
LATCH_API struct latch_reply *latch_client_run(struct latch_client *c, ...) LATCH_SENTINEL;
LATCH_API struct latch_reply *latch_client_runv(struct latch_client *c, size_t argc,
                                                const char *const *argv, const size_t *lengths);

/* Replies. */

enum latch_kind {
    LATCH_NONE, /* nothing was said: CLIENT REPLY OFF, or a fault that loses the answer */
    LATCH_NULL,
    LATCH_STATUS,
    LATCH_ERROR,
    LATCH_STRING,
    LATCH_INTEGER,
    LATCH_REAL,
    LATCH_BOOLEAN,
    LATCH_ARRAY,
    LATCH_SET,
    LATCH_MAP, /* its items are key, value, key, value */
    LATCH_PUSH,
};

LATCH_API enum latch_kind latch_reply_kind(const struct latch_reply *r);

/* Of a status, error or string; "" otherwise. A NUL follows the text, and `length` may be NULL. */
LATCH_API const char *latch_reply_text(const struct latch_reply *r, size_t *length);

/* Of an integer or boolean, else 0; of a real, else what latch_reply_integer gives. */
LATCH_API int64_t latch_reply_integer(const struct latch_reply *r);
LATCH_API double latch_reply_real(const struct latch_reply *r);

/* The items of an aggregate; they go with the reply they are part of. NULL when there is no such.
 */
LATCH_API size_t latch_reply_count(const struct latch_reply *r);
LATCH_API const struct latch_reply *latch_reply_at(const struct latch_reply *r, size_t i);

LATCH_API void latch_reply_free(struct latch_reply *r); /* the whole one; NULL is harmless */

#ifdef __cplusplus
}
#endif

#endif
