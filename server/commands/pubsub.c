/* Publish and subscribe: how those who wait for a lock learn that it is free. */
#include "server/engine/pubsub.h"

#include "base/glob.h"
#include "server/commands/families.h"
#include "server/commands/names.h"

/* What the commands of one kind of topic say to the client. */
static const struct {
    struct bytes subscribed, unsubscribed;
} verbs[TOPIC_KINDS] = {
    [TOPIC_CHANNEL] = {BYTES("subscribe"), BYTES("unsubscribe")},
    [TOPIC_PATTERN] = {BYTES("psubscribe"), BYTES("punsubscribe")},
    [TOPIC_SHARD] = {BYTES("ssubscribe"), BYTES("sunsubscribe")},
};

/* Channels and patterns are counted together, shard channels on their own. */
static size_t subscriptions(const struct session *s, enum topic_kind kind)
{
    if (kind == TOPIC_SHARD)
        return pubsub_count(s, TOPIC_SHARD);
    return pubsub_count(s, TOPIC_CHANNEL) + pubsub_count(s, TOPIC_PATTERN);
}

/*
 * A confirmation is a push, one for each topic. CLIENT REPLY OFF does not silence it, so then it
 * must not stand where replies are taken back. Without a name it says that there was none. False
 * when there is no memory for it: like any subscriber who cannot be told something, the client is
 * closed.
 */
static bool confirm(struct call *c, struct bytes verb, const struct bytes *name, size_t left)
{
    bool silent = c->session->flags & (SESSION_REPLY_OFF | SESSION_REPLY_SKIP);
    struct reply *r = silent ? session_push(c->session) : c->reply;
    reply_push(r, 3);
    reply_bulk(r, verb);
    if (name)
        reply_bulk(r, *name);
    else
        reply_null(r);
    reply_int(r, (int64_t)left);
    if (r->lost)
        session_no_room(c->session);
    return !r->lost;
}

static void subscribe(struct call *c, enum topic_kind kind)
{
    for (size_t i = 1; i < c->argc; i++) {
        if (!pubsub_subscribe(&c->engine->pubsub, c->session, kind, c->argv[i])) {
            call_out_of_memory(c);
            return;
        }
        if (!confirm(c, verbs[kind].subscribed, &c->argv[i], subscriptions(c->session, kind)))
            return;
    }
}

/* As many as make no other client wait. */
enum { AT_A_TIME = 512 };

static void unsubscribe_all(struct call *c, enum topic_kind kind)
{
    struct bytes name;
    size_t left = subscriptions(c->session, kind);
    if (!pubsub_oldest(c->session, kind, &name))
        confirm(c, verbs[kind].unsubscribed, NULL, left);
    for (int n = 0; pubsub_oldest(c->session, kind, &name); n++) {
        if (n >= AT_A_TIME && call_go_on_later(c))
            return;
        if (!confirm(c, verbs[kind].unsubscribed, &name, --left))
            return;
        pubsub_unsubscribe(&c->engine->pubsub, c->session, kind, name);
    }
}

static void unsubscribe(struct call *c, enum topic_kind kind)
{
    if (c->argc == 1) {
        unsubscribe_all(c, kind);
        return;
    }
    for (size_t i = 1; i < c->argc; i++) {
        pubsub_unsubscribe(&c->engine->pubsub, c->session, kind, c->argv[i]);
        if (!confirm(c, verbs[kind].unsubscribed, &c->argv[i], subscriptions(c->session, kind)))
            return;
    }
}

static void cmd_subscribe(struct call *c)
{
    subscribe(c, TOPIC_CHANNEL);
}

static void cmd_psubscribe(struct call *c)
{
    subscribe(c, TOPIC_PATTERN);
}

/* In a transaction every command has one reply; the older two are let through all the same. */
static void cmd_ssubscribe(struct call *c)
{
    if (c->flags & CALL_EXEC)
        reply_error(c->reply, BYTES("ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"));
    else
        subscribe(c, TOPIC_SHARD);
}

