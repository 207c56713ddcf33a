/* What a client may not do, and that the others do not notice. */
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const SLOW[] = {"client-output-buffer-limit", "normal 8mb 1mb 60", NULL};

/* Stores a megabyte under "k". */
static void store_megabyte(struct shell *s, struct client *c)
{
    enum { SIZE = 1 << 20 };
    static char value[SIZE];
    struct buf out = {0};
    buf_printf(&out, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n", SIZE);
    buf_put(&out, (struct bytes){value, SIZE});
    buf_put(&out, BYTES("\r\n"));
    while (buf_len(&out)) {
        ssize_t n = write(c->fd, out.p + out.from, buf_len(&out));
        buf_consume(&out, n > 0 ? (size_t)n : 0);
        shell_rest(s);
    }
    shell_hears(c, "+OK\r\n");
    buf_free(&out);
}

TEST(limits, a_client_that_does_not_read_is_not_fed_until_it_does)
{
    struct shell *s = shell_new(SLOW);
    struct client c = shell_dial(s);
    store_megabyte(s, &c);
    for (int i = 0; i < 20; i++)
        assert_true(client_send(&c, BYTES("GET k\r\n")));
    shell_rest(s);
    assert_in_range(s->engine->stats.commands, 2, 5);
    assert_in_range(shell_session(s)->unsent + buf_len(&shell_session(s)->out), 1 << 20, 3 << 20);

    struct client other = shell_dial(s);
    shell_ask(s, &other, "PING", "+PONG\r\n");
    struct buf got = {0};
    for (int i = 0; i < 20; i++) {
        while (client_read(&c, 0, &got) != CLIENT_REPLY)
            shell_rest(s);
        buf_clear(&got);
    }
    assert_int_equal(s->engine->stats.commands, 22);
    shell_ask(s, &c, "PING", "+PONG\r\n");
    buf_free(&got);
    client_close(&c);
    client_close(&other);
    shell_free(s);
}

TEST(limits, a_client_over_its_soft_limit_for_too_long_is_closed)
{
    struct shell *s = shell_new(SLOW);
    struct client other = shell_dial(s), c = shell_dial(s);
    store_megabyte(s, &c);
    assert_true(client_send(&c, BYTES("GET k\r\nGET k\r\nGET k\r\nGET k\r\n")));
    shell_rest(s);
    assert_in_range(shell_would_wait(s), 1, 60000);
    shell_later(s, 59000);
    assert_int_equal(s->net.nconns, 2);
    shell_ask(s, &other, "PING", "+PONG\r\n");
    shell_later(s, 1001);
    assert_int_equal(s->net.nconns, 1);
    shell_ask(s, &other, "PING", "+PONG\r\n");
    assert_true(shell_logged(s, "output buffer limits"));
    client_close(&c);
    client_close(&other);
    shell_free(s);
}

TEST(limits, a_reply_over_the_hard_limit_closes_the_client)
{
    static const char *const small[] = {"client-output-buffer-limit", "normal 100kb 50kb 60", NULL};
    struct shell *s = shell_new(small);
    struct client other = shell_dial(s), c = shell_dial(s);
    store_megabyte(s, &c);
    assert_true(client_send(&c, BYTES("GET k\r\n")));
    shell_rest(s);
    assert_int_equal(s->net.nconns, 1);
    shell_ask(s, &other, "PING", "+PONG\r\n");
    assert_true(shell_logged(s, "output buffer limits"));
    client_close(&c);
    client_close(&other);
    shell_free(s);
}

TEST(limits, unfinished_input_past_the_query_buffer_limit_closes_the_client)
{
    static const char *const small[] = {"client-query-buffer-limit", "1mb", NULL};
    struct shell *s = shell_new(small);
    struct client other = shell_dial(s), c = shell_dial(s);
    static char bytes[64 << 10];
    assert_true(client_send(&c, BYTES("*2\r\n$4\r\nECHO\r\n$5000000\r\n")));
    for (int i = 0; i < 40 && s->net.nconns > 1; i++) {
        shell_rest(s);
        if (send(c.fd, bytes, sizeof bytes, MSG_NOSIGNAL) < 0)
            break;
    }
    assert_int_equal(s->net.nconns, 1);
    shell_ask(s, &other, "PING", "+PONG\r\n");
    assert_true(shell_logged(s, "max query buffer length"));
    client_close(&c);
    client_close(&other);
    shell_free(s);
}

/* CVE-2021-32675: strangers could make Redis keep input for them, as much as they announced. */
TEST(limits, a_client_without_password_may_send_little)
{
    static const char *const secret[] = {"requirepass", "secret", NULL};
    struct shell *s = shell_new(secret);
    struct client other = shell_dial(s), c = shell_dial(s), d = shell_dial(s);
    shell_ask(s, &other, "AUTH secret", "+OK\r\n");
    shell_ask(s, &c, "PING", "-NOAUTH Authentication required.\r\n");
    assert_true(client_send(&c, BYTES("*11\r\n")));
    assert_true(client_send(&d, BYTES("*2\r\n$4\r\nECHO\r\n$16385\r\n")));
    shell_rest(s);
    shell_hears(&c, "-ERR Protocol error: unauthenticated multibulk length\r\n");
    shell_hears(&d, "-ERR Protocol error: unauthenticated bulk length\r\n");
    shell_ask(s, &other, "PING", "+PONG\r\n");
    client_close(&other);
    client_close(&c);
    client_close(&d);
    shell_free(s);
}

TEST(limits, a_client_without_password_has_a_minute)
{
    static const char *const secret[] = {"requirepass", "secret", NULL};
    struct shell *s = shell_new(secret);
    struct client c = shell_dial(s);
    shell_later(s, 59000);
    shell_ask(s, &c, "PING", "-NOAUTH Authentication required.\r\n");
    shell_later(s, 1001);
    assert_true(shell_closed(&c));
    client_close(&c);
    shell_free(s);
}

TEST(limits, an_idle_client_is_closed_after_the_timeout_and_a_busy_one_is_not)
{
    static const char *const timeout[] = {"timeout", "10", NULL};
    struct shell *s = shell_new(timeout);
    struct client idle = shell_dial(s), busy = shell_dial(s);
    shell_later(s, 6000);
    shell_ask(s, &busy, "PING", "+PONG\r\n");
    shell_later(s, 6000);
    assert_true(shell_closed(&idle));
    shell_ask(s, &busy, "PING", "+PONG\r\n");
    client_close(&idle);
    client_close(&busy);
    shell_free(s);
}

TEST(limits, a_waiting_client_is_not_idle)
{
    static const char *const timeout[] = {"timeout", "10", NULL};
    struct shell *s = shell_new(timeout);
    struct client c = shell_dial(s);
    shell_session(s)->flags |= SESSION_BLOCKED;
    shell_later(s, 20000);
    assert_int_equal(s->net.nconns, 1);
    client_close(&c);
    shell_rest(s);
    shell_free(s);
}

TEST(limits, one_client_too_many_is_told_so)
{
    static const char *const two[] = {"maxclients", "2", NULL};
    struct shell *s = shell_new(two);
    struct client a = shell_dial(s), b = shell_dial(s), c;
    assert_true(client_connect_unix(&c, s->path));
    assert_true(client_send(&c, BYTES("PING\r\n")));
    shell_rest(s);
    shell_hears(&c, "-ERR max number of clients reached\r\n");
    assert_true(shell_closed(&c));
    shell_ask(s, &b, "PING", "+PONG\r\n");
    assert_int_equal(s->engine->stats.rejected_connections, 1);
    client_close(&a);
    shell_rest(s);
    client_close(&c);
    c = shell_dial(s);
    shell_ask(s, &c, "PING", "+PONG\r\n");
    client_close(&b);
    client_close(&c);
    shell_free(s);
}

/* Lets the process have no descriptor beyond those in use; says what the limit was. */
static rlim_t forbid_descriptors(void)
{
    struct rlimit limit;
    int next = dup(0);
    close(next);
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t old = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)next;
    setrlimit(RLIMIT_NOFILE, &limit);
    return old;
}

