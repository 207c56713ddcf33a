/*
 * The optional HTTP port, for those who watch: /metrics, /healthz, /readyz and /locks. It lives on
 * the server's own loop, so an answer from it says that the loop turns. A connection is for one
 * request; there are few of them at a time, and none is waited for long.
 */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include "base/list.h"
#include "server/engine/engine.h"

#include <uv.h>

enum { HTTP_PATIENCE_MS = 10000 };

struct http_options {
    uv_loop_t *loop; /* everything is borrowed; the loop has not run yet */
    struct engine *engine;
    const struct log *log;
    const char *address;       /* "127.0.0.1:9379", "[::1]:9379", ":9379" for all addresses */
    int64_t (*now)(void *ctx); /* on the engine's line */
    bool (*ready)(void *ctx);  /* are clients welcome? */
    void *ctx;
    uint64_t patience; /* ms that a client has for its request and our answer */
};

struct http {
    struct http_options o;
    bool open;
    uv_tcp_t listener;
    uv_idle_t searching; /* active while somebody waits for /locks */
    uv_prepare_t turn;
    uint64_t turned, idle; /* ns: at the end of the last turn, and how long it had waited by then */
    struct histogram lag;  /* us that turns took */
    struct list conns;
    size_t nconns;
};

/* False, after a log line, when it cannot listen there. */
bool http_open(struct http *h, const struct http_options *o);

/* Harmless when it is not open. Its handles are gone when the loop has run empty. */
void http_close(struct http *h);

#endif
