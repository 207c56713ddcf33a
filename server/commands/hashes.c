/* Hashes: the reentrant locks of Redisson and others, one field for each owner. */
#include "base/num.h"
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "store/hash.h"

#include <math.h>

static bool has(const struct entry *e, struct bytes field)
{
    struct bytes value;
    return e && hash_get(e, field, &value);
}

/* Sets the fields from argument 2 on; how many of them are new, or -1 after an error. */
static int64_t set_fields(struct call *c)
{
    struct entry *e;
    if (c->argc % 2) {
        call_wrong_arity(c);
        return -1;
    }
    if (!call_find(c, 1, VALUE_HASH, &e) || !container_reserve(c, e, 2, 2) ||
        !(e = call_edit(c, 1, VALUE_HASH, e, container_room(c, 2))))
        return -1;
    size_t before = hash_count(e);
    for (size_t i = 2; i < c->argc; i += 2) {
        if (!hash_put(c->keys, &e, c->argv[i], c->argv[i + 1])) {
            container_out_of_memory(c, e, i > 2, EV_HSET);
            return -1;
        }
    }
    int64_t added = (int64_t)(hash_count(e) - before);
    container_commit(c, e, EV_HSET);
    return added;
}

static void cmd_hset(struct call *c)
{
    int64_t added = set_fields(c);
    if (added >= 0)
        reply_int(c->reply, added);
}

static void cmd_hmset(struct call *c)
{
    if (set_fields(c) >= 0)
        reply_ok(c->reply);
}

static void cmd_hsetnx(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_HASH, &e))
        return;
    if (has(e, c->argv[2])) {
        reply_int(c->reply, 0);
        return;
    }
    if (!(e = call_edit(c, 1, VALUE_HASH, e, container_room(c, 2))))
        return;
    if (!hash_put(c->keys, &e, c->argv[2], c->argv[3])) {
        container_out_of_memory(c, e, false, EV_HSET);
        return;
    }
    container_commit(c, e, EV_HSET);
    reply_int(c->reply, 1);
}

static void reply_field(struct call *c, const struct entry *e, struct bytes field)
{
    struct bytes value;
    if (e && hash_get(e, field, &value))
        reply_bulk(c->reply, value);
    else
        reply_null(c->reply);
}

static void cmd_hget(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_HASH, &e))
        reply_field(c, e, c->argv[2]);
}

static void cmd_hmget(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_HASH, &e))
        return;
    reply_array(c->reply, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        reply_field(c, e, c->argv[i]);
}

static void cmd_hgetall(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_HASH, &e))
        return;
    reply_map(c->reply, e ? hash_count(e) : 0);
    if (e == NULL)
        return;
    struct hash_walk w = hash_walk(e);
    while (hash_next(&w)) {
        reply_bulk(c->reply, w.name);
        reply_bulk(c->reply, w.value);
    }
}

static void reply_half(struct call *c, bool names)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_HASH, &e))
        return;
    reply_array(c->reply, e ? hash_count(e) : 0);
    if (e == NULL)
        return;
    struct hash_walk w = hash_walk(e);
    while (hash_next(&w))
        reply_bulk(c->reply, names ? w.name : w.value);
}

static void cmd_hkeys(struct call *c)
{
    reply_half(c, true);
}

static void cmd_hvals(struct call *c)
{
    reply_half(c, false);
}

static void cmd_hlen(struct call *c)
{
    container_count(c, VALUE_HASH);
}

static void cmd_hexists(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_HASH, &e))
        reply_int(c->reply, has(e, c->argv[2]));
}

static void cmd_hstrlen(struct call *c)
{
    struct entry *e;
    struct bytes value;
    if (call_find(c, 1, VALUE_HASH, &e))
        reply_int(c->reply, e && hash_get(e, c->argv[2], &value) ? (int64_t)value.n : 0);
}

static void cmd_hdel(struct call *c)
{
    container_remove(c, VALUE_HASH, hash_remove, EV_HDEL);
}

