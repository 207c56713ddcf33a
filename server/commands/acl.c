/* ACL: users and what they may do. */
#include "server/engine/acl.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

static void cmd_whoami(struct call *c)
{
    reply_bulk(c->reply, acl_user_name(c->session->user));
}

static void cmd_users(struct call *c)
{
    const struct acl *a = &c->engine->acl;
    reply_array(c->reply, a->n);
    for (size_t i = 0; i < a->n; i++)
        reply_bulk(c->reply, acl_user_name(a->users[i]));
}

static void cmd_list(struct call *c)
{
    const struct acl *a = &c->engine->acl;
    struct buf line = {0};
    reply_array(c->reply, a->n);
    for (size_t i = 0; i < a->n; i++) {
        buf_clear(&line);
        buf_put(&line, BYTES("user "));
        acl_user_print_line(a->users[i], &line);
        reply_bulk(c->reply, buf_bytes(&line));
    }
    buf_free(&line);
}

/* GETUSER. */

static void reply_flags(struct reply *r, const struct acl_user *u)
{
    bool nopass = u->flags & ACL_USER_NOPASS;
    reply_set(r, nopass ? 3 : 2);
    reply_str(r, u->flags & ACL_USER_ON ? "on" : "off");
    if (nopass)
        reply_str(r, "nopass");
    reply_str(r, u->flags & ACL_USER_SKIP_SANITIZE ? "skip-sanitize-payload" : "sanitize-payload");
}

static void reply_printed(struct reply *r, const char *name, const struct acl_selector *s,
                          void (*print)(const struct acl_selector *s, struct buf *out))
{
    struct buf text = {0};
    print(s, &text);
    reply_str(r, name);
    reply_bulk(r, buf_bytes(&text));
    buf_free(&text);
}

/* Three pairs. */
static void reply_selector(struct reply *r, const struct acl_selector *s)
{
    reply_printed(r, "commands", s, acl_commands_print);
    reply_printed(r, "keys", s, acl_keys_print);
    reply_printed(r, "channels", s, acl_channels_print);
}

static void cmd_getuser(struct call *c)
{
    struct reply *r = c->reply;
    const struct acl_user *u = acl_find(&c->engine->acl, c->argv[2]);
    if (u == NULL) {
        reply_null(r);
        return;
    }
    reply_map(r, 6);
    reply_str(r, "flags");
    reply_flags(r, u);
    reply_str(r, "passwords");
    reply_array(r, u->passwords.n);
    for (size_t i = 0; i < u->passwords.n; i++)
        reply_bulk(r, (struct bytes){u->passwords.item[i]->text, u->passwords.item[i]->n});
    reply_selector(r, u->selectors[0]);
    reply_str(r, "selectors");
    reply_array(r, u->nselectors - 1);
    for (size_t i = 1; i < u->nselectors; i++) {
        reply_map(r, 3);
        reply_selector(r, u->selectors[i]);
    }
}

/* SETUSER works on a copy: either all rules count or none. */

static bool apply_rules(struct call *c, struct acl_user *u)
{
    struct buf room = {0};
    const struct bytes *rules = c->argv + 3;
    const char *error = NULL;
    for (size_t i = 0, n = c->argc - 3; i < n && error == NULL;) {
        struct bytes rule = acl_rules_next(rules, n, &i, &room);
        error = acl_user_apply(c->engine, u, rule);
        if (error)
            reply_errorf(c->reply, "ERR Error in ACL SETUSER modifier '%.*s': %s", BYTES_FMT(rule),
                         error);
    }
    buf_free(&room);
    return error == NULL;
}

static bool may_be_name(struct call *c, struct bytes name)
{
    if (acl_is_one_word(name) && name.n <= ACL_TEXT_MAX)
        return true;
    reply_error(c->reply, BYTES("ERR Usernames can't contain spaces or null characters"));
    return false;
}

