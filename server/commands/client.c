/* CLIENT: what a connection says of itself, and what is done to others. */
#include "server/commands/client.h"

#include "base/num.h"
#include "server/commands/families.h"
#include "server/commands/tracking.h"
#include "server/engine/roster.h"

/* Printable and without blanks, so that it cannot break a line of CLIENT LIST. */
static bool is_plain(struct bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < '!' || text.p[i] > '~')
            return false;
    return true;
}

/* May argument i be kept as what the client says of itself? `what` it is stands in the error. */
static bool text_ok(struct call *c, size_t i, struct bytes what)
{
    if (c->argv[i].n > SESSION_TEXT_MAX)
        reply_errorf(c->reply, "ERR %.*s cannot be longer than %d bytes.", BYTES_FMT(what),
                     SESSION_TEXT_MAX);
    else if (!is_plain(c->argv[i]))
        reply_errorf(c->reply, "ERR %.*s cannot contain spaces, newlines or special characters.",
                     BYTES_FMT(what));
    else
        return true;
    return false;
}

bool client_name_ok(struct call *c, size_t i)
{
    return text_ok(c, i, BYTES("Client names"));
}

static void cmd_getname(struct call *c)
{
    const char *name = c->session->more ? c->session->more->name : NULL;
    if (name)
        reply_str(c->reply, name);
    else
        reply_null(c->reply);
}

static void cmd_id(struct call *c)
{
    reply_int(c->reply, (int64_t)c->session->id);
}

static void cmd_info(struct call *c)
{
    struct buf text = {0};
    roster_print(c->session, &text);
    buf_putc(&text, '\n');
    reply_verbatim(c->reply, "txt", buf_bytes(&text));
    buf_free(&text);
}

static bool read_kind(struct call *c, size_t i, enum roster_kind *out)
{
    if (roster_kind_named(c->argv[i], out))
        return true;
    reply_errorf(c->reply, "ERR Unknown client type '%.*s'", BYTES_FMT(c->argv[i]));
    return false;
}

/* Clients that a command speaks of. What is not asked for is zero. */
struct selection {
    bool by_kind;
    enum roster_kind kind;
    uint64_t id;
    struct bytes addr, laddr, user; /* `p` NULL: any */
    int64_t min_age;                /* seconds */
    bool skip_me;
};

static bool is_selected(const struct call *c, const struct selection *sel, const struct session *s)
{
    struct session_facts f;
    if (sel->by_kind && roster_kind(s) != sel->kind)
        return false;
    if (sel->id && s->id != sel->id)
        return false;
    if (sel->user.p && !bytes_eq(acl_user_name(s->user), sel->user))
        return false;
    if (sel->min_age && (c->now - s->created) / 1000 < sel->min_age)
        return false;
    if (sel->skip_me && s == c->session)
        return false;
    if (sel->addr.p == NULL && sel->laddr.p == NULL)
        return true;
    roster_facts(s, &f);
    return (sel->addr.p == NULL || bytes_eq(bytes_of(f.peer), sel->addr)) &&
           (sel->laddr.p == NULL || bytes_eq(bytes_of(f.local), sel->laddr));
}

/* LIST ID id ...: in the order asked for, those that are there. */
static bool print_by_id(struct call *c, struct buf *out)
{
    for (size_t i = 3; i < c->argc; i++) {
        int64_t id;
        if (!num_parse_i64(c->argv[i], &id)) {
            reply_error(c->reply, BYTES("ERR Invalid client ID"));
            return false;
        }
        const struct session *s = id > 0 ? roster_find(c->engine, (uint64_t)id) : NULL;
        if (s) {
            roster_print(s, out);
            buf_putc(out, '\n');
        }
    }
    return true;
}

static bool print_list(struct call *c, struct buf *out)
{
    struct selection sel = {0};
    if (c->argc > 3 && call_arg_is(c, 2, BYTES("ID")))
        return print_by_id(c, out);
    if (c->argc == 4 && call_arg_is(c, 2, BYTES("TYPE"))) {
        sel.by_kind = true;
        if (!read_kind(c, 3, &sel.kind))
            return false;
    } else if (c->argc != 2) {
        call_syntax_error(c);
        return false;
    }
    roster_each (c->engine, s) {
        if (is_selected(c, &sel, s)) {
            roster_print(s, out);
            buf_putc(out, '\n');
        }
    }
    return true;
}

