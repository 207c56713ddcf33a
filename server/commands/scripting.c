/* EVAL and its relatives. */
#include "server/engine/scripting.h"

#include "server/commands/families.h"
#include "server/engine/call.h"

/* How many of the arguments are keys. */
static bool read_numkeys(struct call *c, size_t *nkeys)
{
    int64_t n;
    if (!call_int(c, 2, &n))
        return false;
    if (n > (int64_t)c->argc - 3) {
        reply_error(c->reply, BYTES("ERR Number of keys can't be greater than number of args"));
        return false;
    }
    if (n < 0) {
        reply_error(c->reply, BYTES("ERR Number of keys can't be negative"));
        return false;
    }
    *nkeys = (size_t)n;
    return true;
}

static void eval(struct call *c, bool read_only)
{
    size_t nkeys;
    if (!read_numkeys(c, &nkeys))
        return;
    const struct script *s = script_load(scripting_host(c->engine), c->argv[1], false, c->reply);
    if (s)
        scripting_run(c, s, nkeys, read_only);
}

/* What cannot be a digest is unknown before anything else is looked at. */
static void evalsha(struct call *c, bool read_only)
{
    size_t nkeys;
    if (c->argv[1].n != SCRIPT_SHA_LEN) {
        reply_error(c->reply, ERR_NOSCRIPT);
        return;
    }
    if (!read_numkeys(c, &nkeys))
        return;
    const struct script *s = script_find(scripting_host(c->engine), c->argv[1]);
    if (s)
        scripting_run(c, s, nkeys, read_only);
    else
        reply_error(c->reply, ERR_NOSCRIPT);
}

static void cmd_eval(struct call *c)
{
    eval(c, false);
}

static void cmd_eval_ro(struct call *c)
{
    eval(c, true);
}

static void cmd_evalsha(struct call *c)
{
    evalsha(c, false);
}

static void cmd_evalsha_ro(struct call *c)
{
    evalsha(c, true);
}

static void cmd_script_load(struct call *c)
{
    const struct script *s = script_load(scripting_host(c->engine), c->argv[2], true, c->reply);
    if (s)
        reply_bulk(c->reply, script_sha(s));
}

static void cmd_script_exists(struct call *c)
{
    reply_array(c->reply, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        reply_int(c->reply, script_exists(scripting_host(c->engine), c->argv[i]));
}

static void cmd_script_flush(struct call *c)
{
    if (c->argc > 3 ||
        (c->argc == 3 && !call_arg_is(c, 2, BYTES("SYNC")) && !call_arg_is(c, 2, BYTES("ASYNC")))) {
        reply_error(c->reply, BYTES("ERR SCRIPT FLUSH only support SYNC|ASYNC option"));
        return;
    }
    if (c->engine->scripting.host)
        script_flush(c->engine->scripting.host);
    reply_ok(c->reply);
}

/* clang-format off */
static const struct command script_subcommands[] = {
    {.name = "exists", .full_name = "script|exists", .run = cmd_script_exists, .arity = -3,
     .flags = CMD_NOSCRIPT, .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING, .since = "2.6.0",
     .complexity = "O(N), N being the number of scripts", .syntax = "sha1 [sha1 ...]",
     .tips = "request_policy:all_shards response_policy:agg_logical_and",
     .summary = "Tells which scripts are known."},
    {.name = "flush", .full_name = "script|flush", .run = cmd_script_flush, .arity = -2,
     .flags = CMD_NOSCRIPT, .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING, .since = "2.6.0",
     .complexity = "O(N), N being the number of scripts", .syntax = "[ASYNC | SYNC]",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Forgets all scripts."},
    {.name = "help", .full_name = "script|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING,
     .since = "5.0.0", .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "kill", .full_name = "script|kill", .run = scripting_kill, .arity = 2,
     .flags = CMD_NOSCRIPT | CMD_ALLOW_BUSY, .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING,
     .since = "2.6.0", .complexity = "O(1)", .syntax = "",
     .tips = "request_policy:all_shards response_policy:one_succeeded",
     .summary = "Ends the running script, unless it has written."},
    {.name = "load", .full_name = "script|load", .run = cmd_script_load, .arity = 3,
     .flags = CMD_NOSCRIPT | CMD_STALE, .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING,
     .since = "2.6.0", .complexity = "O(N), N being the length of the script", .syntax = "script",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Keeps a script for EVALSHA and answers with its SHA-1."},
    {0},
};

#define SYNTAX(what) what " numkeys [key [key ...]] [arg [arg ...]]"
#define FLAGS (CMD_NOSCRIPT | CMD_SKIP_MONITOR | CMD_NO_MANDATORY_KEYS | CMD_STALE)
const struct command scripting_commands[] = {
    {.name = "eval", .run = cmd_eval, .arity = -3, .flags = FLAGS,
     .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 2, 0, 1, true}}, .since = "2.6.0",
     .complexity = "Depends on the script.", .syntax = SYNTAX("script"),
     .summary = "Runs a Lua script."},
    {.name = "evalsha", .run = cmd_evalsha, .arity = -3, .flags = FLAGS,
     .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 2, 0, 1, true}}, .since = "2.6.0",
     .complexity = "Depends on the script.", .syntax = SYNTAX("sha1"),
     .summary = "Runs a Lua script that is known already."},
    {.name = "evalsha_ro", .run = cmd_evalsha_ro, .arity = -3, .flags = FLAGS | CMD_READONLY,
     .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING, .keys = {{KEY_RO | KEY_ACCESS, 2, 0, 1, true}},
     .since = "7.0.0", .complexity = "Depends on the script.", .syntax = SYNTAX("sha1"),
     .summary = "Runs a known Lua script that may only read."},
    {.name = "eval_ro", .run = cmd_eval_ro, .arity = -3, .flags = FLAGS | CMD_READONLY,
     .acl = ACL_SCRIPTING, .group = GROUP_SCRIPTING, .keys = {{KEY_RO | KEY_ACCESS, 2, 0, 1, true}},
     .since = "7.0.0", .complexity = "Depends on the script.", .syntax = SYNTAX("script"),
     .summary = "Runs a Lua script that may only read."},
    {.name = "script", .arity = -2, .group = GROUP_SCRIPTING, .since = "2.6.0",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = script_subcommands,
     .summary = "Looks after the known scripts."},
    {0},
};
/* clang-format on */
