#include "server/check.h"

#include "base/num.h"
#include "server/files.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_SECONDS = 3, REPLY_MAX_BYTES = 512 };

/* Where it listens, as text for people, and what went wrong. */
struct check {
    char where[160];
    char why[300];
    int fd;
};

static bool open_socket(struct check *c, int family, const struct sockaddr *to, socklen_t n)
{
    struct timeval wait = {.tv_sec = WAIT_SECONDS};
    c->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd >= 0) {
        setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        if (connect(c->fd, to, n) == 0)
            return true;
    }
    snprintf(c->why, sizeof c->why, "%s", strerror(errno));
    return false;
}

static bool connect_unix(struct check *c, const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(c->where, sizeof c->where, "%.150s", path);
    if (strlen(path) >= sizeof to.sun_path) {
        snprintf(c->why, sizeof c->why, "the path is too long");
        return false;
    }
    memcpy(to.sun_path, path, strlen(path));
    return open_socket(c, AF_UNIX, (const struct sockaddr *)&to, sizeof to);
}

/* The first address it is bound to; all addresses include this machine's own. */
static const char *host_of(const struct config *cfg)
{
    const char *host = cfg->bind.n ? cfg->bind.item[0] : "*";
    if (host[0] == '-')
        host++;
    if (strcmp(host, "*") == 0 || strcmp(host, "0.0.0.0") == 0)
        return "127.0.0.1";
    return strcmp(host, "::*") == 0 || strcmp(host, "::") == 0 ? "::1" : host;
}

/* A port that the server picked itself stands in the file it was told to leave it in. */
static int64_t port_of(const struct config *cfg)
{
    struct buf text = {0};
    int64_t port = cfg->port;
    if (port == CONFIG_PORT_AUTO && files_read(cfg->port_file, &text) && buf_len(&text) > 1) {
        struct bytes s = buf_bytes(&text);
        num_parse_i64((struct bytes){s.p, s.n - 1}, &port);
    }
    buf_free(&text);
    return port;
}

static bool connect_tcp(struct check *c, const char *host, int64_t port)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
    char service[NUM_I64_MAX + 1];
    snprintf(service, sizeof service, "%lld", (long long)port);
    snprintf(c->where, sizeof c->where, "%.130s:%s", host, service);
    int failed = port < 0 ? EAI_SERVICE : getaddrinfo(host, service, &hints, &found);
    if (failed) {
        snprintf(c->why, sizeof c->why, "%s", gai_strerror(failed));
        return false;
    }
    bool good = open_socket(c, found->ai_family, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return good;
}

static bool send_words(struct check *c, const char *first, const char *second)
{
    struct buf out = {0};
    buf_printf(&out, "*%d\r\n$%zu\r\n%s\r\n", second ? 2 : 1, strlen(first), first);
    if (second)
        buf_printf(&out, "$%zu\r\n%s\r\n", strlen(second), second);
    struct bytes s = buf_bytes(&out);
    bool good = send(c->fd, s.p, s.n, MSG_NOSIGNAL) == (ssize_t)s.n;
    buf_free(&out);
    if (!good)
        snprintf(c->why, sizeof c->why, "%s", strerror(errno));
    return good;
}

/* One line, without its end; all answers that we may get are lines. */
static bool read_line(struct check *c, char line[REPLY_MAX_BYTES])
{
    size_t n = 0;
    while (n < REPLY_MAX_BYTES - 1) {
        ssize_t got = recv(c->fd, line + n, 1, 0);
        if (got <= 0) {
            snprintf(c->why, sizeof c->why, "%s",
                     got == 0          ? "connection closed"
                     : errno == EAGAIN ? "no answer"
                                       : strerror(errno));
            return false;
        }
        if (line[n] == '\n')
            break;
        n++;
    }
    line[n && line[n - 1] == '\r' ? n - 1 : n] = '\0';
    return true;
}

static bool ask(struct check *c, const char *first, const char *second, const char *expected)
{
    char line[REPLY_MAX_BYTES];
    if (!send_words(c, first, second) || !read_line(c, line))
        return false;
    snprintf(c->why, sizeof c->why, "%.250s", line[0] == '-' ? line + 1 : line);
    return strcmp(line, expected) == 0;
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int check_run(const struct config *cfg, bool verbose)
{
    struct check c = {.fd = -1};
    double began = milliseconds();
    bool good = cfg->port == 0 && cfg->unixsocket[0] ? connect_unix(&c, cfg->unixsocket)
                                                     : connect_tcp(&c, host_of(cfg), port_of(cfg));
    good = good && (cfg->requirepass[0] == '\0' || ask(&c, "AUTH", cfg->requirepass, "+OK")) &&
           ask(&c, "PING", NULL, "+PONG");
    double took = milliseconds() - began;
    if (c.fd >= 0)
        close(c.fd);
    if (!good)
        fprintf(stderr, "%s: %s\n", c.where, c.why);
    else if (verbose)
        printf("healthy: %s answered in %.2f ms\n", c.where, took);
    else
        printf("PONG\n");
    return good ? 0 : 1;
}
