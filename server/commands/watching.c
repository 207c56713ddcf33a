/* Watching the server: SLOWLOG, LATENCY, MONITOR. */
#include "base/num.h"
#include "server/commands/families.h"
#include "server/engine/call.h"
#include "server/engine/monitor.h"

/* SLOWLOG. */

static void reply_slow_command(struct reply *r, const struct slow_command *s)
{
    reply_array(r, 6);
    reply_int(r, (int64_t)s->id);
    reply_int(r, s->wall_s);
    reply_int(r, s->us);
    reply_array(r, s->argc);
    for (size_t i = 0; i < s->argc; i++)
        reply_bulk(r, s->argv[i]);
    reply_bulk(r, s->peer);
    reply_bulk(r, s->name);
}

static void cmd_slowlog_get(struct call *c)
{
    const struct slowlog *l = &c->engine->slowlog;
    int64_t count = 10;
    if (c->argc > 3) {
        call_wrong_subcommand(c);
        return;
    }
    if (c->argc == 3 && (!num_parse_i64(c->argv[2], &count) || count < -1)) {
        reply_error(c->reply, BYTES("ERR count should be greater than or equal to -1"));
        return;
    }
    size_t n = count == -1 || (uint64_t)count > l->n ? l->n : (size_t)count;
    reply_array(c->reply, n);
    for (const struct list *at = l->entries.prev; n > 0; at = at->prev, n--)
        reply_slow_command(c->reply, container_of(at, struct slow_command, link));
}

static void cmd_slowlog_len(struct call *c)
{
    reply_int(c->reply, (int64_t)c->engine->slowlog.n);
}

static void cmd_slowlog_reset(struct call *c)
{
    slowlog_clear(&c->engine->slowlog);
    reply_ok(c->reply);
}

/* LATENCY. */

/* The event of that name; LATENCY_EVENTS when there is none. */
static enum latency_event event_named(struct bytes name)
{
    int event = 0;
    while (event < LATENCY_EVENTS &&
           !bytes_eq(name, bytes_of(latency_name((enum latency_event)event))))
        event++;
    return (enum latency_event)event;
}

static void cmd_latency_latest(struct call *c)
{
    const struct latency *l = &c->engine->latency;
    size_t n = 0;
    for (int i = 0; i < LATENCY_EVENTS; i++)
        n += l->series[i] != NULL;
    reply_array(c->reply, n);
    for (int i = 0; i < LATENCY_EVENTS; i++) {
        const struct latency_series *s = l->series[i];
        if (s == NULL)
            continue;
        const struct latency_sample *last = latency_at(s, s->n - 1);
        reply_array(c->reply, 4);
        reply_str(c->reply, latency_name((enum latency_event)i));
        reply_int(c->reply, last->wall_s);
        reply_int(c->reply, last->ms);
        reply_int(c->reply, s->max);
    }
}

static void cmd_latency_history(struct call *c)
{
    enum latency_event event = event_named(c->argv[2]);
    const struct latency_series *s =
        event < LATENCY_EVENTS ? c->engine->latency.series[event] : NULL;
    reply_array(c->reply, s ? s->n : 0);
    for (size_t i = 0; s && i < s->n; i++) {
        reply_array(c->reply, 2);
        reply_int(c->reply, latency_at(s, i)->wall_s);
        reply_int(c->reply, latency_at(s, i)->ms);
    }
}

static void cmd_latency_reset(struct call *c)
{
    struct latency *l = &c->engine->latency;
    int64_t n = 0;
    for (int event = 0; event < LATENCY_EVENTS && c->argc == 2; event++)
        n += latency_clear(l, (enum latency_event)event);
    for (size_t i = 2; i < c->argc; i++) {
        enum latency_event event = event_named(c->argv[i]);
        n += event < LATENCY_EVENTS && latency_clear(l, event);
    }
    reply_int(c->reply, n);
}

/* Bounds of LATENCY HISTOGRAM: doubling, in microseconds, as Redis's own buckets round them. */
static uint64_t histogram_bound(int i)
{
    return i < 5 ? UINT64_C(1) << i : (uint64_t)(33.024 * (double)(UINT64_C(1) << (i - 5)));
}

static void reply_histogram(struct call *c, const struct command *cmd)
{
    const struct command_stats *s = engine_stats_of(c->engine, cmd);
    int bounds = 0, pairs = 0;
    uint64_t before = 0;
    while (before < s->times->n && bounds < 32) {
        uint64_t n = histogram_upto(s->times, histogram_bound(bounds++));
        pairs += n != before;
        before = n;
    }
    reply_str(c->reply, command_full_name(cmd));
    reply_map(c->reply, 2);
    reply_str(c->reply, "calls");
    reply_int(c->reply, (int64_t)s->calls);
    reply_str(c->reply, "histogram_usec");
    reply_map(c->reply, (size_t)pairs);
    before = 0;
    for (int i = 0; i < bounds; i++) {
        uint64_t n = histogram_upto(s->times, histogram_bound(i));
        if (n != before) {
            reply_int(c->reply, (int64_t)histogram_bound(i));
            reply_int(c->reply, (int64_t)n);
        }
        before = n;
    }
}

