/*
 * A million deadlines in one second: bench_expiry N --port P --pid P. Fills the server with N keys
 * whose deadlines are spread over one second soon after, listens to their `expired` events, and
 * meanwhile asks PING again and again. Prints a line of JSON: how late the events came (a key is
 * alive at its deadline and gone after it, so the earliest is one millisecond later), how long
 * after the last deadline the last one came, and how long PING took.
 *
 * Every key must expire once, and none before its deadline.
 */
#include "base/mem.h"
#include "bench/peer.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 500, SPREAD_MS = 1000, READ_SIZE = 256 << 10, GIVE_UP_S = 60 };

#define CHANNEL "__keyevent@0__:expired"
#define MESSAGE "*3\r\n$7\r\nmessage\r\n$22\r\n" CHANNEL "\r\n$19\r\nexpiry:"

struct run {
    struct peer peer;
    long n;
    int64_t first; /* the first deadline, in wall-clock milliseconds */
    int events, prober;
    struct buf in;
    char *seen;
    long heard;
    double *late; /* ms, by arrival */
    double *pings;
    long npings, pings_cap;
    uint64_t asked;
    double last;  /* ms after the last deadline */
    uint64_t cpu; /* ns, of the server */
};

static double wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static int64_t deadline_of(const struct run *r, long i)
{
    return r->first + (int64_t)i * SPREAD_MS / r->n;
}

static void fill(struct run *r, int fd)
{
    struct buf out = {0};
    char in[BATCH * 5];
    for (long from = 0; from < r->n; from += BATCH) {
        long to = from + BATCH < r->n ? from + BATCH : r->n;
        size_t want = (size_t)(to - from) * 5;
        buf_clear(&out);
        for (long i = from; i < to; i++)
            buf_printf(&out,
                       "*5\r\n$3\r\nSET\r\n$19\r\nexpiry:%012ld\r\n$1\r\n1\r\n$4\r\nPXAT\r\n$"
                       "13\r\n%lld\r\n",
                       i, (long long)deadline_of(r, i));
        send_all(fd, buf_bytes(&out));
        for (size_t got = 0; got < want;) {
            ssize_t n = read(fd, in + got, want - got);
            if (n <= 0)
                give_up("the server has closed the connection");
            got += (size_t)n;
        }
        for (size_t i = 0; i < want; i += 5)
            if (memcmp(in + i, "+OK\r\n", 5) != 0)
                give_up("wrong answer: %.20s", in + i);
    }
    buf_free(&out);
}

static void hear_events(struct run *r)
{
    const size_t size = sizeof MESSAGE - 1 + 12 + 2;
    ssize_t n = read(r->events, buf_room(&r->in, READ_SIZE), READ_SIZE);
    double now = wall_ms();
    if (n <= 0)
        give_up("the server has closed the connection");
    buf_added(&r->in, (size_t)n);
    for (; buf_len(&r->in) >= size; buf_consume(&r->in, size)) {
        const char *p = buf_bytes(&r->in).p;
        long i = memcmp(p, MESSAGE, sizeof MESSAGE - 1) == 0 ? atol(p + sizeof MESSAGE - 1) : -1;
        if (i < 0 || i >= r->n || r->seen[i]++)
            give_up("unexpected event: %.*s", (int)size, p);
        double late = now - (double)deadline_of(r, i);
        if (late < 0)
            give_up("key %ld expired %.3f ms too early", i, -late);
        r->late[r->heard++] = late;
        r->last = now - (double)deadline_of(r, r->n - 1);
    }
}

static void hear_pong(struct run *r)
{
    char in[64];
    ssize_t n = read(r->prober, in, sizeof in);
    if (n != 7 || memcmp(in, "+PONG\r\n", 7) != 0)
        give_up("wrong answer to PING");
    if (r->npings == r->pings_cap) {
        r->pings_cap = r->pings_cap ? 2 * r->pings_cap : 1024;
        r->pings = mem_grow(r->pings, (size_t)r->pings_cap * sizeof *r->pings);
    }
    r->pings[r->npings++] = (double)(now_ns() - r->asked) / 1e6;
    r->asked = 0;
}

