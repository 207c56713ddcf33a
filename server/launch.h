/*
 * From the command line, files and environment to a configuration, with redis-server's rules:
 *
 *     latchd [file] [-] [--option value ...] ...
 *
 * A later setting wins over an earlier one: file, standard input (for "-"), environment
 * (LATCHD_PORT=7000), options. "include" may name several files by a pattern.
 */
#ifndef SERVER_LAUNCH_H
#define SERVER_LAUNCH_H

#include "base/log.h"
#include "server/engine/config.h"

struct launch {
    struct config *config;
    const struct log *log;
    bool *idle;       /* one per option: was set, and has no meaning here */
    struct buf notes; /* warnings for later, each ended by NUL */
    int depth;        /* of includes */
    bool any;         /* something was read besides the defaults */
};

/* Reads everything; argv[0] is not looked at. On failure what is wrong, and in which line, has been
 * printed in Redis's form. Warnings wait for launch_warn, since the log is not set up yet. */
bool launch_read(struct launch *l, struct config *cfg, const struct log *log, int argc, char **argv,
                 char **environment);

/* One line for each option that has no meaning here, and other remarks. */
void launch_warn(const struct launch *l);
void launch_free(struct launch *l);

#endif
