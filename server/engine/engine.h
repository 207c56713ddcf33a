/*
 * The engine: one command at a time, completely. It is told who asks what and what time it is, and
 * answers into sessions. It owns no socket, reads no clock and draws no random number: the same
 * inputs give the same outputs.
 */
#ifndef SERVER_ENGINE_ENGINE_H
#define SERVER_ENGINE_ENGINE_H

#include "base/log.h"
#include "resp/wire.h"
#include "server/engine/acl.h"
#include "server/engine/alarms.h"
#include "server/engine/config.h"
#include "server/engine/latency.h"
#include "server/engine/leavings.h"
#include "server/engine/locks.h"
#include "server/engine/pause.h"
#include "server/engine/pubsub.h"
#include "server/engine/scripting.h"
#include "server/engine/session.h"
#include "server/engine/slowlog.h"
#include "server/engine/stats.h"
#include "server/engine/tracking.h"
#include "server/engine/waiters.h"
#include "server/engine/watch.h"
#include "store/keys.h"

struct registry;
struct testing;

/* What only the owner of a session's socket knows of it; CLIENT LIST shows it. */
struct session_facts {
    char peer[128], local[128]; /* "127.0.0.1:5000", "[::1]:5000", "/path/of/socket:0" */
    int fd;
    size_t query, query_free; /* bytes of unfinished input, and room behind them */
    size_t memory;            /* bytes of the connection and all its buffers, the session's not */
    bool reading, writing;    /* what it waits for */
    bool known;               /* over a unix socket, the kernel tells who the client is: */
    int64_t uid, gid, pid;
};

/* What only the process knows of itself; INFO shows it. */
struct process_facts {
    char os[256];          /* "Linux 6.1.0 x86_64" */
    char executable[1024]; /* its path */
    int64_t pid;
    int tcp_port;
    size_t rss, system_memory; /* bytes */
    double cpu_sys, cpu_user;  /* seconds */
    double cpu_sys_children, cpu_user_children;
};

enum clock_state { CLOCK_FROZEN, CLOCK_RUNNING, CLOCK_RESET };

/* What the engine asks of whoever runs it. */
struct engine_host {
    /* The session has output, may be fed again, or is to be closed: look at it soon. */
    void (*wake)(void *ctx, struct session *s);

    /* Sessions have been sent much, and the command that does it may not be over: see to it that
     * all of them together stay within limits. May be NULL. */
    void (*crowded)(void *ctx);

    /* A message for a client that has not read what came before it (session->unsent): it is kept
     * where that is. False when memory is out. */
    bool (*keep)(void *ctx, struct session *s, struct bytes message);

    /* The wall clock, in microseconds since 1970. */
    int64_t (*wall_us)(void *ctx);

    /* False when the session has no socket. Addresses cost system calls: only if asked for. */
    bool (*describe)(void *ctx, const struct session *s, bool addresses, struct session_facts *out);

    /* The present in microseconds: commands within a script or a transaction are timed by it. */
    int64_t (*now_us)(void *ctx);

    /* Real milliseconds since the running command began; asked by long scripts only. */
    int64_t (*running_ms)(void *ctx);

    /* A script runs long: look once, without waiting, whether others want something, and hand it to
     * engine_execute_busy. */
    void (*serve_others)(void *ctx);

    /* NULL: nothing is known. */
    void (*inspect)(void *ctx, struct process_facts *out);

    /* DEBUG SLEEP: the whole server stands still. */
    void (*sleep)(void *ctx, int64_t us);

    /* SHUTDOWN: end soon. */
    void (*stop)(void *ctx);

    /* Bytes that nobody can guess. */
    void (*secret)(void *ctx, void *out, size_t n);

    /* A whole file, read or given new contents. On failure `why` says why. NULL: there are none. */
    bool (*read_file)(void *ctx, const char *path, struct buf *out, const char **why);
    bool (*write_file)(void *ctx, const char *path, struct bytes text, const char **why);

