/*
 * Who a client is, and whether it may. There is always the user `default`, whom every new
 * connection is; `requirepass` is its password. Others come from `user` lines, from the `aclfile`
 * and from ACL SETUSER. What a user may do stands in acl_rules.h.
 *
 * While `default` may do everything, which is how it starts, a command pays one test for all this.
 */
#ifndef SERVER_ENGINE_ACL_H
#define SERVER_ENGINE_ACL_H

#include "server/engine/acl_log.h"
#include "server/engine/acl_rules.h"
#include "server/engine/config.h"
#include "server/engine/session.h"

struct call;

#define ACL_DEFAULT_USER BYTES("default")

struct acl {
    struct acl_user **users; /* by name */
    size_t n;
    struct acl_user *anyone; /* `default` */
    struct acl_log log;
    struct config_hook on_requirepass;
};

/* With `default` as requirepass has it. */
void acl_init(struct engine *e);
void acl_free(struct engine *e);

/* Can these be the name and rules of a user? Asked of each `user` line while a configuration file
 * is read, to name the line. Commands that there are not are complained of later, as in Redis. */
bool acl_check_line(const struct config *cfg, const struct bytes *words, size_t n,
                    char why[CONFIG_ERROR_MAX]);

/* The users of the configuration and of its aclfile. False, after log lines, when one is wrong. */
bool acl_load_configured(struct engine *e);

/* Users. */

struct acl_user *acl_find(const struct acl *a, struct bytes name); /* NULL when there is none */

/* Gives the user of that name the rules of `u`, or makes one. Its subscribers to channels that it
 * may not use any more are cut off. False when memory is out. */
bool acl_put(struct engine *e, struct bytes name, const struct acl_user *u);

/* Its connections are closed. False when there is no such user. Never for `default`. */
bool acl_delete(struct engine *e, struct bytes name);

/* As a new server has it. */
void acl_reset_default(struct engine *e);

/* The aclfile, read and written. On failure `error` holds why, for the client. */
bool acl_load_file(struct engine *e, struct buf *error);
bool acl_save_file(struct engine *e);

/* Puts the users into the configuration, for CONFIG REWRITE to write. */
void acl_to_config(struct engine *e);

/* Sessions. */

/* A new connection: `default`, logged in if it needs no password. */
void acl_welcome(struct session *s);

/* Makes the session that user's, if the password is right. How long it takes does not tell how much
 * of it is. */
bool acl_login(struct session *s, struct bytes user, struct bytes password);

/* Does `default` let anybody in without a password? */
static inline bool acl_is_open(const struct acl *a)
{
    const unsigned open = ACL_USER_ON | ACL_USER_NOPASS;
    return (a->anyone->flags & open) == open;
}

/* Must it log in before it may do anything else? */
bool acl_must_login(const struct session *s);

/* Checks. */

enum acl_verdict {
    ACL_ALLOWED,
    ACL_DENIED_COMMAND, /* in the order in which Redis prefers to report them */
    ACL_DENIED_KEY,
    ACL_DENIED_CHANNEL,
};

/* May the user make this call? If not, `at` is the argument that is to blame. */
enum acl_verdict acl_check(const struct engine *e, const struct acl_user *u,
                           const struct command *cmd, const struct bytes *argv, size_t argc,
                           size_t *at);

/* The refusal in Redis's words, for those who may know more than that it was refused. */
void acl_explain(enum acl_verdict v, const struct acl_user *u, const struct command *cmd,
                 struct bytes value, struct buf *out);

/* The part of acl_admits behind the first test. */
bool acl_admits_restricted(struct call *c);

/* May the session make this call, whose `cmd` is known? Else the error has been replied and is in
 * the log. */
#define acl_admits(c) ((c)->session->user->unrestricted || acl_admits_restricted(c))

/* A login failed; `by` is the command's name as it was sent. */
void acl_log_failed_login(const struct session *s, struct bytes by, struct bytes user);

/* May a subscription to every such topic stay as it is under these rules? */
bool acl_allows_subscriptions(const struct acl_user *u, const struct session *s);

#endif
