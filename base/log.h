/*
 * Log lines, in Redis's four levels, to a sink that the owner supplies. A line has no newline and
 * no time stamp; the sink adds what it wants.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_DEBUG, LOG_VERBOSE, LOG_NOTICE, LOG_WARNING };

typedef void log_fn(void *ctx, enum log_level level, const char *line);

struct log {
    log_fn *write; /* NULL: silent */
    void *ctx;
    enum log_level min;
};

void log_line(const struct log *l, enum log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#define log_debug(l, ...)   log_line((l), LOG_DEBUG, __VA_ARGS__)
#define log_verbose(l, ...) log_line((l), LOG_VERBOSE, __VA_ARGS__)
#define log_notice(l, ...)  log_line((l), LOG_NOTICE, __VA_ARGS__)
#define log_warning(l, ...) log_line((l), LOG_WARNING, __VA_ARGS__)

#endif
