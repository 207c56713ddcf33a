/*
 * For engine tests: which key events a command raised, in order.
 *
 *     listen(r);
 *     run(r, "HSET h f v");    heard(r, "hset h");
 *     run(r, "HDEL h f");      heard(r, "hdel h, del h");
 */
#ifndef TESTS_LIB_HEARD_H
#define TESTS_LIB_HEARD_H

#include "tests/lib/rig.h"

#include <stdio.h>
#include <string.h>

enum { LISTENER = RIG_CLIENTS - 1 };

/* From now on the last client hears every key event of database 0. */
static inline void listen(struct rig *r)
{
    int who = r->who;
    as(r, LISTENER);
    run(r, "CONFIG SET notify-keyspace-events AE");
    run(r, "PSUBSCRIBE __keyevent@0__:*");
    received(r, LISTENER);
    as(r, who);
}

/* "event key, event key", as it was since the last time. */
static inline const char *heard_text(struct rig *r, char *out, size_t size)
{
    static const char mark[] = "__keyevent@0__:";
    size_t n = 0;
    *out = 0;
    for (const char *p = received(r, LISTENER); (p = strstr(p, mark));) {
        char event[64], key[64];
        p += sizeof mark - 1;
        if (sscanf(p, "%63[a-z_] $%*d %63s", event, key) == 2)
            n += (size_t)snprintf(out + n, size - n, "%s%s %s", n ? ", " : "", event, key);
    }
    return out;
}

#define heard(r, text)                                                                             \
    do {                                                                                           \
        char heard_[1024];                                                                         \
        assert_string_equal(heard_text((r), heard_, sizeof heard_), (text));                       \
    } while (0)

#endif
