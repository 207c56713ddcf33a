/*
 * What a user may do, and the rules that say it: `on >secret ~jobs:* %R~conf:* &news +@read -keys`.
 *
 * A user has passwords and selectors. A selector allows some commands on some keys and channels; a
 * call is allowed when any one selector allows all of it. The first selector, the root, holds the
 * rules that stand outside of parentheses; each `(...)` adds one.
 */
#ifndef SERVER_ENGINE_ACL_RULES_H
#define SERVER_ENGINE_ACL_RULES_H

#include "base/buf.h"
#include "base/bytes.h"
#include "server/engine/registry.h"

struct engine;

enum acl_access { ACL_ACCESS_READ = 1, ACL_ACCESS_WRITE = 2, ACL_ACCESS_ALL = 3 };

/* One text of a rule, with what belongs to it. */
struct acl_item {
    uint32_t tag; /* keys: enum acl_access; first arguments: the id of their command */
    size_t n;
    char text[];
};

/* Owned, in the order in which they were given. */
struct acl_items {
    struct acl_item **item;
    size_t n;
};

enum acl_selector_flag { ACL_ALL_KEYS = 1, ACL_ALL_CHANNELS = 2, ACL_ALL_COMMANDS = 4 };

struct acl_selector {
    unsigned flags;                       /* enum acl_selector_flag */
    bool from_all;                        /* its rules begin with +@all, not -@all */
    uint64_t commands[REGISTRY_MAX / 64]; /* a bit for each registry_id */
    struct acl_items rules;               /* what was added to and taken from that: "+get" */
    struct acl_items first_args;          /* "+select|0" allows a command with that argument only */
    struct acl_items keys, channels;      /* patterns */
};

enum acl_user_flag {
    ACL_USER_ON = 1,
    ACL_USER_NOPASS = 2,        /* any password will do */
    ACL_USER_SKIP_SANITIZE = 4, /* of RESTORE in Redis; only kept here */
};

struct acl_user {
    char *name; /* n bytes */
    size_t n;
    unsigned flags;             /* enum acl_user_flag */
    bool unrestricted;          /* may do everything: nothing else needs to be looked at */
    struct acl_items passwords; /* SHA-256 in hexadecimal */
    struct acl_selector **selectors;
    size_t nselectors; /* at least the root */
};

enum {
    ACL_HASH_SIZE = 64,
    ACL_TEXT_MAX = 64 << 10, /* bytes of a rule or a name */
    ACL_TEXT_SHOWN = 128,    /* of one that is longer */
};

/* The form in which passwords are kept. */
void acl_hash(struct bytes password, char out[ACL_HASH_SIZE]);

/* A user who is off and may do nothing (but use all channels, if acl-pubsub-default says so). */
struct acl_user *acl_user_new(const struct engine *e, struct bytes name);
void acl_user_free(struct acl_user *u);

/* Makes `to` what `from` is, but for the name. False when memory is out, and nothing has changed.
 */
bool acl_user_copy(struct acl_user *to, const struct acl_user *from);

static inline struct bytes acl_user_name(const struct acl_user *u)
{
    return (struct bytes){u->name, u->n};
}

/* Rules and names must not hold blanks or NUL: they could not be written into a line. */
bool acl_is_one_word(struct bytes text);

/* A selector may be spread over several arguments: "(+get", "~a)". False when one is never closed;
 * `open` then says which begins it. */
bool acl_rules_closed(const struct bytes *rules, size_t n, size_t *open);

/* One rule of a list in which spread selectors have been put together again; *i moves on. `room`
 * holds the text if it had to be built. */
struct bytes acl_rules_next(const struct bytes *rules, size_t n, size_t *i, struct buf *room);

/* Applies one rule. NULL, or what is wrong with it in Redis's words. */
const char *acl_user_apply(const struct engine *e, struct acl_user *u, struct bytes rule);

/* What acl_user_apply says of a command or category that there is not. */
extern const char acl_unknown_name[];

/* The user as a line of a file has it, without "user" and name: the rules that make it. */
void acl_user_print(const struct acl_user *u, struct buf *out);
void acl_user_print_line(const struct acl_user *u, struct buf *out); /* with its name */
void acl_commands_print(const struct acl_selector *s, struct buf *out);
void acl_keys_print(const struct acl_selector *s, struct buf *out);
void acl_channels_print(const struct acl_selector *s, struct buf *out);

static inline bool acl_selector_has(const struct acl_selector *s, size_t id)
{
    return s->commands[id / 64] >> id % 64 & 1;
}

#endif
