/*
 * DEBUG: the few subcommands that test suites use. They are not rows of their own, as in Redis,
 * where COMMAND knows DEBUG only as a whole.
 */
#include "base/glob.h"
#include "base/num.h"
#include "server/commands/families.h"
#include "server/commands/keys.h"
#include "server/engine/call.h"

#include <stdio.h>

static void debug_error(struct call *c)
{
    reply_error(c->reply, c->argv[2]);
}

static void debug_log(struct call *c)
{
    log_warning(c->engine->log, "DEBUG LOG: %.*s", BYTES_FMT(c->argv[2]));
    reply_ok(c->reply);
}

/* Nothing to do here, and nothing to fail. */
static void debug_nothing(struct call *c)
{
    reply_ok(c->reply);
}

static void debug_object(struct call *c)
{
    const struct entry *e = keys_peek(c->keys, c->argv[2]);
    char line[256];
    if (e == NULL) {
        reply_error(c->reply, ERR_NO_SUCH_KEY);
        return;
    }
    int64_t lru = (call_wall_us(c) / 1000000) & 0xffffff;
    int64_t idle = (uint32_t)(c->now / 1000) - e->used;
    int n = snprintf(line, sizeof line,
                     "Value at:%p refcount:1 encoding:%s serializedlength:%zu lru:%lld "
                     "lru_seconds_idle:%lld",
                     (const void *)e, object_encoding(e), keys_memory(c->keys, e), (long long)lru,
                     (long long)idle);
    reply_status(c->reply, (struct bytes){line, (size_t)n});
}

static bool populate_one(struct call *c, int64_t i, struct bytes prefix, int64_t size)
{
    char name[512], value[64];
    int nlen = snprintf(name, sizeof name, "%.*s:%lld", (int)(prefix.n < 400 ? prefix.n : 400),
                        prefix.p, (long long)i);
    int vlen = snprintf(value, sizeof value, "value:%lld", (long long)i);
    struct bytes key = {name, (size_t)nlen};
    if (keys_find(c->keys, key))
        return true;
    struct entry *e =
        keys_create(c->keys, key, VALUE_STRING, size > 0 ? (size_t)size : (size_t)vlen);
    if (e == NULL)
        return false;
    struct bytes room = entry_value(e);
    memset((char *)room.p, 0, room.n);
    memcpy((char *)room.p, value, room.n < (size_t)vlen ? room.n : (size_t)vlen);
    keys_commit(c->keys, e, EV_SET);
    return true;
}

/* POPULATE count [prefix] [size]. */
static void debug_populate(struct call *c)
{
    int64_t count, size = 0;
    struct bytes prefix = c->argc > 3 ? c->argv[3] : BYTES("key");
    if (!call_int_in(c, 2, 0, INT64_MAX, "ERR value is out of range, must be positive", &count))
        return;
    if (c->argc > 4 &&
        !call_int_in(c, 4, 0, 512 << 20, "ERR value is out of range, must be positive", &size))
        return;
    for (int64_t i = 0; i < count; i++) {
        if (!populate_one(c, i, prefix, size)) {
            call_out_of_memory(c);
            return;
        }
    }
    reply_ok(c->reply);
}

static void reply_numbers(struct reply *r, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        reply_int(r, i);
}

static void reply_number_map(struct reply *r)
{
    reply_map(r, 3);
    for (int i = 0; i < 3; i++) {
        reply_int(r, i);
        reply_bool(r, i == 1);
    }
}

static void reply_number_push(struct call *c)
{
    if (c->resp < 3) {
        reply_error(c->reply, BYTES("ERR RESP2 is not supported by this command"));
        return;
    }
    reply_push(c->reply, 2);
    reply_str(c->reply, "server-cpu-usage");
    reply_int(c->reply, 42);
    /* The push is not the answer to the command. */
    reply_str(c->reply, "Some real reply following the push reply");
}

