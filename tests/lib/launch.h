/*
 * Starts a server program for a test, in a directory of its own, and stops it again; it is also
 * killed when the test dies. It listens on a unix socket in that directory, so tests running side
 * by side never meet; flags in `extra` (NULL-terminated, may be NULL) add ports and the rest.
 */
#ifndef TESTS_LIB_LAUNCH_H
#define TESTS_LIB_LAUNCH_H

#include "base/buf.h"

#include <sys/types.h>

struct launched {
    pid_t pid;
    int pidfd;
    char dir[40];    /* temporary; removed by launch_stop */
    char socket[64]; /* the unix socket in it */
    char log[64];    /* what the program printed */
};

/* Runs `program` under the name `argv0` and waits until it answers PING. On failure it says why
 * on stderr, the program's own last words included. */
bool launch(struct launched *l, const char *program, const char *argv0, const char *const *extra);

/* The latchd to test: $LATCHD, or the build's own. */
const char *launch_latchd_path(void);
bool launch_latchd(struct launched *l, const char *const *extra);

/* SIGTERM, then SIGKILL; the exit status as from waitpid. */
int launch_stop(struct launched *l);

/* Has it ended on its own? */
bool launch_ended(const struct launched *l);

/* All that it printed so far. */
void launch_log(const struct launched *l, struct buf *out);

#endif
