/* MULTI, EXEC and what goes with them. */
#include "server/commands/families.h"
#include "server/engine/call.h"
#include "server/engine/multi.h"
#include "server/engine/watch.h"

static bool in_multi(struct call *c, const char *name)
{
    if (c->session->flags & SESSION_MULTI)
        return true;
    reply_errorf(c->reply, "ERR %s without MULTI", name);
    return false;
}

static void cmd_multi(struct call *c)
{
    if (c->session->flags & SESSION_MULTI) {
        reply_error(c->reply, BYTES("ERR MULTI calls can not be nested"));
        return;
    }
    multi_begin(c->session);
    reply_ok(c->reply);
}

static void cmd_exec(struct call *c)
{
    if (in_multi(c, "EXEC"))
        multi_exec(c);
}

static void cmd_discard(struct call *c)
{
    if (!in_multi(c, "DISCARD"))
        return;
    multi_discard(c->session);
    reply_ok(c->reply);
}

static void cmd_watch(struct call *c)
{
    if (c->session->flags & SESSION_MULTI) {
        reply_error(c->reply, BYTES("ERR WATCH inside MULTI is not allowed"));
        return;
    }
    /* With a broken watch EXEC fails anyway. */
    for (size_t i = 1; i < c->argc && !(c->session->flags & SESSION_DIRTY_CAS); i++) {
        if (!watch_add(c->session, c->keys, c->argv[i])) {
            call_out_of_memory(c);
            return;
        }
    }
    reply_ok(c->reply);
}

static void cmd_unwatch(struct call *c)
{
    watch_clear(c->session);
    reply_ok(c->reply);
}

/* clang-format off */
#define FLAGS (CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_FAST | CMD_ALLOW_BUSY)
const struct command transaction_commands[] = {
    {.name = "discard", .run = cmd_discard, .arity = 1, .flags = FLAGS, .acl = ACL_TRANSACTION,
     .group = GROUP_TRANSACTIONS, .since = "2.0.0", .complexity = "O(N), N being the queued commands",
     .syntax = "", .summary = "Forgets the commands queued since MULTI."},
    {.name = "exec", .run = cmd_exec, .arity = 1,
     .flags = CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_SKIP_SLOWLOG, .acl = ACL_TRANSACTION,
     .group = GROUP_TRANSACTIONS, .since = "1.2.0", .complexity = "Depends on the queued commands.",
     .syntax = "", .summary = "Runs the commands queued since MULTI, as one."},
    {.name = "multi", .run = cmd_multi, .arity = 1, .flags = FLAGS, .acl = ACL_TRANSACTION,
     .group = GROUP_TRANSACTIONS, .since = "1.2.0", .complexity = "O(1)", .syntax = "",
     .summary = "Begins a transaction: commands are queued until EXEC."},
    {.name = "unwatch", .run = cmd_unwatch, .arity = 1, .flags = FLAGS, .acl = ACL_TRANSACTION,
     .group = GROUP_TRANSACTIONS, .since = "2.2.0", .complexity = "O(N), N being the watched keys",
     .syntax = "", .summary = "Stops watching keys."},
    {.name = "watch", .run = cmd_watch, .arity = -2, .flags = FLAGS, .acl = ACL_TRANSACTION,
     .group = GROUP_TRANSACTIONS, .keys = {{KEY_RO, 1, -1, 1}}, .since = "2.2.0",
     .complexity = "O(1) for each key", .syntax = "key [key ...]",
     .summary = "Makes the next EXEC depend on these keys staying as they are."},
    {0},
};
/* clang-format on */
