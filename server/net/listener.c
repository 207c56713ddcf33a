/*
 * Accepting is done here rather than by libuv's listening streams, which take every waiting client
 * in one go (12,000 of them would hold up the others for a fifth of a second) and, when descriptors
 * run out, accept clients only to drop them.
 */
#include "server/net/listener.h"

#include "base/mem.h"
#include "server/net/address.h"
#include "server/net/conn.h"

#include <assert.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { ACCEPTS_PER_TURN = 64, RETRY_MS = 200 };

#define DENIED                                                                                     \
    "-DENIED Redis is running in protected mode because protected mode is enabled and no "         \
    "password is set for the default user. In this mode connections are only accepted from the "   \
    "loopback interface. If you want to connect from external computers to Redis you may adopt "   \
    "one of the following solutions: 1) Just disable protected mode sending the command 'CONFIG "  \
    "SET protected-mode no' from the loopback interface by connecting to Redis from the same "     \
    "host "                                                                                        \
    "the server is running, however MAKE SURE Redis is not publicly accessible from internet if "  \
    "you do so. Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just "  \
    "disable the protected mode by editing the Redis configuration file, and setting the "         \
    "protected mode option to 'no', and then restarting the server. 3) If you started the server " \
    "manually just for testing, restart it with the '--protected-mode no' option. 4) Setup a an "  \
    "authentication password for the default user. NOTE: You only need to do one of the above "    \
    "things in order for the server to start accepting connections from the outside.\r\n"

struct listener {
    uv_poll_t poll; /* `data` is the net */
    struct list link;
    int fd;
    bool local; /* a unix socket */
    bool tls;
    char path[108]; /* of a unix socket that was made here, to be removed; else "" */
    dev_t dev;      /* and which file that was: somebody may have put another in its place */
    ino_t ino;
};

/* Clients. */

/* Turns a client away with a word. Its own words are read first: closing a socket with unread input
 * resets the connection, and the word is lost. */
static void turn_away(const struct listener *l, int fd, struct bytes word)
{
    const struct net *n = l->poll.data;
    char unread[512];
    n->engine->stats.rejected_connections++;
    if (!l->tls) /* which has no words before the handshake */
        (void)send(fd, word.p, word.n, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(fd, SHUT_WR);
    while (recv(fd, unread, sizeof unread, MSG_DONTWAIT) > 0)
        ;
    close(fd);
}

static void set_option(int fd, int level, int name, int value)
{
    (void)setsockopt(fd, level, name, &value, sizeof value);
}

static void set_tcp_options(const struct net *n, int fd)
{
    int idle = (int)n->config->tcp_keepalive;
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    if (idle == 0)
        return;
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, idle < 3 ? 1 : idle / 3);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

/* May anybody be the default user without a password? */
static bool is_unguarded(const struct net *n)
{
    return n->engine->acl.anyone->flags & ACL_USER_NOPASS;
}

static void welcome(struct listener *l, int fd, const struct sockaddr *peer)
{
    struct net *n = l->poll.data;
    n->starved = false;
    bool local = l->local || address_is_local(peer);
    if (n->engine->nsessions >= (size_t)n->config->maxclients) {
        turn_away(l, fd, BYTES("-ERR max number of clients reached\r\n"));
        return;
    }
    if (!local && n->config->protected_mode && is_unguarded(n)) {
        turn_away(l, fd, BYTES(DENIED));
        return;
    }
    if (!l->local)
        set_tcp_options(n, fd);
    conn_new(n, fd, (local ? SESSION_LOCAL : 0) | (l->local ? SESSION_UNIX : 0), l->tls);
}

static void accept_some(struct listener *l)
{
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        struct sockaddr_storage peer = {0};
        socklen_t len = sizeof peer;
        int fd = accept4(l->fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            welcome(l, fd, (struct sockaddr *)&peer);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            listener_pause(l->poll.data);
            return;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

static void on_clients(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    accept_some(container_of(poll, struct listener, poll));
}

void listener_accept_all(struct net *n)
{
    list_each (pos, &n->listeners)
        if (!n->paused)
            accept_some(container_of(pos, struct listener, link));
}

/* Pausing. */

static void on_retry(uv_timer_t *t)
{
    listener_resume(t->data);
}

static void watch_all(struct net *n, bool on)
{
    list_each (pos, &n->listeners) {
        struct listener *l = container_of(pos, struct listener, link);
        if (on)
            uv_poll_start(&l->poll, UV_READABLE, on_clients);
        else
            uv_poll_stop(&l->poll);
    }
}

/* It goes on when a connection closes; descriptors may also come free elsewhere in the process. */
void listener_pause(struct net *n)
{
    if (!n->starved)
        log_warning(n->log, "Accepting client connection: %s", strerror(errno));
    n->paused = n->starved = true;
    watch_all(n, false);
    uv_timer_start(&n->retry, on_retry, RETRY_MS, 0);
}

void listener_resume(struct net *n)
{
    if (!n->paused)
        return;
    n->paused = false;
    uv_timer_stop(&n->retry);
    watch_all(n, true);
}

/* Listening. */

static int add(struct net *n, int fd, const char *path, bool tls)
{
    struct stat st;
    struct listener *l = mem_alloc(sizeof *l);
    int r = uv_poll_init(n->loop, &l->poll, fd);
    if (r != 0) {
        mem_free(l);
        return r;
    }
    l->poll.data = n;
    l->fd = fd;
    l->local = path != NULL;
    l->tls = tls;
    if (path && path[0] && stat(path, &st) == 0) {
        snprintf(l->path, sizeof l->path, "%s", path);
        l->dev = st.st_dev;
        l->ino = st.st_ino;
    }
    list_append(&n->listeners, &l->link);
    if (!n->paused)
        uv_poll_start(&l->poll, UV_READABLE, on_clients);
    return 0;
}

static int fail(int fd)
{
    int error = uv_translate_sys_error(errno);
    if (fd >= 0)
        close(fd);
    return error;
}

static int bound_port(int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t len = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &len) != 0)
        return 0;
    if (a.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&a)->sin6_port);
    return a.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&a)->sin_port) : 0;
}

