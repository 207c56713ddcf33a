/*
 * TEST.*: what a test suite asks of the server, and no client of a lock does. Known under --test
 * only; without it they are as unknown as in Redis. They run while others are paused, and faults
 * spare them.
 */
#include "server/engine/testing.h"

#include "server/commands/dump.h"
#include "server/commands/families.h"
#include "server/engine/argv.h"
#include "server/engine/call.h"

#include <stdio.h>

/* Time. */

#define MS_MOST (INT64_C(100) * 365 * 24 * 3600 * 1000) /* a hundred years at once */

static void walk(struct call *c, int64_t ms)
{
    testing_walk(c->engine, ms);
    c->session->last_used = c->engine->now; /* it has not been idle: it was here all the time */
    reply_ok(c->reply);
}

static void cmd_advance(struct call *c)
{
    int64_t ms;
    if (call_int_in(c, 1, 0, MS_MOST, "ERR time moves forward, by a hundred years at most", &ms))
        walk(c, ms);
}

static void cmd_settime(struct call *c)
{
    int64_t at, now = call_wall_us(c) / 1000;
    if (!call_int(c, 1, &at))
        return;
    if (at < now || at - now > MS_MOST)
        reply_errorf(c->reply, "ERR time moves forward, by a hundred years at most; it is %lld now",
                     (long long)now);
    else
        walk(c, at - now);
}

static void cmd_freeze(struct call *c)
{
    c->engine->host->set_clock(c->engine->ctx, CLOCK_FROZEN);
    reply_ok(c->reply);
}

static void cmd_thaw(struct call *c)
{
    c->engine->host->set_clock(c->engine->ctx, CLOCK_RUNNING);
    reply_ok(c->reply);
}

/* Faults. */

static void cmd_fault_add(struct call *c)
{
    const struct fault *f = faults_add(c, 2);
    if (f)
        reply_int(c->reply, (int64_t)f->id);
}

static void reply_fault(struct reply *r, const struct fault *f)
{
    struct buf words = {0};
    for (size_t i = 0; i < f->words->argc; i++) {
        buf_put(&words, f->words->argv[i]);
        if (i + 1 < f->words->argc)
            buf_putc(&words, ' ');
    }
    reply_map(r, 5);
    reply_str(r, "id");
    reply_int(r, (int64_t)f->id);
    reply_str(r, "fault");
    reply_bulk(r, buf_bytes(&words));
    reply_str(r, "action");
    reply_str(r, fault_name(f->action));
    reply_str(r, "hits");
    reply_int(r, (int64_t)f->hits);
    reply_str(r, "left");
    reply_int(r, f->left);
    buf_free(&words);
}

static void cmd_fault_list(struct call *c)
{
    const struct list *faults = &c->engine->testing->faults.list;
    size_t n = 0;
    list_each (pos, faults)
        n++;
    reply_array(c->reply, n);
    list_each (pos, faults)
        reply_fault(c->reply, container_of(pos, struct fault, link));
}

static void cmd_fault_clear(struct call *c)
{
    struct faults *faults = &c->engine->testing->faults;
    int64_t id;
    if (c->argc == 2) {
        faults_clear(faults);
        reply_ok(c->reply);
    } else if (c->argc > 3) {
        call_wrong_arity(c);
    } else if (call_int(c, 2, &id)) {
        if (faults_remove(faults, (uint64_t)id))
            reply_ok(c->reply);
        else
            reply_error(c->reply, BYTES("ERR there is no fault of that number"));
    }
}

/* Waiting. */

enum condition_kind { WAITERS, SUBSCRIBERS, CALLS, HELD, FREE, CONDITIONS };

static const struct {
    const char *name;
    bool counts; /* takes a number, and holds from that on; 0 is for none at all */
} conditions[] = {
    [WAITERS] = {"WAITERS", true}, [SUBSCRIBERS] = {"SUBSCRIBERS", true},
    [CALLS] = {"CALLS", true},     [HELD] = {"HELD", false},
    [FREE] = {"FREE", false},
};