static void cmd_setuser(struct call *c)
{
    struct bytes name = c->argv[2];
    size_t open;
    for (size_t i = 2; i < c->argc; i++)
        call_redact(c, i);
    if (!may_be_name(c, name))
        return;
    if (!acl_rules_closed(c->argv + 3, c->argc - 3, &open)) {
        reply_errorf(c->reply, "ERR Unmatched parenthesis in acl selector starting at '%.*s'.",
                     BYTES_FMT(c->argv[open + 3]));
        return;
    }
    const struct acl_user *known = acl_find(&c->engine->acl, name);
    struct acl_user *u = acl_user_new(c->engine, name);
    if (known && !acl_user_copy(u, known)) {
        call_out_of_memory(c);
    } else if (apply_rules(c, u)) {
        if (acl_put(c->engine, name, u))
            reply_ok(c->reply);
        else
            call_out_of_memory(c);
    }
    acl_user_free(u);
}

static void cmd_deluser(struct call *c)
{
    int64_t n = 0;
    for (size_t i = 2; i < c->argc; i++) {
        if (bytes_eq(c->argv[i], ACL_DEFAULT_USER)) {
            reply_error(c->reply, BYTES("ERR The 'default' user cannot be removed"));
            return;
        }
    }
    for (size_t i = 2; i < c->argc; i++)
        n += acl_delete(c->engine, c->argv[i]);
    reply_int(c->reply, n);
}

/* CAT. */

static size_t count_category(const struct registry *r, uint32_t category)
{
    size_t n = 0;
    for (size_t id = 0; id < registry_count(r); id++)
        n += (command_acl(registry_at(r, id)) & category) != 0;
    return n;
}

static void reply_category(struct call *c, uint32_t category)
{
    const struct registry *r = c->engine->registry;
    reply_array(c->reply, count_category(r, category));
    for (size_t id = 0; id < registry_count(r); id++)
        if (command_acl(registry_at(r, id)) & category)
            reply_str(c->reply, command_full_name(registry_at(r, id)));
}

static void cmd_cat(struct call *c)
{
    if (c->argc > 3) {
        call_wrong_subcommand(c);
        return;
    }
    if (c->argc == 2) {
        reply_array(c->reply, ACL_CATEGORIES);
        for (size_t i = 0; i < ACL_CATEGORIES; i++)
            reply_str(c->reply, acl_categories[i].name + 1);
        return;
    }
    for (size_t i = 0; i < ACL_CATEGORIES; i++) {
        if (bytes_ieq(c->argv[2], bytes_of(acl_categories[i].name + 1))) {
            reply_category(c, acl_categories[i].flag);
            return;
        }
    }
    reply_errorf(c->reply, "ERR Unknown category '%.*s'",
                 (int)(c->argv[2].n < 128 ? c->argv[2].n : 128), c->argv[2].p);
}

/* The file. */

static bool has_file(struct call *c)
{
    if (c->engine->config->aclfile[0] && c->engine->host->read_file)
        return true;
    reply_error(c->reply,
                BYTES("ERR This Redis instance is not configured to use an ACL file. You may want "
                      "to specify users via the ACL SETUSER command and then issue a CONFIG "
                      "REWRITE (assuming you have a Redis configuration file set) in order to "
                      "store users in the Redis configuration."));
    return false;
}

static void cmd_load(struct call *c)
{
    struct buf error = {0};
    if (!has_file(c))
        return;
    if (acl_load_file(c->engine, &error))
        reply_ok(c->reply);
    else
        reply_errorf(c->reply, "ERR %.*s", BYTES_FMT(buf_bytes(&error)));
    buf_free(&error);
}

static void cmd_save(struct call *c)
{
    if (!has_file(c))
        return;
    if (acl_save_file(c->engine))
        reply_ok(c->reply);
    else
        reply_error(c->reply, BYTES("ERR There was an error trying to save the ACLs. Please check "
                                    "the server logs for more information"));
}

enum { GENPASS_BITS = 256, GENPASS_BITS_MOST = 4096 };

