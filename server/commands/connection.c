/* The connection itself: greetings, authentication, state. */
#include "base/num.h"
#include "resp/wire.h"
#include "server/commands/client.h"
#include "server/commands/families.h"
#include "server/engine/call.h"

#define ERR_WRONGPASS BYTES("WRONGPASS invalid username-password pair or user is disabled.")

static bool login(struct call *c, struct bytes user, struct bytes password)
{
    if (acl_login(c->session, user, password))
        return true;
    acl_log_failed_login(c->session, c->argv[0], user);
    reply_error(c->reply, ERR_WRONGPASS);
    return false;
}

static void cmd_auth(struct call *c)
{
    if (c->argc > 3) {
        call_syntax_error(c);
        return;
    }
    for (size_t i = 1; i < c->argc; i++)
        call_redact(c, i);
    if (c->argc == 2 && c->engine->acl.anyone->flags & ACL_USER_NOPASS) {
        reply_error(c->reply, BYTES("ERR AUTH <password> called without any password configured "
                                    "for the default user. Are you sure your configuration is "
                                    "correct?"));
        return;
    }
    struct bytes user = c->argc == 3 ? c->argv[1] : ACL_DEFAULT_USER;
    if (login(c, user, c->argv[c->argc - 1]))
        reply_ok(c->reply);
}

static void cmd_echo(struct call *c)
{
    reply_bulk(c->reply, c->argv[1]);
}

/* What HELLO was asked for; an argument's number, or 0 where it was not given. */
struct hello {
    int64_t version;
    size_t user, name;
};

static bool read_hello(struct call *c, struct hello *h)
{
    if (c->argc > 1) {
        if (!num_parse_i64(c->argv[1], &h->version)) {
            reply_error(c->reply, BYTES("ERR Protocol version is not an integer or out of range"));
            return false;
        }
        if (h->version < 2 || h->version > 3) {
            reply_error(c->reply, BYTES("NOPROTO unsupported protocol version"));
            return false;
        }
    }
    for (size_t i = 2; i < c->argc; i++) {
        size_t more = c->argc - 1 - i;
        if (call_arg_is(c, i, BYTES("AUTH")) && more >= 2) {
            call_redact(c, i + 1);
            call_redact(c, i + 2);
            h->user = i + 1;
            i += 2;
        } else if (call_arg_is(c, i, BYTES("SETNAME")) && more >= 1) {
            h->name = ++i;
            if (!client_name_ok(c, i))
                return false;
        } else {
            reply_errorf(c->reply, "ERR Syntax error in HELLO option '%.*s'",
                         BYTES_FMT(c->argv[i]));
            return false;
        }
    }
    return true;
}

static void introduce(struct call *c)
{
    struct reply *r = c->reply;
    reply_map(r, 8);
    reply_str(r, "server");
    reply_str(r, "redis");
    reply_str(r, "version");
    reply_str(r, c->engine->config->redis_version);
    reply_str(r, "proto");
    reply_int(r, c->session->resp);
    reply_str(r, "id");
    reply_int(r, (int64_t)c->session->id);
    reply_str(r, "mode");
    reply_str(r, "standalone");
    reply_str(r, "role");
    reply_str(r, "master");
    reply_str(r, "modules");
    reply_array(r, 0);
    reply_str(r, "latchd_version");
    reply_str(r, LATCHD_VERSION);
}

static void cmd_hello(struct call *c)
{
    struct hello h = {0};
    if (!read_hello(c, &h))
        return;
    if (h.user && !login(c, c->argv[h.user], c->argv[h.user + 1]))
        return;
    if (acl_must_login(c->session)) {
        reply_error(c->reply,
                    BYTES("NOAUTH HELLO must be called with the client already authenticated, "
                          "otherwise the HELLO <proto> AUTH <user> <pass> option can be used to "
                          "authenticate the client and select the RESP protocol version at the "
                          "same time"));
        return;
    }
    if (h.name)
        session_set_name(c->session, c->argv[h.name]);
    if (h.version) {
        c->session->resp = (uint8_t)h.version;
        wire_switch(c->reply, c->session->resp);
    }
    introduce(c);
}

/* A RESP2 client that has subscribed reads messages, so the answer has a message's form there. */
static void cmd_ping(struct call *c)
{
    if (c->argc > 2) {
        call_wrong_arity(c);
    } else if (c->session->flags & SESSION_PUBSUB && c->session->resp == 2) {
        reply_array(c->reply, 2);
        reply_str(c->reply, "pong");
        reply_bulk(c->reply, c->argc == 2 ? c->argv[1] : BYTES(""));
    } else if (c->argc == 2) {
        reply_bulk(c->reply, c->argv[1]);
    } else {
        reply_status(c->reply, BYTES("PONG"));
    }
}

static void cmd_quit(struct call *c)
{
    reply_ok(c->reply);
    session_close(c->session, false);
}

static void cmd_reset(struct call *c)
{
    session_reset(c->session);
    wire_switch(c->reply, c->session->resp);
    reply_status(c->reply, BYTES("RESET"));
}

static void cmd_select(struct call *c)
{
    int64_t db;
    if (!call_int_in(c, 1, INT32_MIN, INT32_MAX,
                     "ERR value is out of range, value must between -2147483648 and 2147483647",
                     &db))
        return;
    if (db < 0 || db >= c->engine->space.ndbs) {
        reply_error(c->reply, ERR_DB_INDEX);
        return;
    }
    c->session->db = (uint16_t)db;
    reply_ok(c->reply);
}

#define HANDSHAKE (CMD_NOSCRIPT | CMD_LOADING | CMD_STALE | CMD_FAST | CMD_NO_AUTH | CMD_ALLOW_BUSY)

/* clang-format off */
const struct command connection_commands[] = {
    {.name = "auth", .run = cmd_auth, .arity = -2, .flags = HANDSHAKE | CMD_SENTINEL,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0",
     .complexity = "O(N), N being the length of the password", .syntax = "[username] password",
     .summary = "Tells who the client is."},
    {.name = "echo", .run = cmd_echo, .arity = 2, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "message", .summary = "Answers with what was sent."},
    {.name = "hello", .run = cmd_hello, .arity = -1, .flags = HANDSHAKE | CMD_SENTINEL,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "6.0.0", .complexity = "O(1)",
     .syntax = "[protover [AUTH username password] [SETNAME clientname]]",
     .summary = "Chooses the protocol version and tells what the server is."},
    {.name = "ping", .run = cmd_ping, .arity = -1, .flags = CMD_FAST | CMD_SENTINEL,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "[message]", .tips = "request_policy:all_shards response_policy:all_succeeded",
     .summary = "Answers PONG, or with the message."},
    {.name = "quit", .run = cmd_quit, .arity = -1, .flags = HANDSHAKE,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "", .summary = "Closes the connection."},
    {.name = "reset", .run = cmd_reset, .arity = 1, .flags = HANDSHAKE,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "6.2.0", .complexity = "O(1)",
     .syntax = "", .summary = "Makes the connection as if it were new."},
    {.name = "select", .run = cmd_select, .arity = 2, .flags = CMD_LOADING | CMD_STALE | CMD_FAST,
     .acl = ACL_CONNECTION, .group = GROUP_CONNECTION, .since = "1.0.0", .complexity = "O(1)",
     .syntax = "index", .summary = "Chooses the database."},
    {0},
};
/* clang-format on */
