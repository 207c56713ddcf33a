/* Where it listens, and for whom. */
#include "server/net/listener.h"

#include "base/mem.h"
#include "server/engine/roster.h"
#include "server/net/address.h"
#include "server/net/conn.h"
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const ANY_PORT[] = {"port", "auto", "bind", "127.0.0.1 -::1", NULL};

static void ping_tcp(struct shell *s, const char *host)
{
    struct client c;
    assert_true(client_connect_tcp(&c, host, net_port(&s->net)));
    shell_ask(s, &c, "PING", "+PONG\r\n");
    client_close(&c);
    shell_rest(s);
}

TEST(listener, picks_one_free_port_for_all_addresses)
{
    struct shell *s = shell_new_deaf(ANY_PORT);
    assert_true(net_listen(&s->net));
    assert_true(net_port(&s->net) > 0);
    assert_int_equal(s->config.port, net_port(&s->net));
    ping_tcp(s, "127.0.0.1");
    ping_tcp(s, "::1");
    shell_free(s);
}

TEST(listener, tcp_and_unix_socket_at_once)
{
    struct shell *s = shell_new_deaf(ANY_PORT);
    mem_free(s->config.unixsocket);
    s->config.unixsocket = mem_strdup(s->path);
    assert_true(net_listen(&s->net));
    struct client c = shell_dial(s);
    shell_ask(s, &c, "PING", "+PONG\r\n");
    assert_true(shell_session(s)->flags & SESSION_UNIX);
    ping_tcp(s, "127.0.0.1");
    client_close(&c);
    shell_free(s);
}

TEST(listener, port_zero_without_unix_socket_is_nowhere)
{
    static const char *const nowhere[] = {"port", "0", NULL};
    struct shell *s = shell_new_deaf(nowhere);
    assert_false(net_listen(&s->net));
    assert_true(shell_logged(s, "Configured to not listen anywhere"));
    shell_free(s);
}

/* 192.0.2.0/24 is nobody's: it stands in books. */
TEST(listener, an_address_with_a_dash_may_be_missing)
{
    static const char *const optional[] = {"port", "auto", "bind", "127.0.0.1 -192.0.2.77", NULL};
    static const char *const needed[] = {"port", "auto", "bind", "127.0.0.1 192.0.2.77", NULL};
    struct shell *s = shell_new_deaf(optional);
    assert_true(net_listen(&s->net));
    ping_tcp(s, "127.0.0.1");
    shell_free(s);
    s = shell_new_deaf(needed);
    assert_false(net_listen(&s->net));
    assert_true(shell_logged(s, "Could not create server TCP listening socket 192.0.2.77:"));
    shell_free(s);
}

TEST(listener, a_port_in_use_is_an_error)
{
    struct shell *a = shell_new_deaf(ANY_PORT), *b = shell_new_deaf(ANY_PORT);
    assert_true(net_listen(&a->net));
    b->config.port = a->config.port;
    assert_false(net_listen(&b->net));
    assert_true(shell_logged(b, "Address already in use"));
    shell_free(a);
    shell_free(b);
}

static bool config_set_one(struct shell *s, const char *name, const char *value)
{
    char why[CONFIG_ERROR_MAX];
    struct bytes pair[] = {bytes_of(name), bytes_of(value)};
    return config_set(&s->config, pair, 1, true, why);
}

TEST(listener, moves_to_another_port_and_stays_when_it_cannot)
{
    struct shell *a = shell_new_deaf(ANY_PORT), *b = shell_new_deaf(ANY_PORT);
    char taken[16];
    assert_true(net_listen(&a->net));
    assert_true(net_listen(&b->net));
    int before = net_port(&a->net);
    snprintf(taken, sizeof taken, "%d", net_port(&b->net));
    assert_false(config_set_one(a, "port", taken));
    assert_false(config_set_one(a, "bind", "192.0.2.77"));
    shell_rest(a);
    assert_int_equal(net_port(&a->net), before);
    ping_tcp(a, "127.0.0.1");

    shell_free(b);
    assert_true(config_set_one(a, "port", taken));
    shell_rest(a);
    ping_tcp(a, "127.0.0.1");
    assert_true(config_set_one(a, "port", "0"));
    assert_int_equal(net_port(&a->net), 0);
    shell_free(a);
}

