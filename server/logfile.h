/*
 * Where log lines go: standard output or a file, in Redis's form or as JSON. A line is one write,
 * so lines of several threads and processes do not mix.
 */
#ifndef SERVER_LOGFILE_H
#define SERVER_LOGFILE_H

#include "base/log.h"
#include "server/engine/config.h"

struct logfile {
    int fd;
    const char *path; /* borrowed; "" is standard output */
    bool json;
    char role;        /* as Redis shows it: C while starting, M while serving */
    char aside[1024]; /* what is said to stderr, up to the end of its line */
};

/* Lines on standard output from now on, until logfile_open. */
void logfile_init(struct logfile *f);

/* As the options say. False, with errno set, when the file cannot be opened. */
bool logfile_open(struct logfile *f, const struct config *cfg);

/* Opens the file of that name anew, after it was moved away. Lines written meanwhile by other
 * threads go to either. */
bool logfile_reopen(struct logfile *f);

/* From now on what is said to stderr is a line of the log, too: the last words of a process that
 * has no memory left, or that finds one of its beliefs wrong. A daemon has no other place for them.
 */
void logfile_take_stderr(struct logfile *f);

/* For struct log; ctx is the logfile. */
void logfile_write(void *ctx, enum log_level level, const char *line);

#endif
