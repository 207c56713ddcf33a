/*
 * One of the two servers that a case speaks to: its connections by name, the values it was asked to
 * remember, and the way back to how it was before the case.
 */
#ifndef TESTS_COMPAT_SIDE_H
#define TESTS_COMPAT_SIDE_H

#include "tests/compat/script.h"
#include "tests/lib/client.h"

#define SIDE_NOTHING "(nothing came)"

enum { SIDE_PEERS = 12, SIDE_VARS = 8 };

struct side {
    const char *name;
    const char *socket;
    struct version version;
    struct client control; /* speaks RESP2, prepares, and waits for the server to catch up */
    struct {
        struct bytes name;
        struct client client;
    } peers[SIDE_PEERS];
    size_t npeers;
    struct {
        struct bytes name;
        struct buf value;
    } vars[SIDE_VARS];
    size_t nvars;
    int protocol;
    struct buf restore; /* commands that undo the case's CONFIG SET */
    size_t nrestore;
};

/* Connects and learns the version; false when the server does not answer. */
bool side_open(struct side *s, const char *name, const char *socket);
void side_close(struct side *s);

/* Empties the server and forgets all connections; false when it does not answer any more. */
bool side_begin(struct side *s, const struct script_case *c, int protocol);
void side_end(struct side *s);

/* Does one step. What was answered is appended to `reply`: its bytes, or a word in parentheses when
 * there was no reply: (closed), (none), or SIDE_NOTHING when none came in time. `now_ms` is what
 * ${ms+N} counts from. */
void side_do(struct side *s, const struct step *step, int64_t now_ms, struct buf *reply);

#endif