/* CVE-2023-45145: for a moment it had others, and listened. */
TEST(listener, the_unix_socket_has_the_permissions_asked_for)
{
    static const char *const perm[] = {"unixsocketperm", "750", NULL};
    struct shell *s = shell_new(perm);
    struct stat st;
    assert_int_equal(stat(s->path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0750);
    shell_free(s);
}

TEST(listener, replaces_a_stale_socket_but_no_live_one_and_no_file)
{
    struct shell *a = shell_new(NULL), *b = shell_new_deaf(NULL);
    assert_int_equal(listener_unix(&b->net, a->path, 0), UV_EADDRINUSE);
    struct client c = shell_dial(a);
    shell_ask(a, &c, "PING", "+PONG\r\n");
    client_close(&c);
    shell_free(a);

    struct sockaddr_un stale = {.sun_family = AF_UNIX};
    snprintf(stale.sun_path, sizeof stale.sun_path, "%s", b->path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&stale, sizeof stale), 0);
    close(fd);
    assert_int_equal(listener_unix(&b->net, b->path, 0), 0);

    char file[80];
    snprintf(file, sizeof file, "%s/file", b->dir);
    fclose(fopen(file, "w"));
    assert_int_equal(listener_unix(&b->net, file, 0), UV_EADDRINUSE);
    assert_int_equal(unlink(file), 0);
    shell_free(b);
}

TEST(listener, serves_on_a_socket_it_was_handed)
{
    struct shell *s = shell_new_deaf(NULL);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(fd, 10), 0);
    assert_true(net_adopt(&s->net, fd));
    ping_tcp(s, "127.0.0.1");
    shell_free(s);
}

static int option(int fd, int level, int name)
{
    int value = -1;
    socklen_t len = sizeof value;
    getsockopt(fd, level, name, &value, &len);
    return value;
}

TEST(listener, keeps_connections_alive_as_redis_does)
{
    static const char *const settings[] = {"port", "auto", "tcp-keepalive", "300", NULL};
    struct shell *s = shell_new_deaf(settings);
    assert_true(net_listen(&s->net));
    struct client c;
    struct session_facts facts;
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_port(&s->net)));
    shell_rest(s);
    assert_true(s->engine->host->describe(s, shell_session(s), true, &facts));
    assert_int_equal(option(facts.fd, IPPROTO_TCP, TCP_NODELAY), 1);
    assert_int_equal(option(facts.fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    assert_int_equal(option(facts.fd, IPPROTO_TCP, TCP_KEEPIDLE), 300);
    assert_int_equal(option(facts.fd, IPPROTO_TCP, TCP_KEEPINTVL), 100);
    assert_int_equal(option(facts.fd, IPPROTO_TCP, TCP_KEEPCNT), 3);
    client_close(&c);
    shell_free(s);
}

TEST(listener, a_peer_that_vanished_is_found_within_two_minutes)
{
    static const char *const settings[] = {"port", "auto", NULL};
    struct shell *s = shell_new_deaf(settings);
    assert_true(net_listen(&s->net));
    struct client c;
    struct session_facts facts;
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_port(&s->net)));
    shell_rest(s);
    assert_true(s->engine->host->describe(s, shell_session(s), true, &facts));
    assert_int_equal(option(facts.fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    int silence =
        option(facts.fd, IPPROTO_TCP, TCP_KEEPIDLE) +
        option(facts.fd, IPPROTO_TCP, TCP_KEEPINTVL) * option(facts.fd, IPPROTO_TCP, TCP_KEEPCNT);
    assert_in_range(silence, 10, 120);
    client_close(&c);
    shell_free(s);
}

TEST(listener, a_connection_is_described_by_both_its_ends)
{
    struct shell *s = shell_new_deaf(ANY_PORT);
    assert_true(net_listen(&s->net));
    struct client c;
    struct session_facts facts;
    char peer[32], local[32];
    struct sockaddr_in a;
    socklen_t len = sizeof a;
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_port(&s->net)));
    getsockname(c.fd, (struct sockaddr *)&a, &len);
    snprintf(peer, sizeof peer, "127.0.0.1:%d", ntohs(a.sin_port));
    snprintf(local, sizeof local, "127.0.0.1:%d", net_port(&s->net));
    assert_true(client_send(&c, BYTES("*2\r\n$4\r\nECHO\r\n$100\r\nabc")));
    shell_rest(s);
    assert_true(s->engine->host->describe(s, shell_session(s), true, &facts));
    assert_string_equal(facts.peer, peer);
    assert_string_equal(facts.local, local);
    assert_int_equal(facts.query, 23);
    assert_true(facts.reading);
    assert_false(facts.writing);
    client_close(&c);
    shell_free(s);
}

