/*
 * What the socket tests say most: start a server, connect, send this, expect exactly that.
 */
#ifndef TESTS_LIB_TALK_H
#define TESTS_LIB_TALK_H

#include "tests/lib/client.h"
#include "tests/lib/launch.h"
#include "tests/lib/test.h"

enum { TALK_MS = 20000 }; /* longer than anything should take, even under a sanitizer */

static inline struct launched start(const char *const *flags)
{
    struct launched l;
    assert_true(launch_latchd(&l, flags));
    return l;
}

static inline void stop(struct launched *l)
{
    assert_int_equal(launch_stop(l), 0);
}

static inline struct client dial(const struct launched *l)
{
    struct client c;
    assert_true(client_connect_unix(&c, l->socket));
    return c;
}

/* The next reply is exactly this. */
static inline void hears(struct client *c, const char *reply)
{
    struct buf got = {0};
    assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    assert_string_equal(got.p, reply);
    buf_free(&got);
}

static inline void ask(struct client *c, const char *line, const char *reply)
{
    assert_true(client_say(c, line));
    hears(c, reply);
}

static inline void says(struct client *c, const char *raw)
{
    assert_true(client_send(c, bytes_of(raw)));
}

#endif