static void allow_descriptors(rlim_t n)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = n;
    setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(limits, without_descriptors_new_clients_wait_and_old_ones_are_served)
{
    struct shell *s = shell_new(NULL);
    struct client old = shell_dial(s), leaving = shell_dial(s), waiting;
    assert_true(client_connect_unix(&waiting, s->path));
    assert_true(client_send(&waiting, BYTES("ECHO 1\r\n")));
    rlim_t limit = forbid_descriptors();
    shell_rest(s);
    assert_true(s->net.paused);
    assert_true(shell_logged(s, "Too many open files"));
    shell_ask(s, &old, "PING", "+PONG\r\n");
    assert_true(client_quiet(&waiting));
    assert_true(shell_would_wait(s) > 0);

    shutdown(leaving.fd, SHUT_RDWR);
    shell_rest(s);
    shell_hears(&waiting, "$1\r\n1\r\n");
    allow_descriptors(limit);
    client_close(&old);
    client_close(&leaving);
    client_close(&waiting);
    shell_free(s);
}

TEST(limits, a_client_that_leaves_while_it_waits_is_noticed)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    shell_session(s)->flags |= SESSION_BLOCKED;
    assert_true(client_send(&c, BYTES("PING\r\n")));
    shell_rest(s);
    assert_int_equal(s->engine->stats.commands, 0);
    client_close(&c);
    shell_rest(s);
    assert_int_equal(s->net.nconns, 0);
    shell_free(s);
}

