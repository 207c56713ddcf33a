#include "server/check.h"

#include "base/num.h"
#include "server/files.h"
#include "server/net/openssl.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
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
    struct openssl lib; /* loaded if `tls` is not NULL */
    SSL_CTX *rules;
    SSL *tls; /* NULL: plain */
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
    int64_t port = cfg->port ? cfg->port : cfg->tls_port;
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

static bool tls_failed(struct check *c)
{
    const char *text = c->lib.ERR_reason_error_string(c->lib.ERR_get_error());
    snprintf(c->why, sizeof c->why, "TLS: %s", text ? text : strerror(errno));
    return false;
}

/* The server's own papers are the client's as well, and who vouches for its clients vouches for it.
 */
static bool show_papers(struct check *c, const struct config *cfg)
{
    const char *file = cfg->tls_ca_cert_file[0] ? cfg->tls_ca_cert_file : NULL;
    const char *dir = cfg->tls_ca_cert_dir[0] ? cfg->tls_ca_cert_dir : NULL;
    c->lib.SSL_CTX_set_default_passwd_cb_userdata(c->rules, cfg->tls_key_file_pass);
    if (cfg->tls_cert_file[0] &&
        (c->lib.SSL_CTX_use_certificate_chain_file(c->rules, cfg->tls_cert_file) != 1 ||
         c->lib.SSL_CTX_use_PrivateKey_file(c->rules, cfg->tls_key_file, SSL_FILETYPE_PEM) != 1))
        return false;
    if (file == NULL && dir == NULL)
        return true;
    c->lib.SSL_CTX_set_verify(c->rules, SSL_VERIFY_PEER, NULL);
    return c->lib.SSL_CTX_load_verify_locations(c->rules, file, dir) == 1;
}

static bool secure(struct check *c, const struct config *cfg)
{
    const char *missing = openssl_load(&c->lib);
    if (missing) {
        snprintf(c->why, sizeof c->why, "TLS: %.250s", missing);
        return false;
    }
    c->rules = c->lib.SSL_CTX_new(c->lib.TLS_client_method());
    if (c->rules == NULL || !show_papers(c, cfg) || !(c->tls = c->lib.SSL_new(c->rules)))
        return tls_failed(c);
    BIO *socket = c->lib.BIO_new_socket(c->fd, BIO_NOCLOSE);
    c->lib.SSL_set_bio(c->tls, socket, socket);
    signal(SIGPIPE, SIG_IGN); /* OpenSSL writes to the socket itself */
    return c->lib.SSL_connect(c->tls) == 1 || tls_failed(c);
}

static bool send_words(struct check *c, const char *first, const char *second)
{
    struct buf out = {0};
    buf_printf(&out, "*%d\r\n$%zu\r\n%s\r\n", second ? 2 : 1, strlen(first), first);
    if (second)
        buf_printf(&out, "$%zu\r\n%s\r\n", strlen(second), second);
    struct bytes s = buf_bytes(&out);
    ssize_t sent =
        c->tls ? c->lib.SSL_write(c->tls, s.p, (int)s.n) : send(c->fd, s.p, s.n, MSG_NOSIGNAL);
    bool good = sent == (ssize_t)s.n;
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
        ssize_t got = c->tls ? c->lib.SSL_read(c->tls, line + n, 1) : recv(c->fd, line + n, 1, 0);
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

static bool reach(struct check *c, const struct config *cfg)
{
    if (cfg->port == 0 && cfg->unixsocket[0])
        return connect_unix(c, cfg->unixsocket);
    return connect_tcp(c, host_of(cfg), port_of(cfg)) &&
           (cfg->port != 0 || cfg->tls_port == 0 || secure(c, cfg));
}

static void hang_up(struct check *c)
{
    if (c->rules) {
        c->lib.SSL_free(c->tls);
        c->lib.SSL_CTX_free(c->rules);
    }
    if (c->fd >= 0)
        close(c->fd);
}

int check_run(const struct config *cfg, bool verbose)
{
    struct check c = {.fd = -1};
    double began = milliseconds();
    bool good = reach(&c, cfg);
    good = good && (cfg->requirepass[0] == '\0' || ask(&c, "AUTH", cfg->requirepass, "+OK")) &&
           ask(&c, "PING", NULL, "+PONG");
    double took = milliseconds() - began;
    hang_up(&c);
    if (!good)
        fprintf(stderr, "%s: %s\n", c.where, c.why);
    else if (verbose)
        printf("healthy: %s answered in %.2f ms\n", c.where, took);
    else
        printf("PONG\n");
    return good ? 0 : 1;
}
