/*
 * A poller: connections that are waited for together. In each turn of the loop a share of those
 * that are ready is served, the longest ready first; the others keep their place.
 *
 * libuv, asked to watch each socket, serves all that are ready before the turn ends. When thousands
 * of clients arrive or leave at once, they are one long queue, and whoever was there before them
 * stands at its end. So the sockets are in epoll sets of our own, and the loop watches the sets. It
 * also takes a handle off every connection, and a command that takes long can serve the others
 * without the loop.
 */
#ifndef SERVER_NET_POLLER_H
#define SERVER_NET_POLLER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <uv.h>

struct conn;

enum { POLLER_MOST = 512 };

struct poller {
    uv_poll_t poll; /* of the set */
    int set;        /* -1: not open */
    int share;
    int next, n; /* of those being served */
    struct epoll_event ready[POLLER_MOST];
};

/* `share` is how many are served in one turn, at most POLLER_MOST. False when descriptors are out.
 */
bool poller_open(struct poller *p, uv_loop_t *loop, int share);
void poller_close(struct poller *p);

/* Waits for these events of epoll instead of conn->events; none: it is not in the set. False when
 * the kernel has no memory for it: it is not in the set then. */
bool poller_watch(struct poller *p, struct conn *c, uint32_t events);

/* The connection is about to be closed. */
void poller_forget(struct poller *p, struct conn *c);

/* Calls conn_ready for a share of those that are ready. Can be called from in there: it then goes
 * on with what the outer call had before it looks for more. */
void poller_serve(struct poller *p);

#endif
