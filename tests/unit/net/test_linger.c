/* Closing so that the client gets to read why. */
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

static const char *const ANY_PORT[] = {"port", "auto", NULL};

static struct client dial_tcp(struct shell *s)
{
    struct client c;
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_port(&s->net)));
    shell_rest(s);
    return c;
}

/* Over TCP, closing with unread input resets the connection, and the reset overtakes the error. */
TEST(linger, a_refused_client_reads_the_error_although_it_sent_much_more)
{
    struct shell *s = shell_new_deaf(ANY_PORT);
    assert_true(net_listen(&s->net));
    struct client c = dial_tcp(s);
    static char more[200000];
    assert_true(client_send(&c, BYTES("PING\r\n*1\r\n!\r\n")));
    assert_true(client_send(&c, (struct bytes){more, sizeof more}));
    shell_rest(s);
    assert_true(client_send(&c, (struct bytes){more, sizeof more}));
    shell_rest(s);
    shell_hears(&c, "+PONG\r\n");
    shell_hears(&c, "-ERR Protocol error: expected '$', got '!'\r\n");
    assert_true(shell_closed(&c));
    assert_int_equal(s->engine->nsessions, 0);
    client_close(&c);
    shell_rest(s);
    assert_int_equal(s->net.nconns, 0);
    assert_int_equal(s->net.nlingering, 0);
    shell_free(s);
}

TEST(linger, commands_after_quit_do_not_cost_its_reply)
{
    struct shell *s = shell_new_deaf(ANY_PORT);
    assert_true(net_listen(&s->net));
    struct client c = dial_tcp(s);
    assert_true(client_send(&c, BYTES("QUIT\r\nPING\r\n")));
    shell_rest(s);
    shell_hears(&c, "+OK\r\n");
    assert_true(shell_closed(&c));
    client_close(&c);
    shell_free(s);
}

TEST(linger, a_client_that_never_closes_is_not_waited_for)
{
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    assert_true(client_send(&c, BYTES("*x\r\n")));
    shell_rest(s);
    assert_int_equal(s->net.nlingering, 1);
    assert_in_range(shell_would_wait(s), 1, 2000);
    shell_later(s, 2001);
    assert_int_equal(s->net.nconns, 0);
    assert_int_equal(shell_would_wait(s), -1);
    client_close(&c);
    shell_free(s);
}
