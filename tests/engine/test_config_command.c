#include "tests/lib/rig.h"

#include <stdio.h>

TEST(config_command, get_takes_names_and_patterns_and_answers_each_option_once)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG GET timeout", "*2 $7 timeout $1 0");
    expect(r, "config get nosuch", "*0");
    expect(r, "CONFIG GET MaxClients maxclients maxclient*", "*2 $10 MaxClients $5 10000");
    expect(r, "CONFIG GET slowlog-*",
           "*4 $23 slowlog-log-slower-than $5 10000 $15 slowlog-max-len $3 128");
    expect(r, "CONFIG GET LUA-TIME*", "*2 $14 lua-time-limit $4 5000");
    expect(r, "CONFIG GET", "-ERR wrong number of arguments for 'config|get' command");
    rig_free(r);
}

TEST(config_command, hidden_options_need_their_full_name)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG GET aof-disable-auto-g?", "*0");
    expect(r, "CONFIG GET aof-disable-auto-gc", "*2 $19 aof-disable-auto-gc $2 no");
    rig_free(r);
}

TEST(config_command, set_takes_pairs_and_is_all_or_nothing)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG SET timeout 5 hz 20", "+OK");
    expect(r, "CONFIG GET timeout hz", "*4 $7 timeout $1 5 $2 hz $2 20");
    expect(r, "CONFIG SET timeout 6 hz abc",
           "-ERR CONFIG SET failed (possibly related to argument 'hz') - argument couldn't be "
           "parsed into an integer");
    expect(r, "CONFIG GET timeout", "*2 $7 timeout $1 5");
    expect(r, "CONFIG SET timeout 6 hz", "-ERR syntax error");
    expect(r, "CONFIG SET timeout", "-ERR wrong number of arguments for 'config|set' command");
    expect(r, "CONFIG SET nosuch 1",
           "-ERR Unknown option or number of arguments for CONFIG SET - 'nosuch'");
    rig_free(r);
}

TEST(config_command, subcommands_are_checked)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG", "-ERR wrong number of arguments for 'config' command");
    expect(r, "CONFIG foo", "-ERR unknown subcommand 'foo'. Try CONFIG HELP.");
    expect(r, "CONFIG RESETSTAT x",
           "-ERR wrong number of arguments for 'config|resetstat' command");
    rig_free(r);
}

TEST(config_command, resetstat_clears_the_counters)
{
    struct rig *r = rig_new();
    run(r, "GET nosuch");
    assert_int_equal(r->engine->stats.misses, 1);
    expect(r, "CONFIG RESETSTAT", "+OK");
    assert_int_equal(r->engine->stats.misses, 0);
    rig_free(r);
}

static bool save_fails(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)cfg;
    snprintf(why, CONFIG_ERROR_MAX, "%s", (const char *)ctx);
    return false;
}

TEST(config_command, rewrite_needs_a_file_and_reports_failure)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG REWRITE", "-ERR The server is running without a config file");
    char file[] = "/etc/latchd.conf", reason[] = "Permission denied";
    r->config.file = file;
    r->config.save = save_fails;
    r->config.save_ctx = reason;
    expect(r, "CONFIG REWRITE", "-ERR Rewriting config file: Permission denied");
    r->config.file = NULL;
    rig_free(r);
}
