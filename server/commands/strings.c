/* Strings: what nearly every simple lock is made of. */
#include "base/num.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

/* The options of SET and GETEX, in any order and any case. */
enum {
    OPT_NX = 1,
    OPT_XX = 2,
    OPT_GET = 4,
    OPT_KEEPTTL = 8,
    OPT_PERSIST = 16,
    OPT_IFEQ = 32,
    OPT_IFNE = 64
};

struct options {
    unsigned flags;
    size_t expiry;        /* which argument holds the time; 0: none does */
    unsigned expiry_kind; /* of enum deadline_flag */
    size_t compare;       /* which argument holds the value to compare with */
};

static const struct {
    struct bytes word;
    unsigned kind;
} expiry_words[] = {
    {BYTES("EX"), DEADLINE_AHEAD | DEADLINE_SECONDS},
    {BYTES("PX"), DEADLINE_AHEAD},
    {BYTES("EXAT"), DEADLINE_AHEAD | DEADLINE_SECONDS | DEADLINE_ABSOLUTE},
    {BYTES("PXAT"), DEADLINE_AHEAD | DEADLINE_ABSOLUTE},
};

/* For each flag: its word, the flags it excludes, and whether it excludes a time. */
static const struct {
    struct bytes word;
    unsigned flag, excludes;
    bool no_time, takes_value, set, getex;
} flag_words[] = {
    {BYTES("NX"), OPT_NX, OPT_XX | OPT_IFEQ | OPT_IFNE, false, false, true, false},
    {BYTES("XX"), OPT_XX, OPT_NX | OPT_IFEQ | OPT_IFNE, false, false, true, false},
    {BYTES("GET"), OPT_GET, 0, false, false, true, false},
    {BYTES("KEEPTTL"), OPT_KEEPTTL, OPT_PERSIST, true, false, true, false},
    {BYTES("PERSIST"), OPT_PERSIST, OPT_KEEPTTL, true, false, false, true},
    {BYTES("IFEQ"), OPT_IFEQ, OPT_NX | OPT_XX | OPT_IFNE, false, true, true, false},
    {BYTES("IFNE"), OPT_IFNE, OPT_NX | OPT_XX | OPT_IFEQ, false, true, true, false},
};

static bool read_expiry_word(struct call *c, size_t *i, struct options *o)
{
    for (size_t w = 0; w < sizeof expiry_words / sizeof *expiry_words; w++) {
        if (!bytes_ieq(c->argv[*i], expiry_words[w].word))
            continue;
        bool other = o->expiry && o->expiry_kind != expiry_words[w].kind;
        if (other || o->flags & (OPT_KEEPTTL | OPT_PERSIST) || *i + 1 >= c->argc)
            return false;
        o->expiry_kind = expiry_words[w].kind;
        o->expiry = ++*i;
        return true;
    }
    return false;
}

static bool read_flag_word(struct call *c, size_t *i, bool set, struct options *o)
{
    for (size_t w = 0; w < sizeof flag_words / sizeof *flag_words; w++) {
        if (!bytes_ieq(c->argv[*i], flag_words[w].word))
            continue;
        if (!(set ? flag_words[w].set : flag_words[w].getex) || o->flags & flag_words[w].excludes ||
            (flag_words[w].no_time && o->expiry))
            return false;
        o->flags |= flag_words[w].flag;
        if (flag_words[w].takes_value) {
            if (*i + 1 >= c->argc || o->compare)
                return false;
            o->compare = ++*i;
        }
        return true;
    }
    return false;
}

static bool read_options(struct call *c, size_t from, bool set, struct options *o)
{
    *o = (struct options){0};
    for (size_t i = from; i < c->argc; i++) {
        if (!read_flag_word(c, &i, set, o) && !read_expiry_word(c, &i, o)) {
            call_syntax_error(c);
            return false;
        }
    }
    return true;
}

/* WHEEL_NEVER when no time was given. */
static bool read_deadline(struct call *c, const struct options *o, int64_t *at)
{
    *at = WHEEL_NEVER;
    return o->expiry == 0 || call_deadline(c, o->expiry, o->expiry_kind, at);
}

