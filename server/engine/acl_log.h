/*
 * ACL LOG: who was refused what. The same refusal again within a minute only counts.
 */
#ifndef SERVER_ENGINE_ACL_LOG_H
#define SERVER_ENGINE_ACL_LOG_H

#include "base/bytes.h"
#include "base/list.h"

#include <stdint.h>

struct engine;
struct session;

struct acl_log_entry {
    struct list link;
    uint64_t id, count;
    const char *reason, *context;
    char *object, *user, *client; /* long ones are cut */
    size_t object_n, user_n;
    int64_t at;                 /* ms, the last time */
    int64_t created_wall, wall; /* ms since 1970: the first time, the last */
};

struct acl_log {
    struct list entries; /* newest first */
    size_t n;
    uint64_t next_id;
};

void acl_log_init(struct acl_log *l);
void acl_log_clear(struct acl_log *l);

/* `reason` and `context` are Redis's words, and are not copied. */
void acl_log_add(struct engine *e, const struct session *s, const char *reason, const char *context,
                 struct bytes object, struct bytes user);

#endif
