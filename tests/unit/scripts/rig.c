#include "tests/unit/scripts/rig.h"

#include "tests/lib/test.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"echo", "ping", "set", "get", "fail", "say"};
enum { ECHO, PING, SET, GET, FAIL, SAY };

static const void *resolve(void *ctx, struct bytes name)
{
    struct rig *r = ctx;
    r->resolved++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes_ieq(name, bytes_of(names[i])))
            return &names[i];
    return NULL;
}

static void say(struct reply *r, struct bytes kind)
{
    if (bytes_is(kind, "int"))
        reply_int(r, 7);
    else if (bytes_is(kind, "real"))
        reply_real(r, 2.5);
    else if (bytes_is(kind, "bool"))
        reply_bool(r, true);
    else if (bytes_is(kind, "null"))
        reply_null(r);
    else if (bytes_is(kind, "null_array"))
        reply_null_array(r);
    else if (bytes_is(kind, "bignum"))
        reply_bignum(r, BYTES("12345678901234567890"));
    else if (bytes_is(kind, "verbatim"))
        reply_verbatim(r, "txt", BYTES("words"));
    else if (bytes_is(kind, "map")) {
        reply_map(r, 1);
        reply_bulk(r, BYTES("field"));
        reply_int(r, 1);
    } else if (bytes_is(kind, "set")) {
        reply_set(r, 1);
        reply_bulk(r, BYTES("member"));
    } else { /* array */
        reply_array(r, 3);
        reply_int(r, 1);
        reply_null(r);
        reply_array(r, 1);
        reply_bulk(r, BYTES("inner"));
    }
}

static void call(void *ctx, const struct script_call *c)
{
    struct rig *r = ctx;
    const char *const *command = c->command;
    size_t want = command && (command - names == SET)  ? 3
                  : command && command - names == PING ? 1
                                                       : 2;
    if (command == NULL) {
        reply_error(c->reply, BYTES("ERR Unknown Redis command called from script"));
        return;
    }
    if (c->argc != want) {
        reply_error(c->reply, BYTES("ERR Wrong number of args calling Redis command from script"));
        return;
    }
    switch (command - names) {
    case ECHO: reply_bulk(c->reply, c->argv[1]); break;
    case PING: reply_status(c->reply, BYTES("PONG")); break;
    case SET:
        snprintf(r->value, sizeof r->value, "%.*s", BYTES_FMT(c->argv[2]));
        r->has_value = true;
        reply_ok(c->reply);
        break;
    case GET:
        if (r->has_value)
            reply_str(c->reply, r->value);
        else
            reply_null(c->reply);
        break;
    case FAIL: reply_error(c->reply, c->argv[1]); break;
    default: say(c->reply, c->argv[1]);
    }
}

static enum script_verdict check(void *ctx)
{
    struct rig *r = ctx;
    r->checks++;
    return r->patience && r->checks > r->patience ? r->verdict : SCRIPT_GO_ON;
}

static void log_line_of(void *ctx, enum log_level level, struct bytes text)
{
    struct rig *r = ctx;
    snprintf(r->log, sizeof r->log, "%d:%.*s", level, BYTES_FMT(text));
}

static double clock_of(void *ctx)
{
    (void)ctx;
    return 1.5;
}

static int acl_check(void *ctx, const struct bytes *argv, size_t argc)
{
    (void)argc;
    return bytes_is(argv[0], "set") ? 0 : resolve(ctx, argv[0]) ? 1 : -1;
}

static const struct script_ops ops = {
    .resolve = resolve,
    .call = call,
    .check = check,
    .log = log_line_of,
    .clock = clock_of,
    .acl_check = acl_check,
};

void rig_init(struct rig *r)
{
    *r = (struct rig){.verdict = SCRIPT_KILL};
    r->host = script_host_new(&(struct script_options){
        .ops = &ops,
        .limits = {.memory = 64 << 20, .body = 64 << 10, .cached = 500},
        .version = "7.4.2",
        .version_num = 0x00070402,
        .seed = 42,
    });
    wire_init(&r->wire, &r->out, 2);
}

void rig_limit(struct rig *r, size_t memory, size_t body, size_t cached)
{
    script_host_limit(r->host, &(struct script_limits){memory, body, cached});
}

void rig_free(struct rig *r)
{
    script_host_free(r->host);
    buf_free(&r->out);
}

/* Answers end in "script: <sha>, on ...": the digits are not what a test is about. */
static void hide_sha(struct buf *b)
{
    char *at = strstr(b->p, "script: ");
    char *end = at ? at + strlen("script: ") + SCRIPT_SHA_LEN : NULL;
    if (end == NULL || *end != ',')
        return;
    memcpy(at + strlen("script: "), "SHA", 3);
    memmove(at + strlen("script: SHA"), end, strlen(end) + 1);
}

const char *eval_with(struct rig *r, const char *body, size_t nkeys, const char *const *words)
{
    struct bytes argv[16];
    size_t argc = 0;
    for (; words && words[argc]; argc++)
        argv[argc] = bytes_of(words[argc]);

    buf_clear(&r->out);
    r->checks = 0;
    const struct script *s = script_load(r->host, bytes_of(body), false, &r->wire.reply);
    if (s)
        r->uncounted = !script_run(r->host, s,
                                   &(struct script_run){argv, argv + nkeys, nkeys, argc - nkeys, r},
                                   &r->wire.reply);
    buf_putc(&r->out, '\0');
    hide_sha(&r->out);
    return r->out.p;
}

const char *eval(struct rig *r, const char *body)
{
    return eval_with(r, body, 0, NULL);
}