static void cmd_list(struct call *c)
{
    struct buf text = {0};
    if (print_list(c, &text))
        reply_verbatim(c->reply, "txt", buf_bytes(&text));
    buf_free(&text);
}

/* KILL. */

static bool read_kill_id(struct call *c, size_t i, uint64_t *out)
{
    int64_t id;
    if (!num_parse_i64(c->argv[i], &id) || id < 1) {
        reply_error(c->reply, BYTES("ERR client-id should be greater than 0"));
        return false;
    }
    *out = (uint64_t)id;
    return true;
}

static bool read_max_age(struct call *c, size_t i, int64_t *out)
{
    if (!num_parse_i64(c->argv[i], out)) {
        reply_error(c->reply, BYTES("ERR maxage is not an integer or out of range"));
        return false;
    }
    if (*out > 0)
        return true;
    reply_error(c->reply, BYTES("ERR maxage should be greater than 0"));
    return false;
}

static bool read_user(struct call *c, size_t i, struct bytes *out)
{
    *out = c->argv[i];
    if (acl_find(&c->engine->acl, *out))
        return true;
    reply_errorf(c->reply, "ERR No such user '%.*s'", BYTES_FMT(*out));
    return false;
}

/* One option of KILL and its value, at i and i + 1. */
static bool read_kill_option(struct call *c, size_t i, struct selection *sel)
{
    struct bytes option = c->argv[i], value;
    if (i + 1 >= c->argc) {
        call_syntax_error(c);
        return false;
    }
    value = c->argv[i + 1];
    if (bytes_is(option, "id"))
        return read_kill_id(c, i + 1, &sel->id);
    if (bytes_is(option, "maxage"))
        return read_max_age(c, i + 1, &sel->min_age);
    if (bytes_is(option, "type")) {
        sel->by_kind = true;
        return read_kind(c, i + 1, &sel->kind);
    }
    if (bytes_is(option, "user"))
        return read_user(c, i + 1, &sel->user);
    if (bytes_is(option, "addr")) {
        sel->addr = value;
    } else if (bytes_is(option, "laddr")) {
        sel->laddr = value;
    } else if (bytes_is(option, "skipme") && (bytes_is(value, "yes") || bytes_is(value, "no"))) {
        sel->skip_me = bytes_is(value, "yes");
    } else {
        call_syntax_error(c);
        return false;
    }
    return true;
}

/* Whoever asks for its own end still gets the answer; the others are gone at once, also from the
 * queues of what they waited for. */
static int64_t kill_selected(struct call *c, const struct selection *sel)
{
    int64_t n = 0;
    roster_each (c->engine, s) {
        if (!is_selected(c, sel, s))
            continue;
        session_close(s, s != c->session);
        if (s != c->session)
            session_leave(s);
        n++;
    }
    return n;
}

/* The old form takes an address, may end the caller itself, and answers with a status. */
static void cmd_kill(struct call *c)
{
    struct selection sel = {.skip_me = true};
    if (c->argc == 3) {
        sel = (struct selection){.addr = c->argv[2]};
        if (kill_selected(c, &sel) == 0)
            reply_error(c->reply, BYTES("ERR No such client"));
        else
            reply_ok(c->reply);
        return;
    }
    for (size_t i = 2; i < c->argc; i += 2)
        if (!read_kill_option(c, i, &sel))
            return;
    reply_int(c->reply, kill_selected(c, &sel));
}

/* NO-EVICT and NO-TOUCH. */
static void switch_flag(struct call *c, uint32_t flag)
{
    if (call_arg_is(c, 2, BYTES("ON"))) {
        c->session->flags |= flag;
    } else if (call_arg_is(c, 2, BYTES("OFF"))) {
        c->session->flags &= ~flag;
    } else {
        call_syntax_error(c);
        return;
    }
    reply_ok(c->reply);
}

static void cmd_no_evict(struct call *c)
{
    switch_flag(c, SESSION_NO_EVICT);
}

static void cmd_no_touch(struct call *c)
{
    switch_flag(c, SESSION_NO_TOUCH);
}

