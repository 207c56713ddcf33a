#include "tests/lib/rig.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/testing.h"

#include <stdio.h>

static void on_wake(void *ctx, struct session *s)
{
    (void)s;
    ((struct rig *)ctx)->wakes++;
}

static int64_t on_wall(void *ctx)
{
    struct rig *r = ctx;
    return (r->now + r->wall) * 1000;
}

static void on_inspect(void *ctx, struct process_facts *out)
{
    (void)ctx;
    *out = (struct process_facts){.os = "Linux 6 x86_64",
                                  .executable = "/usr/bin/latchd",
                                  .pid = 77,
                                  .tcp_port = 6379,
                                  .rss = 4 << 20,
                                  .cpu_sys = 0.5};
}

static void on_sleep(void *ctx, int64_t us)
{
    ((struct rig *)ctx)->slept += us;
}

static void on_stop(void *ctx)
{
    ((struct rig *)ctx)->stops++;
}

/* Client 0 comes from port 5000, client 1 from 5001 and so on. */
static bool on_describe(void *ctx, const struct session *s, bool addresses,
                        struct session_facts *out)
{
    struct rig *r = ctx;
    for (int i = 0; i < RIG_CLIENTS && addresses; i++)
        if (r->clients[i] == s)
            snprintf(out->peer, sizeof out->peer, "127.0.0.1:%d", 5000 + i);
    snprintf(out->local, sizeof out->local, "127.0.0.1:6379");
    out->fd = 8;
    out->reading = true;
    return true;
}

/* A command within another one takes as long as any: it lies between two readings. */
static int64_t on_now_us(void *ctx)
{
    struct rig *r = ctx;
    return r->us += r->takes;
}

static int64_t on_running(void *ctx)
{
    return ((struct rig *)ctx)->running_ms++;
}

static void on_others(void *ctx)
{
    struct rig *r = ctx;
    if (r->others)
        r->others(r);
}

static void on_move(void *ctx, int64_t ms)
{
    ((struct rig *)ctx)->now += ms;
}

static void on_set_clock(void *ctx, enum clock_state state)
{
    struct rig *r = ctx;
    r->frozen = state == CLOCK_FROZEN;
    r->clock_reset |= state == CLOCK_RESET;
}

static int64_t on_real(void *ctx)
{
    return ((struct rig *)ctx)->real;
}

static void on_ring_at(void *ctx, int64_t at)
{
    ((struct rig *)ctx)->ring_at = at;
}

/* Not much of a secret, but the same in every run. */
static void on_secret(void *ctx, void *out, size_t n)
{
    (void)ctx;
    for (size_t i = 0; i < n; i++)
        ((unsigned char *)out)[i] = (unsigned char)(i * 37);
}

static bool on_read_file(void *ctx, const char *path, struct buf *out, const char **why)
{
    const struct rig *r = ctx;
    (void)path;
    *why = "No such file or directory";
    if (r->file)
        buf_put(out, bytes_of(r->file));
    return r->file != NULL;
}

static bool on_write_file(void *ctx, const char *path, struct bytes text, const char **why)
{
    struct rig *r = ctx;
    (void)path;
    *why = "No space left on device";
    if (r->disk_full)
        return false;
    buf_clear(&r->written);
    buf_put(&r->written, text);
    buf_putc(&r->written, '\0');
    return true;
}

static const struct engine_host host = {.wake = on_wake,
                                        .wall_us = on_wall,
                                        .describe = on_describe,
                                        .inspect = on_inspect,
                                        .sleep = on_sleep,
                                        .stop = on_stop,
                                        .secret = on_secret,
                                        .read_file = on_read_file,
                                        .write_file = on_write_file,
                                        .now_us = on_now_us,
                                        .running_ms = on_running,
                                        .move = on_move,
                                        .set_clock = on_set_clock,
                                        .real_ms = on_real,
                                        .ring_at = on_ring_at,
                                        .serve_others = on_others};

static struct rig *make(bool testing)
{
    struct rig *r = mem_alloc(sizeof *r);
    r->now = 1000;
    r->wall = 1700000000000;
    r->real = 500;
    r->ring_at = WHEEL_NEVER;
    config_init(&r->config);
    r->config.test = testing;
    r->engine = engine_new(&(struct engine_options){
        .config = &r->config, .log = &r->log, .host = &host, .ctx = r, .now = r->now, .seed = 42});
    as(r, 0);
    return r;
}

struct rig *rig_new(void)
{
    return make(false);
}

struct rig *rig_new_testing(void)
{
    return make(true);
}

void rig_free(struct rig *r)
{
    for (int i = 0; i < RIG_CLIENTS; i++)
        disconnect(r, i);
    engine_free(r->engine);
    config_free(&r->config);
    buf_free(&r->reply);
    buf_free(&r->written);
    mem_free(r);
}

void as(struct rig *r, int who)
{
    r->who = who;
    if (r->clients[who] == NULL)
        r->clients[who] = session_new(r->engine, NULL, SESSION_LOCAL);
}

void disconnect(struct rig *r, int who)
{
    if (r->clients[who])
        session_free(r->clients[who]);
    r->clients[who] = NULL;
}

const char *received(struct rig *r, int who)
{
    struct buf *out = &r->clients[who]->out;
    struct bytes b = buf_bytes(out);
    buf_clear(&r->reply);
    for (size_t i = 0; i < b.n; i++) {
        if (b.p[i] == '\r' && i + 1 < b.n && b.p[i + 1] == '\n') {
            if (i + 2 < b.n)
                buf_putc(&r->reply, ' ');
            i++;
        } else {
            buf_putc(&r->reply, b.p[i]);
        }
    }
    buf_putc(&r->reply, '\0');
    buf_clear(out);
    return buf_bytes(&r->reply).p;
}

void run_argv(struct rig *r, const struct bytes *argv, size_t argc)
{
    struct session *s = r->clients[r->who];
    buf_clear(&s->out);
    engine_execute(r->engine, s, r->now, argv, argc);
    engine_took(r->engine, s, argv, argc, r->takes);
    received(r, r->who);
}

void run(struct rig *r, const char *line)
{
    struct buf text = {0}, ends = {0};
    struct bytes argv[256];
    ssize_t n = quote_split(bytes_of(line), &text, &ends);
    assert_in_range(n, 1, 256);
    const size_t *end = (const size_t *)(const void *)buf_bytes(&ends).p;
    size_t from = 0;
    for (ssize_t i = 0; i < n; i++) {
        argv[i] = (struct bytes){buf_bytes(&text).p + from, end[i] - from};
        from = end[i];
    }
    run_argv(r, argv, (size_t)n);
    buf_free(&text);
    buf_free(&ends);
}

void later(struct rig *r, int64_t ms)
{
    int64_t until = r->now + ms;
    for (;;) {
        int64_t next = engine_deadline(r->engine);
        if (next > until)
            break;
        if (next > r->now)
            r->now = next;
        engine_advance(r->engine, r->now);
    }
    r->now = until;
}

void really_later(struct rig *r, int64_t ms)
{
    int64_t until = r->real + ms;
    while (r->ring_at <= until) {
        if (r->ring_at > r->real)
            r->real = r->ring_at;
        r->ring_at = WHEEL_NEVER;
        testing_ring(r->engine);
    }
    r->real = until;
}

const char *rig_reply(struct rig *r)
{
    return buf_bytes(&r->reply).p;
}
