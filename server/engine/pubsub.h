/*
 * Channels, patterns and shard channels, and who listens to them.
 *
 * A topic exists while somebody is subscribed to it. Subscribing and unsubscribing cost the same
 * however many topics there are; publishing costs one comparison per pattern and one copy of the
 * message per receiver.
 *
 * A session with subscriptions carries SESSION_PUBSUB.
 */
#ifndef SERVER_ENGINE_PUBSUB_H
#define SERVER_ENGINE_PUBSUB_H

#include "base/list.h"
#include "store/dict.h"

struct session;

enum topic_kind { TOPIC_CHANNEL, TOPIC_PATTERN, TOPIC_SHARD, TOPIC_KINDS };

struct topic {
    struct dict_node node;
    struct list order;       /* in pubsub.order of its kind */
    struct list subscribers; /* of struct subscription, in the order in which they came */
    uint32_t nsubscribers;
    uint32_t name_len;
    char name[];
};

struct pubsub {
    struct arena *arena;
    uint64_t seed;
    struct dict topics[TOPIC_KINDS];
    struct list order[TOPIC_KINDS]; /* all topics, oldest first */
    struct dict subscriptions;      /* by session and topic */
    uint64_t sent;                  /* copies of messages, ever */
    size_t left;                    /* subscriptions that have ended and are not forgotten yet */
};

void pubsub_init(struct pubsub *p, struct arena *a, uint64_t seed);
void pubsub_free(struct pubsub *p); /* after all sessions have left */

/* No change when the session is subscribed already. False when memory is out for the name. */
bool pubsub_subscribe(struct pubsub *p, struct session *s, enum topic_kind kind, struct bytes name);

/* No change when it is not subscribed. `name` may be the topic's own; it may be gone afterwards. */
void pubsub_unsubscribe(struct pubsub *p, struct session *s, enum topic_kind kind,
                        struct bytes name);

/* The session's oldest subscription of that kind; false when it has none. */
bool pubsub_oldest(const struct session *s, enum topic_kind kind, struct bytes *name);

/* How many subscriptions of that kind the session has. */
size_t pubsub_count(const struct session *s, enum topic_kind kind);

/* Does `fits` say yes to every topic of that kind that the session is subscribed to? */
bool pubsub_all(const struct session *s, enum topic_kind kind,
                bool (*fits)(const void *ctx, struct bytes name), const void *ctx);

/* Ends all subscriptions of the session, without telling it. */
void pubsub_leave(struct session *s);

/* To a channel's subscribers and to those of matching patterns, or to a shard channel's. How many
 * copies were sent. */
size_t pubsub_publish(struct pubsub *p, struct bytes channel, struct bytes message);
size_t pubsub_publish_shard(struct pubsub *p, struct bytes channel, struct bytes message);

/* NULL when nobody is subscribed to it, or nobody was until a moment ago. */
struct topic *pubsub_find(const struct pubsub *p, enum topic_kind kind, struct bytes name);

/* How many are subscribed to it now, and how many topics of a kind have somebody. */
size_t pubsub_listeners(const struct pubsub *p, const struct topic *t);
size_t pubsub_topics(const struct pubsub *p, enum topic_kind kind);

/* Is anyone subscribed to a channel or a pattern? */
static inline bool pubsub_anyone(const struct pubsub *p)
{
    return p->topics[TOPIC_CHANNEL].count + p->topics[TOPIC_PATTERN].count > 0;
}

static inline struct bytes topic_name(const struct topic *t)
{
    return (struct bytes){t->name, t->name_len};
}

#endif
