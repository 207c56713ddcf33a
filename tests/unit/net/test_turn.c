/* What one turn of the loop does, and when it waits. */
#include "server/net/conn.h"
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <unistd.h>

static void send_many(struct client *c, const char *line, int n)
{
    struct buf out = {0};
    for (int i = 0; i < n; i++)
        buf_put(&out, bytes_of(line));
    assert_true(client_send(c, buf_bytes(&out)));
    buf_free(&out);
}

TEST(turn, waits_for_ever_when_nothing_is_planned)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    shell_ask(s, &c, "PING", "+PONG\r\n");
    assert_int_equal(shell_would_wait(s), -1);
    client_close(&c);
    shell_rest(s);
    assert_int_equal(shell_would_wait(s), -1);
    shell_free(s);
}

TEST(turn, waits_until_the_next_deadline)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    shell_ask(s, &c, "SET k v PX 5000", "+OK\r\n");
    shell_rest(s);
    assert_in_range(shell_would_wait(s), 1, 5001);
    shell_later(s, 5001);
    assert_int_equal(s->engine->stats.expired, 1);
    assert_int_equal(shell_would_wait(s), -1);
    client_close(&c);
    shell_free(s);
}

TEST(turn, expires_a_backlog_in_slices_and_does_not_wait_meanwhile)
{
    enum { N = 20000 };
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    struct buf out = {0};
    for (int i = 0; i < N; i++)
        buf_printf(&out, "SET key:%d v PX 100\r\n", i);
    for (size_t at = 0; at < buf_len(&out);) {
        ssize_t n = write(c.fd, out.p + at, buf_len(&out) - at);
        at += n > 0 ? (size_t)n : 0;
        shell_rest(s);
    }
    s->now += 101;
    while (s->engine->stats.expired == 0) {
        shell_turn(s);
        assert_int_equal(shell_would_wait(s), 0);
    }
    assert_in_range(s->engine->stats.expired, 1, N / 4);
    shell_rest(s);
    assert_int_equal(s->engine->stats.expired, N);
    assert_int_equal(shell_would_wait(s), -1);
    buf_free(&out);
    client_close(&c);
    shell_free(s);
}

TEST(turn, a_long_pipeline_lets_others_pass)
{
    enum { N = 10000 };
    struct shell *s = shell_new(NULL);
    struct client busy = shell_dial(s), other = shell_dial(s);
    send_many(&busy, "PING\r\n", N);
    assert_true(client_say(&other, "ECHO x"));
    shell_turn(s);
    shell_turn(s);
    shell_hears(&other, "$1\r\nx\r\n");
    assert_in_range(s->engine->stats.commands, 2, N / 2);
    assert_int_equal(shell_would_wait(s), 0);
    shell_rest(s);
    assert_int_equal(s->engine->stats.commands, N + 1);
    for (int i = 0; i < N; i++)
        shell_hears(&busy, "+PONG\r\n");
    client_close(&busy);
    client_close(&other);
    shell_free(s);
}

TEST(turn, commands_that_take_long_end_the_clients_turn_early)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    send_many(&c, "PING\r\n", 10);
    s->cost = 3;
    shell_turn(s);
    assert_int_equal(s->engine->stats.commands, 1);
    shell_rest(s);
    assert_int_equal(s->engine->stats.commands, 10);
    client_close(&c);
    shell_free(s);
}

TEST(turn, large_replies_end_the_clients_turn_early)
{
    enum { ASKED = 50, SIZE = 100000, FEW = 4 };
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    shell_ask(s, &c, "EVAL \"return redis.call('set', 'big', ('x'):rep(100000))\" 0", "+OK\r\n");
    int64_t before = s->engine->stats.commands;
    send_many(&c, "GET big\r\n", ASKED);
    shell_turn(s);
    assert_in_range(s->engine->stats.commands - before, 1, FEW);
    struct buf got = {0};
    for (int i = 0; i < ASKED; i++) {
        while (client_read(&c, 0, &got) != CLIENT_REPLY)
            shell_rest(s);
        assert_in_range(buf_len(&got), SIZE, SIZE + 20);
        buf_clear(&got);
    }
    buf_free(&got);
    client_close(&c);
    shell_free(s);
}

TEST(turn, replies_of_one_read_leave_together)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    send_many(&c, "PING\r\n", 100);
    shell_rest(s);
    char got[1000];
    assert_int_equal(read(c.fd, got, sizeof got), 700);
    client_close(&c);
    shell_free(s);
}

/* One that has been here for a while. */
static struct client dial_regular(struct shell *s)
{
    struct client c = shell_dial(s);
    shell_later(s, 1001);
    shell_ask(s, &c, "PING", "+PONG\r\n");
    return c;
}

enum { CROWD = 400 };

static void dial_crowd(struct shell *s, struct client crowd[CROWD])
{
    for (int i = 0; i < CROWD; i++)
        crowd[i] = shell_dial(s);
}

static void close_crowd(struct client crowd[CROWD])
{
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
}