/* Is it asked for? By name, or with its container; all are when none is named. */
static bool histogram_wanted(const struct call *c, const struct command *cmd)
{
    if (engine_stats_of(c->engine, cmd)->times == NULL)
        return false;
    for (size_t i = 2; i < c->argc; i++) {
        struct bytes full = bytes_of(command_full_name(cmd)), name = c->argv[i];
        bool inside = full.n > name.n && full.p[name.n] == '|';
        if (bytes_ieq(full, name) || (inside && bytes_ieq((struct bytes){full.p, name.n}, name)))
            return true;
    }
    return c->argc == 2;
}

static void cmd_latency_histogram(struct call *c)
{
    const struct registry *reg = c->engine->registry;
    size_t n = 0;
    for (size_t id = 0; id < registry_count(reg); id++)
        n += histogram_wanted(c, registry_at(reg, id));
    reply_map(c->reply, n);
    for (size_t id = 0; id < registry_count(reg); id++)
        if (histogram_wanted(c, registry_at(reg, id)))
            reply_histogram(c, registry_at(reg, id));
}

/* MONITOR. Asked for again, it is silent, as it is in Redis. */
static void cmd_monitor(struct call *c)
{
    if (c->flags & CALL_EXEC) {
        reply_error(c->reply, BYTES("ERR MONITOR isn't allowed for DENY BLOCKING client"));
    } else if (!(c->session->flags & SESSION_MONITOR)) {
        monitor_begin(c->session);
        reply_ok(c->reply);
    }
}

#define ADMIN (CMD_ADMIN | CMD_NOSCRIPT | CMD_LOADING | CMD_STALE)

/* clang-format off */
static const struct command slowlog_subcommands[] = {
    {.name = "get", .full_name = "slowlog|get", .run = cmd_slowlog_get, .arity = -2,
     .flags = CMD_ADMIN | CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "2.2.12",
     .complexity = "O(N), N being the number of entries", .syntax = "[count]",
     .tips = "request_policy:all_nodes nondeterministic_output",
     .summary = "Lists the newest entries of the slow log."},
    {.name = "help", .full_name = "slowlog|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "6.2.0",
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "len", .full_name = "slowlog|len", .run = cmd_slowlog_len, .arity = 2,
     .flags = CMD_ADMIN | CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "2.2.12",
     .complexity = "O(1)", .syntax = "",
     .tips = "request_policy:all_nodes response_policy:agg_sum nondeterministic_output",
     .summary = "Counts the entries of the slow log."},
    {.name = "reset", .full_name = "slowlog|reset", .run = cmd_slowlog_reset, .arity = 2,
     .flags = CMD_ADMIN | CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "2.2.12",
     .complexity = "O(N), N being the number of entries", .syntax = "",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Empties the slow log."},
    {0},
};

static const struct command latency_subcommands[] = {
    {.name = "help", .full_name = "latency|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "2.8.13",
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "histogram", .full_name = "latency|histogram", .run = cmd_latency_histogram,
     .arity = -2, .flags = ADMIN, .group = GROUP_SERVER, .since = "7.0.0",
     .complexity = "O(N), N being the number of commands", .syntax = "[command [command ...]]",
     .tips = "nondeterministic_output request_policy:all_nodes response_policy:special",
     .summary = "Tells how long commands took, and how often."},
    {.name = "history", .full_name = "latency|history", .run = cmd_latency_history, .arity = 3,
     .flags = ADMIN, .group = GROUP_SERVER, .since = "2.8.13", .complexity = "O(1)",
     .syntax = "event",
     .tips = "nondeterministic_output request_policy:all_nodes response_policy:special",
     .summary = "Lists the delays of one kind."},
    {.name = "latest", .full_name = "latency|latest", .run = cmd_latency_latest, .arity = 2,
     .flags = ADMIN, .group = GROUP_SERVER, .since = "2.8.13", .complexity = "O(1)",
     .syntax = "",
     .tips = "nondeterministic_output request_policy:all_nodes response_policy:special",
     .summary = "Tells the latest delay of each kind."},
    {.name = "reset", .full_name = "latency|reset", .run = cmd_latency_reset, .arity = -2,
     .flags = ADMIN, .group = GROUP_SERVER, .since = "2.8.13", .complexity = "O(1)",
     .syntax = "[event [event ...]]",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Forgets the delays of these kinds, or of all."},
    {0},
};

const struct command watching_commands[] = {
    {.name = "latency", .arity = -2, .group = GROUP_SERVER, .since = "2.8.13",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = latency_subcommands,
     .summary = "Tells of delays."},
    {.name = "monitor", .run = cmd_monitor, .arity = 1, .flags = ADMIN, .group = GROUP_SERVER,
     .since = "1.0.0", .complexity = "O(1)", .syntax = "",
     .summary = "Shows every command that is run."},
    {.name = "slowlog", .arity = -2, .group = GROUP_SERVER, .since = "2.2.12",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = slowlog_subcommands,
     .summary = "Tells which commands took long."},
    {0},
};
/* clang-format on */