/* Writes the text of a new number into the field; false after an error. */
static bool put_number(struct call *c, struct entry *e, struct bytes text, enum key_event ev)
{
    if (!(e = call_edit(c, 1, VALUE_HASH, e, container_room(c, 2))))
        return false;
    if (!hash_put(c->keys, &e, c->argv[2], text)) {
        container_out_of_memory(c, e, false, ev);
        return false;
    }
    container_commit(c, e, ev);
    return true;
}

static void cmd_hincrby(struct call *c)
{
    int64_t by, sum = 0;
    struct entry *e;
    struct bytes value;
    if (!call_int(c, 3, &by) || !call_find(c, 1, VALUE_HASH, &e))
        return;
    if (e && hash_get(e, c->argv[2], &value) && !num_parse_i64(value, &sum)) {
        reply_error(c->reply, ERR_HASH_NOT_INTEGER);
        return;
    }
    if (__builtin_add_overflow(sum, by, &sum)) {
        reply_error(c->reply, ERR_OVERFLOW);
        return;
    }
    char text[NUM_I64_MAX];
    size_t n = num_format_i64(text, sum);
    if (put_number(c, e, (struct bytes){text, n}, EV_HINCRBY))
        reply_int(c->reply, sum);
}

static void cmd_hincrbyfloat(struct call *c)
{
    long double by, sum = 0;
    struct entry *e;
    struct bytes value;
    if (!num_parse_ld(c->argv[3], &by)) {
        reply_error(c->reply, ERR_NOT_FLOAT);
        return;
    }
    if (isinf(by)) {
        reply_error(c->reply, ERR_VALUE_NAN_OR_INF);
        return;
    }
    if (!call_find(c, 1, VALUE_HASH, &e))
        return;
    if (e && hash_get(e, c->argv[2], &value) && !num_parse_ld(value, &sum)) {
        reply_error(c->reply, ERR_HASH_NOT_FLOAT);
        return;
    }
    sum += by;
    if (isnan(sum) || isinf(sum)) {
        reply_error(c->reply, ERR_NAN_OR_INF);
        return;
    }
    char text[NUM_LD_MAX];
    value = (struct bytes){text, num_format_ld(text, sum)};
    if (put_number(c, e, value, EV_HINCRBYFLOAT))
        reply_bulk(c->reply, value);
}

static void visit(void *ctx, struct bytes name, struct bytes value)
{
    scan_add(ctx, (struct scan_item){.name = name, .value = value});
}

static void put_name(struct call *c, const struct scan_item *item)
{
    reply_bulk(c->reply, item->name);
}

static void put_pair(struct call *c, const struct scan_item *item)
{
    reply_bulk(c->reply, item->name);
    reply_bulk(c->reply, item->value);
}

static void cmd_hscan(struct call *c)
{
    struct entry *e;
    struct scan s;
    if (!scan_begin(c, VALUE_HASH, &s, &e))
        return;
    if (e->flags & ENTRY_OUTGROWN) {
        do {
            s.cursor = hash_scan(e, s.cursor, visit, &s);
        } while (scan_goes_on(&s));
    } else {
        struct hash_walk w = hash_walk(e);
        while (hash_next(&w))
            visit(&s, w.name, w.value);
        s.cursor = 0;
    }
    scan_reply(c, &s, s.novalues ? 1 : 2, s.novalues ? put_name : put_pair);
}

/* Setting fields that are there to values that are no longer needs no memory: a held lock can be
 * entered again, and left. */
static bool set_grows(struct call *c)
{
    struct entry *e = keys_peek(c->keys, c->argv[1]);
    struct bytes value;
    if (e == NULL || e->type != VALUE_HASH)
        return true;
    for (size_t i = 2; i + 1 < c->argc; i += 2)
        if (!hash_get(e, c->argv[i], &value) || value.n < c->argv[i + 1].n)
            return true;
    return false;
}

static bool add_grows(struct call *c)
{
    struct entry *e = keys_peek(c->keys, c->argv[1]);
    return e == NULL || e->type != VALUE_HASH || !has(e, c->argv[2]);
}