/* A pause of no time is none. */
static void cmd_pause(struct call *c)
{
    int64_t until;
    bool writes = call_arg_is(c, 3, BYTES("WRITE"));
    if (c->argc > 4) {
        call_wrong_subcommand(c);
        return;
    }
    if (c->argc == 4 && !writes && !call_arg_is(c, 3, BYTES("ALL"))) {
        reply_error(c->reply, BYTES("ERR CLIENT PAUSE mode must be WRITE or ALL"));
        return;
    }
    if (!call_timeout_ms(c, 2, &until))
        return;
    if (until != WHEEL_NEVER)
        pause_begin(c->engine, until, !writes);
    reply_ok(c->reply);
}

static void cmd_unpause(struct call *c)
{
    pause_end(c->engine);
    reply_ok(c->reply);
}

static void cmd_reply(struct call *c)
{
    uint32_t *flags = &c->session->flags;
    if (call_arg_is(c, 2, BYTES("ON"))) {
        *flags &= ~(uint32_t)(SESSION_REPLY_OFF | SESSION_REPLY_SKIP | SESSION_REPLY_SKIP_NEXT);
        reply_ok(c->reply);
    } else if (call_arg_is(c, 2, BYTES("OFF"))) {
        *flags |= SESSION_REPLY_OFF;
    } else if (call_arg_is(c, 2, BYTES("SKIP"))) {
        if (!(*flags & SESSION_REPLY_OFF))
            *flags |= SESSION_REPLY_SKIP_NEXT;
    } else {
        call_syntax_error(c);
    }
}

static void cmd_setinfo(struct call *c)
{
    enum session_library which = SESSION_LIBRARY_NAME;
    if (call_arg_is(c, 2, BYTES("LIB-VER"))) {
        which = SESSION_LIBRARY_VERSION;
    } else if (!call_arg_is(c, 2, BYTES("LIB-NAME"))) {
        reply_errorf(c->reply, "ERR Unrecognized option '%.*s'", BYTES_FMT(c->argv[2]));
        return;
    }
    if (!text_ok(c, 3, c->argv[2]))
        return;
    session_set_library(c->session, which, c->argv[3]);
    reply_ok(c->reply);
}

static void cmd_setname(struct call *c)
{
    if (!client_name_ok(c, 2))
        return;
    session_set_name(c->session, c->argv[2]);
    reply_ok(c->reply);
}

static void cmd_unblock(struct call *c)
{
    int64_t id;
    bool with_error = call_arg_is(c, 3, BYTES("ERROR"));
    if (c->argc > 4) {
        call_wrong_subcommand(c);
        return;
    }
    if (c->argc == 4 && !with_error && !call_arg_is(c, 3, BYTES("TIMEOUT"))) {
        reply_error(c->reply, BYTES("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR"));
        return;
    }
    if (!call_int(c, 2, &id))
        return;
    struct session *s = id > 0 ? roster_find(c->engine, (uint64_t)id) : NULL;
    reply_int(c->reply, s && waiters_unblock(s, with_error));
}

#define USUAL (CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_SENTINEL)
#define OURS  .acl = ACL_CONNECTION, .group = GROUP_CONNECTION