/* Writes a string under argument i, on the entry `e` or a new one, of any type before. */
static bool put_string(struct call *c, size_t i, struct entry *e, struct bytes value,
                       enum key_event ev, int64_t at, bool keep_ttl)
{
    e = call_edit(c, i, VALUE_STRING, e, value.n);
    if (e == NULL)
        return false;
    char *p = e->type == VALUE_STRING ? keys_resize(c->keys, &e, value.n)
                                      : keys_restring(c->keys, &e, value.n);
    if (p == NULL) {
        keys_abandon(c->keys, e);
        call_out_of_memory(c);
        return false;
    }
    bytes_copy(p, value);
    entry_unset(e, ENTRY_OUTGROWN | ENTRY_TEXT);
    if (ev == EV_INCRBYFLOAT)
        e->flags |= ENTRY_TEXT;
    if (!keep_ttl)
        keys_expire_at(c->keys, e, at);
    keys_commit(c->keys, e, ev);
    return true;
}

/* Makes the string under argument 1, where there is none: takes a lock. */
static bool put_lock(struct call *c, struct bytes value, int64_t at)
{
    struct hold h = locks_hold(c->engine, c->session);
    struct entry *e = keys_create_lock(c->keys, c->argv[1], value.n, h);
    if (e == NULL) {
        call_out_of_memory(c);
        return false;
    }
    keys_assign(c->keys, &e, value); /* its room is there */
    keys_expire_at(c->keys, e, at);
    keys_commit(c->keys, e, EV_SET);
    locks_taken(c->engine, c->keys, c->argv[1]);
    return true;
}

static void raise_expire(struct call *c, size_t i)
{
    keys_notify(c->keys, c->argv[i], EV_EXPIRE);
}

static struct bytes string_of(const struct entry *e)
{
    return e ? entry_value(e) : BYTES("");
}

static void reply_string(struct call *c, const struct entry *e)
{
    if (e)
        reply_bulk(c->reply, entry_value(e));
    else
        reply_null(c->reply);
}

/* The reply is the old value, so after it nothing may fail any more. */
static bool reply_before_change(struct call *c, const struct entry *e)
{
    if (!call_reserve(c, 1, 0))
        return false;
    reply_string(c, e);
    return !c->reply->lost;
}

/* Does the key's state satisfy NX, XX, IFEQ or IFNE? */
static bool condition_holds(const struct call *c, const struct options *o, const struct entry *e)
{
    if (o->flags & OPT_NX)
        return e == NULL;
    if (o->flags & OPT_XX)
        return e != NULL;
    if (o->flags & OPT_IFEQ)
        return e && bytes_eq(entry_value(e), c->argv[o->compare]);
    if (o->flags & OPT_IFNE)
        return e == NULL || !bytes_eq(entry_value(e), c->argv[o->compare]);
    return true;
}

static void cmd_set(struct call *c)
{
    struct options o;
    struct entry *e;
    int64_t at;
    if (!read_options(c, 3, true, &o) || !read_deadline(c, &o, &at))
        return;
    if (o.flags & (OPT_GET | OPT_IFEQ | OPT_IFNE)) {
        if (!call_find(c, 1, VALUE_STRING, &e))
            return;
    } else {
        e = keys_find(c->keys, c->argv[1]);
    }

    bool holds = condition_holds(c, &o, e);
    if (o.flags & OPT_GET && !reply_before_change(c, e))
        return;
    if (!holds) {
        if (!(o.flags & OPT_GET))
            reply_null(c->reply);
        return;
    }
    if (!(o.flags & OPT_NX ? put_lock(c, c->argv[2], at)
                           : put_string(c, 1, e, c->argv[2], EV_SET, at, o.flags & OPT_KEEPTTL)))
        return;
    if (o.expiry)
        raise_expire(c, 1);
    if (!(o.flags & OPT_GET))
        reply_ok(c->reply);
}

/* Writing over a value of at least that length needs no memory. */
static bool set_grows(struct call *c)
{
    struct entry *e = keys_find(c->keys, c->argv[1]);
    return e == NULL || e->type != VALUE_STRING || c->argc < 3 || entry_value(e).n < c->argv[2].n;
}

/* A counter that is there stays within a few bytes. */
static bool set_grows_number(struct call *c)
{
    return keys_find(c->keys, c->argv[1]) == NULL;
}

static void cmd_setnx(struct call *c)
{
    if (keys_find(c->keys, c->argv[1]))
        reply_int(c->reply, 0);
    else if (put_lock(c, c->argv[2], WHEEL_NEVER))
        reply_int(c->reply, 1);
}

