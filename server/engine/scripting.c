#include "server/engine/scripting.h"

#include "base/num.h"
#include "server/engine/call.h"

struct script_context {
    struct call *outer; /* the EVAL */
    unsigned flags;     /* enum script_flag */
    bool read_only;
    bool wrote;
};

static struct script_context *context(void *ctx)
{
    return ctx;
}

static const void *on_resolve(void *ctx, struct bytes name)
{
    return registry_find(context(ctx)->outer->engine->registry, name);
}

/* Is it a command that scripts may call, and called properly? */
static bool is_for_scripts(struct call *c)
{
    if (c->cmd == NULL)
        reply_error(c->reply, BYTES("ERR Unknown Redis command called from script"));
    else if (!command_arity_ok(c->cmd, c->argc))
        reply_error(c->reply, BYTES("ERR Wrong number of args calling Redis command from script"));
    else if (c->cmd->flags & CMD_NOSCRIPT)
        reply_error(c->reply, BYTES("ERR This Redis command is not allowed from script"));
    else
        return true;
    return false;
}

/* Once a script has written it may finish: stopping it half-way would be worse. */
static bool memory_allows(struct call *c, const struct script_context *x)
{
    return !(c->cmd->flags & CMD_DENYOOM) || x->wrote || x->flags & SCRIPT_ALLOW_OOM ||
           !engine_out_of_memory(c->engine) || (c->cmd->grows && !c->cmd->grows(c));
}

/* May this script make this call now? False after the error has been replied. */
static bool may_call(const struct script_context *x, struct call *c)
{
    if (!is_for_scripts(c) || !acl_admits(c))
        return false;
    if (x->read_only && c->cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE))
        reply_error(c->reply, BYTES("ERR Write commands are not allowed from read-only scripts."));
    else if (!memory_allows(c, x))
        reply_error(c->reply, ERR_OOM);
    else
        return true;
    return false;
}

static void on_call(void *ctx, const struct script_call *sc)
{
    struct script_context *x = context(ctx);
    struct call c = *x->outer;
    unsigned errors = sc->reply->errors;
    c.argv = sc->argv;
    c.argc = sc->argc;
    c.reply = sc->reply;
    c.resp = sc->resp;
    c.flags |= CALL_SCRIPT;
    c.keys = keyspace_db(&c.engine->space, c.session->db); /* a script may SELECT */
    c.cmd = sc->command;
    if (c.cmd && c.cmd->sub && c.argc > 1)
        c.cmd = command_sub(c.cmd, c.argv[1]);
    if (may_call(x, &c)) {
        x->wrote |= (c.cmd->flags & CMD_WRITE) != 0;
        call_handle(&c);
    } else {
        call_rejected(&c, errors);
    }
}

static enum script_verdict on_check(void *ctx)
{
    struct engine *e = context(ctx)->outer->engine;
    int64_t ms = e->host->running_ms(e->ctx);
    if (!e->scripting.killed && ms >= e->config->busy_reply_threshold) {
        if (!e->scripting.busy)
            log_warning(e->log, "Slow script detected: still in execution after %lld milliseconds.",
                        (long long)ms);
        e->scripting.busy = true;
        e->host->serve_others(e->ctx);
    }
    if (e->scripting.killed)
        return SCRIPT_KILL;
    return e->config->script_time_limit && ms >= e->config->script_time_limit ? SCRIPT_TIME_UP
                                                                              : SCRIPT_GO_ON;
}

static void on_log(void *ctx, enum log_level level, struct bytes text)
{
    log_line(context(ctx)->outer->engine->log, level, "%.*s", BYTES_FMT(text));
}

static double on_clock(void *ctx)
{
    struct engine *e = context(ctx)->outer->engine;
    return (double)e->host->running_ms(e->ctx) / 1000;
}

static int on_acl_check(void *ctx, const struct bytes *argv, size_t argc)
{
    const struct command *cmd = on_resolve(ctx, argv[0]);
    if (cmd && cmd->sub && argc > 1)
        cmd = command_sub(cmd, argv[1]);
    if (cmd == NULL)
        return -1;
    const struct call *c = context(ctx)->outer;
    size_t at;
    return acl_check(c->engine, c->session->user, cmd, argv, argc, &at) == ACL_ALLOWED;
}

