/* Keys, whatever they hold. */
#include "server/commands/keys.h"

#include "base/num.h"
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "server/commands/names.h"
#include "server/engine/call.h"
#include "server/engine/events.h"
#include "store/values.h"

static void cmd_del(struct call *c)
{
    int64_t n = 0;
    for (size_t i = 1; i < c->argc; i++) {
        struct entry *e = keys_find(c->keys, c->argv[i]);
        if (e) {
            keys_delete(c->keys, e, EV_DEL);
            n++;
        }
    }
    reply_int(c->reply, n);
}

/* EXISTS and TOUCH: both count the keys that are there, and both are a use of them. */
static void count_keys(struct call *c)
{
    int64_t n = 0;
    for (size_t i = 1; i < c->argc; i++)
        n += call_find_any(c, i) != NULL;
    reply_int(c->reply, n);
}

static void cmd_type(struct call *c)
{
    struct entry *e = call_peek(c, 1);
    reply_status(c->reply, bytes_of(e ? value_names[e->type] : "none"));
}

/* On the way through a table: what is looked for, and what was found. */
struct search {
    struct call *call;
    const struct bytes *pattern; /* NULL: all */
    const char *type;            /* NULL: all */
    struct names found;
    size_t seen, work;
};

static bool wanted(struct search *s, const struct entry *e)
{
    if (keys_overdue(s->call->keys, e))
        return false;
    if (s->type && strcmp(s->type, value_names[e->type]) != 0)
        return false;
    return scan_wants(s->pattern, entry_name(e), &s->work);
}

static void visit(void *ctx, void *object)
{
    struct search *s = ctx;
    const struct entry *e = object;
    s->seen++;
    s->work += SCAN_LOOK;
    if (wanted(s, e))
        names_add(&s->found, entry_name(e));
}

static void cmd_keys(struct call *c)
{
    struct search s = {.call = c, .pattern = &c->argv[1]};
    uint32_t cursor = 0;
    do {
        cursor = dict_scan(&c->keys->dict, cursor, visit, &s);
    } while (cursor);
    names_reply(c, &s.found, reply_array);
}

static bool read_scan_options(struct call *c, struct search *s, int64_t *count)
{
    for (size_t i = 2; i < c->argc; i += 2) {
        bool last = i + 1 >= c->argc;
        if (call_arg_is(c, i, BYTES("COUNT")) && !last) {
            if (!call_int(c, i + 1, count))
                return false;
            if (*count < 1) {
                call_syntax_error(c);
                return false;
            }
        } else if (call_arg_is(c, i, BYTES("MATCH")) && !last) {
            s->pattern = &c->argv[i + 1];
        } else if (call_arg_is(c, i, BYTES("TYPE")) && !last) {
            s->type = "";
            for (int t = 0; t < VALUE_TYPES; t++)
                if (bytes_ieq(c->argv[i + 1], bytes_of(value_names[t])))
                    s->type = value_names[t];
        } else if (call_arg_is(c, i, BYTES("NOVALUES"))) {
            reply_error(c->reply, ERR_NOVALUES);
            return false;
        } else {
            call_syntax_error(c);
            return false;
        }
    }
    return true;
}

static void cmd_scan(struct call *c)
{
    uint32_t at;
    int64_t count = 10;
    struct search s = {.call = c};
    if (!call_cursor(c, 1, &at) || !read_scan_options(c, &s, &count))
        return;
    /* Like Redis: stop after enough elements, or after ten times as many chains. */
    uint64_t chains = (uint64_t)count > UINT64_MAX / 10 ? UINT64_MAX : (uint64_t)count * 10;
    do {
        at = dict_scan(&c->keys->dict, at, visit, &s);
    } while (at && s.seen < (uint64_t)count && --chains && s.work < SCAN_WORK);
    if (!s.found.failed) {
        reply_array(c->reply, 2);
        reply_bulk_i64(c->reply, at);
    }
    names_reply(c, &s.found, reply_array);
}

