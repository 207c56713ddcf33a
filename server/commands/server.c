/* The server as a whole: time, role, memory, replicas that are not there, and the end. */
#include "base/num.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

static void cmd_memory_usage(struct call *c)
{
    int64_t samples;
    for (size_t i = 3; i < c->argc; i += 2) {
        if (!call_arg_is(c, i, BYTES("SAMPLES")) || i + 1 == c->argc) {
            call_syntax_error(c);
            return;
        }
        if (!call_int(c, i + 1, &samples))
            return;
        if (samples < 0) {
            call_syntax_error(c);
            return;
        }
    }
    const struct entry *e = keys_peek(c->keys, c->argv[2]);
    if (e)
        reply_int(c->reply, (int64_t)keys_memory(c->keys, e));
    else
        reply_null(c->reply);
}

static void cmd_role(struct call *c)
{
    reply_array(c->reply, 3);
    reply_str(c->reply, "master");
    reply_int(c->reply, 0);
    reply_array(c->reply, 0);
}

enum shutdown_option {
    SHUTDOWN_NOSAVE = 1,
    SHUTDOWN_SAVE = 2,
    SHUTDOWN_NOW = 4,
    SHUTDOWN_FORCE = 8,
    SHUTDOWN_ABORT = 16
};

/* The option of that name; 0 when there is none. */
static unsigned shutdown_option(struct bytes word)
{
    static const struct {
        const char *name;
        enum shutdown_option option;
    } names[] = {
        {"nosave", SHUTDOWN_NOSAVE}, {"save", SHUTDOWN_SAVE},   {"now", SHUTDOWN_NOW},
        {"force", SHUTDOWN_FORCE},   {"abort", SHUTDOWN_ABORT},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes_ieq(word, bytes_of(names[i].name)))
            return names[i].option;
    return 0;
}

static bool read_shutdown(struct call *c, unsigned *asked)
{
    const unsigned both = SHUTDOWN_NOSAVE | SHUTDOWN_SAVE;
    bool known = true;
    for (size_t i = 1; i < c->argc; i++) {
        unsigned option = shutdown_option(c->argv[i]);
        known &= option != 0;
        *asked |= option;
    }
    if (known && (*asked & both) != both &&
        (!(*asked & SHUTDOWN_ABORT) || *asked == SHUTDOWN_ABORT))
        return true;
    call_syntax_error(c);
    return false;
}

/* There is nothing to save and no replica to wait for, so it begins at once and cannot be aborted.
 * The client is not answered: that the connection closes is the answer. */
static void cmd_shutdown(struct call *c)
{
    unsigned asked = 0;
    if (!read_shutdown(c, &asked))
        return;
    if (asked & SHUTDOWN_ABORT) {
        reply_error(c->reply, BYTES("ERR No shutdown in progress."));
        return;
    }
    scripting_abort(c->engine);
    session_close(c->session, false);
    c->engine->host->stop(c->engine->ctx);
}

static void cmd_time(struct call *c)
{
    int64_t us = call_wall_us(c);
    reply_array(c->reply, 2);
    reply_bulk_i64(c->reply, us / 1000000);
    reply_bulk_i64(c->reply, us % 1000000);
}

/* No replica will ever acknowledge, so whoever asks for one waits for the timeout. */
static void cmd_wait(struct call *c)
{
    int64_t replicas, deadline;
    if (!call_int(c, 1, &replicas) || !call_timeout_ms(c, 2, &deadline))
        return;
    if (replicas > 0 && call_wait(c, 0, 0, VALUE_STRING, deadline))
        return;
    reply_int(c->reply, 0);
}

static void cmd_waitaof(struct call *c)
{
    int64_t local, replicas, deadline;
    if (!call_int_in(c, 1, 0, 1, "ERR value is out of range, value must between 0 and 1", &local))
        return;
    if (!num_parse_i64(c->argv[2], &replicas) || replicas < 0) {
        reply_error(c->reply, BYTES("ERR value is out of range, must be positive"));
        return;
    }
    if (!call_timeout_ms(c, 3, &deadline))
        return;
    if (local) {
        reply_error(c->reply, BYTES("ERR WAITAOF cannot be used when numlocal is set but "
                                    "appendonly is disabled."));
        return;
    }
    if (replicas > 0 && call_wait(c, 0, 0, VALUE_STRING, deadline))
        return;
    reply_array(c->reply, 2);
    reply_int(c->reply, 0);
    reply_int(c->reply, 0);
}

/* clang-format off */
static const struct command memory_subcommands[] = {
    {.name = "help", .full_name = "memory|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "4.0.0",
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "usage", .full_name = "memory|usage", .run = cmd_memory_usage, .arity = -3,
     .flags = CMD_READONLY, .group = GROUP_SERVER, .keys = {{KEY_RO, 2, 0, 1}}, .since = "4.0.0",
     .complexity = "O(1)", .syntax = "key [SAMPLES count]",
     .summary = "Tells how many bytes a key and its value take."},
    {0},
};

const struct command server_commands[] = {
    {.name = "memory", .arity = -2, .group = GROUP_SERVER, .since = "4.0.0",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = memory_subcommands,
     .summary = "Tells what takes how much memory."},
    {.name = "role", .run = cmd_role, .arity = 1,
     .flags = CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_FAST | CMD_SENTINEL,
     .acl = ACL_ADMIN | ACL_DANGEROUS, .group = GROUP_SERVER, .since = "2.8.12",
     .complexity = "O(1)", .syntax = "", .summary = "Tells that this is a master."},
    {.name = "shutdown", .run = cmd_shutdown, .arity = -1,
     .flags = CMD_ADMIN | CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_NO_MULTI | CMD_SENTINEL |
              CMD_ALLOW_BUSY,
     .group = GROUP_SERVER, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "[NOSAVE | SAVE] [NOW] [FORCE] [ABORT]",
     .summary = "Ends the server."},
    {.name = "time", .run = cmd_time, .arity = 1, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .group = GROUP_SERVER, .since = "2.6.0", .complexity = "O(1)", .syntax = "",
     .tips = "nondeterministic_output", .summary = "Tells the time."},
    {.name = "wait", .run = cmd_wait, .arity = 3, .flags = CMD_BLOCKING,
     .acl = ACL_CONNECTION, .group = GROUP_GENERIC, .since = "3.0.0", .complexity = "O(1)",
     .syntax = "numreplicas timeout", .tips = "request_policy:all_shards response_policy:agg_min",
     .summary = "Waits for replicas, of which there are none."},
    {.name = "waitaof", .run = cmd_waitaof, .arity = 4, .flags = CMD_BLOCKING,
     .acl = ACL_CONNECTION, .group = GROUP_GENERIC, .since = "7.2.0", .complexity = "O(1)",
     .syntax = "numlocal numreplicas timeout",
     .tips = "request_policy:all_shards response_policy:agg_min",
     .summary = "Waits for files of replicas, of which there are none."},
    {0},
};
/* clang-format on */
