#include "server/commands/docs.h"

#include "base/buf.h"
#include "server/engine/syntax.h"

static const char *group_name(enum command_group group)
{
    static const char *const names[] = {
        [GROUP_GENERIC] = "generic",
        [GROUP_STRING] = "string",
        [GROUP_LIST] = "list",
        [GROUP_SET] = "set",
        [GROUP_ZSET] = "sorted-set",
        [GROUP_HASH] = "hash",
        [GROUP_PUBSUB] = "pubsub",
        [GROUP_TRANSACTIONS] = "transactions",
        [GROUP_CONNECTION] = "connection",
        [GROUP_SERVER] = "server",
        [GROUP_SCRIPTING] = "scripting",
        [GROUP_CLUSTER] = "cluster",
        [GROUP_TESTING] = "testing",
    };
    return names[group];
}

/* What kind of value a word stands for follows from the word. */
static const char *word_type(struct bytes name)
{
    static const struct {
        const char *name, *type;
    } types[] = {
        {"client-id", "integer"},
        {"count", "integer"},
        {"cursor", "integer"},
        {"decrement", "integer"},
        {"end", "integer"},
        {"increment", "integer"},
        {"index", "integer"},
        {"len", "integer"},
        {"maxage", "integer"},
        {"maxlen", "integer"},
        {"milliseconds", "integer"},
        {"num-matches", "integer"},
        {"numkeys", "integer"},
        {"numlocal", "integer"},
        {"numreplicas", "integer"},
        {"offset", "integer"},
        {"protover", "integer"},
        {"rank", "integer"},
        {"seconds", "integer"},
        {"start", "integer"},
        {"stop", "integer"},
        {"score", "double"},
        {"weight", "double"},
        {"pattern", "pattern"},
        {"unix-time-milliseconds", "unix-time"},
        {"unix-time-seconds", "unix-time"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (bytes_eq(name, bytes_of(types[i].name)))
            return types[i].type;
    return "string";
}

/* Blocks and choices are called after what is in them. */
static void put_name(struct buf *out, const struct syntax *s)
{
    for (size_t i = 0; i < s->name.n; i++)
        buf_putc(out, ascii_lower(s->name.p[i]));
    for (const struct syntax *in = s->inner; in; in = in->next) {
        put_name(out, in);
        if (in->next)
            buf_putc(out, '_');
    }
}

static void reply_name(struct reply *r, const struct syntax *s)
{
    struct buf name = {0};
    put_name(&name, s);
    reply_bulk(r, buf_bytes(&name));
    buf_free(&name);
}

/* The number of the key spec that speaks of argument `at`; -1 when none does. */
static int keyspec_at(const struct command *cmd, size_t at)
{
    for (int i = 0; at && i < COMMAND_KEYSPECS && cmd->keys[i].flags; i++)
        if (at == (size_t)cmd->keys[i].first + cmd->keys[i].numkeys)
            return i;
    return -1;
}

static void reply_arguments(struct reply *r, const struct command *cmd, const struct syntax *list,
                            size_t at);

static const char *type_of(const struct syntax *s, bool key)
{
    switch (s->kind) {
    case SYNTAX_TOKEN: return "pure-token";
    case SYNTAX_ONEOF: return "oneof";
    case SYNTAX_BLOCK: return "block";
    default: return key ? "key" : word_type(s->name);
    }
}

/* `at` is where the argument stands in the command; 0 when that is not the same in every call. */
static void reply_argument(struct reply *r, const struct command *cmd, const struct syntax *s,
                           size_t at)
{
    int spec = s->kind == SYNTAX_WORD ? keyspec_at(cmd, at) : -1;
    struct bytes token = s->kind == SYNTAX_TOKEN ? s->name : s->token;
    reply_map(r, 2u + (s->inner == NULL) + (spec >= 0) + (token.n != 0) +
                     (s->optional || s->multiple) + (s->inner != NULL));
    reply_str(r, "name");
    reply_name(r, s);
    reply_str(r, "type");
    reply_str(r, type_of(s, spec >= 0));
    if (s->inner == NULL) {
        reply_str(r, "display_text");
        reply_name(r, s);
    }
    if (spec >= 0) {
        reply_str(r, "key_spec_index");
        reply_int(r, spec);
    }
    if (token.n) {
        reply_str(r, "token");
        reply_bulk(r, token);
    }
    if (s->optional || s->multiple) {
        reply_str(r, "flags");
        reply_set(r, (size_t)s->optional + s->multiple);
        if (s->optional)
            reply_status(r, BYTES("optional"));
        if (s->multiple)
            reply_status(r, BYTES("multiple"));
    }
    if (s->inner) {
        reply_str(r, "arguments");
        reply_arguments(r, cmd, s->inner, s->kind == SYNTAX_BLOCK ? at : 0);
    }
}

static void reply_arguments(struct reply *r, const struct command *cmd, const struct syntax *list,
                            size_t at)
{
    size_t n = 0;
    for (const struct syntax *s = list; s; s = s->next)
        n++;
    reply_array(r, n);
    for (const struct syntax *s = list; s; s = s->next) {
        size_t here = at && s->token.n ? at + 1 : at;
        reply_argument(r, cmd, s, here);
        bool fixed = s->kind == SYNTAX_WORD && !s->optional && !s->multiple;
        at = here && fixed ? here + 1 : 0;
    }
}

static size_t count_subcommands(const struct command *cmd)
{
    size_t n = 0;
    while (cmd->sub && cmd->sub[n].name)
        n++;
    return n;
}

void docs_reply(struct reply *r, const struct command *cmd)
{
    struct syntax *args = syntax_parse(cmd->syntax);
    size_t nsub = count_subcommands(cmd);
    reply_str(r, command_full_name(cmd));
    reply_map(r, 4u + (args != NULL) + (nsub != 0));
    reply_str(r, "summary");
    reply_str(r, cmd->summary);
    reply_str(r, "since");
    reply_str(r, cmd->since);
    reply_str(r, "group");
    reply_str(r, group_name(cmd->group));
    reply_str(r, "complexity");
    reply_str(r, cmd->complexity);
    if (args) {
        reply_str(r, "arguments");
        reply_arguments(r, cmd, args, cmd->full_name ? 2 : 1);
    }
    if (nsub) {
        reply_str(r, "subcommands");
        reply_map(r, nsub);
        for (size_t i = 0; i < nsub; i++)
            docs_reply(r, &cmd->sub[i]);
    }
    syntax_free(args);
}
