/* May this user make this call? */
#include "base/glob.h"
#include "server/engine/acl.h"
#include "server/engine/call.h"
#include "server/engine/multi.h"

static struct bytes item_text(const struct acl_item *i)
{
    return (struct bytes){i->text, i->n};
}

static bool allows_command(const struct acl_selector *s, const struct command *cmd, size_t id,
                           const struct bytes *argv, size_t argc)
{
    if (s->flags & ACL_ALL_COMMANDS || cmd->flags & CMD_NO_AUTH || acl_selector_has(s, id))
        return true;
    for (size_t i = 0; argc > 1 && i < s->first_args.n; i++)
        if (s->first_args.item[i]->tag == id &&
            bytes_ieq(argv[1], item_text(s->first_args.item[i])))
            return true;
    return false;
}

static bool allows_key(const struct acl_selector *s, struct bytes key, uint16_t flags)
{
    unsigned access = flags & KEY_ACCESS ? ACL_ACCESS_READ : 0;
    if (flags & (KEY_INSERT | KEY_DELETE | KEY_UPDATE))
        access |= ACL_ACCESS_WRITE;
    for (size_t i = 0; i < s->keys.n; i++)
        if ((s->keys.item[i]->tag & access) == access &&
            glob_match(item_text(s->keys.item[i]), key))
            return true;
    return false;
}

static bool allows_keys(const struct acl_selector *s, const struct command *cmd,
                        const struct bytes *argv, size_t argc, size_t *at)
{
    struct key_walk keys = key_walk(cmd, argv, argc);
    uint16_t flags;
    if (s->flags & ACL_ALL_KEYS)
        return true;
    while (key_walk_next(&keys, at, &flags))
        if (!(flags & KEY_NOT_KEY) && !allows_key(s, argv[*at], flags))
            return false;
    return true;
}

/* A pattern must be one of the user's own: what it matches cannot be compared. */
static bool allows_channel(const struct acl_selector *s, struct bytes channel, bool is_pattern)
{
    for (size_t i = 0; i < s->channels.n; i++) {
        struct bytes allowed = item_text(s->channels.item[i]);
        if (is_pattern ? bytes_eq(allowed, channel) : glob_match(allowed, channel))
            return true;
    }
    return false;
}

static bool allows_channels(const struct acl_selector *s, const struct command *cmd,
                            const struct bytes *argv, size_t argc, size_t *at)
{
    static const struct {
        const char *name;
        bool only_first, is_pattern;
    } users_of_channels[] = {
        {"publish", true, false},     {"spublish", true, false},   {"subscribe", false, false},
        {"ssubscribe", false, false}, {"psubscribe", false, true},
    };
    if (s->flags & ACL_ALL_CHANNELS || !(cmd->flags & CMD_PUBSUB))
        return true;
    for (size_t i = 0; i < sizeof users_of_channels / sizeof *users_of_channels; i++) {
        if (strcmp(cmd->name, users_of_channels[i].name) != 0 || cmd->full_name)
            continue;
        size_t last = users_of_channels[i].only_first && argc > 1 ? 1 : argc - 1;
        for (*at = 1; *at <= last; ++*at)
            if (!allows_channel(s, argv[*at], users_of_channels[i].is_pattern))
                return false;
    }
    return true;
}

static enum acl_verdict check(const struct acl_selector *s, const struct command *cmd, size_t id,
                              const struct bytes *argv, size_t argc, size_t *at)
{
    *at = 0;
    if (!allows_command(s, cmd, id, argv, argc))
        return ACL_DENIED_COMMAND;
    if (!allows_keys(s, cmd, argv, argc, at))
        return ACL_DENIED_KEY;
    if (!allows_channels(s, cmd, argv, argc, at))
        return ACL_DENIED_CHANNEL;
    return ACL_ALLOWED;
}

/* Of several refusals, that of the selector which came furthest counts. */
enum acl_verdict acl_check(const struct engine *e, const struct acl_user *u,
                           const struct command *cmd, const struct bytes *argv, size_t argc,
                           size_t *at)
{
    size_t id = registry_id(e->registry, cmd);
    enum acl_verdict worst = ACL_DENIED_COMMAND;
    *at = 0;
    for (size_t i = 0; i < u->nselectors; i++) {
        size_t here;
        enum acl_verdict v = check(u->selectors[i], cmd, id, argv, argc, &here);
        if (v == ACL_ALLOWED)
            return v;
        if (v > worst || (v == worst && here > *at)) {
            worst = v;
            *at = here;
        }
    }
    return worst;
}

