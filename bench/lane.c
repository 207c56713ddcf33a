#include "bench/lane.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { READ_SIZE = 4096, EVENTS = 512 };

struct link {
    int fd;
    struct lane *lane;
    struct step *steps; /* of the lane's cycle, or the one that a listener hears */
    size_t nsteps;
    size_t asked, heard; /* steps, since the beginning */
    struct buf in;
};

struct lane {
    struct link main, *listeners;
    struct step steps[WORKLOAD_LINES], hearing;
    uint64_t random, key;
    size_t waiting; /* answers that this batch still lacks */
    uint64_t began;
    unsigned number;
};

struct traffic {
    struct traffic_options o;
    struct lane *lanes;
    int epoll;
    size_t nsteps;     /* of a cycle */
    size_t busy;       /* lanes with a batch under way */
    uint64_t started;  /* steps, since the run began */
    uint64_t limit;    /* of them; 0: none */
    uint64_t deadline; /* ns */
    struct buf out;
    struct durations durations;
};

static _Noreturn void wrong(const struct link *l, const struct step *s, struct bytes got)
{
    struct bytes want = buf_bytes(&s->answer);
    if (want.n)
        give_up("wrong answer\n  to   %.*s\n  want %.*s\n  got  %.*s",
                BYTES_FMT(buf_bytes(&s->request)), BYTES_FMT(want), BYTES_FMT(got));
    give_up("wrong answer in step %zu: want an integer from %lld to %lld, got %.*s",
            l->heard % l->nsteps, (long long)s->least, (long long)s->most, BYTES_FMT(got));
}

/* Asking. */

static uint64_t draw_key(struct traffic *t, struct lane *lane)
{
    uint64_t own = t->o.keys / t->o.lanes;
    return lane->number + t->o.lanes * (own > 1 ? next_random(&lane->random) % own : 0);
}

static void put_batch(struct traffic *t, struct lane *lane)
{
    for (unsigned i = 0; i < t->o.pipeline; i++) {
        struct link *l = &lane->main;
        if (l->asked % l->nsteps == 0)
            lane->key = draw_key(t, lane);
        step_put(&l->steps[l->asked++ % l->nsteps], lane->key, &t->out);
    }
    lane->waiting += t->o.pipeline;
    t->started += t->o.pipeline;
}

/* Every listener hears once for each cycle that the batch completes. */
static void prepare_listeners(struct traffic *t, struct lane *lane)
{
    size_t cycles = (lane->main.asked + t->o.pipeline) / lane->main.nsteps;
    for (int i = 0; i < t->o.listeners; i++) {
        struct link *l = &lane->listeners[i];
        buf_clear(&t->out);
        for (; l->asked < cycles; l->asked++) {
            step_put(&lane->hearing, 0, &t->out);
            lane->waiting++;
        }
        send_all(l->fd, buf_bytes(&t->out));
    }
}

static void begin_batch(struct traffic *t, struct lane *lane)
{
    prepare_listeners(t, lane);
    buf_clear(&t->out);
    put_batch(t, lane);
    lane->began = now_ns();
    send_all(lane->main.fd, buf_bytes(&t->out));
}

/* Hearing. */

static void note_duration(struct durations *d, uint64_t ns)
{
    if (d->n == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 1024;
        d->ns = mem_grow(d->ns, d->cap * sizeof *d->ns);
    }
    d->ns[d->n++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/* Lanes end between two cycles, so that every lock that was taken is given back. */
static bool may_go_on(const struct traffic *t, const struct lane *lane, uint64_t now)
{
    if (lane->main.asked % lane->main.nsteps != 0)
        return true;
    return now < t->deadline && (t->limit == 0 || t->started < t->limit);
}

static void end_batch(struct traffic *t, struct lane *lane)
{
    uint64_t now = now_ns();
    note_duration(&t->durations, now - lane->began);
    if (may_go_on(t, lane, now))
        begin_batch(t, lane);
    else
        t->busy--;
}

static void check_input(struct link *l)
{
    while (buf_len(&l->in)) {
        const struct step *s = &l->steps[l->heard % l->nsteps];
        if (l->heard == l->asked)
            give_up("unasked: %.*s", BYTES_FMT(buf_bytes(&l->in)));
        long n = step_check(s, buf_bytes(&l->in));
        if (n < 0)
            wrong(l, s, buf_bytes(&l->in));
        if (n == 0)
            return;
        buf_consume(&l->in, (size_t)n);
        l->heard++;
        l->lane->waiting--;
    }
}

static void hear(struct traffic *t, struct link *l)
{
    ssize_t n = read(l->fd, buf_room(&l->in, READ_SIZE), READ_SIZE);
    if (n <= 0)
        give_up("the server has closed the connection");
    buf_added(&l->in, (size_t)n);
    check_input(l);
    if (l->lane->waiting == 0)
        end_batch(t, l->lane);
}

static uint64_t operations_of(const struct traffic *t, uint64_t steps)
{
    uint64_t each = (uint64_t)t->o.workload->operations;
    if (t->o.workload->listeners < 0)
        each *= (uint64_t)t->o.listeners;
    return steps * each / t->nsteps;
}

uint64_t traffic_run(struct traffic *t, uint64_t ns, uint64_t operations)
{
    struct epoll_event ready[EVENTS];
    t->deadline = now_ns() + ns;
    t->limit = operations ? operations * t->nsteps / operations_of(t, t->nsteps) : 0;
    t->started = 0;
    t->busy = t->o.lanes;
    for (unsigned i = 0; i < t->o.lanes; i++)
        begin_batch(t, &t->lanes[i]);
    while (t->busy) {
        int n = epoll_wait(t->epoll, ready, EVENTS, 10000);
        if (n == 0)
            give_up("no answer for ten seconds");
        for (int i = 0; i < n; i++)
            hear(t, ready[i].data.ptr);
    }
    return operations_of(t, t->started);
}

/* Beginning and end. */

static void exchange(struct link *l, const struct line *line, const struct places *places)
{
    struct step s;
    long n;
    if (line->answer == NULL)
        return;
    step_make(&s, line, places);
    send_all(l->fd, buf_bytes(&s.request));
    while ((n = step_check(&s, buf_bytes(&l->in))) == 0) {
        ssize_t got = read(l->fd, buf_room(&l->in, READ_SIZE), READ_SIZE);
        if (got <= 0)
            give_up("the server has closed the connection");
        buf_added(&l->in, (size_t)got);
    }
    if (n < 0)
        wrong(l, &s, buf_bytes(&l->in));
    buf_consume(&l->in, (size_t)n);
    step_free(&s);
}

static void open_link(struct traffic *t, struct link *l, struct lane *lane)
{
    l->lane = lane;
    l->fd = peer_connect(&t->o.peer);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = l};
    if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, l->fd, &e) != 0)
        give_up("epoll: %s", strerror(errno));
}