static void cmd_randomkey(struct call *c)
{
    struct entry *e = NULL;
    for (int tries = 0; tries < 100; tries++) {
        e = dict_any(&c->keys->dict, engine_random(c->engine));
        if (e == NULL || !keys_overdue(c->keys, e))
            break;
        e = NULL;
    }
    if (e)
        reply_bulk(c->reply, entry_name(e));
    else
        reply_null(c->reply);
}

/* Renames; false, after the reply, when it cannot be. */
static bool rename_key(struct call *c, bool only_new, int64_t *renamed)
{
    struct entry *e = keys_find(c->keys, c->argv[1]);
    *renamed = 0;
    if (e == NULL) {
        reply_error(c->reply, ERR_NO_SUCH_KEY);
        return false;
    }
    if (bytes_eq(c->argv[1], c->argv[2]))
        return true;
    struct entry *other = keys_find(c->keys, c->argv[2]);
    if (other && only_new)
        return true;
    if (!call_reserve(c, 2, 0)) /* once the other is gone, nothing may fail any more */
        return false;
    if (other)
        keys_drop(c->keys, other);
    if (!keys_rename(c->keys, e, c->keys, c->argv[2])) {
        call_out_of_memory(c);
        return false;
    }
    keys_notify(c->keys, c->argv[1], EV_RENAME_FROM);
    keys_notify(c->keys, c->argv[2], EV_RENAME_TO);
    *renamed = 1;
    return true;
}

static void cmd_rename(struct call *c)
{
    int64_t renamed;
    if (rename_key(c, false, &renamed))
        reply_ok(c->reply);
}

static void cmd_renamenx(struct call *c)
{
    int64_t renamed;
    if (rename_key(c, true, &renamed))
        reply_int(c->reply, renamed);
}

static void cmd_dbsize(struct call *c)
{
    reply_int(c->reply, c->keys->dict.count);
}

/* [ASYNC | SYNC]: either way the keys are gone at once and the memory follows in slices. */
static bool flush_options_ok(struct call *c)
{
    if (c->argc == 1 ||
        (c->argc == 2 && (call_arg_is(c, 1, BYTES("SYNC")) || call_arg_is(c, 1, BYTES("ASYNC")))))
        return true;
    call_syntax_error(c);
    return false;
}

static void cmd_flushdb(struct call *c)
{
    if (!flush_options_ok(c))
        return;
    events_flush(c->engine, c->keys);
    keys_flush(c->keys);
    reply_ok(c->reply);
}

static void cmd_flushall(struct call *c)
{
    struct keyspace *s = &c->engine->space;
    if (!flush_options_ok(c))
        return;
    events_flush(c->engine, NULL);
    for (uint32_t i = 0; i < s->ndbs; i++)
        if (s->dbs[i])
            keys_flush(s->dbs[i]);
    reply_ok(c->reply);
}

/* OBJECT. */

static const char *string_encoding(const struct entry *e)
{
    struct bytes v = entry_value(e);
    int64_t number;
    if (e->flags & ENTRY_OUTGROWN)
        return "raw";
    if (!(e->flags & ENTRY_TEXT) && v.n <= 20 && num_parse_i64(v, &number))
        return "int";
    return v.n <= 44 ? "embstr" : "raw";
}

const char *object_encoding(const struct entry *e)
{
    bool outgrown = e->flags & ENTRY_OUTGROWN;
    switch (e->type) {
    case VALUE_STRING: return string_encoding(e);
    case VALUE_LIST: return outgrown ? "quicklist" : "listpack";
    case VALUE_SET: return outgrown ? "hashtable" : e->flags & ENTRY_TEXT ? "listpack" : "intset";
    case VALUE_ZSET: return outgrown ? "skiplist" : "listpack";
    default: return outgrown ? "hashtable" : "listpack";
    }
}