static void cmd_genpass(struct call *c)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t random[GENPASS_BITS_MOST / 8];
    char text[GENPASS_BITS_MOST / 4];
    int64_t bits = GENPASS_BITS;
    if (c->argc > 3) {
        call_wrong_subcommand(c);
        return;
    }
    if (c->argc == 3 && !call_int(c, 2, &bits))
        return;
    if (bits <= 0 || bits > GENPASS_BITS_MOST) {
        reply_error(c->reply, BYTES("ERR ACL GENPASS argument must be the number of bits for the "
                                    "output password, a positive number up to 4096"));
        return;
    }
    size_t n = ((size_t)bits + 3) / 4;
    c->engine->host->secret(c->engine->ctx, random, sizeof random);
    for (size_t i = 0; i < n; i++)
        text[i] = digits[random[i / 2] >> (i % 2 ? 4 : 0) & 15];
    reply_bulk(c->reply, (struct bytes){text, n});
}

/* LOG. */

static void reply_entry(struct call *c, const struct acl_log_entry *entry)
{
    struct reply *r = c->reply;
    reply_map(r, 10);
    reply_str(r, "count");
    reply_int(r, (int64_t)entry->count);
    reply_str(r, "reason");
    reply_str(r, entry->reason);
    reply_str(r, "context");
    reply_str(r, entry->context);
    reply_str(r, "object");
    reply_bulk(r, (struct bytes){entry->object, entry->object_n});
    reply_str(r, "username");
    reply_bulk(r, (struct bytes){entry->user, entry->user_n});
    reply_str(r, "age-seconds");
    reply_real(r, (double)(c->now - entry->at) / 1000);
    reply_str(r, "client-info");
    reply_str(r, entry->client);
    reply_str(r, "entry-id");
    reply_int(r, (int64_t)entry->id);
    reply_str(r, "timestamp-created");
    reply_int(r, entry->created_wall);
    reply_str(r, "timestamp-last-updated");
    reply_int(r, entry->wall);
}

static void cmd_log(struct call *c)
{
    struct acl_log *l = &c->engine->acl.log;
    int64_t count = 10;
    if (c->argc > 3) {
        call_wrong_subcommand(c);
        return;
    }
    if (call_arg_is(c, 2, BYTES("RESET"))) {
        acl_log_clear(l);
        reply_ok(c->reply);
        return;
    }
    if (c->argc == 3 && !call_int(c, 2, &count))
        return;
    size_t n = count < 0 ? 0 : (uint64_t)count < l->n ? (size_t)count : l->n;
    reply_array(c->reply, n);
    list_each (pos, &l->entries) {
        if (n-- == 0)
            break;
        reply_entry(c, container_of(pos, struct acl_log_entry, link));
    }
}

/* Would the user be allowed this call? */
static void cmd_dryrun(struct call *c)
{
    const struct bytes *argv = c->argv + 3;
    size_t argc = c->argc - 3, at;
    const struct acl_user *u = acl_find(&c->engine->acl, c->argv[2]);
    const struct command *cmd = registry_find(c->engine->registry, argv[0]);
    if (cmd && cmd->sub && argc > 1)
        cmd = command_sub(cmd, argv[1]);
    if (u == NULL) {
        reply_errorf(c->reply, "ERR User '%.*s' not found", BYTES_FMT(c->argv[2]));
        return;
    }
    if (cmd == NULL) {
        reply_errorf(c->reply, "ERR Command '%.*s' not found", BYTES_FMT(argv[0]));
        return;
    }
    if (!command_arity_ok(cmd, argc)) {
        reply_errorf(c->reply, "ERR wrong number of arguments for '%s' command",
                     command_full_name(cmd));
        return;
    }
    enum acl_verdict v = acl_check(c->engine, u, cmd, argv, argc, &at);
    struct buf text = {0};
    if (v == ACL_ALLOWED) {
        reply_ok(c->reply);
    } else if (!buf_try_room(&text, (size_t)2 * ACL_TEXT_MAX + argv[at].n)) {
        call_out_of_memory(c);
    } else {
        acl_explain(v, u, cmd, argv[at], &text);
        reply_bulk(c->reply, buf_bytes(&text));
    }
    buf_free(&text);
}

#define QUIET (CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_SENTINEL)
#define ADMIN (CMD_ADMIN | QUIET)
#define OURS  .group = GROUP_SERVER

