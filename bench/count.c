/*
 * Counts instructions in process: bytes through the parser, the engine with its scripts, and the
 * wire; no sockets, a fixed seed, time that is a number. To be run under callgrind:
 *
 *     valgrind --tool=callgrind --toggle-collect=serve --callgrind-out-file=FILE bench_count
 *
 * Each workload leaves FILE.N, in which "desc: Trigger: Client Request: NAME COUNT" says how many
 * operations of what its totals are for. Without valgrind it only checks the replies.
 * bench/count.sh reads the files.
 */
#include "base/mem.h"
#include "bench/workload.h"
#include "resp/parser.h"
#include "server/engine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/callgrind.h>

enum { WARM = 64, CYCLES = 512, BATCH = 16, KEYS = 10000, FANOUT = 100 };

struct counter {
    const struct workload *workload;
    struct engine *engine;
    struct config config;
    struct log log;
    struct parser parser;
    struct workload_scripts scripts;
    int64_t now;
    uint64_t random;
    struct session *session, **listeners;
    int nlisteners;
    struct step steps[WORKLOAD_LINES], hearing;
    size_t nsteps;
};

/* What the engine asks of its host. */

static void wake(void *ctx, struct session *s)
{
    (void)ctx;
    (void)s;
}

static int64_t wall_us(void *ctx)
{
    const struct counter *c = ctx;
    return (INT64_C(1700000000000) + c->now) * 1000;
}

static int64_t now_us(void *ctx)
{
    const struct counter *c = ctx;
    return c->now * 1000;
}

static int64_t running_ms(void *ctx)
{
    (void)ctx;
    return 0;
}

static void serve_others(void *ctx)
{
    (void)ctx;
}

/* What a connection does with what it has read. */
static void feed(struct counter *c, struct session *s, struct bytes in)
{
    const struct parser_limits limits = {.args = 1 << 20, .bulk = 512 << 20, .line = 64 << 10};
    for (size_t used; in.n; in.p += used, in.n -= used) {
        if (parser_next(&c->parser, &limits, in, &used) != PARSE_OK)
            abort();
        engine_execute(c->engine, s, c->now, c->parser.argv, c->parser.argc);
        engine_took(c->engine, s, c->parser.argv, c->parser.argc, 1);
    }
}

/* Takes the answer from what the session has to say. */
static void expect(const struct counter *c, const struct step *step, struct session *s)
{
    long n = step_check(step, buf_bytes(&s->out));
    if (n <= 0) {
        fprintf(stderr, "%s: wrong answer: %.*s\n", c->workload->name,
                BYTES_FMT(buf_bytes(&s->out)));
        exit(1);
    }
    buf_consume(&s->out, (size_t)n);
}

static void say(struct counter *c, struct session *s, const struct line *line)
{
    struct step step;
    if (line->answer == NULL)
        return;
    step_make(&step, line, &(struct places){.listeners = c->nlisteners, .scripts = &c->scripts});
    feed(c, s, buf_bytes(&step.request));
    expect(c, &step, s);
    step_free(&step);
}

/* Running. */

/* What the server would do. Only this is counted, by its name. */
static __attribute__((noinline)) void serve(struct counter *c, struct bytes batch)
{
    for (int i = 0; i < c->nlisteners; i++)
        feed(c, c->listeners[i], buf_bytes(&c->hearing.request));
    feed(c, c->session, batch);
}

/* One batch of whole cycles. A listener that has to ask asks once, so then a batch is one cycle. */
static void run_batch(struct counter *c, size_t cycles)
{
    struct buf batch = {0};
    for (size_t i = 0; i < cycles; i++) {
        uint64_t key = next_random(&c->random) % KEYS;
        for (size_t k = 0; k < c->nsteps; k++)
            step_put(&c->steps[k], key, &batch);
    }
    c->now++;
    serve(c, buf_bytes(&batch));
    for (size_t i = 0; i < cycles; i++) {
        for (size_t k = 0; k < c->nsteps; k++)
            expect(c, &c->steps[k], c->session);
        for (int k = 0; k < c->nlisteners; k++)
            expect(c, &c->hearing, c->listeners[k]);
    }
    buf_free(&batch);
}