TEST(turn, a_crowd_that_leaves_at_once_lets_others_pass)
{
    static struct client crowd[CROWD];
    struct shell *s = shell_new(NULL);
    struct client other = dial_regular(s);
    dial_crowd(s, crowd);
    close_crowd(crowd);
    assert_true(client_say(&other, "PING"));
    shell_turn(s);
    shell_turn(s);
    shell_hears(&other, "+PONG\r\n");
    assert_in_range(s->net.nconns, CROWD / 2, CROWD);
    assert_int_equal(shell_would_wait(s), 0);
    shell_rest(s);
    assert_int_equal(s->net.nconns, 1);
    client_close(&other);
    shell_free(s);
}

TEST(turn, a_crowd_of_newcomers_lets_others_pass)
{
    static struct client crowd[CROWD];
    struct shell *s = shell_new(NULL);
    struct client other = dial_regular(s);
    dial_crowd(s, crowd);
    int64_t before = s->engine->stats.commands;
    for (int i = 0; i < CROWD; i++)
        assert_true(client_say(&crowd[i], "PING"));
    assert_true(client_say(&other, "ECHO x"));
    shell_turn(s);
    shell_turn(s);
    shell_hears(&other, "$1\r\nx\r\n");
    assert_in_range(s->engine->stats.commands - before, 2, 2 * NET_NEWCOMERS + 1);
    shell_rest(s);
    for (int i = 0; i < CROWD; i++)
        shell_hears(&crowd[i], "+PONG\r\n");
    close_crowd(crowd);
    client_close(&other);
    shell_free(s);
}

static bool is_new(const struct session *session)
{
    const struct conn *c = session->owner;
    return c->flags & CONN_NEW;
}

TEST(turn, a_newcomer_is_one_until_it_has_logged_in_and_stayed_for_a_second)
{
    static const char *const guarded[] = {"requirepass", "secret", NULL};
    struct shell *s = shell_new(guarded);
    struct client c = shell_dial(s);
    const struct session *session = shell_session(s);
    shell_later(s, 1001);
    shell_ask(s, &c, "PING", "-NOAUTH Authentication required.\r\n");
    assert_true(is_new(session));
    shell_ask(s, &c, "AUTH secret", "+OK\r\n");
    assert_false(is_new(session));

    struct client late = shell_dial(s);
    session = shell_session(s);
    shell_ask(s, &late, "AUTH secret", "+OK\r\n");
    assert_true(is_new(session));
    shell_later(s, 1001);
    shell_ask(s, &late, "PING", "+PONG\r\n");
    assert_false(is_new(session));
    shell_ask(s, &late, "PING", "+PONG\r\n");
    client_close(&c);
    client_close(&late);
    shell_free(s);
}

TEST(turn, a_busy_crowd_has_small_shares_once_the_turn_is_late)
{
    enum { BUSY = 50, N = 40, LATE = 4 };
    static struct client crowd[BUSY];
    struct shell *s = shell_new(NULL);
    for (int i = 0; i < BUSY; i++)
        crowd[i] = shell_dial(s);
    for (int i = 0; i < BUSY; i++)
        send_many(&crowd[i], "PING\r\n", N);
    s->cost = 1;
    shell_turn(s);
    assert_in_range(s->engine->stats.commands, BUSY, BUSY * LATE);
    s->cost = 0;
    shell_rest(s);
    assert_int_equal(s->engine->stats.commands, BUSY * N);
    for (int i = 0; i < BUSY; i++)
        client_close(&crowd[i]);
    shell_free(s);
}

static void send_all(struct shell *s, struct client *c, struct bytes what)
{
    while (what.n) {
        ssize_t n = write(c->fd, what.p, what.n);
        what = (struct bytes){what.p + (n > 0 ? n : 0), what.n - (size_t)(n > 0 ? n : 0)};
        shell_rest(s);
    }
}

/* However many wait for it: growing all of their buffers at the same message would be slow. */
TEST(turn, output_that_nobody_reads_is_kept_in_pieces)
{
    enum { MESSAGES = 2000, PIECE = 64 << 10 };
    static const char message[] =
        "PUBLISH ch xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n";
    struct shell *s = shell_new(NULL);
    struct client silent = shell_dial(s);
    shell_ask(s, &silent, "SUBSCRIBE ch", "*3\r\n$9\r\nsubscribe\r\n$2\r\nch\r\n:1\r\n");
    const struct session *subscriber = shell_session(s);
    struct client c = shell_dial(s);
    for (int i = 0; i < MESSAGES; i++) {
        send_all(s, &c, (struct bytes){message, sizeof message - 1});
        shell_hears(&c, ":1\r\n");
        assert_in_range(subscriber->out.cap, 0, 2 * PIECE);
    }
    assert_in_range(subscriber->unsent, PIECE, MESSAGES * 250);

    struct buf got = {0};
    for (int i = 0; i < MESSAGES; i++) {
        buf_clear(&got);
        while (client_read(&silent, 0, &got) != CLIENT_REPLY)
            shell_rest(s);
    }
    shell_rest(s);
    assert_int_equal(subscriber->unsent + buf_len(&subscriber->out), 0);
    shell_ask(s, &silent, "PING", "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    buf_free(&got);
    client_close(&silent);
    client_close(&c);
    shell_free(s);
}