TEST(limits, a_client_that_waited_goes_on_where_it_was)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    struct session *session = shell_session(s);
    session->flags |= SESSION_BLOCKED;
    assert_true(client_send(&c, BYTES("ECHO 1\r\nECHO 2\r\n")));
    shell_rest(s);
    assert_true(client_quiet(&c));
    session->flags &= ~SESSION_BLOCKED;
    s->engine->host->wake(s, session);
    shell_rest(s);
    shell_hears(&c, "$1\r\n1\r\n");
    shell_hears(&c, "$1\r\n2\r\n");
    client_close(&c);
    shell_free(s);
}

/* Half a command of `size` bytes. */
static void send_half(struct shell *s, struct client *c, int size)
{
    struct buf out = {0};
    buf_printf(&out, "*2\r\n$4\r\nECHO\r\n$%d\r\n", 2 * size);
    for (int i = 0; i < size; i++)
        buf_putc(&out, 'x');
    while (buf_len(&out)) {
        ssize_t n = send(c->fd, out.p + out.from, buf_len(&out), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && s->net.nconns == 0)
            break;
        buf_consume(&out, n > 0 ? (size_t)n : 0);
        shell_rest(s);
    }
    buf_free(&out);
}

TEST(limits, when_all_clients_together_hold_too_much_the_largest_goes)
{
    static const char *const settings[] = {"maxmemory-clients", "6mb", NULL};
    struct shell *s = shell_new(settings);
    struct client small = shell_dial(s), large = shell_dial(s), last = shell_dial(s);
    send_half(s, &small, 1000);
    send_half(s, &large, 3000000);
    assert_int_equal(s->net.nconns, 3);
    send_half(s, &last, 1500000);
    assert_int_equal(s->net.nconns, 2);
    assert_true(shell_closed(&large));
    assert_true(shell_logged(s, "Evicting client"));
    client_close(&small);
    client_close(&large);
    client_close(&last);
    shell_rest(s);
    assert_int_equal(s->net.memory, 0);
    shell_free(s);
}

/* CVE-2025-21605: strangers could make Redis keep replies for them without end. */
TEST(limits, a_client_that_has_not_logged_in_is_kept_few_replies)
{
    static const char *const settings[] = {"requirepass", "secret", NULL};
    enum { MOST = 64 << 10 };
    struct shell *s = shell_new(settings);
    struct client c = shell_dial(s), other = shell_dial(s);
    shell_ask(s, &other, "AUTH secret", "+OK\r\n");
    struct buf words = {0};
    for (int i = 0; i < 10000; i++)
        buf_put(&words, BYTES("GET k\r\n"));
    for (int i = 0; i < 50; i++) {
        (void)send(c.fd, words.p, buf_len(&words), MSG_NOSIGNAL | MSG_DONTWAIT);
        shell_rest(s);
        assert_in_range(s->net.memory, 0, 4 * MOST);
    }
    shell_ask(s, &other, "PING", "+PONG\r\n");
    assert_int_equal(s->net.nconns, 2);
    shell_later(s, 11000);
    assert_int_equal(s->net.nconns, 1);
    buf_free(&words);
    client_close(&c);
    client_close(&other);
    shell_free(s);
}
