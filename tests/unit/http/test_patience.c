/* How long a client is waited for; the loop turns when it is told to. */
#include "server/http/http.h"
#include "tests/lib/client.h"
#include "tests/lib/rig.h"

#include <netinet/in.h>

static void ignore(void *ctx, enum log_level level, const char *line)
{
    (void)ctx;
    (void)level;
    (void)line;
}

static const struct log silent = {.write = ignore};

static struct client dial(const struct http *h)
{
    struct sockaddr_in a = {0};
    int n = sizeof a;
    struct client c;
    assert_int_equal(uv_tcp_getsockname(&h->listener, (struct sockaddr *)&a, &n), 0);
    assert_true(client_connect_tcp(&c, "127.0.0.1", ntohs(a.sin_port)));
    return c;
}

/* A client sends half a request to a server of that patience. Has it been closed after some turns?
 */
static bool closes(uint64_t patience)
{
    enum { TURNS = 5 };
    struct rig *r = rig_new();
    struct http h = {0};
    uv_loop_t loop;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_true(http_open(&h, &(struct http_options){.loop = &loop,
                                                     .engine = r->engine,
                                                     .log = &silent,
                                                     .address = "127.0.0.1:0",
                                                     .patience = patience}));
    struct client c = dial(&h);
    assert_true(client_send(&c, BYTES("GET /he")));
    for (int i = 0; i < TURNS; i++)
        uv_run(&loop, UV_RUN_NOWAIT);
    bool closed = client_closed(&c, 0);
    client_close(&c);
    http_close(&h);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
    rig_free(r);
    return closed;
}

TEST(patience, has_an_end)
{
    assert_true(closes(0));
    assert_false(closes(HTTP_PATIENCE_MS));
}
