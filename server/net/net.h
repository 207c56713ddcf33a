/*
 * The shell around the engine: a libuv loop that moves bytes between sockets and sessions and lets
 * the engine know that time passes.
 *
 * What happens in one turn of the loop: a share of the connections that are ready is read and their
 * commands executed; at the end, before waiting again, the engine gets a slice of its own work,
 * every connection that has something to say or to do is settled (conn_settle), and the timer is
 * set to the engine's next deadline. While anything is left over, the loop does not wait; when
 * nothing is, nothing ticks.
 */
#ifndef SERVER_NET_NET_H
#define SERVER_NET_NET_H

#include "resp/parser.h"
#include "server/engine/engine.h"
#include "server/net/poller.h"
#include "server/net/tail.h"

#include <uv.h>

struct conn;
struct tls;

/* Bytes read from a socket in one go. */
enum { NET_READ_SIZE = 64 << 10 };

/* A turn that has taken so long is to end: whoever is still to be served has a small share. Nobody
 * should wait for longer than a few of those. */
enum { NET_TURN_MS = 2 };

/* Connections that are served, and closed, in one turn. */
enum { NET_REGULARS = 512, NET_NEWCOMERS = 128, NET_CLOSES = 64, NET_CLOSES_LATE = 1 };

/* Buffers that are kept for the replies of the next turn. */
enum { NET_SPARES = 32 };

/* Settings that it acts on when they change. */
enum { NET_HOOKS = 18 };

/* What the shell asks of whoever assembled it. */
struct net_host {
    /* A client asks for something, at the moment that `now` last told or when the request before
     * it had ended. The reply is in its session afterwards, or comes later. Gives the present, at
     * its end. */
    int64_t (*submit)(void *ctx, struct session *s, const struct bytes *argv, size_t argc);

    /* The same while another client's command is still running. */
    void (*submit_busy)(void *ctx, struct session *s, const struct bytes *argv, size_t argc);

    /* The present, on the engine's line. */
    int64_t (*now)(void *ctx);

    /* Real milliseconds until that point on the line; negative when it does not come by itself. */
    int64_t (*until)(void *ctx, int64_t at);
};

struct net_options {
    uv_loop_t *loop; /* everything is borrowed */
    struct engine *engine;
    struct config *config;
    const struct log *log;
    const struct net_host *host;
    void *ctx; /* for the host */
};

/* What connections without unfinished input share: bytes are read into it and executed in place. */
struct reader {
    struct parser parser; /* idle between two reads */
    char *bytes;          /* NET_READ_SIZE of them */
};

void reader_init(struct reader *r);
void reader_free(struct reader *r);

enum net_state {
    NET_RUNNING,
    NET_DRAINING, /* accepts nothing; what was received is answered */
    NET_CLOSING,  /* waits until the answers are gone */
    NET_CLOSED,
};

struct net {
    uv_loop_t *loop;
    struct engine *engine;
    struct config *config;
    const struct log *log;
    const struct net_host *host;
    void *ctx;

    uv_prepare_t turn; /* the end of a turn */
    uv_idle_t unrest;  /* active while work is left: the loop does not wait */
    uv_timer_t alarm;  /* the engine's deadline */
    uv_timer_t sweep;  /* the earliest moment at which a connection is given up */
    int64_t alarm_at, sweep_at, swept;
    bool backlog; /* the engine has more to do at once */

    struct list listeners;
    uv_timer_t retry; /* accepting is paused for lack of descriptors */
    bool paused;
    bool starved; /* no client was accepted since descriptors ran out: that has been said */

    struct poller regulars, newcomers;
    struct list dirty;   /* connections to settle at the end of this turn */
    struct list leaving; /* and to close, some in each turn */
    struct list lingering;
    struct list gone; /* closed, to be freed at the end of this turn */
    int handshakes;   /* steps of TLS handshakes that are left in this turn: they are slow */
    struct tls *tls;  /* NULL until it is asked for */
    size_t nconns, nlingering;
    size_t memory;         /* bytes that all connections and their sessions take */
    int64_t now;           /* as the host last told */
    int64_t began;         /* the turn; WHEEL_NEVER until something was done in it */
    struct list *settling; /* connections that are being settled now */
    struct reader *reader, own_reader;
    struct buf spares[NET_SPARES]; /* empty buffers for the next clients' replies */
    size_t nspares;
    struct scrap scrap; /* output that went with its client */
    struct busy *busy;  /* others are served while a command takes long; else NULL */
    enum net_state state;
    int quiet; /* turns in a row, while draining, in which nobody had anything to settle */
    int64_t drain_until;
    int64_t give_up; /* when closing ends, politely or not */
    struct config_hook hooks[NET_HOOKS];
};

/* False when descriptors are out; it is closed then. */
bool net_init(struct net *n, const struct net_options *o);

/* Only after the loop has run empty, or never ran. */
void net_free(struct net *n);

/* Listens where the configuration says. False, after log lines, when it cannot. */
bool net_listen(struct net *n);

/* Takes over a socket that already listens (socket activation). */
bool net_adopt(struct net *n, int fd);

/* The TCP ports in use, 0 when there is none. */
int net_port(const struct net *n);
int net_tls_port(const struct net *n);

/* Reads the certificates again. */
void net_reload(struct net *n);

/* Ends: at once, or when what was received has been answered. The loop then runs empty. */
void net_stop(struct net *n, bool at_once);

/* Settles all connections that asked for it, but for that one (which may be NULL). */
void net_settle(struct net *n, const struct conn *but);

/* Closes the largest clients until all together are within maxmemory-clients; net_crowded counts
 * first what they have been sent since they were last settled. */
void net_evict(struct net *n);
void net_crowded(struct net *n);

/* A connection may have to be given up at that moment. */
void net_expect(struct net *n, int64_t at);

/* What `until` says of a moment is not what it said before. */
void net_clock_changed(struct net *n);

static inline int64_t net_now(struct net *n)
{
    return n->now = n->host->now(n->ctx);
}

/* Has the turn taken its time, as far as is known? */
static inline bool net_was_late(const struct net *n)
{
    return n->now - n->began >= NET_TURN_MS;
}

/* The same, after a look at the clock. */
static inline bool net_turn_is_late(struct net *n)
{
    net_now(n);
    if (n->began == WHEEL_NEVER)
        n->began = n->now;
    return net_was_late(n);
}

#endif
