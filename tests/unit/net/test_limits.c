/* What a client may not do, and that the others do not notice. */
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MB = 1 << 20 };

#define WITH(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* One who goes too far, and one beside it who must not notice. */
struct scene {
    struct shell *s;
    struct client c, other;
};

static struct scene begin(const char *const *settings)
{
    struct shell *s = shell_new(settings);
    struct scene t = {.s = s, .other = shell_dial(s)};
    if (acl_must_login(shell_session(s)))
        shell_ask(s, &t.other, "AUTH secret", "+OK\r\n");
    t.c = shell_dial(s);
    return t;
}

static void other_is_served(struct scene *t)
{
    shell_ask(t->s, &t->other, "PING", "+PONG\r\n");
}

/* The one who went too far is gone, and the other is not. */
static void only_other_is_left(struct scene *t)
{
    assert_int_equal(t->s->net.nconns, 1);
    other_is_served(t);
}

static void end(struct scene *t)
{
    other_is_served(t);
    client_close(&t->c);
    client_close(&t->other);
    shell_rest(t->s);
    assert_int_equal(t->s->net.memory, 0);
    shell_free(t->s);
}

/* Sends as much of it as the server wants, in small parts. */
static void send_all(struct shell *s, struct client *c, struct buf *out)
{
    for (size_t n = s->net.nconns; buf_len(out) && s->net.nconns == n;) {
        ssize_t len = send(c->fd, out->p + out->from, buf_len(out), MSG_NOSIGNAL | MSG_DONTWAIT);
        buf_consume(out, len > 0 ? (size_t)len : 0);
        shell_rest(s);
    }
    buf_free(out);
}

/* Sends the beginning of a command, and of its last argument, `announced` bytes long, `size`. */
static void send_part(struct shell *s, struct client *c, const char *words, int announced, int size)
{
    struct buf out = {0};
    buf_printf(&out, "%s$%d\r\n", words, announced);
    memset(buf_room(&out, (size_t)size), 'x', (size_t)size);
    buf_added(&out, (size_t)size);
    buf_put(&out, announced == size ? BYTES("\r\n") : BYTES(""));
    send_all(s, c, &out);
}

#define SET_K        "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n"
#define ECHO_IT      "*2\r\n$4\r\nECHO\r\n"
#define PUBLISH_NEWS "*3\r\n$7\r\nPUBLISH\r\n$4\r\nnews\r\n"

/* A megabyte is stored under "k". */
static void store_megabyte(struct scene *t)
{
    send_part(t->s, &t->c, SET_K, MB, MB);
    shell_hears(&t->c, "+OK\r\n");
}

/* Output. */

TEST(limits, a_client_that_does_not_read_is_not_fed_until_it_does)
{
    struct scene t = begin(WITH("client-output-buffer-limit", "normal 8mb 1mb 60"));
    struct shell *s = t.s;
    store_megabyte(&t);
    for (int i = 0; i < 20; i++)
        assert_true(client_send(&t.c, BYTES("GET k\r\n")));
    shell_rest(s);
    assert_in_range(s->engine->stats.commands, 2, 5);
    assert_in_range(shell_session(s)->unsent + buf_len(&shell_session(s)->out), MB, 3 * MB);
    other_is_served(&t);

    struct buf got = {0};
    for (int i = 0; i < 20; i++) {
        while (client_read(&t.c, 0, &got) != CLIENT_REPLY)
            shell_rest(s);
        buf_clear(&got);
    }
    assert_int_equal(s->engine->stats.commands, 22);
    shell_ask(s, &t.c, "PING", "+PONG\r\n");
    buf_free(&got);
    end(&t);
}

/* With output over its soft limit, it has its sixty seconds, and then no more. */
static void goes_after_a_minute(struct scene *t)
{
    assert_in_range(shell_would_wait(t->s), 1, 60000);
    shell_later(t->s, 59000);
    assert_int_equal(t->s->net.nconns, 2);
    other_is_served(t);
    shell_later(t->s, 1001);
    only_other_is_left(t);
    assert_true(shell_logged(t->s, "output buffer limits"));
    assert_int_equal(t->s->engine->stats.output_limit_closed, 1);
}

TEST(limits, a_client_over_its_soft_limit_for_too_long_is_closed)
{
    struct scene t = begin(WITH("client-output-buffer-limit", "normal 8mb 1mb 60"));
    store_megabyte(&t);
    assert_true(client_send(&t.c, BYTES("GET k\r\nGET k\r\nGET k\r\nGET k\r\n")));
    shell_rest(t.s);
    goes_after_a_minute(&t);
    end(&t);
}

TEST(limits, a_subscriber_over_its_soft_limit_for_too_long_is_closed)
{
    struct scene t = begin(WITH("client-output-buffer-limit", "pubsub 8mb 1mb 60"));
    shell_ask(t.s, &t.c, "SUBSCRIBE news", "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n");
    for (int i = 0; i < 3; i++) {
        send_part(t.s, &t.other, PUBLISH_NEWS, MB, MB);
        shell_hears(&t.other, ":1\r\n");
    }
    goes_after_a_minute(&t);
    end(&t);
}

TEST(limits, a_reply_over_the_hard_limit_closes_the_client)
{
    struct scene t = begin(WITH("client-output-buffer-limit", "normal 100kb 50kb 60"));
    store_megabyte(&t);
    assert_true(client_send(&t.c, BYTES("GET k\r\n")));
    shell_rest(t.s);
    only_other_is_left(&t);
    assert_true(shell_logged(t.s, "output buffer limits"));
    end(&t);
}

