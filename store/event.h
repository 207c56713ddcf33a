/*
 * What can happen to a key, by the name under which Redis announces it, and the class of
 * notify-keyspace-events that it belongs to.
 */
#ifndef STORE_EVENT_H
#define STORE_EVENT_H

#include "base/bytes.h"

/* The letters of notify-keyspace-events, with the values Redis gives them. */
enum notify_class {
    NOTIFY_KEYSPACE = 1 << 0, /* K */
    NOTIFY_KEYEVENT = 1 << 1, /* E */
    NOTIFY_GENERIC = 1 << 2,  /* g */
    NOTIFY_STRING = 1 << 3,   /* $ */
    NOTIFY_LIST = 1 << 4,     /* l */
    NOTIFY_SET = 1 << 5,      /* s */
    NOTIFY_HASH = 1 << 6,     /* h */
    NOTIFY_ZSET = 1 << 7,     /* z */
    NOTIFY_EXPIRED = 1 << 8,  /* x */
    NOTIFY_EVICTED = 1 << 9,  /* e */
    NOTIFY_STREAM = 1 << 10,  /* t */
    NOTIFY_KEYMISS = 1 << 11, /* m: not part of A */
    NOTIFY_MODULE = 1 << 13,  /* d */
    NOTIFY_NEW = 1 << 14,     /* n: not part of A */
    NOTIFY_ALL = NOTIFY_GENERIC | NOTIFY_STRING | NOTIFY_LIST | NOTIFY_SET | NOTIFY_HASH |
                 NOTIFY_ZSET | NOTIFY_EXPIRED | NOTIFY_EVICTED | NOTIFY_STREAM | NOTIFY_MODULE,
};

/* clang-format off */
#define KEY_EVENTS(X)                                                                              \
    X(SET, "set", STRING) X(APPEND, "append", STRING)              \
    X(INCRBY, "incrby", STRING) X(INCRBYFLOAT, "incrbyfloat", STRING)                                 \
    X(DEL, "del", GENERIC) X(EXPIRE, "expire", GENERIC) X(PERSIST, "persist", GENERIC)             \
    X(RENAME_FROM, "rename_from", GENERIC) X(RENAME_TO, "rename_to", GENERIC)                      \
    X(EXPIRED, "expired", EXPIRED) X(NEW, "new", NEW) X(KEYMISS, "keymiss", KEYMISS)                  \
    X(HSET, "hset", HASH) X(HDEL, "hdel", HASH) X(HINCRBY, "hincrby", HASH)                        \
    X(HINCRBYFLOAT, "hincrbyfloat", HASH)                                                          \
    X(LPUSH, "lpush", LIST) X(RPUSH, "rpush", LIST) X(LPOP, "lpop", LIST) X(RPOP, "rpop", LIST)    \
    X(LSET, "lset", LIST) X(LREM, "lrem", LIST) X(LTRIM, "ltrim", LIST)                            \
    X(LINSERT, "linsert", LIST)                                                                    \
    X(SADD, "sadd", SET) X(SREM, "srem", SET) X(SPOP, "spop", SET)                                 \
    X(ZADD, "zadd", ZSET) X(ZINCR, "zincr", ZSET) X(ZREM, "zrem", ZSET)                            \
    X(ZREMRANGEBYSCORE, "zremrangebyscore", ZSET) X(ZREMRANGEBYRANK, "zremrangebyrank", ZSET)      \
    X(ZPOPMIN, "zpopmin", ZSET) X(ZPOPMAX, "zpopmax", ZSET)
/* clang-format on */

enum key_event {
#define X(id, name, class) EV_##id,
    KEY_EVENTS(X)
#undef X
        EV_COUNT
};

struct event_info {
    struct bytes name;
    unsigned notify; /* one notify_class */
};

extern const struct event_info event_infos[EV_COUNT];

#endif
