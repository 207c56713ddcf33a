#include "tests/lib/shell.h"

#include "base/mem.h"
#include "server/net/busy.h"
#include "server/net/conn.h"
#include "tests/lib/test.h"
#include "tests/lib/words.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void keep_line(void *ctx, enum log_level level, const char *line)
{
    struct shell *s = ctx;
    (void)level;
    buf_printf(&s->lines, "%s\n", line);
}

static void wake(void *ctx, struct session *session)
{
    (void)ctx;
    conn_wake(session->owner);
}

static int64_t wall_us(void *ctx)
{
    const struct shell *s = ctx;
    return s->now * 1000;
}

static bool describe(void *ctx, const struct session *session, bool addresses,
                     struct session_facts *out)
{
    (void)ctx;
    conn_describe(session->owner, addresses, out);
    return true;
}

static void stop(void *ctx)
{
    struct shell *s = ctx;
    net_stop(&s->net, false);
}

static int64_t submit(void *ctx, struct session *session, const struct bytes *argv, size_t argc)
{
    struct shell *s = ctx;
    s->now += s->cost;
    engine_execute(s->engine, session, s->now, argv, argc);
    return s->now;
}

static void submit_busy(void *ctx, struct session *session, const struct bytes *argv, size_t argc)
{
    struct shell *s = ctx;
    engine_execute_busy(s->engine, session, argv, argc);
}

static int64_t now_us(void *ctx)
{
    const struct shell *s = ctx;
    return s->now * 1000;
}

static int64_t running_ms(void *ctx)
{
    struct shell *s = ctx;
    return s->running_ms += s->running_ms >= 0;
}

static void serve_others(void *ctx)
{
    struct shell *s = ctx;
    busy_serve(&s->net);
    if (s->meanwhile)
        s->meanwhile(s);
}

static int64_t present(void *ctx)
{
    const struct shell *s = ctx;
    return s->now;
}

static int64_t until(void *ctx, int64_t at)
{
    const struct shell *s = ctx;
    return at > s->now ? at - s->now : 0;
}

static void crowded(void *ctx)
{
    struct shell *s = ctx;
    size_t waiting = 0;
    list_each (pos, &s->engine->sessions)
        waiting += session_memory(container_of(pos, struct session, link));
    if (waiting > s->most)
        s->most = waiting;
    net_crowded(&s->net);
}

static bool keep(void *ctx, struct session *session, struct bytes message)
{
    (void)ctx;
    return conn_keep(session->owner, message);
}

static const struct engine_host engine_host = {.wake = wake,
                                               .crowded = crowded,
                                               .keep = keep,
                                               .wall_us = wall_us,
                                               .describe = describe,
                                               .now_us = now_us,
                                               .running_ms = running_ms,
                                               .serve_others = serve_others,
                                               .stop = stop};
static const struct net_host net_host = {
    .submit = submit, .submit_busy = submit_busy, .now = present, .until = until};

static void configure(struct shell *s, const char *const *settings)
{
    char why[CONFIG_ERROR_MAX];
    config_init(&s->config);
    for (; settings && *settings; settings += 2) {
        struct words values;
        assert_true(words_split(&values, bytes_of(settings[1])));
        if (!config_load(&s->config, bytes_of(settings[0]), values.word, values.n, why))
            fail_msg("%s: %s", settings[0], why);
        words_free(&values);
    }
}

struct shell *shell_new_deaf(const char *const *settings)
{
    struct shell *s = mem_alloc(sizeof *s);
    s->now = 1000000;
    s->log = (struct log){.write = keep_line, .ctx = s};
    strcpy(s->dir, "/tmp/latch-shell-XXXXXX");
    assert_non_null(mkdtemp(s->dir));
    snprintf(s->path, sizeof s->path, "%s/socket", s->dir);
    configure(s, settings);
    assert_int_equal(uv_loop_init(&s->loop), 0);
    s->engine = engine_new(&(struct engine_options){.config = &s->config,
                                                    .log = &s->log,
                                                    .host = &engine_host,
                                                    .ctx = s,
                                                    .now = s->now,
                                                    .seed = 1});
    assert_true(net_init(&s->net, &(struct net_options){.loop = &s->loop,
                                                        .engine = s->engine,
                                                        .config = &s->config,
                                                        .log = &s->log,
                                                        .host = &net_host,
                                                        .ctx = s}));
    return s;
}

struct shell *shell_new(const char *const *settings)
{
    struct shell *s = shell_new_deaf(settings);
    s->config.port = 0;
    mem_free(s->config.unixsocket);
    s->config.unixsocket = mem_strdup(s->path);
    assert_true(net_listen(&s->net));
    return s;
}

void shell_free(struct shell *s)
{
    net_stop(&s->net, true);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&s->loop), 0);
    net_free(&s->net);
    engine_free(s->engine);
    config_free(&s->config);
    buf_free(&s->lines);
    assert_int_equal(access(s->path, F_OK), -1);
    assert_int_equal(rmdir(s->dir), 0);
    mem_free(s);
}

void shell_turn(struct shell *s)
{
    uv_run(&s->loop, UV_RUN_NOWAIT);
}

int shell_would_wait(const struct shell *s)
{
    return uv_backend_timeout(&s->loop);
}

/* A turn ends with waiting for descriptors, so what the last one read is settled by the next. */
static bool ready(const struct shell *s)
{
    if (!list_empty(&s->net.dirty))
        return true;
    struct pollfd p = {.fd = uv_backend_fd(&s->loop), .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

void shell_rest(struct shell *s)
{
    do
        shell_turn(s);
    while (uv_loop_alive(&s->loop) && (shell_would_wait(s) == 0 || ready(s)));
}

void shell_later(struct shell *s, int64_t ms)
{
    s->now += ms;
    shell_rest(s);
}

struct client shell_dial(struct shell *s)
{
    struct client c;
    assert_true(client_connect_unix(&c, s->path));
    shell_rest(s);
    return c;
}

void shell_hears(struct client *c, const char *reply)
{
    struct buf got = {0};
    enum client_got what = client_read(c, 0, &got);
    buf_putc(&got, '\0');
    assert_string_equal(got.p, reply);
    assert_int_equal(what, CLIENT_REPLY);
    buf_free(&got);
}

void shell_ask(struct shell *s, struct client *c, const char *line, const char *reply)
{
    assert_true(client_say(c, line));
    shell_rest(s);
    shell_hears(c, reply);
}

bool shell_closed(struct client *c)
{
    return client_closed(c, 0);
}

struct session *shell_session(const struct shell *s)
{
    assert_false(list_empty(&s->engine->sessions));
    return container_of(s->engine->sessions.prev, struct session, link);
}

bool shell_logged(const struct shell *s, const char *text)
{
    return memmem(s->lines.p, s->lines.to, text, strlen(text)) != NULL;
}
