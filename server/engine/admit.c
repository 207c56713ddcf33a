#include "server/engine/admit.h"

#include "server/engine/call.h"
#include "server/engine/multi.h"

#include <stdio.h>

/* Redis echoes the name and the first arguments, cut to 128 bytes each and in all. */
static void unknown_command(struct call *c)
{
    struct buf args = {0};
    for (size_t i = 1; i < c->argc && buf_len(&args) < 128; i++) {
        size_t room = 128 - buf_len(&args);
        size_t n = c->argv[i].n < room ? c->argv[i].n : room;
        buf_printf(&args, "'%.*s' ", (int)n, c->argv[i].p);
    }
    size_t n = c->argv[0].n < 128 ? c->argv[0].n : 128;
    reply_errorf(c->reply, "ERR unknown command '%.*s', with args beginning with: %.*s", (int)n,
                 c->argv[0].p, BYTES_FMT(buf_bytes(&args)));
    buf_free(&args);
}

static bool find_command(struct call *c)
{
    c->cmd = registry_find(c->engine->registry, c->argv[0]);
    if (c->cmd == NULL) {
        unknown_command(c);
        return false;
    }
    if (c->cmd->sub && c->argc > 1) {
        const struct command *sub = command_sub(c->cmd, c->argv[1]);
        if (sub == NULL) {
            call_unknown_subcommand(c);
            c->cmd = NULL; /* the container is not to blame in statistics */
            return false;
        }
        c->cmd = sub;
    }
    if (!command_arity_ok(c->cmd, c->argc)) {
        if (strcmp(c->cmd->name, "exec") == 0)
            multi_abort(c, "wrong number of arguments for 'exec' command");
        else
            call_wrong_arity(c);
        return false;
    }
    return true;
}

/* Past the memory limit, only what would need more memory is refused. */
static bool memory_allows(struct call *c)
{
    return !(c->cmd->flags & CMD_DENYOOM) || !engine_out_of_memory(c->engine) ||
           (c->cmd->grows && !c->cmd->grows(c));
}

/* An EXEC that is refused ends its transaction, whatever the reason. */
static bool refuse(struct call *c, struct bytes error)
{
    if (strcmp(c->cmd->name, "exec") == 0)
        multi_abort(c, error.p);
    else
        reply_error(c->reply, error);
    return false;
}

/* By its own name: LATENCY RESET is not RESET. */
static bool is_one_of(const struct command *cmd, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(command_full_name(cmd), names[i]) == 0)
            return true;
    return false;
}

/* To a RESP2 client, a message and a reply look the same; so once it has subscribed it may only
 * send what is answered in the form of a message. */
static bool fits_subscriber(const struct command *cmd)
{
    static const char *const names[] = {
        "subscribe",    "unsubscribe", "psubscribe", "punsubscribe", "ssubscribe",
        "sunsubscribe", "ping",        "quit",       "reset",
    };
    return is_one_of(cmd, names, sizeof names / sizeof *names);
}

static bool refuse_subscriber(struct call *c)
{
    char why[256];
    snprintf(why, sizeof why,
             "Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are "
             "allowed in this context",
             command_full_name(c->cmd));
    if (strcmp(c->cmd->name, "exec") == 0)
        multi_abort(c, why);
    else
        reply_errorf(c->reply, "ERR %s", why);
    return false;
}

/* DEBUG is for those whom the configuration trusts with it. */
static bool debug_allows(const struct call *c)
{
    int allow = c->engine->config->enable_debug_command;
    return !(c->cmd->flags & CMD_PROTECTED) || allow == ALLOW_YES ||
           (allow == ALLOW_LOCAL && c->session->flags & SESSION_LOCAL);
}

static bool allowed(struct call *c)
{
    bool found = find_command(c);
    if (c->flags == 0)
        c->session->last = c->cmd; /* now, since ACL LOG shows a refused one with its client */
    if (!found)
        return false;
    if (!debug_allows(c))
        return refuse(c, ERR_NO_DEBUG);
    if (acl_must_login(c->session) && !(c->cmd->flags & CMD_NO_AUTH))
        return refuse(c, ERR_NOAUTH);
    if (c->session->flags & SESSION_MULTI && c->cmd->flags & CMD_NO_MULTI)
        return refuse(c, BYTES("ERR Command not allowed inside a transaction"));
    if (!acl_admits(c))
        return false;
    if (!(c->flags & CALL_BUSY) && !memory_allows(c))
        return refuse(c, ERR_OOM);
    if (c->session->flags & SESSION_PUBSUB && c->session->resp == 2 &&
        !(c->flags & (CALL_SCRIPT | CALL_EXEC)) && !fits_subscriber(c->cmd))
        return refuse_subscriber(c);
    if (c->flags & CALL_BUSY && !(c->cmd->flags & CMD_ALLOW_BUSY))
        return refuse(c, ERR_BUSY);
    return true;
}

/* Runs at once even between MULTI and EXEC. */
static bool steers_multi(const struct command *cmd)
{
    static const char *const names[] = {"exec", "discard", "multi", "watch", "quit", "reset"};
    return is_one_of(cmd, names, sizeof names / sizeof *names);
}

bool admit(struct call *c)
{
    bool nested = c->flags & (CALL_SCRIPT | CALL_EXEC);
    if (c->flags & CALL_RETRY)
        return find_command(c) && acl_admits(c);
    if (!allowed(c)) {
        if (!nested)
            multi_fail(c->session);
        return false;
    }
    if (!nested && pause_holds(c)) {
        waiters_postpone(c);
        return false;
    }
    if (!nested && c->session->flags & SESSION_MULTI && !steers_multi(c->cmd)) {
        multi_queue(c);
        return false;
    }
    return true;
}
