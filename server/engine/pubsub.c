/*
 * A subscription is one object on two lists, its topic's and its session's, and in one table for
 * all sessions and topics together. The lists give the order in which messages and confirmations
 * leave, which so never depends on a hash; the table answers "is this session subscribed to that
 * topic", so that neither ten thousand subscribers of one channel nor a hundred thousand channels
 * of one session make subscribing slower.
 *
 * All objects live in the store's arena, where they count as memory in use: 56 bytes for a
 * subscription, the same and the name for a topic, and four for each in its table.
 */
#include "server/engine/pubsub.h"

#include "base/glob.h"
#include "base/hash.h"
#include "base/mem.h"
#include "resp/wire.h"
#include "server/engine/engine.h"
#include "server/engine/session.h"

#include <assert.h>

struct subscription {
    struct dict_node node;
    struct list in_topic, in_session;
    struct topic *topic;
    struct subscriptions *owner;
};

/* What session_more.subscriptions points to, from the first subscription to the last. */
struct subscriptions {
    struct leaving leaving;
    struct session *session;     /* NULL: nobody listens any more */
    struct list of[TOPIC_KINDS]; /* of struct subscription, oldest first */
    size_t n[TOPIC_KINDS];
    size_t bytes; /* of its client's memory */
};

/* What a subscription is found by. */
struct pair {
    uint64_t owner;
    uint64_t topic; /* its reference */
};

static struct pair pair_of(const struct subscriptions *owner, const struct topic *t)
{
    return (struct pair){(uintptr_t)owner, arena_ref(t)};
}

static struct bytes pair_bytes(const struct pair *pair)
{
    return (struct bytes){(const char *)pair, sizeof *pair};
}

static bool match_topic(const void *object, struct bytes name)
{
    return bytes_eq(topic_name(object), name);
}

static bool match_subscription(const void *object, struct bytes key)
{
    const struct subscription *sub = object;
    struct pair pair = pair_of(sub->owner, sub->topic);
    return bytes_eq(pair_bytes(&pair), key);
}

static uint32_t hash(const struct pubsub *p, struct bytes key)
{
    return (uint32_t)hash_bytes(p->seed, key);
}

void pubsub_init(struct pubsub *p, struct arena *a, uint64_t seed)
{
    *p = (struct pubsub){.arena = a, .seed = seed};
    for (int kind = 0; kind < TOPIC_KINDS; kind++) {
        dict_init(&p->topics[kind], a, match_topic);
        list_init(&p->order[kind]);
    }
    dict_init(&p->subscriptions, a, match_subscription);
}

void pubsub_free(struct pubsub *p)
{
    for (int kind = 0; kind < TOPIC_KINDS; kind++) {
        assert(list_empty(&p->order[kind]));
        dict_free(&p->topics[kind]);
    }
    dict_free(&p->subscriptions);
}

/* Topics. */

struct topic *pubsub_find(const struct pubsub *p, enum topic_kind kind, struct bytes name)
{
    return dict_find(&p->topics[kind], name, hash(p, name));
}

static struct topic *create_topic(struct pubsub *p, enum topic_kind kind, struct bytes name)
{
    struct topic *t =
        name.n > UINT32_MAX ? NULL : arena_new(p->arena, offsetof(struct topic, name) + name.n);
    if (t == NULL)
        return NULL;
    t->nsubscribers = 0;
    t->name_len = (uint32_t)name.n;
    bytes_copy(t->name, name);
    list_init(&t->subscribers);
    list_append(&p->order[kind], &t->order);
    dict_insert(&p->topics[kind], t, hash(p, name));
    return t;
}

static void drop_topic(struct pubsub *p, enum topic_kind kind, struct topic *t)
{
    dict_remove(&p->topics[kind], t);
    list_unlink(&t->order);
    arena_drop(p->arena, t);
}

/* Subscriptions. */

static struct subscriptions *subscriptions_of(struct session *s)
{
    struct session_more *more = session_more(s);
    if (more->subscriptions == NULL) {
        more->subscriptions = mem_alloc(sizeof *more->subscriptions);
        more->subscriptions->session = s;
        for (int kind = 0; kind < TOPIC_KINDS; kind++)
            list_init(&more->subscriptions->of[kind]);
    }
    return more->subscriptions;
}

static struct subscription *find_subscription(const struct pubsub *p, const struct session *s,
                                              const struct topic *t)
{
    if (s->more == NULL || s->more->subscriptions == NULL)
        return NULL;
    struct pair pair = pair_of(s->more->subscriptions, t);
    return dict_find(&p->subscriptions, pair_bytes(&pair), hash(p, pair_bytes(&pair)));
}