static size_t subscribers(const struct pubsub *p, struct bytes name)
{
    size_t n = 0;
    for (enum topic_kind kind = 0; kind < TOPIC_KINDS; kind++) {
        const struct topic *t = pubsub_find(p, kind, name);
        n += t ? t->nsubscribers : 0;
    }
    return n;
}

/* Where it stands now. False after an error. */
static bool count(struct call *c, enum condition_kind kind, struct bytes name, int64_t *out)
{
    struct engine *e = c->engine;
    const struct command *cmd;
    switch (kind) {
    case WAITERS: *out = (int64_t)waiters_count(e, c->keys, name); break;
    case SUBSCRIBERS: *out = (int64_t)subscribers(&e->pubsub, name); break;
    case CALLS:
        cmd = registry_find_full(e->registry, name);
        if (cmd == NULL) {
            reply_errorf(c->reply, "ERR there is no command '%.*s'", BYTES_FMT(name));
            return false;
        }
        *out = (int64_t)engine_stats_of(e, cmd)->calls;
        break;
    default: *out = keys_peek(c->keys, name) != NULL; break;
    }
    return true;
}

struct await {
    bool holds;     /* all conditions do */
    char open[256]; /* the first that does not, in words */
    int64_t timeout;
};

static void look_at(struct await *a, enum condition_kind kind, struct bytes name, int64_t is,
                    int64_t wanted)
{
    bool holds = wanted ? is >= wanted : is == 0;
    if (holds || !a->holds)
        return;
    a->holds = false;
    int n = snprintf(a->open, sizeof a->open, "%s %.*s", conditions[kind].name,
                     (int)(name.n < 128 ? name.n : 128), name.p);
    if (conditions[kind].counts)
        snprintf(a->open + n, sizeof a->open - (size_t)n, " is %lld, not %lld", (long long)is,
                 (long long)wanted);
}

/* One condition, from argument *i on. False after an error. */
static bool read_condition(struct call *c, size_t *i, struct await *a)
{
    size_t kind = 0;
    while (kind < CONDITIONS && !call_arg_is(c, *i, bytes_of(conditions[kind].name)))
        kind++;
    if (kind == CONDITIONS || *i + 1 + conditions[kind].counts >= c->argc) {
        call_syntax_error(c);
        return false;
    }
    int64_t wanted = kind != FREE, is;
    if (conditions[kind].counts &&
        !call_int_in(c, *i + 2, 0, INT64_MAX, "ERR a number of them cannot be negative", &wanted))
        return false;
    if (!count(c, (enum condition_kind)kind, c->argv[*i + 1], &is))
        return false;
    look_at(a, (enum condition_kind)kind, c->argv[*i + 1], is, wanted);
    *i += 2 + conditions[kind].counts;
    return true;
}

static bool read_await(struct call *c, struct await *a)
{
    size_t i = 1;
    do
        if (!read_condition(c, &i, a))
            return false;
    while (i < c->argc && !call_arg_is(c, i, BYTES("TIMEOUT")));
    if (i + 2 != c->argc) {
        call_syntax_error(c);
        return false;
    }
    return call_int_in(c, i + 1, 0, MS_MOST, "ERR timeout is out of range", &a->timeout);
}

/* The timeout is an error, so that a test which does not look at the answer fails too. */
static void cmd_await(struct call *c)
{
    struct testing *t = c->engine->testing;
    struct await a = {.holds = true};
    if (!read_await(c, &a))
        return;
    if (a.holds) {
        reply_ok(c->reply);
        return;
    }
    if (a.timeout == 0)
        c->flags |= CALL_TIMED_OUT;
    int64_t deadline = c->flags & (CALL_RETRY | CALL_TIMED_OUT)
                           ? WHEEL_NEVER
                           : testing_real_deadline(c->engine, a.timeout);
    if (!call_wait_on(c, &t->awaiting, &t->real, deadline))
        reply_errorf(c->reply, "TIMEOUT after %lld ms: %s", (long long)a.timeout, a.open);
}

/* The rest. */