/* clang-format off */
static const struct command client_subcommands[] = {
    {.name = "caching", .full_name = "client|caching", .run = cmd_client_caching, .arity = 3,
     .flags = USUAL, OURS, .since = "6.0.0", .complexity = "O(1)", .syntax = "YES | NO",
     .summary = "Says whether the keys of the next command are remembered."},
    {.name = "getname", .full_name = "client|getname", .run = cmd_getname, .arity = 2,
     .flags = USUAL, OURS, .since = "2.6.9", .complexity = "O(1)", .syntax = "",
     .summary = "Tells the connection's name."},
    {.name = "getredir", .full_name = "client|getredir", .run = cmd_client_getredir, .arity = 2,
     .flags = USUAL, OURS, .since = "6.0.0", .complexity = "O(1)", .syntax = "",
     .summary = "Tells which client gets the invalidations of this one."},
    {.name = "help", .full_name = "client|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE | CMD_SENTINEL, OURS, .since = "5.0.0", .complexity = "O(1)",
     .syntax = "", .summary = "Lists the subcommands."},
    {.name = "id", .full_name = "client|id", .run = cmd_id, .arity = 2, .flags = USUAL, OURS,
     .since = "5.0.0", .complexity = "O(1)", .syntax = "",
     .summary = "Tells the connection's number."},
    {.name = "info", .full_name = "client|info", .run = cmd_info, .arity = 2, .flags = USUAL, OURS,
     .since = "6.2.0", .complexity = "O(1)", .syntax = "", .tips = "nondeterministic_output",
     .summary = "Tells what is known of the connection."},
    {.name = "kill", .full_name = "client|kill", .run = cmd_kill, .arity = -3,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "2.4.0",
     .complexity = "O(N), N being the number of clients",
     .syntax = "<ip:port | <[ID client-id] | [TYPE <NORMAL | MASTER | SLAVE | REPLICA | PUBSUB>] | "
               "[USER username] | [ADDR ip:port] | [LADDR ip:port] | [SKIPME <YES | NO>] | "
               "[MAXAGE maxage]> ...>",
     .summary = "Closes connections."},
    {.name = "list", .full_name = "client|list", .run = cmd_list, .arity = -2,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "2.4.0",
     .complexity = "O(N), N being the number of clients",
     .syntax = "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
     .tips = "nondeterministic_output", .summary = "Lists the connections."},
    {.name = "no-evict", .full_name = "client|no-evict", .run = cmd_no_evict, .arity = 3,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "7.0.0", .complexity = "O(1)",
     .syntax = "<ON | OFF>", .summary = "Spares the connection when clients take too much memory."},
    {.name = "no-touch", .full_name = "client|no-touch", .run = cmd_no_touch, .arity = 3,
     .flags = USUAL, OURS, .since = "7.2.0", .complexity = "O(1)", .syntax = "<ON | OFF>",
     .summary = "Says whether the connection's commands count as a use of keys."},
    {.name = "pause", .full_name = "client|pause", .run = cmd_pause, .arity = -3,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "3.0.0", .complexity = "O(1)",
     .syntax = "timeout [WRITE | ALL]", .summary = "Puts off all commands for a while."},
    {.name = "reply", .full_name = "client|reply", .run = cmd_reply, .arity = 3, .flags = USUAL,
     OURS, .since = "3.2.0", .complexity = "O(1)", .syntax = "<ON | OFF | SKIP>",
     .summary = "Says whether the server answers."},
    {.name = "setinfo", .full_name = "client|setinfo", .run = cmd_setinfo, .arity = 4,
     .flags = USUAL, OURS, .since = "7.2.0", .complexity = "O(1)",
     .syntax = "<LIB-NAME libname | LIB-VER libver>",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Tells the server of the client's library."},
    {.name = "setname", .full_name = "client|setname", .run = cmd_setname, .arity = 3,
     .flags = USUAL, OURS, .since = "2.6.9", .complexity = "O(1)", .syntax = "connection-name",
     .tips = "request_policy:all_nodes response_policy:all_succeeded",
     .summary = "Names the connection."},
    {.name = "tracking", .full_name = "client|tracking", .run = cmd_client_tracking, .arity = -3,
     .flags = USUAL, OURS, .since = "6.0.0", .complexity = "O(1)",
     .syntax = "ON | OFF [REDIRECT client-id] [PREFIX prefix [PREFIX prefix ...]] [BCAST] [OPTIN] "
               "[OPTOUT] [NOLOOP]",
     .summary = "Has the client told when keys change that it has read."},
    {.name = "trackinginfo", .full_name = "client|trackinginfo", .run = cmd_client_trackinginfo,
     .arity = 2, .flags = USUAL, OURS, .since = "6.2.0", .complexity = "O(1)", .syntax = "",
     .summary = "Tells how the client tracks keys."},
    {.name = "unblock", .full_name = "client|unblock", .run = cmd_unblock, .arity = -3,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "5.0.0",
     .complexity = "O(N), N being the number of clients", .syntax = "client-id [TIMEOUT | ERROR]",
     .summary = "Ends the waiting of a blocked connection."},
    {.name = "unpause", .full_name = "client|unpause", .run = cmd_unpause, .arity = 2,
     .flags = CMD_ADMIN | USUAL, OURS, .since = "6.2.0",
     .complexity = "O(N), N being the number of commands that were put off", .syntax = "",
     .summary = "Ends a pause."},
    {0},
};

const struct command client_commands[] = {
    {.name = "client", .arity = -2, .flags = CMD_SENTINEL, .group = GROUP_CONNECTION,
     .since = "2.4.0", .complexity = "Depends on the subcommand.", .syntax = "",
     .sub = client_subcommands, .summary = "Looks at connections and manages them."},
    {0},
};
/* clang-format on */