/* An address of this machine that is not loopback; false when it has none. */
static bool outer_address(char out[INET_ADDRSTRLEN])
{
    struct ifaddrs *all;
    bool found = false;
    if (getifaddrs(&all) != 0)
        return false;
    for (struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
        if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET && !address_is_local(i->ifa_addr))
            found = inet_ntop(AF_INET, &((struct sockaddr_in *)i->ifa_addr)->sin_addr, out,
                              INET_ADDRSTRLEN);
    }
    freeifaddrs(all);
    return found;
}

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

TEST(listener, a_stranger_is_denied_while_there_is_no_password)
{
    char host[INET_ADDRSTRLEN];
    const char *settings[] = {"port", "auto", "bind", host, NULL};
    if (!outer_address(host))
        skip();
    struct shell *s = shell_new_deaf(settings);
    assert_true(net_listen(&s->net));
    struct client c;
    struct buf got = {0};
    assert_true(client_connect_tcp(&c, host, net_port(&s->net)));
    shell_rest(s);
    assert_int_equal(client_read(&c, 0, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    assert_string_equal(got.p, DENIED);
    assert_true(shell_closed(&c));
    client_close(&c);

    s->config.protected_mode = false;
    ping_tcp(s, host);
    buf_free(&got);
    shell_free(s);
}

TEST(listener, loopback_addresses_and_unix_sockets_are_local)
{
    static const struct {
        const char *text;
        bool local;
    } cases[] = {{"127.0.0.1", true},  {"127.9.9.9", true},
                 {"128.0.0.1", false}, {"::1", true},
                 {"::2", false},       {"::ffff:127.0.0.1", true},
                 {"10.0.0.1", false},  {"::ffff:10.0.0.1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sockaddr_in v4 = {.sin_family = AF_INET};
        struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
        bool is4 = inet_pton(AF_INET, cases[i].text, &v4.sin_addr) == 1;
        inet_pton(AF_INET6, cases[i].text, &v6.sin6_addr);
        const void *a = is4 ? (void *)&v4 : (void *)&v6;
        assert_int_equal(address_is_local(a), cases[i].local);
    }
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    assert_true(address_is_local((struct sockaddr *)&path));
}

TEST(listener, knows_who_came_over_a_unix_socket)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    shell_rest(s);
    struct session_facts f;
    conn_describe(shell_session(s)->owner, true, &f);
    assert_true(f.known);
    assert_int_equal(f.uid, getuid());
    assert_int_equal(f.gid, getgid());
    assert_int_equal(f.pid, getpid());
    struct buf line = {0};
    char expected[96];
    roster_print(shell_session(s), &line);
    buf_putc(&line, '\0');
    snprintf(expected, sizeof expected, " lib-ver= peer-uid=%d peer-gid=%d peer-pid=%d",
             (int)getuid(), (int)getgid(), (int)getpid());
    assert_string_equal(line.p + line.to - 1 - strlen(expected), expected);
    buf_free(&line);
    client_close(&c);
    shell_free(s);
}
