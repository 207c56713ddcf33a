/* Deadlines: EXPIRE and its relatives, TTL and its relatives, PERSIST. */
#include "server/commands/families.h"
#include "server/engine/call.h"

enum { IF_NX = 1, IF_XX = 2, IF_GT = 4, IF_LT = 8 };

static bool read_conditions(struct call *c, unsigned *flags)
{
    static const struct {
        struct bytes word;
        unsigned flag;
    } words[] = {
        {BYTES("NX"), IF_NX}, {BYTES("XX"), IF_XX}, {BYTES("GT"), IF_GT}, {BYTES("LT"), IF_LT}};
    *flags = 0;
    for (size_t i = 3; i < c->argc; i++) {
        size_t w = 0;
        while (w < 4 && !bytes_ieq(c->argv[i], words[w].word))
            w++;
        if (w == 4) {
            reply_errorf(c->reply, "ERR Unsupported option %.*s", BYTES_FMT(c->argv[i]));
            return false;
        }
        *flags |= words[w].flag;
    }
    if (*flags & IF_NX && *flags & (IF_XX | IF_GT | IF_LT)) {
        reply_error(c->reply, BYTES("ERR NX and XX, GT or LT options at the same time are not "
                                    "compatible"));
        return false;
    }
    if (*flags & IF_GT && *flags & IF_LT) {
        reply_error(c->reply, BYTES("ERR GT and LT options at the same time are not compatible"));
        return false;
    }
    return true;
}

static bool condition_holds(unsigned flags, int64_t old, int64_t at)
{
    if (flags & IF_NX && old != WHEEL_NEVER)
        return false;
    if (flags & IF_XX && old == WHEEL_NEVER)
        return false;
    if (flags & IF_GT && (old == WHEEL_NEVER || at <= old))
        return false;
    return !(flags & IF_LT && old != WHEEL_NEVER && at >= old);
}

/* Unlike in SET, the deadline may lie in the past. */
static void expire(struct call *c, unsigned deadline_flags)
{
    unsigned conditions;
    int64_t at;
    if (!read_conditions(c, &conditions) || !call_deadline(c, 2, deadline_flags, &at))
        return;
    struct entry *e = keys_find(c->keys, c->argv[1]);
    if (e == NULL || !condition_holds(conditions, entry_deadline(e), at)) {
        reply_int(c->reply, 0);
        return;
    }
    if (at <= c->now) {
        keys_delete(c->keys, e, EV_DEL);
    } else {
        keys_expire_at(c->keys, e, at);
        keys_notify(c->keys, c->argv[1], EV_EXPIRE);
    }
    reply_int(c->reply, 1);
}

static void cmd_expire(struct call *c)
{
    expire(c, DEADLINE_SECONDS);
}

static void cmd_pexpire(struct call *c)
{
    expire(c, 0);
}

static void cmd_expireat(struct call *c)
{
    expire(c, DEADLINE_SECONDS | DEADLINE_ABSOLUTE);
}

static void cmd_pexpireat(struct call *c)
{
    expire(c, DEADLINE_ABSOLUTE);
}

/* -2 without a key, -1 without a deadline; seconds are rounded as Redis does. */
static void time_left(struct call *c, bool seconds, bool absolute)
{
    struct entry *e = call_peek(c, 1);
    if (e == NULL || entry_deadline(e) == WHEEL_NEVER) {
        reply_int(c->reply, e ? -1 : -2);
        return;
    }
    int64_t ms = entry_deadline(e) - c->now;
    if (absolute)
        ms += call_wall_us(c) / 1000;
    else if (ms < 0)
        ms = 0;
    reply_int(c->reply, seconds ? ms / 1000 + (ms % 1000 >= 500) : ms);
}

static void cmd_ttl(struct call *c)
{
    time_left(c, true, false);
}

static void cmd_pttl(struct call *c)
{
    time_left(c, false, false);
}

static void cmd_expiretime(struct call *c)
{
    time_left(c, true, true);
}

static void cmd_pexpiretime(struct call *c)
{
    time_left(c, false, true);
}

static void cmd_persist(struct call *c)
{
    struct entry *e = keys_find(c->keys, c->argv[1]);
    if (e == NULL || entry_deadline(e) == WHEEL_NEVER) {
        reply_int(c->reply, 0);
        return;
    }
    keys_expire_at(c->keys, e, WHEEL_NEVER);
    keys_notify(c->keys, c->argv[1], EV_PERSIST);
    reply_int(c->reply, 1);
}

/* clang-format off */
#define CONDITIONS "[NX | XX | GT | LT]"
const struct command expiry_commands[] = {
    {.name = "expire", .run = cmd_expire, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key seconds " CONDITIONS,
     .summary = "Gives a key a lease in seconds."},
    {.name = "expireat", .run = cmd_expireat, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(1)", .syntax = "key unix-time-seconds " CONDITIONS,
     .summary = "Gives a key a deadline, in seconds since 1970."},
    {.name = "expiretime", .run = cmd_expiretime, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "7.0.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Tells a key's deadline, in seconds since 1970."},
    {.name = "persist", .run = cmd_persist, .arity = 2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Removes a key's deadline."},
    {.name = "pexpire", .run = cmd_pexpire, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.6.0", .complexity = "O(1)", .syntax = "key milliseconds " CONDITIONS,
     .summary = "Gives a key a lease in milliseconds: renews a lock."},
    {.name = "pexpireat", .run = cmd_pexpireat, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.6.0", .complexity = "O(1)", .syntax = "key unix-time-milliseconds " CONDITIONS,
     .summary = "Gives a key a deadline, in milliseconds since 1970."},
    {.name = "pexpiretime", .run = cmd_pexpiretime, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "7.0.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Tells a key's deadline, in milliseconds since 1970."},
    {.name = "pttl", .run = cmd_pttl, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.6.0", .complexity = "O(1)", .syntax = "key", .tips = "nondeterministic_output",
     .summary = "Tells how many milliseconds a key has left."},
    {.name = "ttl", .run = cmd_ttl, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key", .tips = "nondeterministic_output",
     .summary = "Tells how many seconds a key has left."},
    {0},
};
/* clang-format on */
