#include "tests/soak/front.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1000, TRIES = 1000 };

double front_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void front_tell(struct front *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->outcome, sizeof f->outcome, fmt, ap);
    va_end(ap);
}

struct client front_dial(const struct front *f)
{
    struct client c;
    for (int i = 0; !client_connect_unix(&c, f->socket); i++)
        if (i > TRIES)
            _exit(1);
    return c;
}

bool front_skip(struct client *c, size_t n)
{
    struct buf reply = {0};
    bool there = true;
    for (; n && there; n--) {
        buf_clear(&reply);
        there = client_read(c, FRONT_REPLY_MS, &reply) == CLIENT_REPLY;
    }
    buf_free(&reply);
    return there;
}

void front_say(struct client *c, const char *line)
{
    if (!client_say(c, line) || !front_skip(c, 1))
        _exit(1);
}

void front_ask(struct front *f, struct client *c, const char *line)
{
    struct buf reply = {0};
    double from = front_now_ms();
    client_say(c, line);
    enum client_got got = client_read(c, FRONT_REPLY_MS, &reply);
    int n = buf_len(&reply) < 30 ? (int)buf_len(&reply) : 30;
    for (int i = 0; i < n; i++)
        if (reply.p[i] == '\r' || reply.p[i] == '\n')
            n = i;
    if (got == CLIENT_REPLY)
        front_tell(f, "`%.*s` after %.0f ms", n, reply.p, front_now_ms() - from);
    else
        front_tell(f, got == CLIENT_CLOSED ? "connection closed" : "no answer");
    buf_free(&reply);
}

bool front_byte(struct client *c, char *byte)
{
    return poll(&(struct pollfd){.fd = c->fd, .events = POLLIN}, 1, FRONT_REPLY_MS) > 0 &&
           recv(c->fd, byte, 1, 0) == 1;
}

bool front_drain(struct client *c, size_t lines)
{
    char chunk[1 << 16];
    while (lines && poll(&(struct pollfd){.fd = c->fd, .events = POLLIN}, 1, FRONT_REPLY_MS) > 0) {
        ssize_t n = recv(c->fd, chunk, sizeof chunk, 0);
        if (n <= 0)
            return false;
        for (const char *p = chunk; (p = memchr(p, '\n', (size_t)(chunk + n - p))); p++)
            lines -= lines > 0;
    }
    return lines == 0;
}

void front_fill(const struct front *f, size_t n, const char *format)
{
    struct client c = front_dial(f);
    struct buf batch = {0};
    for (size_t i = 0; i < n;) {
        size_t said = 0;
        buf_clear(&batch);
        for (; said < BATCH && i < n; said++, i++)
            buf_printf(&batch, format, i);
        if (!front_stuff(&c, buf_bytes(&batch)) || !front_drain(&c, said))
            _exit(1);
    }
    buf_free(&batch);
    client_close(&c);
}

bool front_stuff(struct client *c, struct bytes what)
{
    while (what.n && poll(&(struct pollfd){.fd = c->fd, .events = POLLOUT}, 1, 1000) > 0) {
        ssize_t n = send(c->fd, what.p, what.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n <= 0 && errno != EAGAIN)
            return false;
        if (n > 0)
            what = (struct bytes){what.p + n, what.n - (size_t)n};
    }
    return true;
}

bool front_closed(struct client *c)
{
    char byte;
    ssize_t n;
    while ((n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT)) < 0 && errno == EINTR)
        ;
    return n == 0 || (n < 0 && errno != EAGAIN) ||
           poll(&(struct pollfd){.fd = c->fd, .events = POLLHUP}, 1, 0) > 0;
}
