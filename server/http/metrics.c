#include "server/http/metrics.h"

#include "server/engine/registry.h"

#include <stdio.h>

struct page {
    struct engine *engine;
    struct process_facts process;
    bool old_format;
    struct buf *out;
};

enum kind { GAUGE, COUNTER, HISTOGRAM, INFO };

/* The unit that a name ends with; NULL for what is just counted. */
static const char *unit_of(const char *name)
{
    const char *last = strrchr(name, '_');
    return last && (strcmp(last, "_seconds") == 0 || strcmp(last, "_bytes") == 0) ? last + 1 : NULL;
}

/* What stands above the samples. The older format announces counters and infos by the whole name of
 * their samples, knows infos as gauges, and has no units. */
static void announce(struct page *p, enum kind kind, const char *name, const char *help)
{
    static const char *const kinds[] = {"gauge", "counter", "histogram", "info"};
    static const char *const old_kinds[] = {"gauge", "counter", "histogram", "gauge"};
    static const char *const suffixes[] = {"", "_total", "", "_info"};
    const char *suffix = p->old_format ? suffixes[kind] : "", *unit = unit_of(name);
    buf_printf(p->out, "# HELP latchd_%s%s %s\n# TYPE latchd_%s%s %s\n", name, suffix, help, name,
               suffix, (p->old_format ? old_kinds : kinds)[kind]);
    if (unit && !p->old_format)
        buf_printf(p->out, "# UNIT latchd_%s %s\n", name, unit);
}

static void put_gauge(struct page *p, const char *name, const char *help, double value)
{
    announce(p, GAUGE, name, help);
    buf_printf(p->out, "latchd_%s %.15g\n", name, value);
}

static void put_counter(struct page *p, const char *name, const char *help, double value)
{
    announce(p, COUNTER, name, help);
    buf_printf(p->out, "latchd_%s_total %.15g\n", name, value);
}

/* Histograms: the bounds in microseconds, and as the page has them. */
static const struct {
    uint64_t us;
    const char *seconds;
} bounds[] = {
    {10, "1e-05"},    {50, "5e-05"},    {100, "0.0001"},    {500, "0.0005"}, {1000, "0.001"},
    {5000, "0.005"},  {10000, "0.01"},  {50000, "0.05"},    {100000, "0.1"}, {500000, "0.5"},
    {1000000, "1.0"}, {5000000, "5.0"}, {30000000, "30.0"},
};

/* `label` is like `command="get"`, or empty. */
static void put_buckets(struct page *p, const char *name, const char *label,
                        const struct histogram *h)
{
    const char *comma = label[0] ? "," : "";
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        buf_printf(p->out, "latchd_%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, comma,
                   bounds[i].seconds, (unsigned long long)histogram_upto(h, bounds[i].us));
    buf_printf(p->out, "latchd_%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, label, comma,
               (unsigned long long)h->n);
    const char *open = label[0] ? "{" : "", *close = label[0] ? "}" : "";
    buf_printf(p->out, "latchd_%s_sum%s%s%s %.15g\n", name, open, label, close,
               (double)h->sum / 1e6);
    buf_printf(p->out, "latchd_%s_count%s%s%s %llu\n", name, open, label, close,
               (unsigned long long)h->n);
}

static void put_process(struct page *p)
{
    const struct engine *e = p->engine;
    announce(p, INFO, "build", "Which program this is.");
    buf_printf(p->out, "latchd_build_info{version=\"%s\",redis_version=\"%s\"} 1\n", LATCHD_VERSION,
               e->config->redis_version);
    put_gauge(p, "uptime_seconds", "Since it was started.", (double)(e->now - e->started) / 1000);
    put_counter(p, "cpu_seconds", "Processor time that the process has used.",
                p->process.cpu_sys + p->process.cpu_user);
    put_gauge(p, "memory_resident_bytes", "Resident memory of the process.",
              (double)p->process.rss);
    put_gauge(p, "memory_used_bytes", "Memory that counts against the limit.",
              (double)engine_memory(e));
    put_gauge(p, "memory_peak_bytes", "The most of it so far.", (double)e->stats.peak_memory);
    int64_t limit = config_memory_limit(e->config);
    put_gauge(p, "memory_limit_bytes", "The limit; 0 for none.",
              limit == INT64_MAX ? 0 : (double)limit);
}

static void put_clients(struct page *p)
{
    const struct engine *e = p->engine;
    const struct stats *s = &e->stats;
    put_gauge(p, "clients", "Connections that are open.", (double)e->nsessions);
    put_gauge(p, "clients_blocked", "Those that wait in a blocking command.",
              (double)e->waiters.blocked);
    put_gauge(p, "clients_limit", "Connections that may be open.", (double)e->config->maxclients);
    put_counter(p, "connections", "Connections that were accepted.", (double)s->connections);
    put_counter(p, "connections_rejected", "Connections that were turned away.",
                (double)s->rejected_connections);
    put_counter(p, "received_bytes", "Bytes from clients.", (double)s->in);
    put_counter(p, "sent_bytes", "Bytes to clients.", (double)s->out);
}

/* One sample for each command that was ever called. */
static void put_by_command(struct page *p, const char *name, const char *help, size_t field)
{
    const struct engine *e = p->engine;
    announce(p, COUNTER, name, help);
    for (size_t i = 0; i < e->stats.ncommands; i++) {
        const struct command_stats *c = &e->stats.by_command[i];
        uint64_t n;
        memcpy(&n, (const char *)c + field, sizeof n);
        if (n)
            buf_printf(p->out, "latchd_%s_total{command=\"%s\"} %llu\n", name,
                       command_full_name(registry_at(e->registry, i)), (unsigned long long)n);
    }
}