/* What a subscription takes of its client's memory: the topic's name is counted for each of its
 * subscribers, since any of them may be the last. */
static size_t cost(const struct subscription *sub)
{
    return sizeof *sub + sizeof *sub->topic + sub->topic->name_len;
}

bool pubsub_subscribe(struct pubsub *p, struct session *s, enum topic_kind kind, struct bytes name)
{
    leavings_make_room(s->engine);
    struct topic *t = pubsub_find(p, kind, name);
    if (t && find_subscription(p, s, t))
        return true;
    if (t == NULL)
        t = create_topic(p, kind, name);
    if (t == NULL)
        return false;
    struct subscriptions *all = subscriptions_of(s);
    struct subscription *sub = arena_new(p->arena, sizeof *sub);
    struct pair pair = pair_of(all, t);
    sub->topic = t;
    sub->owner = all;
    list_append(&t->subscribers, &sub->in_topic);
    list_append(&all->of[kind], &sub->in_session);
    dict_insert(&p->subscriptions, sub, hash(p, pair_bytes(&pair)));
    t->nsubscribers++;
    all->n[kind]++;
    all->bytes += cost(sub);
    s->more->kept += cost(sub);
    s->flags |= SESSION_PUBSUB;
    return true;
}

static void drop_subscription(struct pubsub *p, enum topic_kind kind, struct subscription *sub)
{
    struct topic *t = sub->topic;
    struct subscriptions *all = sub->owner;
    list_unlink(&sub->in_topic);
    list_unlink(&sub->in_session);
    dict_remove(&p->subscriptions, sub);
    all->n[kind]--;
    all->bytes -= cost(sub);
    if (all->session)
        all->session->more->kept -= cost(sub);
    else
        p->left--;
    arena_drop(p->arena, sub);
    if (--t->nsubscribers == 0)
        drop_topic(p, kind, t);
}

static size_t total(const struct subscriptions *all)
{
    return all->n[TOPIC_CHANNEL] + all->n[TOPIC_PATTERN] + all->n[TOPIC_SHARD];
}

void pubsub_unsubscribe(struct pubsub *p, struct session *s, enum topic_kind kind,
                        struct bytes name)
{
    struct topic *t = pubsub_find(p, kind, name);
    struct subscription *sub = t ? find_subscription(p, s, t) : NULL;
    if (sub == NULL)
        return;
    drop_subscription(p, kind, sub);
    if (total(s->more->subscriptions) == 0)
        pubsub_leave(s);
}

static struct subscription *oldest(const struct subscriptions *all, enum topic_kind kind)
{
    if (all->n[kind] == 0)
        return NULL;
    return container_of(all->of[kind].next, struct subscription, in_session);
}

bool pubsub_oldest(const struct session *s, enum topic_kind kind, struct bytes *name)
{
    const struct subscription *sub =
        pubsub_count(s, kind) ? oldest(s->more->subscriptions, kind) : NULL;
    if (sub)
        *name = topic_name(sub->topic);
    return sub != NULL;
}

bool pubsub_all(const struct session *s, enum topic_kind kind,
                bool (*fits)(const void *ctx, struct bytes name), const void *ctx)
{
    if (pubsub_count(s, kind) == 0)
        return true;
    list_each (pos, &s->more->subscriptions->of[kind])
        if (!fits(ctx, topic_name(container_of(pos, struct subscription, in_session)->topic)))
            return false;
    return true;
}

size_t pubsub_count(const struct session *s, enum topic_kind kind)
{
    return s->more && s->more->subscriptions ? s->more->subscriptions->n[kind] : 0;
}

static bool forget(struct engine *e, struct leaving *l, int *budget)
{
    struct subscriptions *all = container_of(l, struct subscriptions, leaving);
    struct subscription *sub;
    for (enum topic_kind kind = 0; kind < TOPIC_KINDS; kind++) {
        for (; (sub = oldest(all, kind)); --*budget) {
            if (*budget <= 0)
                return false;
            drop_subscription(&e->pubsub, kind, sub);
        }
    }
    mem_free(all);
    return true;
}

