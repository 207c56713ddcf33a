#include "bench/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

void give_up(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("bench: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

bool peer_option(struct peer *p, const char *option, const char *value)
{
    if (strcmp(option, "--port") == 0)
        p->port = atoi(value);
    else if (strcmp(option, "--unix") == 0)
        p->path = value;
    else if (strcmp(option, "--pid") == 0)
        p->pid = atoi(value);
    else
        return false;
    return true;
}

static int connect_unix(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        give_up("connect to %s: %s", path, strerror(errno));
    return fd;
}

static int connect_tcp(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        give_up("connect to port %d: %s", port, strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int peer_connect(const struct peer *p)
{
    return p->path ? connect_unix(p->path) : connect_tcp(p->port);
}

static uint64_t clock_ns(clockid_t id)
{
    struct timespec t;
    if (clock_gettime(id, &t) != 0)
        give_up("the server has gone");
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t peer_cpu_ns(const struct peer *p)
{
    clockid_t id;
    if (p->pid == 0)
        return 0;
    if (clock_getcpuclockid(p->pid, &id) != 0)
        give_up("no process %d", (int)p->pid);
    return clock_ns(id);
}

size_t peer_rss(const struct peer *p)
{
    char path[64];
    size_t pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)p->pid);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        return 0;
    if (fscanf(f, "%*u %zu", &pages) != 1)
        pages = 0;
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

void send_all(int fd, struct bytes data)
{
    while (data.n) {
        ssize_t n = send(fd, data.p, data.n, MSG_NOSIGNAL);
        if (n < 0)
            give_up("send: %s", strerror(errno));
        data.p += n;
        data.n -= (size_t)n;
    }
}

/* How long the reply at the beginning of `in` is; 0 when it is not all there. */
static size_t reply_length(struct bytes in)
{
    const char *end = in.n ? memchr(in.p, '\n', in.n) : NULL;
    if (end == NULL)
        return 0;
    size_t line = (size_t)(end + 1 - in.p);
    long bulk = in.p[0] == '$' ? atol(in.p + 1) : -1;
    size_t n = bulk < 0 ? line : line + (size_t)bulk + 2;
    return n <= in.n ? n : 0;
}

static struct bytes content(struct bytes reply)
{
    size_t from = reply.p[0] == '$' && reply.p[1] != '-'
                      ? (size_t)((char *)memchr(reply.p, '\n', reply.n) + 1 - reply.p)
                      : 1;
    return (struct bytes){reply.p + from, reply.n - from - 2};
}

static struct bytes receive(int fd, struct buf *reply)
{
    buf_clear(reply);
    size_t n;
    while ((n = reply_length(buf_bytes(reply))) == 0) {
        ssize_t got = read(fd, buf_room(reply, 4096), 4096);
        if (got <= 0)
            give_up("the server has closed the connection");
        buf_added(reply, (size_t)got);
    }
    if (reply->p[0] == '-')
        give_up("the server says: %.*s", (int)n - 3, reply->p + 1);
    return content((struct bytes){reply->p, n});
}

struct bytes ask_words(int fd, struct buf *reply, const struct bytes *words, size_t n)
{
    struct buf request = {0};
    buf_printf(&request, "*%zu\r\n", n);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&request, "$%zu\r\n", words[i].n);
        buf_put(&request, words[i]);
        buf_put(&request, BYTES("\r\n"));
    }
    send_all(fd, buf_bytes(&request));
    buf_free(&request);
    return receive(fd, reply);
}

struct bytes ask(int fd, struct buf *reply, const char *fmt, ...)
{
    struct buf line = {0};
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&line, fmt, ap);
    va_end(ap);
    buf_put(&line, BYTES("\r\n"));
    send_all(fd, buf_bytes(&line));
    buf_free(&line);
    return receive(fd, reply);
}
