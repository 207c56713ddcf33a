/*
 * What one client can do to the others: each attack is run against a fresh latchd and a fresh
 * redis-server, while a bystander sends PING after PING. Prints a table: what happened to the
 * attacker, the server's peak memory, and the longest that the bystander waited.
 *
 *     attacks [SCALE [NAME]]      SCALE: how many fields and keys, 1000000
 *
 * Times depend on the machine and on what else it does, so nothing here fails but a server that
 * dies.
 */
#include "tests/lib/client.h"
#include "tests/lib/oracle.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_MS = 120000, BATCH = 1000, CROWD = 200, FLOOD_MS = 3000, UNREAD_MB = 1000 };

enum phase { PREPARING, ATTACKING, DONE };

/* Shared with the process that attacks. */
struct front {
    volatile enum phase phase;
    size_t scale;
    char socket[64];
    char outcome[160]; /* what became of it, in words */
};

struct attack {
    const char *name, *what;
    void (*prepare)(struct front *f);
    void (*run)(struct front *f);
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

__attribute__((format(printf, 2, 3))) static void tell(struct front *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->outcome, sizeof f->outcome, fmt, ap);
    va_end(ap);
}

static struct client dial(const struct front *f)
{
    struct client c;
    for (int i = 0; !client_connect_unix(&c, f->socket); i++)
        if (i > 1000)
            _exit(1);
    return c;
}

/* Reads `n` replies; false when the server has closed the connection. */
static bool skip_replies(struct client *c, size_t n)
{
    struct buf reply = {0};
    bool there = true;
    for (; n && there; n--) {
        buf_clear(&reply);
        there = client_read(c, REPLY_MS, &reply) == CLIENT_REPLY;
    }
    buf_free(&reply);
    return there;
}

/* How the server answers, in a few words. */
static void ask(struct front *f, struct client *c, const char *line)
{
    struct buf reply = {0};
    double from = now_ms();
    client_say(c, line);
    enum client_got got = client_read(c, REPLY_MS, &reply);
    int n = buf_len(&reply) < 30 ? (int)buf_len(&reply) : 30;
    for (int i = 0; i < n; i++)
        if (reply.p[i] == '\r' || reply.p[i] == '\n')
            n = i;
    if (got == CLIENT_REPLY)
        tell(f, "`%.*s` after %.0f ms", n, reply.p, now_ms() - from);
    else
        tell(f, got == CLIENT_CLOSED ? "connection closed" : "no answer");
    buf_free(&reply);
}

/* `format` with each number up to the scale, in batches. */
static void fill(struct front *f, const char *format)
{
    struct client c = dial(f);
    struct buf batch = {0};
    for (size_t i = 0; i < f->scale;) {
        size_t n = 0;
        buf_clear(&batch);
        for (; n < BATCH && i < f->scale; n++, i++)
            buf_printf(&batch, format, i);
        if (!client_send(&c, buf_bytes(&batch)) || !skip_replies(&c, n))
            _exit(1);
    }
    buf_free(&batch);
    client_close(&c);
}

static void make_hash(struct front *f)
{
    fill(f, "HSET big field:%zu value\r\n");
}

static void make_keys(struct front *f)
{
    fill(f, "SET key:%zu value\r\n");
}

static void make_long_names(struct front *f)
{
    size_t scale = f->scale;
    f->scale = scale / 20;
    fill(f, "SET aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%zu v\r\n");
    f->scale = scale;
}

static void del_hash(struct front *f)
{
    struct client c = dial(f);
    ask(f, &c, "DEL big");
    client_close(&c);
}

static void flush_all(struct front *f)
{
    struct client c = dial(f);
    ask(f, &c, "FLUSHALL");
    client_close(&c);
}

/* Reads a reply of that many lines without keeping it. */
static bool drain(struct client *c, size_t lines)
{
    char chunk[1 << 16];
    while (lines && poll(&(struct pollfd){.fd = c->fd, .events = POLLIN}, 1, REPLY_MS) > 0) {
        ssize_t n = recv(c->fd, chunk, sizeof chunk, 0);
        if (n <= 0)
            return false;
        for (ssize_t i = 0; i < n; i++)
            lines -= chunk[i] == '\n';
    }
    return lines == 0;
}

static void keys_all(struct front *f)
{
    struct client c = dial(f);
    double from = now_ms();
    client_say(&c, "KEYS *");
    bool all = drain(&c, 1 + 2 * f->scale);
    tell(f, all ? "all of them after %.0f ms" : "closed after %.0f ms", now_ms() - from);
    client_close(&c);
}

static void scan_hostile(struct front *f)
{
    struct client c = dial(f);
    for (int i = 0; i < 20; i++)
        ask(f, &c, "SCAN 0 COUNT 100000 MATCH *a*a*a*a*a*a*a*a*a*b");
    client_close(&c);
}