void pubsub_leave(struct session *s)
{
    struct subscriptions *all = s->more ? s->more->subscriptions : NULL;
    if (all == NULL)
        return;
    s->flags &= ~SESSION_PUBSUB;
    s->more->subscriptions = NULL;
    s->more->kept -= all->bytes;
    all->session = NULL;
    s->engine->pubsub.left += total(all);
    leavings_add(s->engine, &all->leaving, forget);
}

size_t pubsub_listeners(const struct pubsub *p, const struct topic *t)
{
    size_t n = t->nsubscribers;
    if (p->left == 0)
        return n;
    list_each (l, &t->subscribers)
        n -= container_of(l, struct subscription, in_topic)->owner->session == NULL;
    return n;
}

size_t pubsub_topics(const struct pubsub *p, enum topic_kind kind)
{
    size_t n = p->topics[kind].count;
    if (p->left == 0)
        return n;
    list_each (l, &p->order[kind])
        n -= pubsub_listeners(p, container_of(l, struct topic, order)) == 0;
    return n;
}

/* Messages. */

/* What one topic's subscribers get; its bytes are made at most once per protocol version. */
struct message {
    struct bytes kind;
    const struct bytes *pattern; /* or NULL */
    struct bytes channel, text;
    struct buf room[2];
    struct bytes made[2]; /* what is in there */
};

enum { MESSAGE_FRAME = 96 }; /* what the protocol adds, at most */

/* False when there is no memory for it. */
__attribute__((cold, noinline)) static bool make(struct message *m, int version)
{
    struct buf *b = &m->room[version - 2];
    struct wire w;
    if (!buf_try_room(b,
                      m->channel.n + m->text.n + (m->pattern ? m->pattern->n : 0) + MESSAGE_FRAME))
        return false;
    wire_init(&w, b, version);
    reply_push(&w.reply, m->pattern ? 4 : 3);
    reply_bulk(&w.reply, m->kind);
    if (m->pattern)
        reply_bulk(&w.reply, *m->pattern);
    reply_bulk(&w.reply, m->channel);
    reply_bulk(&w.reply, m->text);
    m->made[version - 2] = buf_bytes(b);
    return true;
}

/* Those who have left but are not forgotten yet are not counted. */
static size_t deliver(struct pubsub *p, const struct topic *t, struct message m)
{
    size_t gone = 0;
    list_each (l, &t->subscribers) {
        struct session *s = container_of(l, struct subscription, in_topic)->owner->session;
        if (s == NULL)
            gone++;
        else if (m.made[s->resp - 2].n || make(&m, s->resp))
            session_push_bytes(s, m.made[s->resp - 2]);
        else
            session_no_room(s);
    }
    buf_free(&m.room[0]);
    buf_free(&m.room[1]);
    p->sent += t->nsubscribers - gone;
    return t->nsubscribers - gone;
}

/*
 * A message is matched with every pattern that anybody has subscribed to. Together they may take
 * MATCHING steps; when those are used up, each of the rest has what a pattern needs that was not
 * made to be slow.
 */
enum { MATCHING = 1 << 18, MATCHING_ONE = 256, MATCHING_PER_BYTE = 8, MATCHING_BYTES = 128 };

static bool matches(struct bytes pattern, struct bytes channel, size_t *used)
{
    size_t bytes = channel.n < MATCHING_BYTES ? channel.n : MATCHING_BYTES;
    size_t may = *used < MATCHING ? glob_steps(channel) : MATCHING_ONE + MATCHING_PER_BYTE * bytes;
    size_t left = may;
    bool found = glob_match_within(pattern, channel, &left);
    *used += may - left;
    return found;
}

size_t pubsub_publish(struct pubsub *p, struct bytes channel, struct bytes message)
{
    size_t n = 0, used = 0;
    struct message m = {.kind = BYTES("message"), .channel = channel, .text = message};
    const struct topic *t = pubsub_find(p, TOPIC_CHANNEL, channel);
    if (t)
        n += deliver(p, t, m);
    m.kind = BYTES("pmessage");
    list_each (l, &p->order[TOPIC_PATTERN]) {
        t = container_of(l, struct topic, order);
        struct bytes pattern = topic_name(t);
        m.pattern = &pattern;
        if (matches(pattern, channel, &used))
            n += deliver(p, t, m);
    }
    return n;
}

size_t pubsub_publish_shard(struct pubsub *p, struct bytes channel, struct bytes message)
{
    const struct topic *t = pubsub_find(p, TOPIC_SHARD, channel);
    if (t == NULL)
        return 0;
    return deliver(
        p, t, (struct message){.kind = BYTES("smessage"), .channel = channel, .text = message});
}
