#include "server/engine/call.h"

#include "base/num.h"
#include "server/engine/admit.h"
#include "server/engine/monitor.h"

#include <stdio.h>

/* Did an error come since there were `before`? Then it is counted, and taken off the sink's count
 * so that a transaction or script around this call does not count it once more. */
static bool failed_since(struct call *c, unsigned before)
{
    if (c->reply->errors == before)
        return false;
    c->reply->errors = before;
    if (!c->error_counted)
        stats_error(&c->engine->stats, c->reply->code);
    return true;
}

void call_run(struct call *c)
{
    unsigned errors = c->reply->errors;
    c->keys = keyspace_db(&c->engine->space, c->session->db);
    if (admit(c))
        call_handle(c);
    else
        call_rejected(c, errors);
}

void call_rejected(struct call *c, unsigned errors)
{
    if (failed_since(c, errors) && c->cmd)
        engine_stats_of(c->engine, c->cmd)->rejected++;
}

static bool is_shown(const struct call *c)
{
    return c->engine->nmonitors && !(c->cmd->flags & CMD_ADMIN) && !(c->flags & CALL_RETRY);
}

/* Commands are shown when they have run, since only then is known which arguments are secret; but a
 * script goes before the commands that it runs. */
static bool shown_first(const struct command *cmd)
{
    return cmd->group == GROUP_SCRIPTING && cmd->flags & CMD_SKIP_MONITOR;
}

void call_was_slow(const struct call *c, int64_t us)
{
    struct engine *e = c->engine;
    if (config_slowlog_wants(e->config, us) && !(c->cmd->flags & CMD_SKIP_SLOWLOG))
        slowlog_add(c, us);
    if (config_latency_wants(e->config, us)) {
        bool fast = c->cmd->flags & CMD_FAST;
        latency_add(&e->latency, fast ? LATENCY_FAST_COMMAND : LATENCY_COMMAND,
                    engine_wall_us(e) / 1000000, (uint32_t)(us / 1000));
    }
}

/* What a client sent is timed by the shell, which reads its clock once for two commands; what runs
 * within that is timed here. */
static void run(struct call *c, struct command_stats *counts)
{
    const struct engine *e = c->engine;
    if (!(c->flags & (CALL_SCRIPT | CALL_EXEC))) {
        c->cmd->run(c);
        return;
    }
    int64_t began = e->host->now_us(e->ctx);
    c->cmd->run(c);
    int64_t us = e->host->now_us(e->ctx) - began;
    stats_took(counts, (uint64_t)us, e->config->latency_tracking);
    if (config_is_slow(e->config, us))
        call_was_slow(c, us);
}

void call_handle(struct call *c)
{
    struct engine *e = c->engine;
    struct command_stats *counts = engine_stats_of(e, c->cmd);
    unsigned errors = c->reply->errors;
    e->space.no_touch = c->session->flags & SESSION_NO_TOUCH && strcmp(c->cmd->name, "touch") != 0;
    bool shown = is_shown(c), first = shown && shown_first(c->cmd);
    if (first)
        monitor_show(c);
    run(c, counts);
    arena_release(&e->space.arena);
    if (c->cmd->flags & CMD_READONLY && e->tracking.clients)
        tracking_remember(c);
    if (shown && !first)
        monitor_show(c);
    if (!(c->flags & CALL_RETRY)) {
        e->stats.commands++;
        counts->calls++;
    }
    counts->failed += failed_since(c, errors);
    if (c->flags == 0) {
        e->handled = c->cmd;
        e->counts = counts;
        e->redacted = c->redacted;
    }
}

bool call_int(struct call *c, size_t i, int64_t *out)
{
    if (num_parse_i64(c->argv[i], out))
        return true;
    reply_error(c->reply, ERR_NOT_INTEGER);
    return false;
}

bool call_int_in(struct call *c, size_t i, int64_t min, int64_t max, const char *error,
                 int64_t *out)
{
    if (!call_int(c, i, out))
        return false;
    if (*out >= min && *out <= max)
        return true;
    reply_error(c->reply, bytes_of(error));
    return false;
}

/* Leading zeros and a plus sign are taken, as Redis takes them; negative numbers are not. */
bool call_cursor(struct call *c, size_t i, uint32_t *out)
{
    struct bytes s = c->argv[i];
    uint64_t v = 0;
    size_t at = s.n > 1 && s.p[0] == '+';
    bool ok = s.n > 0;
    for (; ok && at < s.n; at++)
        ok = s.p[at] >= '0' && s.p[at] <= '9' && !__builtin_mul_overflow(v, 10, &v) &&
             !__builtin_add_overflow(v, (uint64_t)(s.p[at] - '0'), &v);
    *out = (uint32_t)v;
    if (!ok)
        reply_error(c->reply, ERR_INVALID_CURSOR);
    return ok;
}

bool call_real(struct call *c, size_t i, double *out)
{
    if (num_parse_f64(c->argv[i], out))
        return true;
    reply_error(c->reply, ERR_NOT_FLOAT);
    return false;
}

