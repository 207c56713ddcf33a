#include "tests/lib/rig.h"

#include <string.h>

static void has(struct rig *r, const char *part)
{
    if (strstr(rig_reply(r), part) == NULL)
        fail_msg("no \"%s\" in: %s", part, rig_reply(r));
}

static void lacks(struct rig *r, const char *part)
{
    if (strstr(rig_reply(r), part))
        fail_msg("\"%s\" in: %s", part, rig_reply(r));
}

TEST(info, says_by_default_what_costs_little)
{
    struct rig *r = rig_new();
    run(r, "INFO");
    has(r, "# Server redis_version:7.4.2 latchd_version:" LATCHD_VERSION " ");
    has(r, " redis_mode:standalone os:Linux 6 x86_64 arch_bits:64 ");
    has(r, " process_id:77 ");
    has(r, " tcp_port:6379 ");
    has(r, "  # Clients connected_clients:1 ");
    has(r, "  # Memory used_memory:");
    has(r, " used_memory_rss:4194304 used_memory_rss_human:4.00M ");
    has(r, "  # Persistence loading:0 ");
    has(r, " aof_enabled:0 ");
    has(r, "  # Stats total_connections_received:1 ");
    has(r, "  # Replication role:master connected_slaves:0 ");
    has(r, "  # CPU used_cpu_sys:0.500000 ");
    has(r, "  # Modules  # Errorstats  # Cluster cluster_enabled:0  # Keyspace");
    lacks(r, "# Commandstats");
    lacks(r, "# Latencystats");
    rig_free(r);
}

TEST(info, takes_the_names_of_sections)
{
    struct rig *r = rig_new();
    expect(r, "INFO cluster", "$30 # Cluster cluster_enabled:0 ");
    expect(r, "INFO nosuch", "$0 ");
    run(r, "INFO Cluster CPU");
    assert_true(strstr(rig_reply(r), "# CPU") < strstr(rig_reply(r), "# Cluster"));
    lacks(r, "# Server");
    run(r, "INFO default commandstats");
    has(r, "# Server");
    has(r, "# Commandstats");
    lacks(r, "# Latencystats");
    run(r, "INFO all");
    has(r, "# Commandstats");
    has(r, "# Latencystats");
    run(r, "INFO everything");
    has(r, "# Latencystats");
    run(r, "HELLO 3");
    expect(r, "INFO cluster", "=34 txt:# Cluster cluster_enabled:0 ");
    rig_free(r);
}

TEST(info, counts_commands_and_what_became_of_them)
{
    struct rig *r = rig_new();
    r->takes = 20;
    run(r, "SET k v");
    run(r, "SET k v");
    run(r, "SET k");
    run(r, "INCR k");
    run(r, "nosuch");
    run(r, "CLIENT nosuch");
    run(r, "INFO commandstats");
    lacks(r, "cmdstat_client");
    has(r, "cmdstat_set:calls=2,usec=40,usec_per_call=20.00,rejected_calls=1,failed_calls=0 ");
    has(r, "cmdstat_incr:calls=1,usec=20,usec_per_call=20.00,rejected_calls=0,failed_calls=1 ");
    lacks(r, "cmdstat_get");
    run(r, "INFO errorstats");
    has(r, "errorstat_ERR:count=4");
    run(r, "INFO latencystats");
    has(r, "latency_percentiles_usec_set:p50=20.000,p99=20.000,p99.9=20.000 ");
    run(r, "CONFIG RESETSTAT");
    run(r, "INFO commandstats");
    lacks(r, "cmdstat_set");
    rig_free(r);
}

TEST(info, counts_an_error_once_however_deep)
{
    struct rig *r = rig_new();
    run(r, "SET k v");
    run(r, "MULTI");
    run(r, "INCR k");
    run(r, "LPUSH k x");
    run(r, "EXEC");
    run(r, "INFO errorstats");
    has(r, "errorstat_ERR:count=1 ");
    has(r, "errorstat_WRONGTYPE:count=1 ");
    run(r, "INFO commandstats");
    has(r, "cmdstat_exec:calls=1,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=0 ");
    run(r, "INFO stats");
    has(r, "total_error_replies:2 ");
    rig_free(r);
}

TEST(info, counts_an_error_in_a_script_once)
{
    struct rig *r = rig_new();
    run(r, "SET k v");
    run(r, "EVAL \"return redis.call('INCR', 'k')\" 0");
    run(r, "EVAL \"return redis.pcall('INCR', 'k')\" 0");
    run(r, "EVAL \"redis.pcall('INCR', 'k') return 1\" 0");
    run(r, "EVAL \"return redis.error_reply('FOO bar')\" 0");
    run(r, "INFO errorstats");
    has(r, "errorstat_ERR:count=3 errorstat_FOO:count=1");
    run(r, "INFO commandstats");
    has(r, "cmdstat_eval:calls=4,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=3 ");
    has(r, "cmdstat_incr:calls=3,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=3");
    rig_free(r);
}

TEST(info, counts_calls_that_a_script_was_refused)
{
    struct rig *r = rig_new();
    run(r, "EVAL \"return redis.call('INCR')\" 0");
    run(r, "EVAL \"redis.pcall('SUBSCRIBE', 'c') return 1\" 0");
    run(r, "EVAL \"return redis.call('NOSUCH')\" 0");
    run(r, "EVAL_RO \"return redis.call('SET', 'k', 'v')\" 0");
    run(r, "INFO errorstats");
    has(r, "errorstat_ERR:count=4");
    run(r, "INFO commandstats");
    has(r, "cmdstat_incr:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0 ");
    has(r, "cmdstat_subscribe:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0 ");
    has(r, "cmdstat_set:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0 ");
    has(r, "cmdstat_eval:calls=3,usec=0,usec_per_call=0.00,rejected_calls=0,failed_calls=2 ");
    rig_free(r);
}

TEST(info, lists_databases_that_have_keys)
{
    struct rig *r = rig_new();
    run(r, "SET a 1");
    run(r, "SET b 1 EX 10");
    run(r, "SELECT 3");
    run(r, "SET c 1");
    expect(r, "INFO keyspace",
           "$104 # Keyspace db0:keys=2,expires=1,avg_ttl=10000,subexpiry=0 "
           "db3:keys=1,expires=0,avg_ttl=0,subexpiry=0 ");
    rig_free(r);
}

TEST(info, tells_how_busy_it_is)
{
    struct rig *r = rig_new();
    for (int i = 0; i < 200; i++) {
        run(r, "PING");
        later(r, 10);
    }
    run(r, "INFO stats");
    has(r, " instantaneous_ops_per_sec:99 ");
    later(r, 100000);
    run(r, "INFO stats");
    has(r, " instantaneous_ops_per_sec:1 ");
    for (int i = 0; i < 20; i++) {
        run(r, "INFO stats");
        later(r, 1000);
    }
    has(r, " instantaneous_ops_per_sec:1 ");
    rig_free(r);
}