static int listen_at(struct net *n, const struct addrinfo *a, int *port, bool tls)
{
    int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (fd < 0)
        return fail(fd);
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (a->ai_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, (int)n->config->tcp_backlog) != 0)
        return fail(fd);
    *port = bound_port(fd);
    return add(n, fd, NULL, tls);
}

int listener_tcp(struct net *n, const char *host, int *port, bool tls)
{
    bool all4 = strcmp(host, "*") == 0, all6 = strcmp(host, "::*") == 0;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found;
    char service[8];
    hints.ai_family = all4 ? AF_INET : all6 ? AF_INET6 : AF_UNSPEC;
    snprintf(service, sizeof service, "%u", (uint16_t)*port);
    if (getaddrinfo(all4 || all6 ? NULL : host, service, &hints, &found) != 0)
        return UV_EADDRNOTAVAIL;
    int r = UV_EADDRNOTAVAIL;
    for (struct addrinfo *a = found; a && r != 0; a = a->ai_next)
        r = listen_at(n, a, port, tls);
    freeaddrinfo(found);
    return r;
}

/* Is it a socket file without anybody behind it? */
static bool is_stale(const struct sockaddr_un *a)
{
    struct stat st;
    if (lstat(a->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool refused = connect(fd, (const struct sockaddr *)a, sizeof *a) != 0 && errno == ECONNREFUSED;
    close(fd);
    return refused;
}

int listener_unix(struct net *n, const char *path, mode_t perm)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    size_t n_path = strlen(path);
    if (n_path >= sizeof a.sun_path)
        return UV_ENAMETOOLONG;
    memcpy(a.sun_path, path, n_path);
    if (is_stale(&a))
        unlink(path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) != 0)
        return fail(fd);
    /* Until it listens nobody can connect, whatever the file's mode. */
    if ((perm && chmod(path, perm) != 0) || listen(fd, (int)n->config->tcp_backlog) != 0) {
        int r = fail(fd);
        unlink(path);
        return r;
    }
    return add(n, fd, path, false);
}

int listener_adopt(struct net *n, int fd)
{
    struct sockaddr_storage a = {0};
    socklen_t len = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &len) != 0)
        return uv_translate_sys_error(errno);
    return add(n, fd, a.ss_family == AF_UNIX ? "" : NULL, false);
}

static int port_of(const struct net *n, bool tls)
{
    list_each (pos, &n->listeners) {
        const struct listener *l = container_of(pos, struct listener, link);
        int port = l->tls == tls ? bound_port(l->fd) : 0;
        if (port)
            return port;
    }
    return 0;
}

int net_port(const struct net *n)
{
    return port_of(n, false);
}

int net_tls_port(const struct net *n)
{
    return port_of(n, true);
}

static void on_closed(uv_handle_t *h)
{
    mem_free(container_of((uv_poll_t *)h, struct listener, poll));
}

static void remove_socket(const struct listener *l)
{
    struct stat st;
    if (l->path[0] && stat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
        unlink(l->path);
}

static void close_one(struct listener *l)
{
    list_unlink(&l->link);
    remove_socket(l);
    uv_close((uv_handle_t *)&l->poll, on_closed);
    close(l->fd);
}

void listener_close_tcp(struct net *n, bool tls)
{
    list_each_safe (pos, &n->listeners) {
        struct listener *l = container_of(pos, struct listener, link);
        if (!l->local && l->tls == tls)
            close_one(l);
    }
}

void listener_close_all(struct net *n)
{
    while (!list_empty(&n->listeners))
        close_one(container_of(n->listeners.next, struct listener, link));
}