static void run_cycles(struct counter *c, size_t cycles)
{
    size_t batch = c->hearing.request.p || c->nsteps > BATCH ? 1 : BATCH / c->nsteps;
    for (size_t done = 0; done < cycles; done += batch)
        run_batch(c, batch);
}

/* Beginning and end. */

static void load_scripts(struct counter *c)
{
    for (int i = 0; i < WORKLOAD_SCRIPTS && c->workload->scripts[i]; i++) {
        struct bytes words[] = {BYTES("SCRIPT"), BYTES("LOAD"), buf_bytes(&c->scripts.text[i])};
        engine_execute(c->engine, c->session, c->now, words, 3);
        memcpy(c->scripts.sha[i], c->session->out.p + sizeof "$40\r\n" - 1, 40);
        buf_clear(&c->session->out);
    }
}

static void open_sessions(struct counter *c)
{
    int listeners = c->workload->listeners;
    c->nlisteners = listeners < 0 ? FANOUT : listeners;
    c->session = session_new(c->engine, NULL, SESSION_LOCAL);
    c->listeners = mem_alloc((size_t)c->nlisteners * sizeof(struct session *));
    load_scripts(c);
    say(c, c->session, &c->workload->before);
    for (int i = 0; i < c->nlisteners; i++) {
        c->listeners[i] = session_new(c->engine, NULL, SESSION_LOCAL);
        say(c, c->listeners[i], &c->workload->joining);
    }
}

static void make_steps(struct counter *c)
{
    const struct workload *w = c->workload;
    const struct places places = {.listeners = c->nlisteners, .scripts = &c->scripts};
    for (; c->nsteps < WORKLOAD_LINES && w->cycle[c->nsteps].ask; c->nsteps++)
        step_make(&c->steps[c->nsteps], &w->cycle[c->nsteps], &places);
    if (w->hearing.answer)
        step_make(&c->hearing, &w->hearing, &places);
}

static void count(const struct workload *w, const char *scripts)
{
    static const struct engine_host host = {.wake = wake,
                                            .wall_us = wall_us,
                                            .now_us = now_us,
                                            .running_ms = running_ms,
                                            .serve_others = serve_others};
    struct counter *c = mem_alloc(sizeof *c);
    char label[64];
    c->workload = w;
    c->now = c->random = 1;
    if (!workload_read_scripts(w, scripts, &c->scripts))
        exit(1);
    config_init(&c->config);
    c->engine = engine_new(&(struct engine_options){
        .config = &c->config, .log = &c->log, .host = &host, .ctx = c, .now = c->now, .seed = 42});
    parser_init(&c->parser);
    open_sessions(c);
    make_steps(c);

    run_cycles(c, WARM);
    CALLGRIND_ZERO_STATS;
    run_cycles(c, CYCLES);
    int operations = CYCLES * w->operations * (w->listeners < 0 ? FANOUT : 1);
    snprintf(label, sizeof label, "%s %d", w->name, operations);
    CALLGRIND_DUMP_STATS_AT(label);

    for (int i = 0; i < c->nlisteners; i++)
        session_free(c->listeners[i]);
    session_free(c->session);
    mem_free(c->listeners);
    for (size_t i = 0; i < c->nsteps; i++)
        step_free(&c->steps[i]);
    step_free(&c->hearing);
    parser_free(&c->parser);
    engine_free(c->engine);
    config_free(&c->config);
    workload_free_scripts(&c->scripts);
    mem_free(c);
}

/* `bench_count compiler` says what it was built with; else all workloads, or those named. */
int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "compiler") == 0) {
        puts(BENCH_COMPILER);
        return 0;
    }
    for (const struct workload *w = workloads; w->name; w++) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], w->name) == 0;
        if (wanted)
            count(w, "scripts/canonical");
    }
    return 0;
}