static void set_with_expiry(struct call *c, unsigned kind)
{
    int64_t at;
    if (!call_deadline(c, 2, kind, &at))
        return;
    if (!put_string(c, 1, keys_find(c->keys, c->argv[1]), c->argv[3], EV_SET, at, false))
        return;
    raise_expire(c, 1);
    reply_ok(c->reply);
}

static void cmd_setex(struct call *c)
{
    set_with_expiry(c, DEADLINE_AHEAD | DEADLINE_SECONDS);
}

static void cmd_psetex(struct call *c)
{
    set_with_expiry(c, DEADLINE_AHEAD);
}

static void cmd_get(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_STRING, &e))
        reply_string(c, e);
}

static void cmd_getset(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_STRING, &e) && reply_before_change(c, e))
        put_string(c, 1, e, c->argv[2], EV_SET, WHEEL_NEVER, false);
}

static void cmd_getdel(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_STRING, &e))
        return;
    reply_string(c, e);
    if (e && !c->reply->lost)
        keys_delete(c->keys, e, EV_DEL);
}

static void cmd_getex(struct call *c)
{
    struct options o;
    struct entry *e;
    int64_t at;
    if (!read_options(c, 2, false, &o) || !call_find(c, 1, VALUE_STRING, &e))
        return;
    if (e == NULL) {
        reply_null(c->reply);
        return;
    }
    if (!read_deadline(c, &o, &at))
        return;
    reply_string(c, e);
    if (c->reply->lost)
        return;
    if (o.expiry_kind & DEADLINE_ABSOLUTE && at <= c->now) {
        keys_delete(c->keys, e, EV_DEL);
    } else if (o.expiry) {
        keys_expire_at(c->keys, e, at);
        raise_expire(c, 1);
    } else if (o.flags & OPT_PERSIST && entry_deadline(e) != WHEEL_NEVER) {
        keys_expire_at(c->keys, e, WHEEL_NEVER);
        keys_notify(c->keys, c->argv[1], EV_PERSIST);
    }
}

static void delete_if(struct call *c, struct entry *e, bool holds)
{
    reply_int(c->reply, e && holds);
    if (e && holds)
        keys_delete(c->keys, e, EV_DEL);
}

static void cmd_delex(struct call *c)
{
    struct entry *e;
    if (c->argc == 2) {
        delete_if(c, keys_find(c->keys, c->argv[1]), true);
        return;
    }
    bool equal = call_arg_is(c, 2, BYTES("IFEQ"));
    if (c->argc != 4 || (!equal && !call_arg_is(c, 2, BYTES("IFNE")))) {
        call_syntax_error(c);
        return;
    }
    if (call_find(c, 1, VALUE_STRING, &e))
        delete_if(c, e, e && bytes_eq(entry_value(e), c->argv[3]) == equal);
}

static void cmd_delifeq(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_STRING, &e))
        delete_if(c, e, e && bytes_eq(entry_value(e), c->argv[2]));
}

static void cmd_mget(struct call *c)
{
    reply_array(c->reply, c->argc - 1);
    for (size_t i = 1; i < c->argc; i++) {
        struct entry *e = call_find_any(c, i);
        reply_string(c, e && e->type == VALUE_STRING ? e : NULL);
    }
}

/* True when pairs are complete. */
static bool pairs_ok(struct call *c)
{
    if (c->argc % 2 == 1)
        return true;
    call_wrong_arity(c);
    return false;
}

/* All of them, or none after an error. */
static bool set_pairs(struct call *c)
{
    if (c->argc > 3 && !call_reserve(c, 1, 0))
        return false;
    for (size_t i = 1; i < c->argc; i += 2)
        if (!put_string(c, i, keys_find(c->keys, c->argv[i]), c->argv[i + 1], EV_SET, WHEEL_NEVER,
                        false))
            return false;
    return true;
}

static void cmd_mset(struct call *c)
{
    if (pairs_ok(c) && set_pairs(c))
        reply_ok(c->reply);
}

static void cmd_msetnx(struct call *c)
{
    if (!pairs_ok(c))
        return;
    for (size_t i = 1; i < c->argc; i += 2) {
        if (keys_find(c->keys, c->argv[i])) {
            reply_int(c->reply, 0);
            return;
        }
    }
    if (set_pairs(c))
        reply_int(c->reply, 1);
}