/* clang-format off */
const struct command hash_commands[] = {
    {.name = "hdel", .run = cmd_hdel, .arity = -3, .flags = CMD_WRITE | CMD_FAST, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(N) in the fields removed",
     .syntax = "key field [field ...]",
     .summary = "Removes fields; a hash without fields is gone."},
    {.name = "hexists", .run = cmd_hexists, .arity = 3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RO, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(1)", .syntax = "key field",
     .summary = "Tells whether a field is there: does this owner hold the lock?"},
    {.name = "hget", .run = cmd_hget, .arity = 3, .flags = CMD_READONLY | CMD_FAST, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(1)", .syntax = "key field", .summary = "Reads one field."},
    {.name = "hgetall", .run = cmd_hgetall, .arity = 2, .flags = CMD_READONLY, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(N)", .syntax = "key",
     .tips = "nondeterministic_output_order",
     .summary = "Reads all fields with their values, in the order in which they came."},
    {.name = "hincrby", .run = cmd_hincrby, .arity = 4, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(1)", .syntax = "key field increment", .grows = add_grows,
     .summary = "Adds to a field, which counts from 0: enters or leaves a reentrant lock."},
    {.name = "hincrbyfloat", .run = cmd_hincrbyfloat, .arity = 4,
     .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST, .acl = ACL_HASH, .group = GROUP_HASH,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}}, .since = "2.6.0", .complexity = "O(1)",
     .syntax = "key field increment", .grows = add_grows,
     .summary = "Adds a number with a fraction to a field."},
    {.name = "hkeys", .run = cmd_hkeys, .arity = 2, .flags = CMD_READONLY, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(N)", .syntax = "key",
     .tips = "nondeterministic_output_order", .summary = "Lists the names of all fields."},
    {.name = "hlen", .run = cmd_hlen, .arity = 2, .flags = CMD_READONLY | CMD_FAST, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO, 1, 0, 1}}, .since = "2.0.0", .complexity = "O(1)",
     .syntax = "key", .summary = "Counts the fields."},
    {.name = "hmget", .run = cmd_hmget, .arity = -3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(N) in the fields asked for",
     .syntax = "key field [field ...]", .summary = "Reads several fields."},
    {.name = "hmset", .run = cmd_hmset, .arity = -4, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(N) in the fields set",
     .syntax = "key field value [field value ...]", .grows = set_grows,
     .summary = "Sets several fields. HSET does it too and says how many were new."},
    {.name = "hscan", .run = cmd_hscan, .arity = -3, .flags = CMD_READONLY, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}}, .since = "2.8.0",
     .complexity = "O(1) for each call, O(N) for all of it",
     .syntax = "key cursor [MATCH pattern] [COUNT count] [NOVALUES]",
     .tips = "nondeterministic_output", .summary = "Goes through the fields piece by piece."},
    {.name = "hset", .run = cmd_hset, .arity = -4, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(N) in the fields set",
     .syntax = "key field value [field value ...]", .grows = set_grows,
     .summary = "Sets fields and says how many of them were new."},
    {.name = "hsetnx", .run = cmd_hsetnx, .arity = 4, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(1)", .syntax = "key field value", .grows = add_grows,
     .summary = "Sets a field unless it is there."},
    {.name = "hstrlen", .run = cmd_hstrlen, .arity = 3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_HASH, .group = GROUP_HASH, .keys = {{KEY_RO, 1, 0, 1}}, .since = "3.2.0",
     .complexity = "O(1)", .syntax = "key field", .summary = "Tells how long a field's value is."},
    {.name = "hvals", .run = cmd_hvals, .arity = 2, .flags = CMD_READONLY, .acl = ACL_HASH,
     .group = GROUP_HASH, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}}, .since = "2.0.0",
     .complexity = "O(N)", .syntax = "key",
     .tips = "nondeterministic_output_order", .summary = "Lists the values of all fields."},
    {0},
};
/* clang-format on */