static void echo_answers(struct step *s)
{
    buf_clear(&s->answer);
    buf_put(&s->answer, buf_bytes(&s->request));
    s->nkeys = 0; /* the digits stay, or the answer would differ */
}

static void make_steps(struct traffic *t, struct lane *lane, const struct places *places)
{
    const struct workload *w = t->o.workload;
    for (size_t i = 0; i < t->nsteps; i++) {
        step_make(&lane->steps[i], &w->cycle[i], places);
        if (t->o.echo)
            echo_answers(&lane->steps[i]);
    }
    if (w->hearing.answer)
        step_make(&lane->hearing, &w->hearing, places);
}

static void open_lane(struct traffic *t, unsigned number)
{
    struct lane *lane = &t->lanes[number];
    const struct workload *w = t->o.workload;
    struct places places = {.lane = number, .listeners = t->o.listeners, .scripts = t->o.scripts};
    lane->number = number;
    lane->random = t->o.seed + number;
    lane->main.steps = lane->steps;
    lane->main.nsteps = t->nsteps;
    make_steps(t, lane, &places);
    open_link(t, &lane->main, lane);
    if (!t->o.echo)
        exchange(&lane->main, &w->before, &places);
    lane->listeners = mem_alloc((size_t)t->o.listeners * sizeof *lane->listeners);
    for (int i = 0; i < t->o.listeners; i++) {
        struct link *l = &lane->listeners[i];
        open_link(t, l, lane);
        l->steps = &lane->hearing;
        l->nsteps = 1;
        exchange(l, &w->joining, &places);
    }
}

struct traffic *traffic_new(const struct traffic_options *o)
{
    struct traffic *t = mem_alloc(sizeof *t);
    t->o = *o;
    t->epoll = epoll_create1(EPOLL_CLOEXEC);
    while (t->nsteps < WORKLOAD_LINES && o->workload->cycle[t->nsteps].ask)
        t->nsteps++;
    t->lanes = mem_alloc(o->lanes * sizeof *t->lanes);
    for (unsigned i = 0; i < o->lanes; i++)
        open_lane(t, i);
    return t;
}

static void close_link(struct link *l)
{
    close(l->fd);
    buf_free(&l->in);
}

void traffic_free(struct traffic *t)
{
    for (unsigned i = 0; i < t->o.lanes; i++) {
        struct lane *lane = &t->lanes[i];
        close_link(&lane->main);
        for (int k = 0; k < t->o.listeners; k++)
            close_link(&lane->listeners[k]);
        mem_free(lane->listeners);
        for (size_t k = 0; k < t->nsteps; k++)
            step_free(&lane->steps[k]);
        step_free(&lane->hearing);
    }
    mem_free(t->lanes);
    buf_free(&t->out);
    durations_free(&t->durations);
    close(t->epoll);
    mem_free(t);
}

/* Durations. */

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void traffic_take_durations(struct traffic *t, struct durations *out)
{
    *out = t->durations;
    t->durations = (struct durations){0};
    if (out->n)
        qsort(out->ns, out->n, sizeof *out->ns, by_size);
}

void durations_free(struct durations *d)
{
    mem_free(d->ns);
}

double durations_us(const struct durations *d, double share)
{
    return d->n ? d->ns[(size_t)(share * (double)(d->n - 1))] / 1000.0 : 0;
}