static const struct script_ops ops = {
    .resolve = on_resolve,
    .call = on_call,
    .check = on_check,
    .log = on_log,
    .clock = on_clock,
    .acl_check = on_acl_check,
};

/* "7.4.2" as 0x00070402. */
static uint32_t version_number(const char *text)
{
    uint32_t v = 0, part = 0;
    for (; *text; text++) {
        if (*text == '.') {
            v = (v | part) << 8;
            part = 0;
        } else if (*text >= '0' && *text <= '9') {
            part = part * 10 + (uint32_t)(*text - '0');
        }
    }
    return v | part;
}

enum { SCRIPTS_FROM_EVAL = 500 }; /* as many as Redis 7.4 keeps */

struct script_host *scripting_host(struct engine *e)
{
    struct scripting *s = &e->scripting;
    const struct script_limits limits = {.memory = (size_t)e->config->script_memory_limit,
                                         .body = (size_t)e->config->script_size_limit,
                                         .cached = SCRIPTS_FROM_EVAL};
    if (s->host)
        script_host_limit(s->host, &limits); /* CONFIG SET may have changed them */
    else
        s->host = script_host_new(
            &(struct script_options){.ops = &ops,
                                     .limits = limits,
                                     .version = e->config->redis_version,
                                     .version_num = version_number(e->config->redis_version),
                                     .seed = engine_random(e)});
    return s->host;
}

void scripting_free(struct engine *e)
{
    if (e->scripting.host)
        script_host_free(e->scripting.host);
}

/* What the `#!lua` line must allow before anything runs. */
static bool may_start(struct call *c, unsigned flags, bool read_only)
{
    if (flags & SCRIPT_COMPAT)
        return true;
    if (read_only && !(flags & SCRIPT_NO_WRITES)) {
        reply_error(c->reply,
                    BYTES("ERR Can not execute a script with write flag using *_ro command."));
        return false;
    }
    if (!(flags & (SCRIPT_NO_WRITES | SCRIPT_ALLOW_OOM)) && engine_out_of_memory(c->engine)) {
        reply_error(c->reply, BYTES("OOM allow-oom flag is not set on the script, can not run it "
                                    "when used memory > 'maxmemory'"));
        return false;
    }
    return true;
}

void scripting_run(struct call *c, const struct script *s, size_t nkeys, bool read_only)
{
    struct engine *e = c->engine;
    unsigned flags = script_flags(s);
    if (!may_start(c, flags, read_only))
        return;
    struct script_context x = {
        .outer = c, .flags = flags, .read_only = read_only || flags & SCRIPT_NO_WRITES};
    uint16_t db = c->session->db;
    e->scripting.run = &x;
    e->stats.scripts++;
    c->error_counted = script_run(e->scripting.host, s,
                                  &(struct script_run){.keys = c->argv + 3,
                                                       .nkeys = nkeys,
                                                       .args = c->argv + 3 + nkeys,
                                                       .nargs = c->argc - 3 - nkeys,
                                                       .ctx = &x},
                                  c->reply);
    c->session->db = db;
    e->scripting.run = NULL;
    e->scripting.busy = e->scripting.killed = false;
    if (buf_len(&e->locks.made))
        locks_recognise(e, c->session);
}

void scripting_kill(struct call *c)
{
    struct scripting *s = &c->engine->scripting;
    if (s->run == NULL) {
        reply_error(c->reply, BYTES("NOTBUSY No scripts in execution right now."));
    } else if (s->run->wrote) {
        reply_error(c->reply,
                    BYTES("UNKILLABLE Sorry the script already executed write commands against "
                          "the dataset. You can either wait the script termination or kill the "
                          "server in a hard way using the SHUTDOWN NOSAVE command."));
    } else {
        s->killed = true;
        reply_ok(c->reply);
    }
}

void scripting_abort(struct engine *e)
{
    e->scripting.killed = e->scripting.run != NULL;
}
