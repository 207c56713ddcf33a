/* COMMAND: the table of commands, told to clients. */
#include "base/glob.h"
#include "base/mem.h"
#include "server/commands/docs.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

static const struct flag_name command_flags[] = {
    {CMD_WRITE, "write"},
    {CMD_READONLY, "readonly"},
    {CMD_DENYOOM, "denyoom"},
    {CMD_ADMIN, "admin"},
    {CMD_PUBSUB, "pubsub"},
    {CMD_NOSCRIPT, "noscript"},
    {CMD_BLOCKING, "blocking"},
    {CMD_LOADING, "loading"},
    {CMD_STALE, "stale"},
    {CMD_SKIP_MONITOR, "skip_monitor"},
    {CMD_SKIP_SLOWLOG, "skip_slowlog"},
    {CMD_ASKING, "asking"},
    {CMD_FAST, "fast"},
    {CMD_NO_AUTH, "no_auth"},
    {CMD_NO_MANDATORY_KEYS, "no_mandatory_keys"},
    {CMD_NO_ASYNC_LOADING, "no_async_loading"},
    {CMD_NO_MULTI, "no_multi"},
    {CMD_MOVABLE_KEYS, "movablekeys"},
    {CMD_ALLOW_BUSY, "allow_busy"},
};

static const struct flag_name key_flags[] = {
    {KEY_RO, "RO"},
    {KEY_RW, "RW"},
    {KEY_OW, "OW"},
    {KEY_RM, "RM"},
    {KEY_ACCESS, "access"},
    {KEY_UPDATE, "update"},
    {KEY_INSERT, "insert"},
    {KEY_DELETE, "delete"},
    {KEY_NOT_KEY, "not_key"},
    {KEY_INCOMPLETE, "incomplete"},
    {KEY_VARIABLE, "variable_flags"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void reply_flags(struct reply *r, uint32_t flags, const struct flag_name *names, size_t n)
{
    size_t set = 0;
    for (size_t i = 0; i < n; i++)
        set += (flags & names[i].flag) != 0;
    reply_set(r, set);
    for (size_t i = 0; i < n; i++)
        if (flags & names[i].flag)
            reply_status(r, bytes_of(names[i].name));
}

/* The keys as older clients know them: one range, absolute. What that cannot express is left out
 * and the command said to have movable keys. */
struct old_range {
    int first, last, step;
    bool movable;
};

static struct old_range old_range(const struct command *cmd)
{
    struct old_range r = {0};
    bool alone = cmd->keys[1].flags == 0;
    for (int i = 0; i < COMMAND_KEYSPECS && cmd->keys[i].flags; i++) {
        const struct keyspec *k = &cmd->keys[i];
        bool plain = k->step == 1 && (r.last == 0 || r.last == k->first - 1);
        if (k->numkeys || !(alone || plain)) {
            r.movable = true;
            continue;
        }
        if (k->flags & KEY_INCOMPLETE)
            r.movable = true;
        r.first = r.first ? r.first : k->first;
        r.last = k->last < 0 ? k->last : k->first + k->last;
        r.step = (int)k->step;
    }
    return r;
}

static void reply_keyspec(struct reply *r, const struct keyspec *k)
{
    reply_map(r, 3);
    reply_str(r, "flags");
    reply_flags(r, k->flags, key_flags, COUNT(key_flags));
    reply_str(r, "begin_search");
    reply_map(r, 2);
    reply_str(r, "type");
    reply_str(r, "index");
    reply_str(r, "spec");
    reply_map(r, 1);
    reply_str(r, "index");
    reply_int(r, k->first);
    reply_str(r, "find_keys");
    reply_map(r, 2);
    reply_str(r, "type");
    reply_str(r, k->numkeys ? "keynum" : "range");
    reply_str(r, "spec");
    reply_map(r, 3);
    reply_str(r, k->numkeys ? "keynumidx" : "lastkey");
    reply_int(r, k->numkeys ? 0 : k->last);
    reply_str(r, k->numkeys ? "firstkey" : "keystep");
    reply_int(r, k->numkeys ? 1 : k->step);
    reply_str(r, k->numkeys ? "keystep" : "limit");
    reply_int(r, k->numkeys ? 1 : 0);
}

static void reply_keyspecs(struct reply *r, const struct command *cmd)
{
    size_t n = 0;
    while (n < COMMAND_KEYSPECS && cmd->keys[n].flags)
        n++;
    reply_set(r, n);
    for (size_t i = 0; i < n; i++)
        reply_keyspec(r, &cmd->keys[i]);
}

/* Takes the first of the blank-separated words off `text`. */
static struct bytes next_word(const char **text)
{
    struct bytes word = {*text, strcspn(*text, " ")};
    *text += word.n;
    *text += **text == ' ';
    return word;
}

static void reply_tips(struct reply *r, const char *tips)
{
    size_t n = 0;
    for (const char *at = tips; at && *at; n++)
        next_word(&at);
    reply_set(r, n);
    for (const char *at = tips; at && *at;)
        reply_bulk(r, next_word(&at));
}

static size_t count_subcommands(const struct command *cmd)
{
    size_t n = 0;
    while (cmd->sub && cmd->sub[n].name)
        n++;
    return n;
}

static void reply_command(struct reply *r, const struct command *cmd)
{
    struct old_range range = old_range(cmd);
    uint32_t flags = cmd->flags | (range.movable ? CMD_MOVABLE_KEYS : 0u);
    size_t nsub = count_subcommands(cmd);
    reply_array(r, 10);
    reply_str(r, command_full_name(cmd));
    reply_int(r, cmd->arity);
    reply_flags(r, flags, command_flags, COUNT(command_flags));
    reply_int(r, range.first);
    reply_int(r, range.last);
    reply_int(r, range.step);
    reply_flags(r, command_acl(cmd), acl_categories, ACL_CATEGORIES);
    reply_tips(r, cmd->tips);
    reply_keyspecs(r, cmd);
    reply_set(r, nsub);
    for (size_t i = 0; i < nsub; i++)
        reply_command(r, &cmd->sub[i]);
}

static bool is_subcommand(const struct command *cmd)
{
    return cmd->full_name != NULL;
}

static bool is_listed(const struct registry *reg, size_t id)
{
    const struct command *cmd = registry_at(reg, id);
    return !is_subcommand(cmd) && !registry_hidden(reg, cmd);
}

static size_t count_commands(const struct registry *reg)
{
    size_t n = 0;
    for (size_t id = 0; id < registry_count(reg); id++)
        n += is_listed(reg, id);
    return n;
}

static void cmd_command(struct call *c)
{
    const struct registry *reg = c->engine->registry;
    reply_array(c->reply, count_commands(reg));
    for (size_t id = 0; id < registry_count(reg); id++)
        if (is_listed(reg, id))
            reply_command(c->reply, registry_at(reg, id));
}

static void cmd_count(struct call *c)
{
    reply_int(c->reply, (int64_t)count_commands(c->engine->registry));
}

/* "get", "client|list". */
static const struct command *find_by_full_name(struct call *c, struct bytes name)
{
    const char *bar = memchr(name.p, '|', name.n);
    if (bar == NULL)
        return registry_find(c->engine->registry, name);
    struct bytes container = {name.p, (size_t)(bar - name.p)};
    struct bytes sub = {bar + 1, name.n - container.n - 1};
    const struct command *cmd = registry_find(c->engine->registry, container);
    return cmd ? command_sub(cmd, sub) : NULL;
}

static void cmd_info(struct call *c)
{
    if (c->argc == 2) {
        cmd_command(c);
        return;
    }
    reply_array(c->reply, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++) {
        const struct command *cmd = find_by_full_name(c, c->argv[i]);
        if (cmd)
            reply_command(c->reply, cmd);
        else
            reply_null(c->reply);
    }
}

static void cmd_docs(struct call *c)
{
    const struct registry *reg = c->engine->registry;
    if (c->argc == 2) {
        reply_map(c->reply, count_commands(reg));
        for (size_t id = 0; id < registry_count(reg); id++)
            if (is_listed(reg, id))
                docs_reply(c->reply, registry_at(reg, id));
        return;
    }
    size_t known = 0;
    for (size_t i = 2; i < c->argc; i++)
        known += find_by_full_name(c, c->argv[i]) != NULL;
    reply_map(c->reply, known);
    for (size_t i = 2; i < c->argc; i++) {
        const struct command *cmd = find_by_full_name(c, c->argv[i]);
        if (cmd)
            docs_reply(c->reply, cmd);
    }
}

/* LIST. */

struct filter {
    enum { FILTER_NONE, FILTER_MODULE, FILTER_CATEGORY, FILTER_PATTERN } by;
    struct bytes text;
    uint32_t category;
};

static bool read_filter(struct call *c, struct filter *f)
{
    if (c->argc == 2)
        return true;
    if (c->argc == 5 && call_arg_is(c, 2, BYTES("FILTERBY"))) {
        f->text = c->argv[4];
        if (call_arg_is(c, 3, BYTES("MODULE")))
            f->by = FILTER_MODULE;
        else if (call_arg_is(c, 3, BYTES("ACLCAT")))
            f->by = FILTER_CATEGORY;
        else if (call_arg_is(c, 3, BYTES("PATTERN")))
            f->by = FILTER_PATTERN;
    }
    for (size_t i = 0; i < ACL_CATEGORIES && f->by == FILTER_CATEGORY; i++)
        if (bytes_ieq(f->text, bytes_of(acl_categories[i].name + 1)))
            f->category = acl_categories[i].flag;
    if (f->by == FILTER_NONE)
        call_syntax_error(c);
    return f->by != FILTER_NONE;
}

static bool passes(const struct filter *f, const struct registry *reg, size_t id)
{
    const struct command *cmd = registry_at(reg, id);
    if (registry_hidden(reg, cmd))
        return false;
    switch (f->by) {
    case FILTER_NONE: return true;
    case FILTER_CATEGORY: return (command_acl(cmd) & f->category) != 0;
    case FILTER_PATTERN: return glob_imatch(f->text, bytes_of(command_full_name(cmd)));
    default: return false; /* there are no modules */
    }
}

static void cmd_list(struct call *c)
{
    const struct registry *reg = c->engine->registry;
    struct filter f = {0};
    size_t n = 0;
    if (!read_filter(c, &f))
        return;
    for (size_t id = 0; id < registry_count(reg); id++)
        n += passes(&f, reg, id);
    reply_array(c->reply, n);
    for (size_t id = 0; id < registry_count(reg); id++)
        if (passes(&f, reg, id))
            reply_str(c->reply, command_full_name(registry_at(reg, id)));
}

/* GETKEYS. */

/* The command that arguments 2 and up are; NULL after an error. */
static const struct command *quoted_command(struct call *c)
{
    const char *error = NULL;
    const struct command *cmd = registry_find(c->engine->registry, c->argv[2]);
    if (cmd && cmd->sub && c->argc > 3)
        cmd = command_sub(cmd, c->argv[3]);
    if (cmd == NULL)
        error = "ERR Invalid command specified";
    else if (cmd->keys[0].flags == 0 || cmd->keys[0].flags & KEY_NOT_KEY)
        error = "ERR The command has no key arguments";
    else if (!command_arity_ok(cmd, c->argc - 2))
        error = "ERR Invalid number of arguments specified for command";
    if (error == NULL)
        return cmd;
    reply_error(c->reply, bytes_of(error));
    return NULL;
}

static void reply_keys(struct call *c, bool with_flags)
{
    const struct command *cmd = quoted_command(c);
    if (cmd == NULL)
        return;
    const struct bytes *argv = c->argv + 2;
    struct key_walk keys = key_walk(cmd, argv, c->argc - 2), ahead = keys;
    size_t n = 0, at;
    uint16_t flags;
    while (key_walk_next(&ahead, &at, &flags))
        n++;
    if (n == 0 && !(cmd->flags & CMD_NO_MANDATORY_KEYS)) {
        reply_error(c->reply, BYTES("ERR Invalid arguments specified for command"));
        return;
    }
    reply_array(c->reply, n);
    while (key_walk_next(&keys, &at, &flags)) {
        if (with_flags)
            reply_array(c->reply, 2);
        reply_bulk(c->reply, argv[at]);
        if (with_flags)
            reply_flags(c->reply, flags, key_flags, COUNT(key_flags));
    }
}

static void cmd_getkeys(struct call *c)
{
    reply_keys(c, false);
}

static void cmd_getkeysandflags(struct call *c)
{
    reply_keys(c, true);
}

#define OURS                                                                                       \
    .flags = CMD_LOADING | CMD_STALE | CMD_SENTINEL, .acl = ACL_CONNECTION, .group = GROUP_SERVER

/* clang-format off */
static const struct command command_subcommands[] = {
    {.name = "count", .full_name = "command|count", .run = cmd_count, .arity = 2, OURS,
     .since = "2.8.13", .complexity = "O(1)", .syntax = "", .summary = "Counts the commands."},
    {.name = "docs", .full_name = "command|docs", .run = cmd_docs, .arity = -2, OURS,
     .since = "7.0.0", .complexity = "O(N), N being the number of commands",
     .syntax = "[command-name [command-name ...]]", .tips = "nondeterministic_output_order",
     .summary = "Describes commands for people."},
    {.name = "getkeys", .full_name = "command|getkeys", .run = cmd_getkeys, .arity = -3, OURS,
     .since = "2.8.13", .complexity = "O(N), N being the number of arguments",
     .syntax = "command [arg [arg ...]]", .summary = "Tells which arguments are keys."},
    {.name = "getkeysandflags", .full_name = "command|getkeysandflags", .run = cmd_getkeysandflags,
     .arity = -3, OURS, .since = "7.0.0", .complexity = "O(N), N being the number of arguments",
     .syntax = "command [arg [arg ...]]",
     .summary = "Tells which arguments are keys, and what is done to them."},
    {.name = "help", .full_name = "command|help", .run = call_help, .arity = 2, OURS,
     .since = "5.0.0", .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "info", .full_name = "command|info", .run = cmd_info, .arity = -2, OURS,
     .since = "2.8.13", .complexity = "O(N), N being the number of commands",
     .syntax = "[command-name [command-name ...]]", .tips = "nondeterministic_output_order",
     .summary = "Describes commands for programs."},
    {.name = "list", .full_name = "command|list", .run = cmd_list, .arity = -2, OURS,
     .since = "7.0.0", .complexity = "O(N), N being the number of commands",
     .syntax = "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
     .tips = "nondeterministic_output_order", .summary = "Lists the names of the commands."},
    {0},
};

const struct command command_commands[] = {
    {.name = "command", .run = cmd_command, .arity = -1, OURS, .since = "2.8.13",
     .complexity = "O(N), N being the number of commands", .syntax = "",
     .tips = "nondeterministic_output_order", .sub = command_subcommands,
     .summary = "Describes all commands for programs."},
    {0},
};
/* clang-format on */