static void put_commands(struct page *p)
{
    const struct engine *e = p->engine;
    put_by_command(p, "commands", "Calls of a command, those of scripts included.",
                   offsetof(struct command_stats, calls));
    put_by_command(p, "commands_failed", "Calls that ran and answered with an error.",
                   offsetof(struct command_stats, failed));
    put_by_command(p, "commands_rejected", "Calls that were refused before they ran.",
                   offsetof(struct command_stats, rejected));
    announce(p, HISTOGRAM, "command_duration_seconds", "How long commands took.");
    for (size_t i = 0; i < e->stats.ncommands; i++) {
        const struct command_stats *c = &e->stats.by_command[i];
        char label[80];
        if (c->times == NULL)
            continue;
        snprintf(label, sizeof label, "command=\"%s\"",
                 command_full_name(registry_at(e->registry, i)));
        put_buckets(p, "command_duration_seconds", label, c->times);
    }
}

/* Scripts may invent codes of any bytes; those that would need quoting are counted in INFO only. */
static bool is_plain(const char *code)
{
    for (; *code; code++)
        if (*code <= ' ' || *code > '~' || *code == '"' || *code == '\\')
            return false;
    return true;
}

static void put_errors(struct page *p)
{
    const struct stats *s = &p->engine->stats;
    announce(p, COUNTER, "errors", "Error replies by their first word.");
    for (size_t i = 0; i < s->ncodes; i++)
        if (is_plain(s->by_code[i].code))
            buf_printf(p->out, "latchd_errors_total{code=\"%s\"} %llu\n", s->by_code[i].code,
                       (unsigned long long)s->by_code[i].n);
}

static uint32_t keys_in(const struct keys *k)
{
    return k->dict.count;
}

static uint32_t expiring_in(const struct keys *k)
{
    return k->expires;
}

static uint32_t locks_in(const struct keys *k)
{
    return k->locks;
}

/* One sample for each database that was ever used, and for the first in any case. */
static void put_by_database(struct page *p, const char *name, const char *help,
                            uint32_t count(const struct keys *))
{
    const struct keyspace *s = &p->engine->space;
    announce(p, GAUGE, name, help);
    for (uint32_t i = 0; i < s->ndbs; i++)
        if (s->dbs[i] || i == 0)
            buf_printf(p->out, "latchd_%s{db=\"%u\"} %u\n", name, i,
                       s->dbs[i] ? count(s->dbs[i]) : 0);
}

static void put_keys(struct page *p)
{
    const struct stats *s = &p->engine->stats;
    put_by_database(p, "keys", "Keys.", keys_in);
    put_by_database(p, "keys_expiring", "Keys that have a deadline.", expiring_in);
    put_by_database(p, "locks", "Keys that are locks.", locks_in);
    put_counter(p, "lock_hold_warnings", "Locks that were held for longer than hold-warn allows.",
                (double)s->hold_warnings);
    put_counter(p, "expired_keys", "Keys whose deadline has passed.", (double)s->expired);
    announce(p, HISTOGRAM, "expiry_lateness_seconds", "How long after its deadline a key went.");
    put_buckets(p, "expiry_lateness_seconds", "", &s->lateness);
    put_counter(p, "lookup_hits", "Lookups by reading commands that found the key.",
                (double)s->hits);
    put_counter(p, "lookup_misses", "Lookups by reading commands that did not.", (double)s->misses);
}

static void put_scripts_and_messages(struct page *p)
{
    const struct engine *e = p->engine;
    struct script_stats s = {0};
    if (e->scripting.host)
        s = script_stats(e->scripting.host);
    put_counter(p, "script_runs", "Scripts that were run.", (double)e->stats.scripts);
    put_gauge(p, "scripts", "Scripts that are kept.", (double)s.scripts);
    put_gauge(p, "script_heap_bytes", "Memory of the script interpreter.", (double)s.heap_bytes);
    put_gauge(p, "pubsub_channels", "Channels that somebody subscribes to.",
              (double)pubsub_topics(&e->pubsub, TOPIC_CHANNEL));
    put_gauge(p, "pubsub_patterns", "Patterns that somebody subscribes to.",
              (double)pubsub_topics(&e->pubsub, TOPIC_PATTERN));
    put_gauge(p, "pubsub_shard_channels", "Shard channels that somebody subscribes to.",
              (double)pubsub_topics(&e->pubsub, TOPIC_SHARD));
    put_counter(p, "pubsub_messages", "Copies of messages that went to subscribers.",
                (double)e->pubsub.sent);
}

void metrics_print(const struct metrics_options *o, struct buf *out)
{
    struct page p = {.engine = o->engine, .old_format = o->old_format, .out = out};
    if (o->engine->host->inspect)
        o->engine->host->inspect(o->engine->ctx, &p.process);
    put_process(&p);
    put_clients(&p);
    put_commands(&p);
    put_errors(&p);
    put_keys(&p);
    put_scripts_and_messages(&p);
    announce(&p, HISTOGRAM, "loop_lag_seconds", "How long a turn of the loop kept others waiting.");
    put_buckets(&p, "loop_lag_seconds", "", o->lag);
    if (!o->old_format)
        buf_put(out, BYTES("# EOF\n"));
}
