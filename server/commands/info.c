/*
 * INFO. One function per section; names, order and number formats are what exporters and clients
 * read from a Redis. What has no meaning here (persistence, replicas, defragmentation) keeps its
 * line, with the value that an idle Redis would show, since some readers expect the line.
 */
#include "base/num.h"
#include "server/commands/families.h"
#include "server/engine/call.h"
#include "server/engine/roster.h"
#include "store/wheel.h"

#include <stdio.h>
#include <stdlib.h>

struct report {
    struct call *call;
    struct engine *engine;
    struct process_facts process;
    struct buf text;
};

#define line(r, ...)                                                                               \
    do {                                                                                           \
        buf_printf(&(r)->text, __VA_ARGS__);                                                       \
        buf_put(&(r)->text, BYTES("\r\n"));                                                        \
    } while (0)

#define LLU(n) ((unsigned long long)(n))
#define LLD(n) ((long long)(n))

/* "967.14K". */
static void line_human(struct report *r, const char *name, uint64_t n)
{
    static const char units[] = "BKMGTP";
    double shown = (double)n;
    int unit = 0;
    while (shown >= 1024 && unit < 5) {
        shown /= 1024;
        unit++;
    }
    if (unit == 0)
        line(r, "%s:%lluB", name, LLU(n));
    else
        line(r, "%s:%.2f%c", name, shown, units[unit]);
}

