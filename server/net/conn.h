/*
 * A connection: a socket and its session. Bytes that arrive become commands; what the session has
 * to say becomes bytes.
 *
 * An idle connection is this struct and its session, nothing else. Input that is not a whole
 * command yet, or that may not be executed now, and output that the socket would not take, each
 * live in memory of their own for as long as they exist.
 */
#ifndef SERVER_NET_CONN_H
#define SERVER_NET_CONN_H

#include "server/net/net.h"

enum conn_flag {
    CONN_MORE = 1 << 0,    /* its input may hold whole commands */
    CONN_EOF = 1 << 1,     /* the client sends no more */
    CONN_RUDE = 1 << 2,    /* closed against the client's will: see to it that it reads why */
    CONN_LINGERS = 1 << 3, /* without a session, until the client closes */
    CONN_FULL = 1 << 4,    /* the socket takes nothing until it says so */
    CONN_NEW = 1 << 5,     /* among net->newcomers */
};

struct input;
struct tail;
struct tls_stream;

struct conn {
    struct net *net;
    struct list link; /* on net->dirty, ->leaving, ->lingering or ->gone */
    struct session *session;
    struct input *input;    /* unfinished, or not executed yet */
    struct tail *tail;      /* output that the socket would not take */
    struct tls_stream *tls; /* NULL: plain */
    size_t counted;         /* bytes of it that are in net->memory */
    int fd;
    uint16_t events; /* of epoll, that it waits for */
    uint8_t flags;   /* enum conn_flag */
};

/* Takes over a connected socket, whose client speaks TLS or not. */
void conn_new(struct net *n, int fd, uint32_t session_flags, bool tls);

/* Ends it, whatever is unsaid. The struct is freed at the end of the turn: a caller may hold it. */
void conn_close(struct conn *c);

/* Ends one that net->leaving holds; its last words may have to be read first. */
void conn_finish(struct conn *c);

/* To be settled at the end of this turn. */
void conn_wake(struct conn *c);

/* The socket is ready for `events` of epoll. */
void conn_ready(struct conn *c, uint32_t events);

/* Its command is running while others are served: it is not listened to until it is settled. */
void conn_rest(struct conn *c);

/* Executes what may be executed now, writes, and says what to wait for. One that has ended is put
 * on net->leaving. */
void conn_settle(struct conn *c);

/* Keeps a message behind what the client has not read yet. False when memory is out. */
bool conn_keep(struct conn *c, struct bytes message);

/* Counts what it takes in net->memory; conn_settle does it as well. */
void conn_account(struct conn *c);

/* All clients take too much together, and this one is chosen: its buffers go at once, and it is
 * closed when it is settled. Not while its command is running. */
void conn_evict(struct conn *c);

/* When it is to be given up if nothing happens; WHEEL_NEVER when no limit applies. With `now` past
 * that, conn_give_up does it. */
int64_t conn_deadline(const struct conn *c);
void conn_give_up(struct conn *c);

void conn_describe(const struct conn *c, bool addresses, struct session_facts *out);

#endif
