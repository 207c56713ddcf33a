/*
 * Commands. Each is declared once, in a const table beside its handler (server/commands/);
 * dispatch, COMMAND, COMMAND DOCS, redis.call, access control, statistics and docs/commands.md all
 * read the same row. To add a command, write the handler and its row; there is no second place.
 */
#ifndef SERVER_ENGINE_REGISTRY_H
#define SERVER_ENGINE_REGISTRY_H

#include "base/bytes.h"

#include <stdint.h>

struct call;
typedef void command_fn(struct call *c);

/* What Redis says of a command, in the order in which COMMAND prints it. */
enum command_flag {
    CMD_WRITE = 1 << 0,
    CMD_READONLY = 1 << 1,
    CMD_DENYOOM = 1 << 2, /* may need memory: refused past the limit, but see `grows` */
    CMD_ADMIN = 1 << 3,
    CMD_PUBSUB = 1 << 4,
    CMD_NOSCRIPT = 1 << 5,
    CMD_BLOCKING = 1 << 6,
    CMD_LOADING = 1 << 7,
    CMD_STALE = 1 << 8,
    CMD_SKIP_MONITOR = 1 << 9,
    CMD_SKIP_SLOWLOG = 1 << 10,
    CMD_ASKING = 1 << 11,
    CMD_FAST = 1 << 12,
    CMD_NO_AUTH = 1 << 13,
    CMD_MAY_REPLICATE = 1 << 14,
    CMD_SENTINEL = 1 << 15,
    CMD_NO_MANDATORY_KEYS = 1 << 16,
    CMD_PROTECTED = 1 << 17,
    CMD_NO_ASYNC_LOADING = 1 << 18,
    CMD_NO_MULTI = 1 << 19,
    CMD_ALLOW_BUSY = 1 << 20, /* runs while a script is busy */
    CMD_MOVABLE_KEYS = 1 << 21,
    CMD_TOUCHES_ARBITRARY_KEYS = 1 << 22,
};

/* ACL categories and documentation group: what the command is about. Categories that follow from
 * the flags (@write, @fast, @dangerous of admin, ...) are not repeated here. */
enum command_group {
    GROUP_GENERIC,
    GROUP_STRING,
    GROUP_LIST,
    GROUP_SET,
    GROUP_ZSET,
    GROUP_HASH,
    GROUP_PUBSUB,
    GROUP_TRANSACTIONS,
    GROUP_CONNECTION,
    GROUP_SERVER,
    GROUP_SCRIPTING,
    GROUP_CLUSTER,
    GROUP_TESTING,
};

enum acl_category {
    ACL_KEYSPACE = 1 << 0,
    ACL_READ = 1 << 1,
    ACL_WRITE = 1 << 2,
    ACL_SET = 1 << 3,
    ACL_SORTEDSET = 1 << 4,
    ACL_LIST = 1 << 5,
    ACL_HASH = 1 << 6,
    ACL_STRING = 1 << 7,
    ACL_BITMAP = 1 << 8,
    ACL_HYPERLOGLOG = 1 << 9,
    ACL_GEO = 1 << 10,
    ACL_STREAM = 1 << 11,
    ACL_PUBSUB = 1 << 12,
    ACL_ADMIN = 1 << 13,
    ACL_FAST = 1 << 14,
    ACL_SLOW = 1 << 15,
    ACL_BLOCKING = 1 << 16,
    ACL_DANGEROUS = 1 << 17,
    ACL_CONNECTION = 1 << 18,
    ACL_TRANSACTION = 1 << 19,
    ACL_SCRIPTING = 1 << 20,
};

enum { ACL_CATEGORIES = 21 };

struct flag_name {
    uint32_t flag;
    const char *name;
};

extern const struct flag_name acl_categories[ACL_CATEGORIES]; /* "@keyspace", "@read", ... */

/* What is done to a key; in the order in which COMMAND prints it. */
enum key_flag {
    KEY_RO = 1 << 0,
    KEY_RW = 1 << 1,
    KEY_OW = 1 << 2,
    KEY_RM = 1 << 3,
    KEY_ACCESS = 1 << 4,
    KEY_UPDATE = 1 << 5,
    KEY_INSERT = 1 << 6,
    KEY_DELETE = 1 << 7,
    KEY_NOT_KEY = 1 << 8,
    KEY_INCOMPLETE = 1 << 9,
    KEY_VARIABLE = 1 << 10,
};

/* Where keys stand: from argument `first` to `last` (negative: from the end, as in Redis relative
 * to `first`) by `step`; or, when `numkeys` is set, argument `first` holds how many follow. */
struct keyspec {
    uint16_t flags;
    int8_t first, last, step;
    bool numkeys;
};

#define COMMAND_KEYSPECS 3

struct command {
    const char *name; /* lower case; a subcommand's is the part after the bar */
    command_fn *run;
    int arity; /* with the name; negative: at least */
    uint32_t flags;
    uint32_t acl; /* categories that do not follow from the flags */
    enum command_group group;
    struct keyspec keys[COMMAND_KEYSPECS];
    const char *since, *summary, *complexity;
    const char *syntax;        /* after the name: "key value [NX | XX] [GET]" */
    const char *tips;          /* blank-separated, or NULL */
    const struct command *sub; /* subcommands, ended by a row without a name */
    /* Asked past the memory limit, where CMD_DENYOOM would refuse: would this very call need more
     * memory? So that a held lock can be renewed and released. NULL: assume so. */
    bool (*grows)(struct call *c);
    const char *full_name; /* "client|setname"; NULL where it is the name */
};

struct registry;

enum { REGISTRY_MAX = 512 }; /* commands and subcommands, so that a bitmap of them can be fixed */

/* With the commands for test suites, or without them. */
struct registry *registry_new(bool testing);
void registry_free(struct registry *r);

/* `rename-command`: from now on the command answers to the name `to` only; an empty one hides it.
 * NULL, or what is wrong in Redis's words. */
const char *registry_rename(struct registry *r, struct bytes from, struct bytes to);

/* The command of that name, in any case; NULL when there is none. */
const struct command *registry_find(const struct registry *r, struct bytes name);

/* The same with the container's name in front of a subcommand's: "client|setname". */
const struct command *registry_find_full(const struct registry *r, struct bytes name);

/* By its own name, whatever rename-command did, as "get" or "config|set"; NULL when there is none.
 * For rules of access; slow. */
const struct command *registry_find_own(const struct registry *r, struct bytes full_name);

/* Has rename-command taken its name away? */
bool registry_hidden(const struct registry *r, const struct command *c);

/* The subcommand of that name, in any case; NULL when there is none. */
const struct command *command_sub(const struct command *c, struct bytes name);

/* Numbers commands and subcommands from 0, without gaps: for counters and bitmaps. */
size_t registry_count(const struct registry *r);
size_t registry_id(const struct registry *r, const struct command *c);
const struct command *registry_at(const struct registry *r, size_t id);

/* The name with its container's: "client|setname". */
const char *command_full_name(const struct command *c);

/* All categories: those of the row and those that follow from its flags. */
uint32_t command_acl(const struct command *c);

bool command_arity_ok(const struct command *c, size_t argc);

/* The keys of a call one by one, however many there are, with what is done to each; specs that do
 * not fit the arguments are passed over. */
struct key_walk {
    const struct command *command;
    const struct bytes *argv;
    size_t argc;
    size_t at, last, step; /* within the spec before `spec`; done when at > last */
    int spec;
};

struct key_walk key_walk(const struct command *c, const struct bytes *argv, size_t argc);
bool key_walk_next(struct key_walk *w, size_t *at, uint16_t *flags);

#endif
