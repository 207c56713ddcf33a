#include "tests/lib/client.h"

#include "tests/lib/answer.h"
#include "tests/lib/words.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static bool connect_to(struct client *c, int family, const void *addr, socklen_t n)
{
    *c = (struct client){.fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (c->fd < 0)
        return false;
    if (connect(c->fd, addr, n) != 0) {
        client_close(c);
        return false;
    }
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    return true;
}

bool client_connect_unix(struct client *c, const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
    return connect_to(c, AF_UNIX, &addr, sizeof addr);
}

bool client_connect_tcp(struct client *c, const char *host, int port)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    bool up = false;
    if (inet_pton(AF_INET, host, &v4.sin_addr) == 1)
        up = connect_to(c, AF_INET, &v4, sizeof v4);
    else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1)
        up = connect_to(c, AF_INET6, &v6, sizeof v6);
    if (up)
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return up;
}

/* Takes what the socket holds; false when it holds nothing now. */
static bool receive(struct client *c)
{
    ssize_t n = recv(c->fd, buf_room(&c->in, 64 << 10), 64 << 10, 0);
    if (n > 0)
        buf_added(&c->in, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        c->eof = true;
    return n > 0;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits until `deadline` for bytes or the end; false when neither came. */
static bool await(struct client *c, int64_t deadline)
{
    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd p = {.fd = c->fd, .events = POLLIN};
        if (poll(&p, 1, left > 0 ? (int)left : 0) > 0 && (receive(c) || c->eof))
            return true;
        if (left <= 0)
            return false;
    }
}

bool client_send(struct client *c, struct bytes raw)
{
    while (raw.n > 0) {
        ssize_t n = send(c->fd, raw.p, raw.n, MSG_NOSIGNAL);
        if (n >= 0) {
            raw = (struct bytes){raw.p + n, raw.n - (size_t)n};
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return false;
        struct pollfd p = {.fd = c->fd, .events = POLLIN | POLLOUT};
        if (poll(&p, 1, 10000) <= 0)
            return false;
        if (p.revents & POLLIN)
            receive(c);
    }
    return true;
}

bool client_command(struct client *c, const struct bytes *words, size_t n)
{
    struct buf out = {0};
    buf_printf(&out, "*%zu\r\n", n);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "$%zu\r\n", words[i].n);
        buf_put(&out, words[i]);
        buf_put(&out, BYTES("\r\n"));
    }
    bool sent = client_send(c, buf_bytes(&out));
    buf_free(&out);
    return sent;
}

bool client_say(struct client *c, const char *line)
{
    struct words w;
    bool sent = words_split(&w, bytes_of(line)) && client_command(c, w.word, w.n);
    words_free(&w);
    return sent;
}

enum client_got client_read(struct client *c, int timeout_ms, struct buf *out)
{
    int64_t deadline = now_ms() + timeout_ms;
    for (;;) {
        ssize_t n = answer_length(buf_bytes(&c->in));
        if (n != 0) {
            size_t take = n > 0 ? (size_t)n : buf_len(&c->in);
            buf_put(out, (struct bytes){buf_bytes(&c->in).p, take});
            buf_consume(&c->in, take);
            return n > 0 ? CLIENT_REPLY : CLIENT_GARBAGE;
        }
        if (c->eof)
            return CLIENT_CLOSED;
        if (!await(c, deadline))
            return CLIENT_TIMEOUT;
    }
}

bool client_closed(struct client *c, int timeout_ms)
{
    int64_t deadline = now_ms() + timeout_ms;
    while (!c->eof && buf_len(&c->in) == 0)
        if (!await(c, deadline))
            return false;
    return c->eof && buf_len(&c->in) == 0;
}

bool client_quiet(struct client *c)
{
    if (!c->eof)
        receive(c);
    return !c->eof && buf_len(&c->in) == 0;
}

void client_half_close(struct client *c)
{
    shutdown(c->fd, SHUT_WR);
}

void client_close(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    buf_free(&c->in);
    *c = (struct client){.fd = -1};
}