void acl_explain(enum acl_verdict v, const struct acl_user *u, const struct command *cmd,
                 struct bytes value, struct buf *out)
{
    buf_printf(out, "User %.*s has no permissions to ", BYTES_FMT(acl_user_name(u)));
    if (v == ACL_DENIED_COMMAND)
        buf_printf(out, "run the '%s' command", command_full_name(cmd));
    else
        buf_printf(out, "access the '%.*s' %s", BYTES_FMT(value),
                   v == ACL_DENIED_KEY ? "key" : "channel");
}

static void abort_exec(struct call *c)
{
    struct buf why = {0};
    buf_put(&why, BYTES("NOPERM "));
    acl_explain(ACL_DENIED_COMMAND, c->session->user, c->cmd, (struct bytes){0}, &why);
    buf_putc(&why, '\0');
    multi_abort(c, why.p);
    buf_free(&why);
}

/* Which key or channel it was is not told: its name may be a secret. */
static void reply_refusal(struct call *c, enum acl_verdict v)
{
    const char *where = c->flags & CALL_SCRIPT ? "ACL failure in script: " : "";
    if (v == ACL_DENIED_COMMAND)
        reply_errorf(c->reply, "NOPERM %sUser %.*s has no permissions to run the '%s' command",
                     where, BYTES_FMT(acl_user_name(c->session->user)), command_full_name(c->cmd));
    else
        reply_errorf(c->reply, "NOPERM %sNo permissions to access a %s", where,
                     v == ACL_DENIED_KEY ? "key" : "channel");
}

/* A command that was allowed when it was queued. */
static void reply_late_refusal(struct call *c, enum acl_verdict v)
{
    static const char *const reasons[] = {
        [ACL_DENIED_COMMAND] = "no permission to execute the command or subcommand",
        [ACL_DENIED_KEY] = "no permission to touch the specified keys",
        [ACL_DENIED_CHANNEL] = "no permission to access one of the channels used as arguments",
    };
    reply_errorf(c->reply,
                 "NOPERM ACLs rules changed between the moment the transaction was accumulated and "
                 "the EXEC call. This command is no longer allowed for the following reason: %s",
                 reasons[v]);
}

static void count(struct stats *s, enum acl_verdict v)
{
    if (v == ACL_DENIED_COMMAND)
        s->denied_commands++;
    else if (v == ACL_DENIED_KEY)
        s->denied_keys++;
    else
        s->denied_channels++;
}

static const char *context(const struct call *c)
{
    if (c->flags & CALL_SCRIPT)
        return "lua";
    return c->flags & CALL_EXEC || c->session->flags & SESSION_MULTI ? "multi" : "toplevel";
}

bool acl_admits_restricted(struct call *c)
{
    static const char *const reasons[] = {[ACL_DENIED_COMMAND] = "command",
                                          [ACL_DENIED_KEY] = "key",
                                          [ACL_DENIED_CHANNEL] = "channel"};
    struct engine *e = c->engine;
    const struct acl_user *u = c->session->user;
    size_t at;
    enum acl_verdict v = acl_check(e, u, c->cmd, c->argv, c->argc, &at);
    if (v == ACL_ALLOWED)
        return true;
    struct bytes object =
        v == ACL_DENIED_COMMAND ? bytes_of(command_full_name(c->cmd)) : c->argv[at];
    count(&e->stats, v);
    acl_log_add(e, c->session, reasons[v], context(c), object, acl_user_name(u));
    if (strcmp(c->cmd->name, "exec") == 0)
        abort_exec(c);
    else if (c->flags & CALL_EXEC && !(c->flags & CALL_SCRIPT))
        reply_late_refusal(c, v);
    else
        reply_refusal(c, v);
    return false;
}

void acl_log_failed_login(const struct session *s, struct bytes by, struct bytes user)
{
    s->engine->stats.denied_logins++;
    acl_log_add(s->engine, s, "auth", s->flags & SESSION_MULTI ? "multi" : "toplevel", by, user);
}

/* Subscriptions. */

static bool allows_listening(const struct acl_user *u, struct bytes name, bool is_pattern)
{
    for (size_t i = 0; i < u->nselectors; i++)
        if (u->selectors[i]->flags & ACL_ALL_CHANNELS ||
            allows_channel(u->selectors[i], name, is_pattern))
            return true;
    return false;
}

static bool fits_channel(const void *user, struct bytes name)
{
    return allows_listening(user, name, false);
}

static bool fits_pattern(const void *user, struct bytes name)
{
    return allows_listening(user, name, true);
}

bool acl_allows_subscriptions(const struct acl_user *u, const struct session *s)
{
    return pubsub_all(s, TOPIC_CHANNEL, fits_channel, u) &&
           pubsub_all(s, TOPIC_SHARD, fits_channel, u) &&
           pubsub_all(s, TOPIC_PATTERN, fits_pattern, u);
}
