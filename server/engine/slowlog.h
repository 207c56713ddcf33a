/*
 * The slow log: commands that took longer than `slowlog-log-slower-than`; at most
 * `slowlog-max-len` of them.
 */
#ifndef SERVER_ENGINE_SLOWLOG_H
#define SERVER_ENGINE_SLOWLOG_H

#include "base/bytes.h"
#include "base/list.h"

#include <stdint.h>

struct call;

struct slow_command {
    struct list link;
    uint64_t id;
    int64_t wall_s, us;
    size_t argc;
    char *text; /* all of the texts below are slices of this */
    struct bytes peer, name;
    struct bytes argv[];
};

struct slowlog {
    struct list entries; /* oldest first */
    size_t n;
    uint64_t next_id;
};

void slowlog_init(struct slowlog *l);
void slowlog_clear(struct slowlog *l);

/* Long arguments are cut, and so is a long row of them. */
void slowlog_add(const struct call *c, int64_t us);

#endif