static void psubscribe_hostile(struct front *f)
{
    struct client c = dial(f), other = dial(f);
    char line[256];
    for (int i = 0; i < 100; i++) {
        snprintf(line, sizeof line, "PSUBSCRIBE *a*a*a*a*a*a*a*a*a*a*b%d", i);
        client_say(&c, line);
    }
    skip_replies(&c, 100);
    snprintf(line, sizeof line, "PUBLISH %0150d x", 0);
    for (char *p = line + 8; *p == '0'; p++)
        *p = 'a';
    for (int i = 0; i < 20; i++)
        ask(f, &other, line);
    client_close(&c);
    client_close(&other);
}

/* Publishes for a while to those who do not read. */
static void publish(struct front *f, struct client *silent, int n)
{
    struct client c = dial(f);
    char text[1100];
    size_t sent = 0;
    memset(text, 'x', sizeof text);
    memcpy(text, "PUBLISH ch ", 11);
    memcpy(text + 1090, "\r\n", 2);
    for (double from = now_ms(); now_ms() < from + FLOOD_MS;) {
        for (int i = 0; i < 100; i++)
            client_send(&c, (struct bytes){text, 1092});
        if (!skip_replies(&c, 100))
            break;
        sent += 100;
    }
    struct buf count = {0};
    client_say(&c, "PUBLISH ch last");
    client_read(&c, REPLY_MS, &count);
    long left = buf_len(&count) ? strtol(count.p + 1, NULL, 10) : 0;
    tell(f, "%zu MB sent; %ld of %d still subscribed", sent * 1090 * (size_t)n >> 20, left, n);
    buf_free(&count);
    client_close(&c);
    for (int i = 0; i < n; i++)
        client_close(&silent[i]);
}

static void silent_subscribers(struct front *f, int n)
{
    struct client crowd[CROWD];
    for (int i = 0; i < n; i++) {
        crowd[i] = dial(f);
        client_say(&crowd[i], "SUBSCRIBE ch");
        skip_replies(&crowd[i], 1);
    }
    publish(f, crowd, n);
}

static void one_silent_subscriber(struct front *f)
{
    silent_subscribers(f, 1);
}

static void many_silent_subscribers(struct front *f)
{
    silent_subscribers(f, CROWD);
}