static void cmd_append(struct call *c)
{
    struct entry *e;
    struct bytes more = c->argv[2];
    if (!call_find(c, 1, VALUE_STRING, &e))
        return;
    if (e == NULL) {
        if (put_string(c, 1, NULL, more, EV_APPEND, WHEEL_NEVER, false))
            reply_int(c->reply, (int64_t)more.n);
        return;
    }
    size_t old = entry_value(e).n, n = old + more.n;
    if (n > (size_t)c->engine->config->proto_max_bulk_len) {
        reply_error(c->reply, ERR_TOO_LARGE);
        return;
    }
    keys_edit(c->keys, e);
    char *p = keys_resize(c->keys, &e, n);
    if (p == NULL) {
        keys_abandon(c->keys, e);
        call_out_of_memory(c);
        return;
    }
    memcpy(p + old, more.p, more.n);
    e->flags |= ENTRY_OUTGROWN;
    keys_commit(c->keys, e, EV_APPEND);
    reply_int(c->reply, (int64_t)n);
}

static void cmd_strlen(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_STRING, &e))
        reply_int(c->reply, (int64_t)string_of(e).n);
}

static void cmd_getrange(struct call *c)
{
    int64_t from, to;
    struct entry *e;
    if (!call_int(c, 2, &from) || !call_int(c, 3, &to) || !call_find(c, 1, VALUE_STRING, &e))
        return;
    struct bytes v = string_of(e);
    int64_t n = (int64_t)v.n;
    bool crossed = from < 0 && to < 0 && from > to;
    from = from < 0 ? (from + n > 0 ? from + n : 0) : from;
    to = to < 0 ? (to + n > 0 ? to + n : 0) : to;
    to = to < n ? to : n - 1;
    if (crossed || n == 0 || from > to)
        reply_bulk(c->reply, BYTES(""));
    else
        reply_bulk(c->reply, (struct bytes){v.p + from, (size_t)(to - from + 1)});
}

/* Counters. */

static void increment(struct call *c, int64_t by)
{
    struct entry *e;
    int64_t v = 0;
    char text[NUM_I64_MAX];
    if (!call_find(c, 1, VALUE_STRING, &e))
        return;
    if (e && !num_parse_i64(entry_value(e), &v)) {
        reply_error(c->reply, ERR_NOT_INTEGER);
        return;
    }
    if (__builtin_add_overflow(v, by, &v)) {
        reply_error(c->reply, ERR_OVERFLOW);
        return;
    }
    if (put_string(c, 1, e, (struct bytes){text, num_format_i64(text, v)}, EV_INCRBY, WHEEL_NEVER,
                   true))
        reply_int(c->reply, v);
}

static void cmd_incr(struct call *c)
{
    increment(c, 1);
}

static void cmd_decr(struct call *c)
{
    increment(c, -1);
}

static void cmd_incrby(struct call *c)
{
    int64_t by;
    if (call_int(c, 2, &by))
        increment(c, by);
}

static void cmd_decrby(struct call *c)
{
    int64_t by;
    if (!call_int(c, 2, &by))
        return;
    if (by == INT64_MIN)
        reply_error(c->reply, BYTES("ERR decrement would overflow"));
    else
        increment(c, -by);
}

static void cmd_incrbyfloat(struct call *c)
{
    struct entry *e;
    long double v = 0, by;
    char text[NUM_LD_MAX];
    if (!call_find(c, 1, VALUE_STRING, &e))
        return;
    if ((e && !num_parse_ld(entry_value(e), &v)) || !num_parse_ld(c->argv[2], &by)) {
        reply_error(c->reply, ERR_NOT_FLOAT);
        return;
    }
    v += by;
    if (__builtin_isnan(v) || __builtin_isinf(v)) {
        reply_error(c->reply, ERR_NAN_OR_INF);
        return;
    }
    struct bytes s = {text, num_format_ld(text, v)};
    if (put_string(c, 1, e, s, EV_INCRBYFLOAT, WHEEL_NEVER, true))
        reply_bulk(c->reply, s);
}