    /* The rest is for --test and may be missing otherwise. The clock, and with it the present,
     * moves ahead; it stops, goes on, or is as it was at first. */
    void (*move)(void *ctx, int64_t ms);
    void (*set_clock)(void *ctx, enum clock_state state);

    /* The machine's own time; and testing_ring is wanted when that shows `at`. */
    int64_t (*real_ms)(void *ctx);
    void (*ring_at)(void *ctx, int64_t at);
};

struct engine_options {
    struct config *config; /* borrowed, shared with the shell */
    const struct log *log; /* borrowed */
    const struct engine_host *host;
    void *ctx;     /* for the host */
    int64_t now;   /* ms */
    uint64_t seed; /* the one source of chance: hashing, RANDOMKEY, SPOP, run id */
};

struct engine {
    struct config *config;
    const struct log *log;
    const struct engine_host *host;
    void *ctx;
    struct registry *registry;
    struct acl acl;
    struct keyspace space;
    struct alarms alarms;
    struct waiters waiters;
    struct watches watches;
    struct scripting scripting;
    struct pubsub pubsub;
    struct buf channel; /* room for the name of a notification's channel */
    struct tracking tracking;
    struct locks locks;
    bool behind;     /* keys are overdue, or memory waits to be freed */
    int64_t now;     /* of the command that is being executed */
    int64_t wall_us; /* the same on the wall clock; 0 until asked for */
    uint64_t random; /* state of engine_random */
    struct list sessions;
    struct list leavings; /* leavings.h */
    int64_t push_room;    /* bytes of messages until the host is told that it is crowded */
    size_t nsessions;
    uint64_t next_session;
    struct session *running; /* whose command is being executed, or NULL */
    struct wire push;        /* what session_push lends out */
    struct stats stats;
    const struct command *handled; /* what the last engine_execute ran; NULL: refused or queued */
    struct command_stats *counts;  /* its own */
    uint64_t redacted;             /* its secret arguments, see call_redact */
    char run_id[41];               /* 40 hexadecimal digits */
    char replication_id[41];
    int64_t started; /* ms */
    struct slowlog slowlog;
    struct latency latency;
    size_t nmonitors;
    struct pause pause;
    struct testing *testing; /* NULL without --test */
    bool lazy_expiry;        /* DEBUG SET-ACTIVE-EXPIRE 0: overdue keys stay until they are met */
};

struct engine *engine_new(const struct engine_options *o);
void engine_free(struct engine *e); /* after all sessions */

/* Executes one command of `s`; its reply, if it has one yet, is in s->out afterwards. argv is only
 * borrowed. */
void engine_execute(struct engine *e, struct session *s, int64_t now, const struct bytes *argv,
                    size_t argc);

/* How long the engine_execute that has just returned took, by whoever has a clock: for SLOWLOG,
 * LATENCY and the statistics of commands. argv is the same. */
void engine_took(struct engine *e, struct session *s, const struct bytes *argv, size_t argc,
                 int64_t us);

struct command_stats *engine_stats_of(struct engine *e, const struct command *cmd);

/* The same at the present moment and without the passing of time: for a command that had waited.
 * `flags` are of enum call_flag. */
void engine_run(struct engine *e, struct session *s, const struct bytes *argv, size_t argc,
                unsigned flags);

/* The same while a script of another session runs, from within serve_others: what Redis allows then
 * is executed, all else is answered with BUSY. */
void engine_execute_busy(struct engine *e, struct session *s, const struct bytes *argv,
                         size_t argc);

/* Time passes: expiry, timeouts, freeing, for a slice of bounded work. True when there is more to
 * do at once. */
bool engine_advance(struct engine *e, int64_t now);

/* When it next needs engine_advance; WHEEL_NEVER when nothing is planned. */
int64_t engine_deadline(const struct engine *e);

uint64_t engine_random(struct engine *e);

/* The wall clock of the present moment, in microseconds. */
int64_t engine_wall_us(struct engine *e);

/* Bytes in use, as maxmemory counts them. */
size_t engine_memory(const struct engine *e);

/* Is it past maxmemory? What only waits to be freed is freed first. */
bool engine_out_of_memory(struct engine *e);

#endif
