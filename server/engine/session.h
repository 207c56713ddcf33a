/*
 * A client as the engine sees it: no socket here. Sockets, tests and embedding programs make
 * sessions; what the engine answers stands in `out`, and whoever owns the session drains it.
 *
 * Most clients send commands and read replies, and nothing else; what the others need hangs off
 * `more`, which exists only from the first use on, so that ten thousand idle connections cost
 * little.
 */
#ifndef SERVER_ENGINE_SESSION_H
#define SERVER_ENGINE_SESSION_H

#include "base/buf.h"
#include "base/list.h"
#include "resp/reply.h"

struct acl_user;
struct command;
struct engine;

enum session_flag {
    SESSION_AUTHENTICATED = 1 << 0,
    SESSION_RUNNING = 1 << 1,    /* a command of its own is being executed: pushes are held back */
    SESSION_BLOCKED = 1 << 2,    /* waits (BLPOP, WAIT, CLIENT PAUSE): do not feed it commands */
    SESSION_CLOSING = 1 << 3,    /* to be closed once `out` is written; executes nothing more */
    SESSION_KILLED = 1 << 4,     /* to be closed at once, whatever is in `out` */
    SESSION_REPLY_OFF = 1 << 5,  /* CLIENT REPLY OFF */
    SESSION_REPLY_SKIP = 1 << 6, /* this command's reply is not sent */
    SESSION_REPLY_SKIP_NEXT = 1 << 7,
    SESSION_MULTI = 1 << 8,       /* between MULTI and EXEC */
    SESSION_DIRTY_CAS = 1 << 9,   /* a watched key has changed */
    SESSION_DIRTY_EXEC = 1 << 10, /* a queued command was refused */
    SESSION_PUBSUB = 1 << 11,     /* has subscriptions */
    SESSION_MONITOR = 1 << 12,
    SESSION_TRACKING = 1 << 13,
    SESSION_UNIX = 1 << 14, /* came over a unix socket */
    SESSION_NO_EVICT = 1 << 15,
    SESSION_NO_TOUCH = 1 << 16,
    SESSION_LOCAL = 1 << 17,    /* loopback or unix socket */
    SESSION_INTERNAL = 1 << 18, /* not a client: not listed, not counted */
    SESSION_MUTE = 1 << 19,     /* a fault (faults.h) has lost an answer: there are no more */
};

/* Rarely needed state; each part is owned by the file that is named. */
struct session_more {
    size_t kept;     /* bytes of its subscriptions, watches, prefixes and waiting command */
    struct buf held; /* pushes that wait for the running command's reply */
    char *name, *lib_name, *lib_ver;
    struct multi *multi;                 /* multi.c */
    struct watcher *watcher;             /* watch.c; NULL when there is none */
    struct subscriptions *subscriptions; /* pubsub.c; NULL when there are none */
    struct wait *wait;                   /* waiters.c */
    struct tracker *tracker;             /* tracking.c */
};

struct session {
    struct engine *engine;
    struct list link; /* on engine->sessions */
    uint64_t id;
    struct acl_user *user; /* who it is, or would be once it has logged in */
    void *owner;           /* the connection, opaque here */
    struct buf out;        /* bytes for the client */
    size_t unsent;         /* bytes taken from `out` that the owner has not got rid of yet */
    uint32_t flags;        /* enum session_flag */
    uint16_t db;
    uint8_t resp;               /* 2 or 3 */
    int64_t created, last_used; /* ms */
    const struct command *last; /* for CLIENT LIST */
    struct session_more *more;
};

/* The session is the caller's to free; `owner` is handed back in engine_host's calls. */
struct session *session_new(struct engine *e, void *owner, uint32_t flags);

/* The client has gone. What it leaves behind is forgotten piece by piece (leavings.h). */
void session_free(struct session *s);

/* Bytes that it takes, its unread output and all. */
size_t session_memory(const struct session *s);

/* Leaves every queue, subscription and transaction while its connection is still there: it is as
 * good as gone. */
void session_leave(struct session *s);

struct session_more *session_more(struct session *s); /* created when missing */

/* What the client says of itself. Printable, without blanks, and short, since it is shown and
 * copied with whatever the client does: the caller has checked. Empty unsets. */
enum { SESSION_TEXT_MAX = 1024 };
void session_set_name(struct session *s, struct bytes name);
enum session_library { SESSION_LIBRARY_NAME, SESSION_LIBRARY_VERSION };
void session_set_library(struct session *s, enum session_library which, struct bytes text);

/* Ends what it is in the midst of: transaction, subscriptions, tracking, MONITOR. */
void session_calm(struct session *s);

/* RESET: as a new connection, but for what the client has said of its library. */
void session_reset(struct session *s);

/*
 * A sink for one message that the client did not ask for now. If a command of that session is being
 * executed, the message is kept until its reply is complete. Valid until the next session_push; a
 * client whose unread messages pass its limit is killed instead of growing.
 */
struct reply *session_push(struct session *s);

/* The same for a message that is bytes already, in the session's protocol version. */
void session_push_bytes(struct session *s, struct bytes message);

/* There was no memory for a message to it: it is told nothing wrong, it is closed. */
void session_no_room(struct session *s);

/* May `n` bytes more wait for the client to read them? If not, it is closed at once. */
bool session_may_keep(struct session *s, size_t n);

/* There was no room for a reply: takes back what has come into `out` since `mark` bytes were in
 * there, and says so. A client that cannot even be told is closed. */
void session_excuse(struct session *s, struct reply *r, size_t mark);

/* Closes it, after what is in `out` has been written, or at once. */
void session_close(struct session *s, bool at_once);

#endif