/* One PING each millisecond while keys expire. */
static void watch(struct run *r)
{
    struct pollfd p[] = {{.fd = r->events, .events = POLLIN}, {.fd = r->prober, .events = POLLIN}};
    double end = (double)r->first + SPREAD_MS + GIVE_UP_S * 1000;
    while (r->heard < r->n) {
        if (wall_ms() > end)
            give_up("%ld of %ld keys have not expired", r->n - r->heard, r->n);
        if (r->asked == 0 && wall_ms() >= (double)r->first) {
            r->asked = now_ns();
            send_all(r->prober, BYTES("PING\r\n"));
        }
        poll(p, 2, 1);
        if (p[1].revents)
            hear_pong(r);
        if (p[0].revents)
            hear_events(r);
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at(const double *sorted, long n, double share)
{
    return n ? sorted[(long)(share * (double)(n - 1))] : 0;
}

static void report(struct run *r, struct bytes left)
{
    qsort(r->late, (size_t)r->n, sizeof *r->late, by_size);
    qsort(r->pings, (size_t)r->npings, sizeof *r->pings, by_size);
    printf("{\"keys\":%ld,\"late_ms\":{\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f},"
           "\"empty_after_ms\":%.2f,\"left\":%.*s,\"cpu_us\":%.3f,"
           "\"ping_ms\":{\"n\":%ld,\"p50\":%.3f,\"p99\":%.3f,\"max\":%.3f}}\n",
           r->n, at(r->late, r->n, 0.5), at(r->late, r->n, 0.99), at(r->late, r->n, 1), r->last,
           BYTES_FMT(left), (double)r->cpu / 1000 / (double)r->n, r->npings,
           at(r->pings, r->npings, 0.5), at(r->pings, r->npings, 0.99), at(r->pings, r->npings, 1));
}

int main(int argc, char **argv)
{
    struct run r = {.n = argc > 1 ? atol(argv[1]) : 0};
    struct buf reply = {0};
    if (r.n <= 0 || argc % 2 != 0)
        give_up("usage: bench_expiry N --port P --pid P");
    for (int i = 2; i < argc; i += 2)
        if (!peer_option(&r.peer, argv[i], argv[i + 1]))
            give_up("unknown option %s", argv[i]);
    int fd = peer_connect(&r.peer);
    r.events = peer_connect(&r.peer);
    r.prober = peer_connect(&r.peer);
    ask(fd, &reply, "FLUSHALL");
    ask(fd, &reply, "CONFIG SET notify-keyspace-events Ex");
    ask(fd, &reply, "CONFIG SET client-output-buffer-limit \"pubsub 0 0 0\"");
    send_all(r.events, BYTES("SUBSCRIBE " CHANNEL "\r\n"));
    const size_t answer = sizeof "*3\r\n$9\r\nsubscribe\r\n$22\r\n" CHANNEL "\r\n:1\r\n" - 1;
    for (size_t got = 0; got < answer;)
        got += (size_t)read(r.events, buf_room(&r.in, answer), answer - got);

    r.seen = mem_alloc((size_t)r.n);
    r.late = mem_alloc((size_t)r.n * sizeof *r.late);
    r.first = (int64_t)wall_ms() + 2000 + r.n / 50; /* time enough to fill */
    fill(&r, fd);
    if (wall_ms() > (double)r.first)
        give_up("filling took too long");
    r.cpu = peer_cpu_ns(&r.peer);
    watch(&r);
    r.cpu = peer_cpu_ns(&r.peer) - r.cpu;
    report(&r, ask(fd, &reply, "DBSIZE"));
    buf_free(&reply);
    buf_free(&r.in);
    mem_free(r.seen);
    mem_free(r.late);
    mem_free(r.pings);
    return 0;
}
