/* The connection itself: greetings, authentication, state. */
#include "server/commands/families.h"
#include "server/engine/call.h"

static void cmd_echo(struct call *c)
{
    reply_bulk(c->reply, c->argv[1]);
}

static void cmd_ping(struct call *c)
{
    if (c->argc > 2)
        call_wrong_arity(c);
    else if (c->argc == 2)
        reply_bulk(c->reply, c->argv[1]);
    else
        reply_status(c->reply, BYTES("PONG"));
}

/* clang-format off */
const struct command connection_commands[] = {
    {.name = "echo", .run = cmd_echo, .arity = 2, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "message", .summary = "Answers with what was sent."},
    {.name = "ping", .run = cmd_ping, .arity = -1, .flags = CMD_FAST,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "[message]", .tips = "request_policy:all_shards response_policy:all_succeeded",
     .summary = "Answers PONG, or with the message."},
    {0},
};
/* clang-format on */