/* Reading commands count a hit or a miss, and a miss is an event of its own. */
static struct entry *count_lookup(struct call *c, size_t i, struct entry *e)
{
    if (c->cmd->flags & CMD_READONLY) {
        if (e)
            c->engine->stats.hits++;
        else
            c->engine->stats.misses++;
        if (e == NULL)
            keys_notify(c->keys, c->argv[i], EV_KEYMISS);
    }
    return e;
}

struct entry *call_find_any(struct call *c, size_t i)
{
    return count_lookup(c, i, keys_find(c->keys, c->argv[i]));
}

struct entry *call_peek(struct call *c, size_t i)
{
    return count_lookup(c, i, keys_peek(c->keys, c->argv[i]));
}

bool call_find(struct call *c, size_t i, enum value_type type, struct entry **out)
{
    *out = call_find_any(c, i);
    if (*out == NULL || (*out)->type == type)
        return true;
    reply_error(c->reply, ERR_WRONG_TYPE);
    return false;
}

bool call_reserve(struct call *c, size_t i, size_t more)
{
    for (; i < c->argc; i++)
        more += arena_cost(c->argv[i].n);
    if (more <= ARENA_SMALL || arena_reserve(&c->engine->space.arena, more))
        return true;
    call_out_of_memory(c);
    return false;
}

struct entry *call_edit(struct call *c, size_t i, enum value_type type, struct entry *found,
                        size_t room)
{
    if (found) {
        keys_edit(c->keys, found);
        return found;
    }
    struct entry *e = keys_create(c->keys, c->argv[i], type, room);
    if (e == NULL)
        call_out_of_memory(c);
    return e;
}

void call_syntax_error(struct call *c)
{
    reply_error(c->reply, ERR_SYNTAX);
}

void call_out_of_memory(struct call *c)
{
    reply_error(c->reply, ERR_OOM);
}

void call_wrong_arity(struct call *c)
{
    reply_errorf(c->reply, "ERR wrong number of arguments for '%s' command",
                 command_full_name(c->cmd));
}

static void upper(char *out, size_t size, const char *name)
{
    size_t i = 0;
    for (; name[i] && i + 1 < size; i++)
        out[i] = (char)(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    out[i] = '\0';
}

void call_unknown_subcommand(struct call *c)
{
    size_t n = c->argv[1].n < 128 ? c->argv[1].n : 128;
    char name[32];
    upper(name, sizeof name, c->cmd->name);
    reply_errorf(c->reply, "ERR unknown subcommand '%.*s'. Try %s HELP.", (int)n, c->argv[1].p,
                 name);
}

void call_wrong_subcommand(struct call *c)
{
    const struct command *container = registry_find(c->engine->registry, c->argv[0]);
    size_t n = c->argv[1].n < 128 ? c->argv[1].n : 128;
    char name[32];
    upper(name, sizeof name, container->name);
    reply_errorf(c->reply,
                 "ERR unknown subcommand or wrong number of arguments for '%.*s'. Try %s HELP.",
                 (int)n, c->argv[1].p, name);
}

void call_help(struct call *c)
{
    const struct command *container = registry_find(c->engine->registry, c->argv[0]);
    char name[64], line[512];
    size_t n = 0;
    while (container->sub[n].name)
        n++;
    reply_array(c->reply, 1 + 2 * n);
    upper(name, sizeof name, container->name);
    snprintf(line, sizeof line, "%s <subcommand> [<argument> ...]. Subcommands are:", name);
    reply_status(c->reply, bytes_of(line));
    for (const struct command *sub = container->sub; sub->name; sub++) {
        upper(name, sizeof name, sub->name);
        snprintf(line, sizeof line, "%s%s%s", name, sub->syntax && sub->syntax[0] ? " " : "",
                 sub->syntax ? sub->syntax : "");
        reply_status(c->reply, bytes_of(line));
        snprintf(line, sizeof line, "    %s", sub->summary);
        reply_status(c->reply, bytes_of(line));
    }
}

int64_t call_wall_us(struct call *c)
{
    return engine_wall_us(c->engine);
}

/* A point on the wall clock as a point on the line of deadlines. */
static int64_t from_wall(struct call *c, int64_t wall_ms)
{
    int64_t ahead, at;
    if (__builtin_sub_overflow(wall_ms, call_wall_us(c) / 1000, &ahead) ||
        __builtin_add_overflow(c->now, ahead, &at))
        return wall_ms < 0 ? INT64_MIN : INT64_MAX - 1;
    return at;
}

bool call_deadline(struct call *c, size_t i, unsigned flags, int64_t *at)
{
    int64_t v;
    if (!call_int(c, i, &v))
        return false;
    bool bad = flags & DEADLINE_AHEAD && v <= 0;
    bad = bad || (flags & DEADLINE_SECONDS && __builtin_mul_overflow(v, 1000, &v));
    /* Redis adds to the wall clock; only a lease of millennia needs to look at it. */
    if (!bad && !(flags & DEADLINE_ABSOLUTE) && v > INT64_MAX / 2)
        bad = v > INT64_MAX - call_wall_us(c) / 1000;
    if (bad) {
        reply_errorf(c->reply, "ERR invalid expire time in '%s' command",
                     command_full_name(c->cmd));
        return false;
    }
    *at = flags & DEADLINE_ABSOLUTE ? from_wall(c, v) : c->now + v;
    return true;
}
