/*
 * CONFIG. What an option is and how it is read stands in server/engine/config.h; these handlers
 * only pass arguments on.
 */
#include "server/engine/config.h"
#include "base/glob.h"
#include "base/mem.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

/* What CONFIG GET answers with: options, each under the name it was found by. An option and its
 * alias count as two, so a slot each. */
struct matches {
    struct bytes *name;            /* n: as they are shown */
    const struct option **options; /* n */
    bool *taken;                   /* two per option: under its name, under its alias */
    size_t n;
};

static void take(struct matches *m, const struct option *o, bool by_alias, struct bytes name)
{
    bool *taken = &m->taken[2 * (o - options) + by_alias];
    if (*taken)
        return;
    *taken = true;
    m->name[m->n] = name;
    m->options[m->n++] = o;
}

static bool is_pattern(struct bytes s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '*' || s.p[i] == '?' || s.p[i] == '[')
            return true;
    return false;
}

static void take_matching(struct matches *m, struct bytes pattern)
{
    for (size_t i = 0; i < noptions; i++) {
        const struct option *o = &options[i];
        if (o->flags & OPTION_HIDDEN)
            continue;
        if (glob_imatch(pattern, bytes_of(o->name)))
            take(m, o, false, bytes_of(o->name));
        if (o->alias && glob_imatch(pattern, bytes_of(o->alias)))
            take(m, o, true, bytes_of(o->alias));
    }
}

/* A plain name is shown as it was written, in whatever case. */
static void take_named(struct matches *m, struct bytes name)
{
    const struct option *o = option_find(name);
    if (o)
        take(m, o, !bytes_ieq(name, bytes_of(o->name)), name);
}

static void cmd_config_get(struct call *c)
{
    size_t most = 2 * noptions;
    struct matches m = {.name = mem_alloc(most * sizeof *m.name),
                        .options = mem_alloc(most * sizeof *m.options),
                        .taken = mem_alloc(most * sizeof *m.taken)};
    for (size_t i = 2; i < c->argc; i++) {
        if (is_pattern(c->argv[i]))
            take_matching(&m, c->argv[i]);
        else
            take_named(&m, c->argv[i]);
    }
    struct buf value = {0};
    reply_map(c->reply, m.n);
    for (size_t i = 0; i < m.n; i++) {
        buf_clear(&value);
        option_print(m.options[i], c->engine->config, &value);
        reply_bulk(c->reply, m.name[i]);
        reply_bulk(c->reply, buf_bytes(&value));
    }
    buf_free(&value);
    mem_free(m.name);
    mem_free(m.options);
    mem_free(m.taken);
}

static void redact_secrets(struct call *c)
{
    for (size_t i = 2; i + 1 < c->argc; i += 2) {
        const struct option *o = option_find(c->argv[i]);
        if (o && o->flags & OPTION_SENSITIVE)
            call_redact(c, i + 1);
    }
}

static void cmd_config_set(struct call *c)
{
    char why[CONFIG_ERROR_MAX];
    bool local = c->session->flags & (SESSION_LOCAL | SESSION_UNIX);
    redact_secrets(c);
    if (c->argc % 2)
        call_syntax_error(c);
    else if (config_set(c->engine->config, c->argv + 2, (c->argc - 2) / 2, local, why))
        reply_ok(c->reply);
    else
        reply_error(c->reply, bytes_of(why));
}

static bool save(struct call *c, char why[CONFIG_ERROR_MAX])
{
    struct config *cfg = c->engine->config;
    acl_to_config(c->engine);
    return cfg->save(cfg->save_ctx, cfg, why);
}

static void cmd_config_rewrite(struct call *c)
{
    struct config *cfg = c->engine->config;
    char why[CONFIG_ERROR_MAX];
    if (cfg->file == NULL || cfg->save == NULL) {
        reply_error(c->reply, BYTES("ERR The server is running without a config file"));
    } else if (save(c, why)) {
        log_notice(c->engine->log, "CONFIG REWRITE executed with success.");
        reply_ok(c->reply);
    } else {
        log_warning(c->engine->log, "CONFIG REWRITE failed: %s", why);
        reply_errorf(c->reply, "ERR Rewriting config file: %s", why);
    }
}

static void cmd_config_resetstat(struct call *c)
{
    stats_reset(&c->engine->stats);
    reply_ok(c->reply);
}

/* clang-format off */
#define ADMIN (CMD_ADMIN | CMD_NOSCRIPT | CMD_LOADING | CMD_STALE)

static const struct command config_subcommands[] = {
    {.name = "get", .full_name = "config|get", .run = cmd_config_get, .arity = -3, .flags = ADMIN,
     .group = GROUP_SERVER, .since = "2.0.0",
     .complexity = "O(N) when N is the number of configuration parameters provided",
     .syntax = "parameter [parameter ...]",
     .summary = "Gives the values of options; names may be patterns."},
    {.name = "help", .full_name = "config|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .group = GROUP_SERVER, .since = "5.0.0",
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "resetstat", .full_name = "config|resetstat", .run = cmd_config_resetstat, .arity = 2,
     .flags = ADMIN, .group = GROUP_SERVER, .since = "2.0.0", .complexity = "O(1)", .syntax = "",
     .summary = "Sets the counters that INFO shows back to zero."},
    {.name = "rewrite", .full_name = "config|rewrite", .run = cmd_config_rewrite, .arity = 2,
     .flags = ADMIN, .group = GROUP_SERVER, .since = "2.8.0", .complexity = "O(1)", .syntax = "",
     .summary = "Writes the present options to the configuration file."},
    {.name = "set", .full_name = "config|set", .run = cmd_config_set, .arity = -4, .flags = ADMIN,
     .group = GROUP_SERVER, .since = "2.0.0",
     .complexity = "O(N) when N is the number of configuration parameters provided",
     .syntax = "parameter value [parameter value ...]",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Sets options, all of them or none."},
    {0},
};

const struct command config_commands[] = {
    {.name = "config", .arity = -2, .group = GROUP_SERVER, .since = "2.0.0",
     .complexity = "Depends on subcommand.", .syntax = "", .sub = config_subcommands,
     .summary = "Reads and changes options."},
    {0},
};
/* clang-format on */
