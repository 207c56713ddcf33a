/* TLS handshakes on time that is a number: how long one may take, and how many fit into a turn. */
#include "tests/lib/secure.h"
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <poll.h>
#include <stdio.h>

static struct shell *with_tls(struct papers *p)
{
    char cert[128], key[128];
    assert_true(papers_make(p));
    const char *settings[] = {"tls-port",
                              "auto",
                              "tls-auth-clients",
                              "no",
                              "tls-cert-file",
                              papers_path(p, "server.crt", cert),
                              "tls-key-file",
                              papers_path(p, "server.key", key),
                              NULL};
    return shell_new(settings);
}

static struct client dial_tls(const struct shell *s)
{
    struct client c;
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_tls_port(&s->net)));
    return c;
}

TEST(handshake, must_not_take_longer_than_ten_seconds)
{
    struct papers p;
    struct shell *s = with_tls(&p);
    struct client other = shell_dial(s), c = dial_tls(s);
    assert_true(client_send(&c, BYTES("\x16\x03\x01"))); /* a handshake, it says */
    shell_rest(s);
    shell_later(s, 9999);
    assert_false(shell_closed(&c));
    shell_ask(s, &other, "PING", "+PONG\r\n");
    shell_later(s, 1002);
    assert_true(shell_closed(&c));
    shell_ask(s, &other, "PING", "+PONG\r\n");
    client_close(&c);
    client_close(&other);
    shell_free(s);
    papers_remove(&p);
}

/* What a client says first. */
static void hello(struct buf *out)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl = SSL_new(ctx);
    BIO *sent = BIO_new(BIO_s_mem());
    char *p;
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), sent);
    assert_int_equal(SSL_connect(ssl), -1);
    long n = BIO_get_mem_data(sent, &p);
    buf_put(out, (struct bytes){p, (size_t)n});
    SSL_free(ssl);
    SSL_CTX_free(ctx);
}

static bool is_answered(const struct client *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

TEST(handshake, only_a_few_are_made_in_one_turn_and_others_are_served_between)
{
    enum { CLIENTS = 12, PER_TURN = 4 };
    struct papers p;
    struct shell *s = with_tls(&p);
    struct client other = shell_dial(s), c[CLIENTS];
    struct buf text = {0};
    hello(&text);
    for (int i = 0; i < CLIENTS; i++)
        c[i] = dial_tls(s);
    shell_rest(s);
    for (int i = 0; i < CLIENTS; i++)
        assert_true(client_send(&c[i], buf_bytes(&text)));
    assert_true(client_say(&other, "PING"));
    for (int turn = 1; turn <= CLIENTS / PER_TURN; turn++) {
        int answered = 0;
        shell_turn(s);
        for (int i = 0; i < CLIENTS; i++)
            answered += is_answered(&c[i]);
        assert_in_range(answered, 1, turn * PER_TURN);
        if (turn == 2) /* what is read in one is answered in the next */
            shell_hears(&other, "+PONG\r\n");
    }
    shell_rest(s);
    for (int i = 0; i < CLIENTS; i++) {
        assert_true(is_answered(&c[i]));
        client_close(&c[i]);
    }
    buf_free(&text);
    client_close(&other);
    shell_free(s);
    papers_remove(&p);
}