static void cmd_dump(struct call *c)
{
    struct buf json = {0};
    dump_keyspace(c->engine, &json);
    reply_bulk(c->reply, buf_bytes(&json));
    buf_free(&json);
}

static void cmd_reset(struct call *c)
{
    testing_reset(c->engine);
    reply_ok(c->reply);
}

static void cmd_seed(struct call *c)
{
    int64_t seed;
    if (!call_int(c, 1, &seed))
        return;
    c->engine->random = (uint64_t)seed;
    reply_ok(c->reply);
}

/* clang-format off */
#define OURS (CMD_ADMIN | CMD_NOSCRIPT | CMD_NO_MULTI | CMD_SKIP_SLOWLOG)
#define ROW .flags = OURS, .group = GROUP_TESTING, .since = "0.1.0"

static const struct command fault_subcommands[] = {
    {.name = "add", .full_name = "test.fault|add", .run = cmd_fault_add, .arity = -4, ROW,
     .complexity = "O(1)",
     .syntax = "command [MATCH pattern] [CLIENT name] [PERCENT percent] [TIMES times] "
               "<ERROR message | DELAY milliseconds | DROP-REPLY | CLOSE | BLACKHOLE>",
     .summary = "From now on something goes wrong with such commands; `*` is any. Gives its number."},
    {.name = "clear", .full_name = "test.fault|clear", .run = cmd_fault_clear, .arity = -2, ROW,
     .complexity = "O(N), N being the number of faults", .syntax = "[id]",
     .summary = "Ends one fault, or all."},
    {.name = "help", .full_name = "test.fault|help", .run = call_help, .arity = 2, ROW,
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "list", .full_name = "test.fault|list", .run = cmd_fault_list, .arity = 2, ROW,
     .complexity = "O(N), N being the number of faults", .syntax = "",
     .summary = "Lists the faults, and how often each has happened."},
    {0},
};

const struct command testing_commands[] = {
    {.name = "test.advance", .run = cmd_advance, .arity = 2, ROW,
     .complexity = "O(N), N being the number of deadlines on the way", .syntax = "milliseconds",
     .summary = "Lets time pass, from deadline to deadline, before it answers."},
    {.name = "test.await", .run = cmd_await, .arity = -5, ROW,
     .complexity = "O(N), N being the number of conditions, after each command",
     .syntax = "<WAITERS key count | SUBSCRIBERS channel count | CALLS command count | HELD key | FREE key> ... "
               "TIMEOUT milliseconds",
     .summary = "Answers when all of it holds; the timeout is in real time, and an error."},
    {.name = "test.dump", .run = cmd_dump, .arity = 1, ROW,
     .complexity = "O(N log N), N being the number of keys", .syntax = "",
     .summary = "Gives all keys of all databases as JSON."},
    {.name = "test.fault", .arity = -2, .flags = OURS, .group = GROUP_TESTING, .since = "0.1.0",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = fault_subcommands,
     .summary = "Makes things go wrong."},
    {.name = "test.freeze", .run = cmd_freeze, .arity = 1, ROW, .complexity = "O(1)", .syntax = "",
     .summary = "Stops the clock; it can still be moved."},
    {.name = "test.reset", .run = cmd_reset, .arity = 1, ROW,
     .complexity = "O(N), N being the number of clients", .syntax = "",
     .summary = "Data, scripts, faults, clock, statistics and clients are as at the start."},
    {.name = "test.seed", .run = cmd_seed, .arity = 2, ROW, .complexity = "O(1)", .syntax = "seed",
     .summary = "What is left to chance is the same after the same seed."},
    {.name = "test.settime", .run = cmd_settime, .arity = 2, ROW,
     .complexity = "O(N), N being the number of deadlines on the way",
     .syntax = "unix-time-milliseconds",
     .summary = "Lets time pass, as TEST.ADVANCE, until the wall clock shows that."},
    {.name = "test.thaw", .run = cmd_thaw, .arity = 1, ROW, .complexity = "O(1)", .syntax = "",
     .summary = "The clock goes on from where it stands."},
    {0},
};
/* clang-format on */