static void line_both(struct report *r, const char *name, uint64_t n)
{
    char human[64];
    line(r, "%s:%llu", name, LLU(n));
    snprintf(human, sizeof human, "%s_human", name);
    line_human(r, human, n);
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void put_listeners(struct report *r)
{
    const struct config *cfg = r->engine->config;
    int n = 0;
    if (r->process.tcp_port) {
        buf_printf(&r->text, "listener%d:name=tcp", n++);
        for (size_t i = 0; i < cfg->bind.n; i++)
            buf_printf(&r->text, ",bind=%s", cfg->bind.item[i]);
        line(r, ",port=%d", r->process.tcp_port);
    }
    if (cfg->unixsocket[0])
        line(r, "listener%d:name=unix,bind=%s", n, cfg->unixsocket);
}

static void put_server(struct report *r)
{
    const struct engine *e = r->engine;
    const struct config *cfg = e->config;
    int64_t wall_us = call_wall_us(r->call), up = (e->now - e->started) / 1000;
    line(r, "redis_version:%s", cfg->redis_version);
    line(r, "latchd_version:%s", LATCHD_VERSION);
    line(r, "redis_git_sha1:00000000");
    line(r, "redis_git_dirty:0");
    line(r, "redis_build_id:0");
    line(r, "redis_mode:standalone");
    line(r, "os:%s", r->process.os);
    line(r, "arch_bits:%zu", sizeof(void *) * 8);
    line(r, "monotonic_clock:POSIX clock_gettime");
    line(r, "multiplexing_api:epoll");
    line(r, "atomicvar_api:c11-builtin");
    line(r, "gcc_version:%d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
    line(r, "process_id:%lld", LLD(r->process.pid));
    line(r, "process_supervised:%s", cfg->supervised == SUPERVISED_SYSTEMD ? "systemd" : "no");
    line(r, "run_id:%s", e->run_id);
    line(r, "tcp_port:%d", r->process.tcp_port);
    line(r, "server_time_usec:%lld", LLD(wall_us));
    line(r, "uptime_in_seconds:%lld", LLD(up));
    line(r, "uptime_in_days:%lld", LLD(up / 86400));
    line(r, "hz:%lld", LLD(cfg->hz));
    line(r, "configured_hz:%lld", LLD(cfg->hz));
    line(r, "lru_clock:%lld", LLD(wall_us / 1000000 & 0xffffff));
    line(r, "executable:%s", r->process.executable);
    line(r, "config_file:%s", cfg->file ? cfg->file : "");
    line(r, "io_threads_active:0");
    put_listeners(r);
}

/* What only a walk over the clients tells. */
struct census {
    size_t pubsub, watching, memory, input, output;
};

static struct census take_census(const struct engine *e)
{
    struct census n = {0};
    roster_each (e, s) {
        struct session_facts f;
        roster_measure(s, &f);
        size_t input = f.query + f.query_free, output = s->unsent + buf_len(&s->out);
        n.pubsub += (s->flags & SESSION_PUBSUB) != 0;
        n.watching += watch_count(s) > 0;
        n.memory += roster_memory(s, &f);
        n.input = input > n.input ? input : n.input;
        n.output = output > n.output ? output : n.output;
    }
    return n;
}

static void put_clients(struct report *r)
{
    const struct engine *e = r->engine;
    struct census n = take_census(e);
    line(r, "connected_clients:%zu", e->nsessions);
    line(r, "cluster_connections:0");
    line(r, "maxclients:%lld", LLD(e->config->maxclients));
    line(r, "client_recent_max_input_buffer:%zu", n.input);
    line(r, "client_recent_max_output_buffer:%zu", n.output);
    line(r, "blocked_clients:%zu", e->waiters.blocked);
    line(r, "tracking_clients:%zu", e->tracking.clients);
    line(r, "pubsub_clients:%zu", n.pubsub);
    line(r, "watching_clients:%zu", n.watching);
    line(r, "clients_in_timeout_table:%zu", e->waiters.blocked);
    line(r, "total_watched_keys:%u", e->watches.keys.dict.count);
    line(r, "total_blocking_keys:%u", e->waiters.keys.dict.count);
    line(r, "total_blocking_keys_on_nokey:0");
}

static void put_scripts_memory(struct report *r)
{
    const struct script_host *host = r->engine->scripting.host;
    struct script_stats s = host ? script_stats(host) : (struct script_stats){0};
    size_t lua = s.heap_bytes;
    line(r, "used_memory_lua:%zu", lua);
    line(r, "used_memory_vm_eval:%zu", lua);
    line_human(r, "used_memory_lua_human", lua);
    line(r, "used_memory_scripts_eval:%zu", s.scripts_bytes);
    line(r, "number_of_cached_scripts:%zu", s.scripts);
    line(r, "number_of_functions:0");
    line(r, "number_of_libraries:0");
    line(r, "used_memory_vm_functions:0");
    line_both(r, "used_memory_vm_total", lua);
    line(r, "used_memory_functions:0");
    line_both(r, "used_memory_scripts", s.scripts_bytes);
}

static void put_memory(struct report *r)
{
    const struct engine *e = r->engine;
    size_t dataset = engine_memory(e), rss = r->process.rss, clients = take_census(e).memory;
    size_t overhead =
        clients + (e->scripting.host ? script_stats(e->scripting.host).heap_bytes : 0);
    size_t used = dataset + overhead;
    size_t peak = e->stats.peak_memory > used ? e->stats.peak_memory : used;
    line_both(r, "used_memory", used);
    line_both(r, "used_memory_rss", rss);
    line_both(r, "used_memory_peak", peak);
    line(r, "used_memory_peak_perc:%.2f%%", 100 * ratio((double)used, (double)peak));
    line(r, "used_memory_overhead:%zu", overhead);
    line(r, "used_memory_startup:0");
    line(r, "used_memory_dataset:%zu", dataset);
    line(r, "used_memory_dataset_perc:%.2f%%", 100 * ratio((double)dataset, (double)used));
    line(r, "allocator_allocated:%zu", used);
    line(r, "allocator_active:%zu", rss);
    line(r, "allocator_resident:%zu", rss);
    line(r, "allocator_muzzy:0");
    line_both(r, "total_system_memory", r->process.system_memory);
    put_scripts_memory(r);
    line_both(r, "maxmemory", (uint64_t)e->config->maxmemory);
    line(r, "maxmemory_policy:noeviction");
    line(r, "allocator_frag_ratio:%.2f", ratio((double)rss, (double)used));
    line(r, "allocator_frag_bytes:%lld", LLD(rss) - LLD(used));
    line(r, "allocator_rss_ratio:1.00");
    line(r, "allocator_rss_bytes:0");
    line(r, "rss_overhead_ratio:1.00");
    line(r, "rss_overhead_bytes:0");
    line(r, "mem_fragmentation_ratio:%.2f", ratio((double)rss, (double)used));
    line(r, "mem_fragmentation_bytes:%lld", LLD(rss) - LLD(used));
    line(r, "mem_not_counted_for_evict:0");
    line(r, "mem_replication_backlog:0");
    line(r, "mem_total_replication_buffers:0");
    line(r, "mem_clients_slaves:0");
    line(r, "mem_clients_normal:%zu", clients);
    line(r, "mem_cluster_links:0");
    line(r, "mem_aof_buffer:0");
    line(r, "mem_allocator:libc");
    line(r, "mem_overhead_db_hashtable_rehashing:0");
    line(r, "active_defrag_running:0");
    line(r, "lazyfree_pending_objects:0");
    line(r, "lazyfreed_objects:0");
}

/* Nothing is ever written to a disk, so nothing of this changes but the times. */
static void put_persistence(struct report *r)
{
    int64_t up_us = (r->engine->now - r->engine->started) * 1000;
    static const char before[] = "loading:0\r\n"
                                 "async_loading:0\r\n"
                                 "current_cow_peak:0\r\n"
                                 "current_cow_size:0\r\n"
                                 "current_cow_size_age:0\r\n"
                                 "current_fork_perc:0.00\r\n"
                                 "current_save_keys_processed:0\r\n"
                                 "current_save_keys_total:0\r\n"
                                 "rdb_changes_since_last_save:0\r\n"
                                 "rdb_bgsave_in_progress:0\r\n";
    static const char after[] = "rdb_last_bgsave_status:ok\r\n"
                                "rdb_last_bgsave_time_sec:-1\r\n"
                                "rdb_current_bgsave_time_sec:-1\r\n"
                                "rdb_saves:0\r\n"
                                "rdb_last_cow_size:0\r\n"
                                "rdb_last_load_keys_expired:0\r\n"
                                "rdb_last_load_keys_loaded:0\r\n"
                                "aof_enabled:0\r\n"
                                "aof_rewrite_in_progress:0\r\n"
                                "aof_rewrite_scheduled:0\r\n"
                                "aof_last_rewrite_time_sec:-1\r\n"
                                "aof_current_rewrite_time_sec:-1\r\n"
                                "aof_last_bgrewrite_status:ok\r\n"
                                "aof_rewrites:0\r\n"
                                "aof_rewrites_consecutive_failures:0\r\n"
                                "aof_last_write_status:ok\r\n"
                                "aof_last_cow_size:0\r\n"
                                "module_fork_in_progress:0\r\n"
                                "module_fork_last_cow_size:0\r\n";
    buf_put(&r->text, BYTES(before));
    line(r, "rdb_last_save_time:%lld", LLD((call_wall_us(r->call) - up_us) / 1000000));
    buf_put(&r->text, BYTES(after));
}

static void put_traffic(struct report *r)
{
    struct stats *s = &r->engine->stats;
    struct stats_rates rates = stats_rates(s, r->engine->now);
    line(r, "total_connections_received:%llu", LLU(s->connections));
    line(r, "total_commands_processed:%llu", LLU(s->commands));
    line(r, "instantaneous_ops_per_sec:%.0f", rates.commands);
    line(r, "total_net_input_bytes:%llu", LLU(s->in));
    line(r, "total_net_output_bytes:%llu", LLU(s->out));
    line(r, "total_net_repl_input_bytes:0");
    line(r, "total_net_repl_output_bytes:0");
    line(r, "instantaneous_input_kbps:%.2f", rates.in / 1024);
    line(r, "instantaneous_output_kbps:%.2f", rates.out / 1024);
    line(r, "instantaneous_input_repl_kbps:0.00");
    line(r, "instantaneous_output_repl_kbps:0.00");
    line(r, "rejected_connections:%llu", LLU(s->rejected_connections));
}

static uint64_t evicted_scripts(const struct engine *e)
{
    return e->scripting.host ? script_stats(e->scripting.host).evicted : 0;
}

static void put_stats(struct report *r)
{
    const struct engine *e = r->engine;
    const struct stats *s = &e->stats;
    put_traffic(r);
    line(r, "sync_full:0");
    line(r, "sync_partial_ok:0");
    line(r, "sync_partial_err:0");
    line(r, "expired_subkeys:0");
    line(r, "expired_keys:%llu", LLU(s->expired));
    line(r, "expired_stale_perc:0.00");
    line(r, "expired_time_cap_reached_count:0");
    line(r, "expire_cycle_cpu_milliseconds:0");
    line(r, "evicted_keys:0");
    line(r, "evicted_clients:%llu", LLU(s->evicted_clients));
    line(r, "evicted_scripts:%llu", LLU(evicted_scripts(e)));
    line(r, "total_eviction_exceeded_time:0");
    line(r, "current_eviction_exceeded_time:0");
    line(r, "keyspace_hits:%llu", LLU(s->hits));
    line(r, "keyspace_misses:%llu", LLU(s->misses));
    line(r, "pubsub_channels:%zu", pubsub_topics(&e->pubsub, TOPIC_CHANNEL));
    line(r, "pubsub_patterns:%zu", pubsub_topics(&e->pubsub, TOPIC_PATTERN));
    line(r, "pubsubshard_channels:%zu", pubsub_topics(&e->pubsub, TOPIC_SHARD));
    line(r, "latest_fork_usec:0");
    line(r, "total_forks:0");
    line(r, "migrate_cached_sockets:0");
    line(r, "slave_expires_tracked_keys:0");
    line(r, "active_defrag_hits:0");
    line(r, "active_defrag_misses:0");
    line(r, "active_defrag_key_hits:0");
    line(r, "active_defrag_key_misses:0");
    line(r, "total_active_defrag_time:0");
    line(r, "current_active_defrag_time:0");
    line(r, "tracking_total_keys:%zu", e->tracking.live);
    line(r, "tracking_total_items:%u", e->tracking.readers.count);
    line(r, "tracking_total_prefixes:%zu", e->tracking.nprefixes);
    line(r, "unexpected_error_replies:0");
    line(r, "total_error_replies:%llu", LLU(s->errors));
    line(r, "dump_payload_sanitizations:0");
    line(r, "total_reads_processed:%llu", LLU(s->reads));
    line(r, "total_writes_processed:%llu", LLU(s->writes));
    line(r, "io_threaded_reads_processed:0");
    line(r, "io_threaded_writes_processed:0");
    line(r, "client_query_buffer_limit_disconnections:%llu", LLU(s->query_limit_closed));
    line(r, "client_output_buffer_limit_disconnections:%llu", LLU(s->output_limit_closed));
    line(r, "reply_buffer_shrinks:0");
    line(r, "reply_buffer_expands:0");
    line(r, "acl_access_denied_auth:%llu", LLU(s->denied_logins));
    line(r, "acl_access_denied_cmd:%llu", LLU(s->denied_commands));
    line(r, "acl_access_denied_key:%llu", LLU(s->denied_keys));
    line(r, "acl_access_denied_channel:%llu", LLU(s->denied_channels));
}

static void put_replication(struct report *r)
{
    line(r, "role:master");
    line(r, "connected_slaves:0");
    line(r, "master_failover_state:no-failover");
    line(r, "master_replid:%s", r->engine->replication_id);
    line(r, "master_replid2:0000000000000000000000000000000000000000");
    line(r, "master_repl_offset:0");
    line(r, "second_repl_offset:-1");
    line(r, "repl_backlog_active:0");
    line(r, "repl_backlog_size:1048576");
    line(r, "repl_backlog_first_byte_offset:0");
    line(r, "repl_backlog_histlen:0");
}

static void put_cpu(struct report *r)
{
    const struct process_facts *p = &r->process;
    line(r, "used_cpu_sys:%.6f", p->cpu_sys);
    line(r, "used_cpu_user:%.6f", p->cpu_user);
    line(r, "used_cpu_sys_children:%.6f", p->cpu_sys_children);
    line(r, "used_cpu_user_children:%.6f", p->cpu_user_children);
    line(r, "used_cpu_sys_main_thread:%.6f", p->cpu_sys);
    line(r, "used_cpu_user_main_thread:%.6f", p->cpu_user);
}

static void put_modules(struct report *r)
{
    (void)r;
}

static void put_commandstats(struct report *r)
{
    const struct registry *reg = r->engine->registry;
    for (size_t id = 0; id < registry_count(reg); id++) {
        const struct command_stats *s = &r->engine->stats.by_command[id];
        if (s->calls + s->rejected + s->failed == 0)
            continue;
        line(r,
             "cmdstat_%s:calls=%llu,usec=%llu,usec_per_call=%.2f,rejected_calls=%llu,"
             "failed_calls=%llu",
             command_full_name(registry_at(reg, id)), LLU(s->calls), LLU(s->usec),
             ratio((double)s->usec, (double)s->calls), LLU(s->rejected), LLU(s->failed));
    }
}

static void put_errorstats(struct report *r)
{
    const struct stats *s = &r->engine->stats;
    for (size_t i = 0; i < s->ncodes; i++)
        line(r, "errorstat_%s:count=%llu", s->by_code[i].code, LLU(s->by_code[i].n));
}

/* "p50=1.003,p99=2.007,p99.9=2.007": the percentiles that the configuration names. */
static void put_percentiles(struct report *r, const struct histogram *h)
{
    const char *at = r->engine->config->latency_percentiles;
    for (bool first = true; *at; first = false) {
        char *end;
        double percent = strtod(at, &end);
        if (end == at)
            break;
        buf_printf(&r->text, "%sp%.*s=%llu.000", first ? "" : ",", (int)(end - at), at,
                   LLU(histogram_percentile(h, percent)));
        at = end + strspn(end, " ");
    }
}

static void put_latencystats(struct report *r)
{
    const struct registry *reg = r->engine->registry;
    for (size_t id = 0; id < registry_count(reg); id++) {
        const struct histogram *h = r->engine->stats.by_command[id].times;
        if (h == NULL)
            continue;
        buf_printf(&r->text,
                   "latency_percentiles_usec_%s:", command_full_name(registry_at(reg, id)));
        put_percentiles(r, h);
        buf_put(&r->text, BYTES("\r\n"));
    }
}

static void put_cluster(struct report *r)
{
    line(r, "cluster_enabled:0");
}

static void put_keyspace(struct report *r)
{
    const struct keyspace *space = &r->engine->space;
    for (uint32_t i = 0; i < space->ndbs; i++)
        if (space->dbs[i] && space->dbs[i]->dict.count)
            line(r, "db%u:keys=%u,expires=%u,avg_ttl=%lld,subexpiry=0", i,
                 space->dbs[i]->dict.count, space->dbs[i]->expires,
                 (long long)keys_average_ttl(space->dbs[i]));
}

static const struct section {
    const char *name, *title;
    bool by_default;
    void (*put)(struct report *r);
} sections[] = {
    {"server", "Server", true, put_server},
    {"clients", "Clients", true, put_clients},
    {"memory", "Memory", true, put_memory},
    {"persistence", "Persistence", true, put_persistence},
    {"stats", "Stats", true, put_stats},
    {"replication", "Replication", true, put_replication},
    {"cpu", "CPU", true, put_cpu},
    {"modules", "Modules", true, put_modules},
    {"commandstats", "Commandstats", false, put_commandstats},
    {"errorstats", "Errorstats", true, put_errorstats},
    {"latencystats", "Latencystats", false, put_latencystats},
    {"cluster", "Cluster", true, put_cluster},
    {"keyspace", "Keyspace", true, put_keyspace},
};

static bool is_wanted(const struct call *c, const struct section *s)
{
    for (size_t i = 1; i < c->argc; i++) {
        struct bytes name = c->argv[i];
        if (bytes_ieq(name, bytes_of(s->name)) || bytes_is(name, "all") ||
            bytes_is(name, "everything") || (bytes_is(name, "default") && s->by_default))
            return true;
    }
    return c->argc == 1 && s->by_default;
}

static void cmd_info(struct call *c)
{
    struct report r = {.call = c, .engine = c->engine};
    bool first = true;
    if (c->engine->host->inspect)
        c->engine->host->inspect(c->engine->ctx, &r.process);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!is_wanted(c, &sections[i]))
            continue;
        if (!first)
            buf_put(&r.text, BYTES("\r\n"));
        first = false;
        line(&r, "# %s", sections[i].title);
        sections[i].put(&r);
    }
    reply_verbatim(c->reply, "txt", buf_bytes(&r.text));
    buf_free(&r.text);
}

/* clang-format off */
const struct command info_commands[] = {
    {.name = "info", .run = cmd_info, .arity = -1, .flags = CMD_LOADING | CMD_STALE | CMD_SENTINEL,
     .acl = ACL_DANGEROUS, .group = GROUP_SERVER, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "[section [section ...]]",
     .tips = "nondeterministic_output request_policy:all_shards response_policy:special",
     .summary = "Tells how the server is."},
    {0},
};
/* clang-format on */
