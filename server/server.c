#include "server/server.h"

#include "base/mem.h"
#include "server/engine/engine.h"
#include "server/engine/scripting.h"
#include "server/engine/testing.h"
#include "server/files.h"
#include "server/http/http.h"
#include "server/inspect.h"
#include "server/net/busy.h"
#include "server/net/conn.h"
#include "server/net/net.h"
#include "server/stopwatch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

struct server {
    uv_loop_t loop;
    struct clock clock;
    struct stopwatch stopwatch;
    struct engine *engine;
    struct net net;
    struct http http;
    void (*wake)(void *ctx, struct session *s); /* for sessions without a socket */
    void *ctx;
    int64_t present; /* us; the moment the engine was last told of */
    uint64_t began;  /* ms; when a long command was first asked about, 0: not yet */
    uint64_t served; /* ms; when others were last let in */
    uv_timer_t ring; /* under --test: what waits for the machine's time */
    uv_async_t hail; /* somebody outside wants something: */
    atomic_bool reload;
    atomic_int stops; /* 0: run, 1: stop when all is answered, 2: stop at once */
};

static void on_hail(uv_async_t *a)
{
    struct server *s = a->data;
    if (atomic_exchange(&s->reload, false))
        net_reload(&s->net);
    if (atomic_load(&s->stops) == 0)
        return;
    clock_thaw(&s->clock); /* or what has a time limit would never end */
    net_stop(&s->net, atomic_load(&s->stops) > 1);
}

void server_stop(struct server *s, bool at_once)
{
    int want = at_once ? 2 : 1;
    if (atomic_load(&s->stops) < want)
        atomic_store(&s->stops, want);
    uv_async_send(&s->hail);
}

void server_reload(struct server *s)
{
    atomic_store(&s->reload, true);
    uv_async_send(&s->hail);
}

static int64_t host_now(void *ctx);

static void on_ring(uv_timer_t *t)
{
    struct server *s = t->data;
    engine_advance(s->engine, host_now(s));
    testing_ring(s->engine);
}

/* What the engine asks for. */

static void host_wake(void *ctx, struct session *session)
{
    struct server *s = ctx;
    if (session->owner)
        conn_wake(session->owner);
    else if (s->wake)
        s->wake(s->ctx, session);
}

static void host_crowded(void *ctx)
{
    struct server *s = ctx;
    net_crowded(&s->net);
}

static bool host_keep(void *ctx, struct session *session, struct bytes message)
{
    (void)ctx;
    return conn_keep(session->owner, message);
}

static int64_t host_wall_us(void *ctx)
{
    struct server *s = ctx;
    return clock_wall_us(&s->clock, s->present);
}

static int64_t host_now_us(void *ctx)
{
    struct server *s = ctx;
    return stopwatch_us(&s->stopwatch, &s->clock);
}

/* Under --test the clock moves, and what the loop waits for is reckoned anew. */

static void host_move(void *ctx, int64_t ms)
{
    struct server *s = ctx;
    clock_move(&s->clock, ms);
    s->present += ms * 1000;
    net_clock_changed(&s->net);
}

static void host_set_clock(void *ctx, enum clock_state state)
{
    struct server *s = ctx;
    switch (state) {
    case CLOCK_FROZEN: clock_freeze(&s->clock); break;
    case CLOCK_RUNNING: clock_thaw(&s->clock); break;
    case CLOCK_RESET: clock_reset(&s->clock); break;
    }
    net_clock_changed(&s->net);
}

static int64_t host_real_ms(void *ctx)
{
    struct server *s = ctx;
    return clock_real_ms(&s->clock);
}

static void host_ring_at(void *ctx, int64_t at)
{
    struct server *s = ctx;
    int64_t wait = at - clock_real_ms(&s->clock);
    uv_update_time(&s->loop);
    uv_timer_start(&s->ring, on_ring, wait > 0 ? (uint64_t)wait : 0, 0);
}

static bool host_describe(void *ctx, const struct session *session, bool addresses,
                          struct session_facts *out)
{
    (void)ctx;
    if (session->owner)
        conn_describe(session->owner, addresses, out);
    return session->owner != NULL;
}

/* Scripts ask again and again; the first time is close enough to their beginning. */
static int64_t host_running_ms(void *ctx)
{
    struct server *s = ctx;
    uint64_t ms = uv_hrtime() / 1000000;
    if (s->began == 0)
        s->began = ms;
    return (int64_t)(ms - s->began);
}

static void host_serve_others(void *ctx)
{
    struct server *s = ctx;
    uint64_t ms = uv_hrtime() / 1000000;
    if (ms == s->served)
        return;
    s->served = ms;
    busy_serve(&s->net);
    if (atomic_load(&s->stops))
        scripting_abort(s->engine);
}

static void host_inspect(void *ctx, struct process_facts *out)
{
    const struct server *s = ctx;
    inspect_process(out);
    out->tcp_port = net_port(&s->net);
}

/* The loop stands still, as it would in a long command. */
static void host_sleep(void *ctx, int64_t us)
{
    (void)ctx;
    struct timespec t = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&t, NULL);
}

static void host_stop(void *ctx)
{
    server_stop(ctx, false);
}

static void host_secret(void *ctx, void *out, size_t n)
{
    (void)ctx;
    for (size_t done = 0; done < n;) {
        ssize_t got = getrandom((char *)out + done, n - done, 0);
        if (got <= 0)
            abort();
        done += (size_t)got;
    }
}

static bool host_read_file(void *ctx, const char *path, struct buf *out, const char **why)
{
    (void)ctx;
    bool good = files_read(path, out);
    *why = good ? NULL : strerror(errno);
    return good;
}