/* PROTOCOL type: one value of each kind that the protocol has. */
static void debug_protocol(struct call *c)
{
    struct reply *r = c->reply;
    struct bytes type = c->argv[2];
    if (bytes_is(type, "string"))
        reply_str(r, "Hello World");
    else if (bytes_is(type, "integer"))
        reply_int(r, 12345);
    else if (bytes_is(type, "double"))
        reply_real(r, 3.141);
    else if (bytes_is(type, "null"))
        reply_null(r);
    else if (bytes_is(type, "array"))
        reply_array(r, 3), reply_numbers(r, 3);
    else if (bytes_is(type, "set"))
        reply_set(r, 3), reply_numbers(r, 3);
    else if (bytes_is(type, "map"))
        reply_number_map(r);
    else if (bytes_is(type, "push"))
        reply_number_push(c);
    else if (bytes_is(type, "true"))
        reply_bool(r, true);
    else if (bytes_is(type, "false"))
        reply_bool(r, false);
    else if (bytes_is(type, "verbatim"))
        reply_verbatim(r, "txt", BYTES("This is a verbatim\nstring"));
    else if (bytes_is(type, "bignum"))
        reply_bignum(r, BYTES("1234567999999999999999999999999999999"));
    else
        reply_error(r, BYTES("ERR Wrong protocol type name. Please use one of the following: "
                             "string|integer|double|bignum|null|array|set|map|attrib|push|"
                             "verbatim|true|false"));
}

static void debug_set_active_expire(struct call *c)
{
    int64_t on;
    c->engine->lazy_expiry = !num_parse_i64(c->argv[2], &on) || on == 0;
    reply_ok(c->reply);
}

static void debug_sleep(struct call *c)
{
    double seconds;
    if (!num_parse_f64(c->argv[2], &seconds) || !(seconds > 0))
        seconds = 0;
    if (seconds > 3600)
        seconds = 3600;
    if (c->engine->host->sleep)
        c->engine->host->sleep(c->engine->ctx, (int64_t)(seconds * 1e6));
    reply_ok(c->reply);
}

/* STRINGMATCH-LEN length pattern: matching a text of that length must not take long. */
static void debug_stringmatch(struct call *c)
{
    int64_t n;
    struct buf text = {0};
    if (!call_int_in(c, 2, 0, 512 << 20, "ERR value is out of range", &n))
        return;
    memset(buf_room(&text, (size_t)n + 1), 'a', (size_t)n);
    buf_added(&text, (size_t)n);
    reply_int(c->reply, glob_match(c->argv[3], buf_bytes(&text)));
    buf_free(&text);
}

static void debug_help(struct call *c);

static const struct debug {
    const char *name;
    size_t least, most; /* arguments, its own name and DEBUG included */
    void (*run)(struct call *c);
    const char *help;
} subcommands[] = {
    {"change-repl-id", 2, 2, debug_nothing, "Does nothing."},
    {"error", 3, 3, debug_error, "message: answers with that error."},
    {"help", 2, 2, debug_help, "Lists the subcommands."},
    {"log", 3, 3, debug_log, "message: writes it to the log."},
    {"object", 3, 4, debug_object, "key: tells how it is kept."},
    {"populate", 3, 5, debug_populate, "count [prefix] [size]: makes that many keys."},
    {"protocol", 3, 3, debug_protocol, "type: answers with a value of that type."},
    {"quicklist-packed-threshold", 3, 3, debug_nothing, "size: does nothing."},
    {"set-active-expire", 3, 3, debug_set_active_expire,
     "0 | 1: whether overdue keys are removed before they are met."},
    {"set-disable-deny-scripts", 3, 3, debug_nothing, "0 | 1: does nothing."},
    {"sleep", 3, 3, debug_sleep, "seconds: the whole server stands still."},
    {"stringmatch-len", 4, 4, debug_stringmatch, "length pattern: matches a text of that length."},
};

#define NSUBCOMMANDS (sizeof subcommands / sizeof *subcommands)

static void debug_help(struct call *c)
{
    char line[256];
    reply_array(c->reply, NSUBCOMMANDS);
    for (size_t i = 0; i < NSUBCOMMANDS; i++) {
        snprintf(line, sizeof line, "%s %s", subcommands[i].name, subcommands[i].help);
        reply_status(c->reply, bytes_of(line));
    }
}

static void cmd_debug(struct call *c)
{
    for (size_t i = 0; i < NSUBCOMMANDS; i++) {
        const struct debug *d = &subcommands[i];
        if (bytes_ieq(c->argv[1], bytes_of(d->name)) && c->argc >= d->least && c->argc <= d->most) {
            d->run(c);
            return;
        }
    }
    call_wrong_subcommand(c);
}

/* clang-format off */
const struct command debug_commands[] = {
    {.name = "debug", .run = cmd_debug, .arity = -2,
     .flags = CMD_ADMIN | CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_PROTECTED,
     .group = GROUP_SERVER, .since = "1.0.0", .complexity = "Depends on the subcommand.",
     .syntax = "subcommand [argument [argument ...]]", .summary = "For tests of the server itself."},
    {0},
};
/* clang-format on */