/* clang-format off */
static const struct command acl_subcommands[] = {
    {.name = "cat", .full_name = "acl|cat", .run = cmd_cat, .arity = -2, .flags = QUIET, OURS,
     .since = "6.0.0", .complexity = "O(1) since the categories and commands are a fixed set.",
     .syntax = "[category]", .summary = "Lists the categories of commands, or one's commands."},
    {.name = "deluser", .full_name = "acl|deluser", .run = cmd_deluser, .arity = -3, .flags = ADMIN,
     OURS, .since = "6.0.0",
     .complexity = "O(1) amortized time considering the typical user.",
     .syntax = "username [username ...]",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Removes users and closes their connections."},
    {.name = "dryrun", .full_name = "acl|dryrun", .run = cmd_dryrun, .arity = -4, .flags = ADMIN,
     OURS, .since = "7.0.0", .complexity = "O(1).", .syntax = "username command [arg [arg ...]]",
     .summary = "Tells whether a user might run a command, without running it."},
    {.name = "genpass", .full_name = "acl|genpass", .run = cmd_genpass, .arity = -2, .flags = QUIET,
     OURS, .since = "6.0.0", .complexity = "O(1)", .syntax = "[bits]",
     .summary = "Makes up a password."},
    {.name = "getuser", .full_name = "acl|getuser", .run = cmd_getuser, .arity = 3, .flags = ADMIN,
     OURS, .since = "6.0.0",
     .complexity = "O(N). Where N is the number of password, command and pattern rules that the "
                   "user has.",
     .syntax = "username", .summary = "Tells the rules of a user."},
    {.name = "help", .full_name = "acl|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE | CMD_SENTINEL, OURS, .since = "6.0.0", .complexity = "O(1)",
     .syntax = "", .summary = "Lists the subcommands."},
    {.name = "list", .full_name = "acl|list", .run = cmd_list, .arity = 2, .flags = ADMIN, OURS,
     .since = "6.0.0", .complexity = "O(N). Where N is the number of configured users.",
     .syntax = "", .summary = "Tells the rules of all users, as lines of a file."},
    {.name = "load", .full_name = "acl|load", .run = cmd_load, .arity = 2, .flags = ADMIN, OURS,
     .since = "6.0.0", .complexity = "O(N). Where N is the number of configured users.",
     .syntax = "", .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Reads the users from the ACL file."},
    {.name = "log", .full_name = "acl|log", .run = cmd_log, .arity = -2, .flags = ADMIN, OURS,
     .since = "6.0.0", .complexity = "O(N) with N being the number of entries shown.",
     .syntax = "[count | RESET]", .summary = "Lists what was refused lately."},
    {.name = "save", .full_name = "acl|save", .run = cmd_save, .arity = 2, .flags = ADMIN, OURS,
     .since = "6.0.0", .complexity = "O(N). Where N is the number of configured users.",
     .syntax = "", .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Writes the users to the ACL file."},
    {.name = "setuser", .full_name = "acl|setuser", .run = cmd_setuser, .arity = -3, .flags = ADMIN,
     OURS, .since = "6.0.0", .complexity = "O(N). Where N is the number of rules provided.",
     .syntax = "username [rule [rule ...]]",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Makes a user or changes its rules."},
    {.name = "users", .full_name = "acl|users", .run = cmd_users, .arity = 2, .flags = ADMIN, OURS,
     .since = "6.0.0", .complexity = "O(N). Where N is the number of configured users.",
     .syntax = "", .summary = "Lists the names of the users."},
    {.name = "whoami", .full_name = "acl|whoami", .run = cmd_whoami, .arity = 2, .flags = QUIET,
     OURS, .since = "6.0.0", .complexity = "O(1)", .syntax = "",
     .summary = "Tells which user the connection is."},
    {0},
};

const struct command acl_commands[] = {
    {.name = "acl", .arity = -2, .flags = CMD_SENTINEL, .group = GROUP_SERVER, .since = "6.0.0",
     .complexity = "Depends on the subcommand.", .syntax = "", .sub = acl_subcommands,
     .summary = "Manages users and what they may do."},
    {0},
};
/* clang-format on */