/* The entry in argument 2, or a null reply. */
static struct entry *object_of(struct call *c)
{
    struct entry *e = keys_peek(c->keys, c->argv[2]);
    if (e == NULL)
        reply_null(c->reply);
    return e;
}

static void cmd_object_encoding(struct call *c)
{
    struct entry *e = object_of(c);
    if (e)
        reply_str(c->reply, object_encoding(e));
}

static void cmd_object_freq(struct call *c)
{
    if (object_of(c))
        reply_error(c->reply,
                    BYTES("ERR An LFU maxmemory policy is not selected, access frequency not "
                          "tracked. Please note that when switching between policies at runtime "
                          "LRU and LFU data will take some time to adjust."));
}

static void cmd_object_idletime(struct call *c)
{
    struct entry *e = object_of(c);
    if (e)
        reply_int(c->reply, (uint32_t)(c->now / 1000) - e->used);
}

/* Redis shares the small integers and says so. */
static void cmd_object_refcount(struct call *c)
{
    struct entry *e = object_of(c);
    int64_t v;
    if (e == NULL)
        return;
    bool shared = bytes_is(bytes_of(object_encoding(e)), "int") &&
                  num_parse_i64(entry_value(e), &v) && v >= 0 && v < 10000;
    reply_int(c->reply, shared ? INT32_MAX : 1);
}

/* clang-format off */
static const struct command object_subcommands[] = {
    {.name = "encoding", .full_name = "object|encoding", .run = cmd_object_encoding, .arity = 3,
     .flags = CMD_READONLY, .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .keys = {{KEY_RO, 2, 0, 1}}, .since = "2.2.3", .complexity = "O(1)", .syntax = "key",
     .tips = "nondeterministic_output", .summary = "Names the encoding Redis would use for the value."},
    {.name = "freq", .full_name = "object|freq", .run = cmd_object_freq, .arity = 3,
     .flags = CMD_READONLY, .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .keys = {{KEY_RO, 2, 0, 1}}, .since = "4.0.0", .complexity = "O(1)", .syntax = "key",
     .tips = "nondeterministic_output", .summary = "Refused: access frequencies are not kept."},
    {.name = "help", .full_name = "object|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .since = "6.2.0", .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "idletime", .full_name = "object|idletime", .run = cmd_object_idletime, .arity = 3,
     .flags = CMD_READONLY, .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .keys = {{KEY_RO, 2, 0, 1}}, .since = "2.2.3", .complexity = "O(1)", .syntax = "key",
     .tips = "nondeterministic_output", .summary = "Tells for how many seconds the key was not used."},
    {.name = "refcount", .full_name = "object|refcount", .run = cmd_object_refcount, .arity = 3,
     .flags = CMD_READONLY, .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .keys = {{KEY_RO, 2, 0, 1}}, .since = "2.2.3", .complexity = "O(1)", .syntax = "key",
     .tips = "nondeterministic_output", .summary = "Tells how many references Redis would hold."},
    {0},
};

