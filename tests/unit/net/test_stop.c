/* Ending. */
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <sys/socket.h>

TEST(stop, answers_what_was_received_and_then_closes)
{
    enum { N = 5000 };
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s), idle = shell_dial(s);
    struct buf out = {0};
    for (int i = 0; i < N; i++)
        buf_put(&out, BYTES("PING\r\n"));
    assert_true(client_send(&c, buf_bytes(&out)));
    net_stop(&s->net, false);
    shell_rest(s);
    for (int i = 0; i < N; i++)
        shell_hears(&c, "+PONG\r\n");
    assert_true(shell_closed(&c));
    assert_true(shell_closed(&idle));
    assert_false(uv_loop_alive(&s->loop));
    buf_free(&out);
    client_close(&c);
    client_close(&idle);
    shell_free(s);
}

TEST(stop, takes_nobody_in_any_more)
{
    struct shell *s = shell_new(NULL);
    struct client c;
    net_stop(&s->net, false);
    assert_false(client_connect_unix(&c, s->path));
    client_close(&c);
    shell_free(s);
}

TEST(stop, waits_for_a_slow_reader_only_so_long)
{
    static const char *const settings[] = {"shutdown-timeout", "5", NULL};
    struct shell *s = shell_new(settings);
    struct client c = shell_dial(s);
    struct buf out = {0};
    buf_put(&out, BYTES("*2\r\n$4\r\nECHO\r\n$4000000\r\n"));
    for (int i = 0; i < 4000000; i++)
        buf_putc(&out, 'x');
    buf_put(&out, BYTES("\r\n"));
    while (buf_len(&out)) {
        ssize_t n = send(c.fd, out.p + out.from, buf_len(&out), MSG_NOSIGNAL | MSG_DONTWAIT);
        buf_consume(&out, n > 0 ? (size_t)n : 0);
        shell_rest(s);
    }
    net_stop(&s->net, false);
    shell_rest(s);
    assert_true(uv_loop_alive(&s->loop));
    assert_true(shell_would_wait(s) > 0);
    shell_later(s, 6001);
    assert_false(uv_loop_alive(&s->loop));
    buf_free(&out);
    client_close(&c);
    shell_free(s);
}

TEST(stop, at_once_waits_for_nobody)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    assert_true(client_send(&c, BYTES("PING\r\n")));
    net_stop(&s->net, false);
    net_stop(&s->net, true);
    shell_turn(s);
    assert_int_equal(s->net.state, NET_CLOSED);
    client_close(&c);
    shell_free(s);
}

TEST(stop, does_not_wait_for_a_client_that_never_stops_asking)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    net_stop(&s->net, false);
    for (int i = 0; uv_loop_alive(&s->loop); i++) {
        assert_true(i < 100);
        send(c.fd, "PING\r\n", 6, MSG_NOSIGNAL);
        s->now += 50;
        shell_turn(s);
    }
    client_close(&c);
    shell_free(s);
}