TEST(limits, a_client_that_has_said_all_has_a_minute_to_read_the_rest)
{
    struct scene t = begin(NULL);
    store_megabyte(&t);
    assert_true(client_send(&t.c, BYTES("GET k\r\nGET k\r\n")));
    client_half_close(&t.c);
    shell_rest(t.s);
    shell_later(t.s, 59000);
    assert_int_equal(t.s->net.nconns, 2);
    shell_later(t.s, 1001);
    only_other_is_left(&t);
    end(&t);
}

/* Input. */

TEST(limits, unfinished_input_past_the_query_buffer_limit_closes_the_client)
{
    struct scene t = begin(WITH("client-query-buffer-limit", "1mb"));
    send_part(t.s, &t.c, ECHO_IT, 5 * MB, 3 * MB);
    only_other_is_left(&t);
    assert_true(shell_logged(t.s, "max query buffer length"));
    end(&t);
}

TEST(limits, when_all_clients_together_hold_too_much_the_largest_goes)
{
    struct scene t = begin(WITH("maxmemory-clients", "6mb"));
    struct client small = shell_dial(t.s), last = shell_dial(t.s);
    send_part(t.s, &small, ECHO_IT, MB, 1000);
    send_part(t.s, &t.c, ECHO_IT, 6 * MB, 3 * MB);
    assert_int_equal(t.s->net.nconns, 4);
    send_part(t.s, &last, ECHO_IT, 6 * MB, 3 * MB / 2);
    assert_int_equal(t.s->net.nconns, 3);
    assert_true(shell_closed(&t.c));
    assert_true(shell_logged(t.s, "Evicting client"));
    client_close(&small);
    client_close(&last);
    end(&t);
}

/* Before authentication. */

#define WITH_PASSWORD WITH("requirepass", "secret")

/* CVE-2021-32675: strangers could make Redis keep input for them, as much as they announced. */
TEST(limits, a_client_without_password_may_send_little)
{
    struct scene t = begin(WITH_PASSWORD);
    struct client d = shell_dial(t.s);
    shell_ask(t.s, &t.c, "PING", "-NOAUTH Authentication required.\r\n");
    assert_true(client_send(&t.c, BYTES("*11\r\n")));
    assert_true(client_send(&d, BYTES(ECHO_IT "$16385\r\n")));
    shell_rest(t.s);
    shell_hears(&t.c, "-ERR Protocol error: unauthenticated multibulk length\r\n");
    shell_hears(&d, "-ERR Protocol error: unauthenticated bulk length\r\n");
    assert_true(shell_closed(&t.c));
    assert_true(shell_closed(&d));
    client_close(&d);
    end(&t);
}

/* CVE-2025-21605: strangers could make Redis keep replies for them without end. */
TEST(limits, a_client_that_has_not_logged_in_is_kept_few_replies)
{
    enum { MOST = 64 << 10 };
    struct scene t = begin(WITH_PASSWORD);
    struct buf words = {0};
    for (int i = 0; i < 10000; i++)
        buf_put(&words, BYTES("GET k\r\n"));
    for (int i = 0; i < 50; i++) {
        (void)send(t.c.fd, words.p, buf_len(&words), MSG_NOSIGNAL | MSG_DONTWAIT);
        shell_rest(t.s);
        assert_in_range(t.s->net.memory, 0, 4 * MOST);
    }
    other_is_served(&t);
    assert_int_equal(t.s->net.nconns, 2);
    shell_later(t.s, 11000);
    only_other_is_left(&t);
    buf_free(&words);
    end(&t);
}

TEST(limits, a_client_without_password_has_a_minute)
{
    struct scene t = begin(WITH_PASSWORD);
    shell_later(t.s, 59000);
    shell_ask(t.s, &t.c, "PING", "-NOAUTH Authentication required.\r\n");
    shell_later(t.s, 1001);
    assert_true(shell_closed(&t.c));
    only_other_is_left(&t);
    end(&t);
}

/* Waiting, and coming. */

TEST(limits, an_idle_client_is_closed_after_the_timeout_and_a_busy_one_is_not)
{
    struct scene t = begin(WITH("timeout", "10"));
    shell_later(t.s, 6000);
    other_is_served(&t);
    shell_later(t.s, 6000);
    assert_true(shell_closed(&t.c));
    only_other_is_left(&t);
    end(&t);
}

TEST(limits, a_waiting_client_is_not_idle)
{
    struct shell *s = shell_new(WITH("timeout", "10"));
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
    struct scene t = begin(WITH("maxclients", "2"));
    struct client d;
    assert_true(client_connect_unix(&d, t.s->path));
    assert_true(client_send(&d, BYTES("PING\r\n")));
    shell_rest(t.s);
    shell_hears(&d, "-ERR max number of clients reached\r\n");
    assert_true(shell_closed(&d));
    other_is_served(&t);
    assert_int_equal(t.s->engine->stats.rejected_connections, 1);
    client_close(&t.c);
    client_close(&d);
    shell_rest(t.s);
    t.c = shell_dial(t.s);
    shell_ask(t.s, &t.c, "PING", "+PONG\r\n");
    end(&t);
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