static void cmd_unsubscribe(struct call *c)
{
    unsubscribe(c, TOPIC_CHANNEL);
}

static void cmd_punsubscribe(struct call *c)
{
    unsubscribe(c, TOPIC_PATTERN);
}

static void cmd_sunsubscribe(struct call *c)
{
    unsubscribe(c, TOPIC_SHARD);
}

static void cmd_publish(struct call *c)
{
    reply_int(c->reply, (int64_t)pubsub_publish(&c->engine->pubsub, c->argv[1], c->argv[2]));
}

static void cmd_spublish(struct call *c)
{
    reply_int(c->reply, (int64_t)pubsub_publish_shard(&c->engine->pubsub, c->argv[1], c->argv[2]));
}

/* The topics that match, oldest first. */
static void channels(struct call *c, enum topic_kind kind)
{
    const struct pubsub *p = &c->engine->pubsub;
    struct names found = {0};
    if (c->argc > 3) {
        call_wrong_subcommand(c);
        return;
    }
    list_each (l, &p->order[kind]) {
        const struct topic *t = container_of(l, struct topic, order);
        struct bytes name = topic_name(t);
        if ((c->argc == 2 || glob_match(c->argv[2], name)) && pubsub_listeners(p, t))
            names_add(&found, name);
    }
    names_reply(c, &found, reply_array);
}

static void subscribers(struct call *c, enum topic_kind kind)
{
    const struct pubsub *p = &c->engine->pubsub;
    reply_array(c->reply, 2 * (c->argc - 2));
    for (size_t i = 2; i < c->argc; i++) {
        const struct topic *t = pubsub_find(p, kind, c->argv[i]);
        reply_bulk(c->reply, c->argv[i]);
        reply_int(c->reply, t ? (int64_t)pubsub_listeners(p, t) : 0);
    }
}

static void cmd_channels(struct call *c)
{
    channels(c, TOPIC_CHANNEL);
}

static void cmd_shardchannels(struct call *c)
{
    channels(c, TOPIC_SHARD);
}

static void cmd_numsub(struct call *c)
{
    subscribers(c, TOPIC_CHANNEL);
}

static void cmd_shardnumsub(struct call *c)
{
    subscribers(c, TOPIC_SHARD);
}

static void cmd_numpat(struct call *c)
{
    reply_int(c->reply, (int64_t)pubsub_topics(&c->engine->pubsub, TOPIC_PATTERN));
}

/* clang-format off */
#define FLAGS (CMD_PUBSUB | CMD_LOADING | CMD_STALE)

static const struct command subcommands[] = {
    {.name = "channels", .full_name = "pubsub|channels", .run = cmd_channels, .arity = -2,
     .flags = FLAGS, .group = GROUP_PUBSUB, .since = "2.8.0",
     .complexity = "O(N) where N is the number of active channels", .syntax = "[pattern]",
     .summary = "Lists the channels that have subscribers, those that match the pattern."},
    {.name = "help", .full_name = "pubsub|help", .run = call_help, .arity = 2,
     .flags = CMD_LOADING | CMD_STALE, .group = GROUP_PUBSUB, .since = "6.2.0",
     .complexity = "O(1)", .syntax = "", .summary = "Lists the subcommands."},
    {.name = "numpat", .full_name = "pubsub|numpat", .run = cmd_numpat, .arity = 2,
     .flags = FLAGS, .group = GROUP_PUBSUB, .since = "2.8.0", .complexity = "O(1)", .syntax = "",
     .summary = "Counts the patterns that have subscribers."},
    {.name = "numsub", .full_name = "pubsub|numsub", .run = cmd_numsub, .arity = -2,
     .flags = FLAGS, .group = GROUP_PUBSUB, .since = "2.8.0",
     .complexity = "O(N) for N requested channels", .syntax = "[channel [channel ...]]",
     .summary = "Counts the subscribers of channels, those of patterns not included."},
    {.name = "shardchannels", .full_name = "pubsub|shardchannels", .run = cmd_shardchannels,
     .arity = -2, .flags = FLAGS, .group = GROUP_PUBSUB, .since = "7.0.0",
     .complexity = "O(N) where N is the number of active shard channels", .syntax = "[pattern]",
     .summary = "Lists the shard channels that have subscribers, those that match the pattern."},
    {.name = "shardnumsub", .full_name = "pubsub|shardnumsub", .run = cmd_shardnumsub,
     .arity = -2, .flags = FLAGS, .group = GROUP_PUBSUB, .since = "7.0.0",
     .complexity = "O(N) for N requested shard channels",
     .syntax = "[shardchannel [shardchannel ...]]",
     .summary = "Counts the subscribers of shard channels."},
    {0},
};