const struct command key_commands[] = {
    {.name = "dbsize", .run = cmd_dbsize, .arity = 1, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_SERVER, .since = "1.0.0", .complexity = "O(1)", .syntax = "",
     .tips = "request_policy:all_shards response_policy:agg_sum",
     .summary = "Counts the keys of the database."},
    {.name = "del", .run = cmd_del, .arity = -2, .flags = CMD_WRITE, .acl = ACL_KEYSPACE,
     .group = GROUP_GENERIC, .keys = {{KEY_RM | KEY_DELETE, 1, -1, 1}}, .since = "1.0.0",
     .complexity = "O(N), N being the number of keys", .syntax = "key [key ...]",
     .tips = "request_policy:multi_shard response_policy:agg_sum", .summary = "Removes keys."},
    {.name = "exists", .run = count_keys, .arity = -2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO, 1, -1, 1}}, .since = "1.0.0",
     .complexity = "O(N), N being the number of keys", .syntax = "key [key ...]",
     .tips = "request_policy:multi_shard response_policy:agg_sum",
     .summary = "Counts how many of the keys are there."},
    {.name = "flushall", .run = cmd_flushall, .arity = -1, .flags = CMD_WRITE,
     .acl = ACL_KEYSPACE | ACL_DANGEROUS, .group = GROUP_SERVER, .since = "1.0.0",
     .complexity = "O(1); the memory is freed in slices", .syntax = "[ASYNC | SYNC]",
     .tips = "request_policy:all_shards response_policy:all_succeeded",
     .summary = "Empties all databases."},
    {.name = "flushdb", .run = cmd_flushdb, .arity = -1, .flags = CMD_WRITE,
     .acl = ACL_KEYSPACE | ACL_DANGEROUS, .group = GROUP_SERVER, .since = "1.0.0",
     .complexity = "O(1); the memory is freed in slices", .syntax = "[ASYNC | SYNC]",
     .tips = "request_policy:all_shards response_policy:all_succeeded",
     .summary = "Empties the database."},
    {.name = "keys", .run = cmd_keys, .arity = 2, .flags = CMD_READONLY,
     .acl = ACL_KEYSPACE | ACL_DANGEROUS, .group = GROUP_GENERIC, .since = "1.0.0",
     .complexity = "O(N), N being the number of keys in the database", .syntax = "pattern",
     .tips = "request_policy:all_shards nondeterministic_output_order",
     .summary = "Lists the keys that match a pattern; SCAN does it without a pause."},
    {.name = "object", .arity = -2, .acl = 0, .group = GROUP_GENERIC, .since = "2.2.3",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = object_subcommands,
     .summary = "Looks at how a value is kept."},
    {.name = "randomkey", .run = cmd_randomkey, .arity = 1, .flags = CMD_READONLY,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .since = "1.0.0", .complexity = "O(1)", .syntax = "",
     .tips = "request_policy:all_shards response_policy:special nondeterministic_output",
     .summary = "Names some key of the database."},
    {.name = "rename", .run = cmd_rename, .arity = 3, .flags = CMD_WRITE, .acl = ACL_KEYSPACE,
     .group = GROUP_GENERIC,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_OW | KEY_UPDATE, 2, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key newkey",
     .summary = "Gives a key another name, in place of whatever had it."},
    {.name = "renamenx", .run = cmd_renamenx, .arity = 3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_OW | KEY_INSERT, 2, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key newkey",
     .summary = "Gives a key another name, when that is free."},
    {.name = "scan", .run = cmd_scan, .arity = -2, .flags = CMD_READONLY, .acl = ACL_KEYSPACE,
     .group = GROUP_GENERIC, .since = "2.8.0",
     .complexity = "O(1) for each call, O(N) for all of them",
     .syntax = "cursor [MATCH pattern] [COUNT count] [TYPE type]",
     .tips = "nondeterministic_output request_policy:special response_policy:special",
     .summary = "Lists the keys of the database in portions."},
    {.name = "touch", .run = count_keys, .arity = -2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO, 1, -1, 1}}, .since = "3.2.1",
     .complexity = "O(N), N being the number of keys", .syntax = "key [key ...]",
     .tips = "request_policy:multi_shard response_policy:agg_sum",
     .summary = "Marks keys as used and counts those that are there."},
    {.name = "type", .run = cmd_type, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RO, 1, 0, 1}}, .since = "1.0.0",
     .complexity = "O(1)", .syntax = "key", .summary = "Names the type of a key's value."},
    {.name = "unlink", .run = cmd_del, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_KEYSPACE, .group = GROUP_GENERIC, .keys = {{KEY_RM | KEY_DELETE, 1, -1, 1}},
     .since = "4.0.0", .complexity = "O(N), N being the number of keys", .syntax = "key [key ...]",
     .tips = "request_policy:multi_shard response_policy:agg_sum",
     .summary = "Removes keys; here the same as DEL, which frees in slices too."},
    {0},
};
/* clang-format on */
