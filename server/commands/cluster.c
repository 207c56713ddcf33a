/*
 * What a server that is not part of a cluster answers: one error, to everything. Clients find out
 * by it that they speak with a single node, so the commands are there, with their arities.
 */
#include "server/commands/families.h"
#include "server/engine/call.h"

static void refuse(struct call *c)
{
    reply_error(c->reply, BYTES("ERR This instance has cluster support disabled"));
}

#define READS   CMD_STALE
#define CHANGES (CMD_ADMIN | CMD_STALE | CMD_NO_ASYNC_LOADING)
#define OURS    .run = refuse, .group = GROUP_CLUSTER, .complexity = "O(1)"
#define REFUSED .summary = "Refused: this is no cluster."

/* clang-format off */
static const struct command cluster_subcommands[] = {
    {.name = "addslots", .full_name = "cluster|addslots", OURS, .arity = -3, .flags = CHANGES,
     .since = "3.0.0", .syntax = "slot [slot ...]", REFUSED},
    {.name = "addslotsrange", .full_name = "cluster|addslotsrange", OURS, .arity = -4,
     .flags = CHANGES, .since = "7.0.0", .syntax = "start-slot end-slot [start-slot end-slot ...]",
     REFUSED},
    {.name = "bumpepoch", .full_name = "cluster|bumpepoch", OURS, .arity = 2, .flags = CHANGES,
     .since = "3.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "count-failure-reports", .full_name = "cluster|count-failure-reports", OURS,
     .arity = 3, .flags = CMD_ADMIN | CMD_STALE, .since = "3.0.0", .syntax = "node-id",
     .tips = "nondeterministic_output", REFUSED},
    {.name = "countkeysinslot", .full_name = "cluster|countkeysinslot", OURS, .arity = 3,
     .flags = READS, .since = "3.0.0", .syntax = "slot", REFUSED},
    {.name = "delslots", .full_name = "cluster|delslots", OURS, .arity = -3, .flags = CHANGES,
     .since = "3.0.0", .syntax = "slot [slot ...]", REFUSED},
    {.name = "delslotsrange", .full_name = "cluster|delslotsrange", OURS, .arity = -4,
     .flags = CHANGES, .since = "7.0.0", .syntax = "start-slot end-slot [start-slot end-slot ...]",
     REFUSED},
    {.name = "failover", .full_name = "cluster|failover", OURS, .arity = -2, .flags = CHANGES,
     .since = "3.0.0", .syntax = "[FORCE | TAKEOVER]", REFUSED},
    {.name = "flushslots", .full_name = "cluster|flushslots", OURS, .arity = 2, .flags = CHANGES,
     .since = "3.0.0", .syntax = "", REFUSED},
    {.name = "forget", .full_name = "cluster|forget", OURS, .arity = 3, .flags = CHANGES,
     .since = "3.0.0", .syntax = "node-id", REFUSED},
    {.name = "getkeysinslot", .full_name = "cluster|getkeysinslot", OURS, .arity = 4,
     .flags = READS, .since = "3.0.0", .syntax = "slot count", .tips = "nondeterministic_output",
     REFUSED},
    {.name = "help", .full_name = "cluster|help", OURS, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .since = "5.0.0", .syntax = "", REFUSED},
    {.name = "info", .full_name = "cluster|info", OURS, .arity = 2, .flags = READS,
     .since = "3.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "keyslot", .full_name = "cluster|keyslot", OURS, .arity = 3, .flags = READS,
     .since = "3.0.0", .syntax = "name", REFUSED},
    {.name = "links", .full_name = "cluster|links", OURS, .arity = 2, .flags = READS,
     .since = "7.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "meet", .full_name = "cluster|meet", OURS, .arity = -4, .flags = CHANGES,
     .since = "3.0.0", .syntax = "ip port [cluster-bus-port]", REFUSED},
    {.name = "myid", .full_name = "cluster|myid", OURS, .arity = 2, .flags = READS,
     .since = "3.0.0", .syntax = "", REFUSED},
    {.name = "myshardid", .full_name = "cluster|myshardid", OURS, .arity = 2, .flags = READS,
     .since = "7.2.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "nodes", .full_name = "cluster|nodes", OURS, .arity = 2, .flags = READS,
     .since = "3.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "replicas", .full_name = "cluster|replicas", OURS, .arity = 3,
     .flags = CMD_ADMIN | CMD_STALE, .since = "5.0.0", .syntax = "node-id",
     .tips = "nondeterministic_output", REFUSED},
    {.name = "replicate", .full_name = "cluster|replicate", OURS, .arity = 3, .flags = CHANGES,
     .since = "3.0.0", .syntax = "node-id", REFUSED},
    {.name = "reset", .full_name = "cluster|reset", OURS, .arity = -2,
     .flags = CMD_ADMIN | CMD_NOSCRIPT | CMD_STALE, .since = "3.0.0", .syntax = "[HARD | SOFT]",
     REFUSED},
    {.name = "saveconfig", .full_name = "cluster|saveconfig", OURS, .arity = 2, .flags = CHANGES,
     .since = "3.0.0", .syntax = "", REFUSED},
    {.name = "set-config-epoch", .full_name = "cluster|set-config-epoch", OURS, .arity = 3,
     .flags = CHANGES, .since = "3.0.0", .syntax = "config-epoch", REFUSED},
    {.name = "setslot", .full_name = "cluster|setslot", OURS, .arity = -4, .flags = CHANGES,
     .since = "3.0.0",
     .syntax = "slot <IMPORTING node-id | MIGRATING node-id | NODE node-id | STABLE>", REFUSED},
    {.name = "shards", .full_name = "cluster|shards", OURS, .arity = 2, .flags = CMD_LOADING | READS,
     .since = "7.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {.name = "slaves", .full_name = "cluster|slaves", OURS, .arity = 3,
     .flags = CMD_ADMIN | CMD_STALE, .since = "3.0.0", .syntax = "node-id",
     .tips = "nondeterministic_output", REFUSED},
    {.name = "slots", .full_name = "cluster|slots", OURS, .arity = 2, .flags = CMD_LOADING | READS,
     .since = "3.0.0", .syntax = "", .tips = "nondeterministic_output", REFUSED},
    {0},
};

#define SWITCH .run = refuse, .group = GROUP_CLUSTER, .acl = ACL_CONNECTION, .complexity = "O(1)"

const struct command cluster_commands[] = {
    {.name = "asking", SWITCH, .arity = 1, .flags = CMD_FAST, .since = "3.0.0", .syntax = "", REFUSED},
    {.name = "cluster", .arity = -2, .group = GROUP_CLUSTER, .since = "3.0.0",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = cluster_subcommands, REFUSED},
    {.name = "readonly", SWITCH, .arity = 1, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .since = "3.0.0", .syntax = "", REFUSED},
    {.name = "readwrite", SWITCH, .arity = 1, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .since = "3.0.0", .syntax = "", REFUSED},
    {0},
};
/* clang-format on */