const struct command pubsub_commands[] = {
    {.name = "psubscribe", .run = cmd_psubscribe, .arity = -2, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .since = "2.0.0", .complexity = "O(N) for N patterns",
     .syntax = "pattern [pattern ...]",
     .summary = "Listens to all channels whose names match the patterns."},
    {.name = "publish", .run = cmd_publish, .arity = 3,
     .flags = FLAGS | CMD_FAST | CMD_MAY_REPLICATE,
     .group = GROUP_PUBSUB, .since = "2.0.0",
     .complexity = "O(N+M) where N is the number of the channel's subscribers and M the number of "
                   "patterns, of any client",
     .syntax = "channel message", .summary = "Sends a message to all who listen to the channel."},
    {.name = "pubsub", .arity = -2, .group = GROUP_PUBSUB,
     .since = "2.8.0", .complexity = "Depends on subcommand.", .syntax = "", .sub = subcommands,
     .summary = "Tells what is subscribed to."},
    {.name = "punsubscribe", .run = cmd_punsubscribe, .arity = -1, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .since = "2.0.0", .complexity = "O(N) for N patterns",
     .syntax = "[pattern [pattern ...]]", .summary = "Ends listening to these patterns, or to all."},
    {.name = "spublish", .run = cmd_spublish, .arity = 3,
     .flags = FLAGS | CMD_FAST | CMD_MAY_REPLICATE,
     .group = GROUP_PUBSUB, .keys = {{.flags = KEY_NOT_KEY, .first = 1, .last = 0, .step = 1}},
     .since = "7.0.0", .complexity = "O(N) where N is the number of the shard channel's subscribers",
     .syntax = "shardchannel message",
     .summary = "Sends a message to all who listen to the shard channel."},
    {.name = "ssubscribe", .run = cmd_ssubscribe, .arity = -2, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .keys = {{.flags = KEY_NOT_KEY, .first = 1, .last = -1, .step = 1}},
     .since = "7.0.0", .complexity = "O(N) for N shard channels",
     .syntax = "shardchannel [shardchannel ...]", .summary = "Listens to shard channels."},
    {.name = "subscribe", .run = cmd_subscribe, .arity = -2, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .since = "2.0.0", .complexity = "O(N) for N channels",
     .syntax = "channel [channel ...]", .summary = "Listens to channels."},
    {.name = "sunsubscribe", .run = cmd_sunsubscribe, .arity = -1, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .keys = {{.flags = KEY_NOT_KEY, .first = 1, .last = -1, .step = 1}},
     .since = "7.0.0", .complexity = "O(N) for N shard channels",
     .syntax = "[shardchannel [shardchannel ...]]",
     .summary = "Ends listening to these shard channels, or to all."},
    {.name = "unsubscribe", .run = cmd_unsubscribe, .arity = -1, .flags = FLAGS | CMD_NOSCRIPT,
     .group = GROUP_PUBSUB, .since = "2.0.0", .complexity = "O(N) for N channels",
     .syntax = "[channel [channel ...]]", .summary = "Ends listening to these channels, or to all."},
    {0},
};
/* clang-format on */