static bool host_write_file(void *ctx, const char *path, struct bytes text, const char **why)
{
    (void)ctx;
    bool good = files_replace(path, text);
    *why = good ? NULL : strerror(errno);
    return good;
}

/* What the shell asks for. Here a command is executed as soon as it arrives; a replicated server
 * would first have it agreed upon, with its time. */

static int64_t host_now(void *ctx)
{
    struct server *s = ctx;
    int64_t us = clock_us(&s->clock);
    if (s->engine->running == NULL) /* else the moment of that command stands */
        s->present = us;
    return us / 1000;
}

/* The clock is read once per command: where one ends, the next one of the same client begins. The
 * first one begins when its bytes were read. */
static int64_t host_submit(void *ctx, struct session *session, const struct bytes *argv,
                           size_t argc)
{
    struct server *s = ctx;
    s->began = 0;
    engine_execute(s->engine, session, s->present / 1000, argv, argc);
    int64_t end = clock_us(&s->clock);
    engine_took(s->engine, session, argv, argc, end - s->present);
    s->present = end;
    return end / 1000;
}

static void host_submit_busy(void *ctx, struct session *session, const struct bytes *argv,
                             size_t argc)
{
    struct server *s = ctx;
    engine_execute_busy(s->engine, session, argv, argc);
}

static int64_t host_until(void *ctx, int64_t at)
{
    const struct server *s = ctx;
    return clock_until(&s->clock, at);
}

static bool host_ready(void *ctx)
{
    const struct server *s = ctx;
    return s->net.state == NET_RUNNING;
}

/* Assembly. */

static bool assemble(struct server *s, const struct server_options *o)
{
    static const struct engine_host engine_host = {.wake = host_wake,
                                                   .crowded = host_crowded,
                                                   .keep = host_keep,
                                                   .wall_us = host_wall_us,
                                                   .describe = host_describe,
                                                   .now_us = host_now_us,
                                                   .running_ms = host_running_ms,
                                                   .serve_others = host_serve_others,
                                                   .inspect = host_inspect,
                                                   .sleep = host_sleep,
                                                   .stop = host_stop,
                                                   .secret = host_secret,
                                                   .read_file = host_read_file,
                                                   .write_file = host_write_file,
                                                   .move = host_move,
                                                   .set_clock = host_set_clock,
                                                   .real_ms = host_real_ms,
                                                   .ring_at = host_ring_at};
    uint64_t seed;
    static const struct net_host net_host = {.submit = host_submit,
                                             .submit_busy = host_submit_busy,
                                             .now = host_now,
                                             .until = host_until};
    host_secret(s, &seed, sizeof seed);
    clock_init(&s->clock);
    stopwatch_init(&s->stopwatch);
    if (o->frozen)
        clock_freeze(&s->clock);
    s->wake = o->wake;
    s->ctx = o->ctx;
    s->engine = engine_new(&(struct engine_options){.config = o->config,
                                                    .log = o->log,
                                                    .host = &engine_host,
                                                    .ctx = s,
                                                    .now = clock_ms(&s->clock),
                                                    .seed = seed});
    return net_init(&s->net, &(struct net_options){.loop = &s->loop,
                                                   .engine = s->engine,
                                                   .config = o->config,
                                                   .log = o->log,
                                                   .host = &net_host,
                                                   .ctx = s});
}

static bool listen_somewhere(struct server *s, const struct server_options *o)
{
    for (size_t i = 0; i < o->nsockets; i++)
        if (!net_adopt(&s->net, o->sockets[i]))
            return false;
    bool deaf = o->config->port == 0 && o->config->unixsocket[0] == '\0';
    return o->nsockets || (deaf && o->may_be_deaf) || net_listen(&s->net);
}

static bool open_http(struct server *s, const struct server_options *o)
{
    return o->config->http[0] == '\0' ||
           http_open(&s->http, &(struct http_options){.loop = &s->loop,
                                                      .engine = s->engine,
                                                      .log = o->log,
                                                      .address = o->config->http,
                                                      .now = host_now,
                                                      .ready = host_ready,
                                                      .ctx = s,
                                                      .patience = HTTP_PATIENCE_MS});
}

struct server *server_new(const struct server_options *o)
{
    struct server *s = mem_alloc(sizeof *s);
    if (uv_loop_init(&s->loop) != 0) {
        log_warning(o->log, "The event loop cannot be made.");
        mem_free(s);
        return NULL;
    }
    uv_async_init(&s->loop, &s->hail, on_hail);
    uv_timer_init(&s->loop, &s->ring);
    s->hail.data = s->ring.data = s;
    if (!assemble(s, o) || !acl_load_configured(s->engine) || !listen_somewhere(s, o) ||
        !open_http(s, o)) {
        server_free(s);
        return NULL;
    }
    return s;
}

void server_run(struct server *s)
{
    while (s->net.state != NET_CLOSED)
        uv_run(&s->loop, UV_RUN_ONCE);
}

void server_free(struct server *s)
{
    net_stop(&s->net, true);
    http_close(&s->http);
    server_run(s);
    uv_close((uv_handle_t *)&s->hail, NULL);
    uv_close((uv_handle_t *)&s->ring, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    net_free(&s->net);
    engine_free(s->engine);
    uv_loop_close(&s->loop);
    mem_free(s);
}

struct uv_loop_s *server_loop(struct server *s)
{
    return &s->loop;
}

struct engine *server_engine(struct server *s)
{
    return s->engine;
}

void server_execute(struct server *s, struct session *session, const struct bytes *argv,
                    size_t argc)
{
    host_submit(s, session, argv, argc);
    busy_end(&s->net);
}

int server_port(const struct server *s)
{
    return net_port(&s->net);
}