/* Sends it without reading, as far as the server takes it. */
static void stuff(struct client *c, struct bytes what)
{
    while (what.n && poll(&(struct pollfd){.fd = c->fd, .events = POLLOUT}, 1, 1000) > 0) {
        ssize_t n = send(c->fd, what.p, what.n, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        what = (struct bytes){what.p + n, what.n - (size_t)n};
    }
}

static bool is_closed(struct client *c)
{
    char byte;
    ssize_t n;
    while ((n = recv(c->fd, &byte, 1, MSG_PEEK)) < 0 && errno == EINTR)
        ;
    return n == 0 || (n < 0 && errno != EAGAIN) ||
           poll(&(struct pollfd){.fd = c->fd, .events = POLLHUP}, 1, 0) > 0;
}

static void never_reads(struct front *f)
{
    struct client c = dial(f);
    struct buf gets = {0};
    client_say(&c, "EVAL \"return redis.call('set', 'big', string.rep('x', 1000000))\" 0");
    skip_replies(&c, 1);
    for (int i = 0; i < UNREAD_MB; i++)
        buf_put(&gets, BYTES("GET big\r\n"));
    stuff(&c, buf_bytes(&gets));
    poll(NULL, 0, FLOOD_MS);
    tell(f, "asked for %d MB; %s", UNREAD_MB, is_closed(&c) ? "closed" : "still connected");
    buf_free(&gets);
    client_close(&c);
}

static void byte_by_byte(struct front *f)
{
    struct client crowd[CROWD];
    const char *text = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10000\r\nxxxxxxxxxxxxxxxxxxxxx";
    for (int i = 0; i < CROWD; i++)
        crowd[i] = dial(f);
    for (int k = 0; k < FLOOD_MS / 1000 && text[k]; k++) {
        for (int i = 0; i < CROWD; i++)
            client_send(&crowd[i], (struct bytes){text + k, 1});
        poll(NULL, 0, 1000);
    }
    tell(f, "%d clients wait in peace", CROWD);
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
}

/* One of two processes: so many connections, each with a word, and all gone at once. */
static size_t crowd_in(struct front *f, size_t n)
{
    int *fds = calloc(n, sizeof *fds);
    size_t in = 0;
    for (; in < n; in++) {
        struct client c;
        if (!client_connect_unix(&c, f->socket))
            break;
        fds[in] = c.fd;
        send(c.fd, "PING\r\n", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (size_t i = 0; i < in; i++)
        close(fds[i]);
    free(fds);
    return in;
}

static void connection_storm(struct front *f)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    size_t each = limit.rlim_cur > 6100 ? 6000 : (size_t)limit.rlim_cur - 100;
    pid_t other = fork();
    size_t in = 0;
    for (int i = 0; i < 3; i++)
        in += crowd_in(f, each);
    if (other == 0)
        _exit(0);
    waitpid(other, NULL, 0);
    tell(f, "twice %zu connections in 3 waves", in);
}

static void huge_multi(struct front *f)
{
    struct client c = dial(f);
    struct buf batch = {0};
    size_t queued = 0;
    client_say(&c, "MULTI");
    skip_replies(&c, 1);
    for (int i = 0; i < BATCH; i++)
        buf_printf(&batch, "SET key:%d %0500d\r\n", i, i);
    bool there = true;
    for (double end = now_ms() + FLOOD_MS; there && now_ms() < end && queued < 4 * f->scale;) {
        there = client_send(&c, buf_bytes(&batch)) && skip_replies(&c, BATCH);
        queued += BATCH;
    }
    double from = now_ms();
    there = there && client_say(&c, "EXEC") && drain(&c, 1 + queued);
    if (there)
        tell(f, "%zu queued, EXEC took %.0f ms", queued, now_ms() - from);
    else
        tell(f, "closed after %zu", queued);
    buf_free(&batch);
    client_close(&c);
}

static void endless_script(struct front *f)
{
    struct client c = dial(f), other = dial(f);
    client_say(&other, "CONFIG SET busy-reply-threshold 200");
    skip_replies(&other, 1);
    client_say(&c, "EVAL \"while true do end\" 0");
    for (double from = now_ms(); now_ms() < from + 0.5 * FLOOD_MS;)
        poll(NULL, 0, 100);
    ask(f, &other, "SCRIPT KILL");
    skip_replies(&c, 1);
    client_close(&c);
    client_close(&other);
}

static const struct attack attacks[] = {
    {"del", "DEL of a hash with %zu fields", make_hash, del_hash},
    {"flush", "FLUSHALL of %zu keys", make_keys, flush_all},
    {"keys", "KEYS * over %zu keys", make_keys, keys_all},
    {"scan", "SCAN with a pattern that backtracks", make_long_names, scan_hostile},
    {"psubscribe", "PSUBSCRIBE with patterns that backtrack", NULL, psubscribe_hostile},
    {"subscriber", "a subscriber that never reads", NULL, one_silent_subscriber},
    {"subscribers", "200 subscribers that never read", NULL, many_silent_subscribers},
    {"unread", "a client that never reads its replies", NULL, never_reads},
    {"bytes", "200 clients that send a byte a second", NULL, byte_by_byte},
    {"storm", "12,000 connections come and go", NULL, connection_storm},
    {"multi", "a huge MULTI", NULL, huge_multi},
    {"script", "a script without end", NULL, endless_script},
};

static long peak_mb(pid_t pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kb >> 10;
}

/* PING after PING until the attacker is done; the longest that one took under attack. */
static double watch(struct front *f, struct client *c)
{
    double longest = 0;
    struct buf reply = {0};
    while (f->phase != DONE) {
        double from = now_ms();
        client_say(c, "PING");
        buf_clear(&reply);
        if (client_read(c, REPLY_MS, &reply) != CLIENT_REPLY)
            break;
        if (f->phase != PREPARING && now_ms() - from > longest)
            longest = now_ms() - from;
        poll(NULL, 0, 1);
    }
    buf_free(&reply);
    return longest;
}

static pid_t start(struct front *f, const struct attack *a)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (a->prepare)
        a->prepare(f);
    f->phase = ATTACKING;
    a->run(f);
    f->phase = DONE;
    _exit(0);
}

/* One cell of the table; false when the server died. */
static bool run(const struct attack *a, struct front *f, struct launched *server)
{
    struct client c;
    *f = (struct front){.scale = f->scale};
    snprintf(f->socket, sizeof f->socket, "%s", server->socket);
    if (!client_connect_unix(&c, server->socket))
        return false;
    pid_t attacker = start(f, a);
    double longest = watch(f, &c);
    waitpid(attacker, NULL, 0);
    bool alive = !launch_ended(server);
    printf(" %s; %ld MB; PING %.1f ms |", alive ? f->outcome : "died", peak_mb(server->pid),
           longest);
    fflush(stdout);
    client_close(&c);
    return alive;
}

static bool run_row(const struct attack *a, struct front *f, const char *oracle)
{
    struct launched ours, theirs;
    char what[80];
    snprintf(what, sizeof what, a->what, f->scale);
    printf("| %s |", what);
    if (!launch_latchd(&ours, NULL))
        return false;
    bool alive = run(a, f, &ours);
    launch_stop(&ours);
    if (oracle && oracle_launch(&theirs, oracle)) {
        run(a, f, &theirs);
        launch_stop(&theirs);
    }
    printf("\n");
    return alive;
}

int main(int argc, char **argv)
{
    struct front *f =
        mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rlimit limit;
    bool alive = true;
    if (f == MAP_FAILED)
        return 1;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    f->scale = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    printf("| attack | latchd | redis-server |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        if (argc < 3 || strcmp(argv[2], attacks[i].name) == 0)
            alive &= run_row(&attacks[i], f, oracle_path());
    return alive ? 0 : 1;
}