/* clang-format off */
const struct command string_commands[] = {
    {.name = "append", .run = cmd_append, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(1)", .syntax = "key value",
     .summary = "Adds to the end of a string, creating it when there is none."},
    {.name = "decr", .run = cmd_decr, .arity = 2, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key", .grows = set_grows_number,
     .summary = "Takes one from a counter; a missing one counts from 0."},
    {.name = "decrby", .run = cmd_decrby, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key decrement", .grows = set_grows_number,
     .summary = "Takes a number from a counter; a missing one counts from 0."},
    {.name = "delex", .run = cmd_delex, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RM | KEY_DELETE, 1, 0, 1}},
     .since = "8.4.0", .complexity = "O(1)", .syntax = "key [IFEQ value | IFNE value]",
     .summary = "Removes a key, if asked only when its value is, or is not, the given one."},
    {.name = "delifeq", .run = cmd_delifeq, .arity = 3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RM | KEY_DELETE, 1, 0, 1}},
     .since = "9.0.0", .complexity = "O(1)", .syntax = "key value",
     .summary = "Removes a key when its value is the given one: releases a lock in one command."},
    {.name = "get", .run = cmd_get, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Reads a string."},
    {.name = "getdel", .run = cmd_getdel, .arity = 2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}},
     .since = "6.2.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Reads a string and removes its key."},
    {.name = "getex", .run = cmd_getex, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "6.2.0", .complexity = "O(1)",
     .syntax = "key [EX seconds | PX milliseconds | EXAT unix-time-seconds | "
               "PXAT unix-time-milliseconds | PERSIST]",
     .summary = "Reads a string and sets or removes its deadline."},
    {.name = "getrange", .run = cmd_getrange, .arity = 4, .flags = CMD_READONLY,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.4.0", .complexity = "O(N), N being the length of the part", .syntax = "key start end",
     .summary = "Reads a part of a string."},
    {.name = "getset", .run = cmd_getset, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key value", .grows = set_grows,
     .summary = "Sets a string and answers with the one before."},
    {.name = "incr", .run = cmd_incr, .arity = 2, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key", .grows = set_grows_number,
     .summary = "Adds one to a counter; a missing one counts from 0."},
    {.name = "incrby", .run = cmd_incrby, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key increment", .grows = set_grows_number,
     .summary = "Adds a number to a counter; a missing one counts from 0."},
    {.name = "incrbyfloat", .run = cmd_incrbyfloat, .arity = 3,
     .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}},
     .since = "2.6.0", .complexity = "O(1)", .syntax = "key increment", .grows = set_grows_number,
     .summary = "Adds a fraction to a number kept as a string."},
    {.name = "mget", .run = cmd_mget, .arity = -2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RO | KEY_ACCESS, 1, -1, 1}},
     .since = "1.0.0", .complexity = "O(N), N being the number of keys", .syntax = "key [key ...]",
     .tips = "request_policy:multi_shard", .summary = "Reads several strings."},
    {.name = "mset", .run = cmd_mset, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_OW | KEY_UPDATE, 1, -1, 2}},
     .since = "1.0.1", .complexity = "O(N), N being the number of keys",
     .syntax = "key value [key value ...]",
     .tips = "request_policy:multi_shard response_policy:all_succeeded",
     .summary = "Sets several strings in one step."},
    {.name = "msetnx", .run = cmd_msetnx, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_OW | KEY_INSERT, 1, -1, 2}},
     .since = "1.0.1", .complexity = "O(N), N being the number of keys",
     .syntax = "key value [key value ...]",
     .summary = "Sets several strings in one step, when none of the keys is there."},
    {.name = "psetex", .run = cmd_psetex, .arity = 4, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_OW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.6.0", .complexity = "O(1)", .syntax = "key milliseconds value",
     .summary = "Sets a string with a lease in milliseconds."},
    {.name = "set", .run = cmd_set, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_STRING, .group = GROUP_STRING,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE | KEY_VARIABLE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .grows = set_grows,
     .syntax = "key value [NX | XX | IFEQ comparison-value | IFNE comparison-value] [GET] "
               "[EX seconds | PX milliseconds | EXAT unix-time-seconds | "
               "PXAT unix-time-milliseconds | KEEPTTL]",
     .summary = "Sets a string, if asked only under a condition and with a lease: takes a lock."},
    {.name = "setex", .run = cmd_setex, .arity = 4, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_OW | KEY_UPDATE, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(1)", .syntax = "key seconds value",
     .summary = "Sets a string with a lease in seconds."},
    {.name = "setnx", .run = cmd_setnx, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_OW | KEY_INSERT, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key value",
     .summary = "Sets a string when its key is not there."},
    {.name = "strlen", .run = cmd_strlen, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RO, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(1)", .syntax = "key",
     .summary = "Tells the length of a string."},
    {.name = "substr", .run = cmd_getrange, .arity = 4, .flags = CMD_READONLY,
     .acl = ACL_STRING, .group = GROUP_STRING, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N), N being the length of the part", .syntax = "key start end",
     .summary = "The old name of GETRANGE."},
    {0},
};
/* clang-format on */
