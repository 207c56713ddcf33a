/* What all clients together may take: whatever it is that a client piles up, the largest goes, and
 * the others are served. */
#include "tests/lib/secure.h"
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <stdio.h>

enum { MB = 1 << 20 };

static const char *const FOUR_MB[] = {"maxmemory-clients", "4mb", NULL};

/* Sends `line`, in which %d is a number, again and again until the client is gone. How often. */
static int until_evicted(struct shell *s, struct client *c, const char *line)
{
    enum { AT_ONCE = 100, MOST = 200000 };
    size_t others = s->net.nconns - 1;
    struct buf text = {0}, reply = {0};
    int n = 0;
    while (s->net.nconns > others && n < MOST) {
        for (int i = 0; i < AT_ONCE; i++, n++) {
            char words[128];
            snprintf(words, sizeof words, line, n);
            buf_printf(&text, "%s\r\n", words);
        }
        client_send(c, buf_bytes(&text));
        buf_clear(&text);
        shell_rest(s);
        while (client_read(c, 0, &reply) == CLIENT_REPLY)
            buf_clear(&reply);
    }
    buf_free(&text);
    buf_free(&reply);
    assert_int_equal(s->net.nconns, others);
    return n;
}

/* A client that says `first`, and then `line` for ever, is evicted; another one is served. */
static void goes(const char *first, const char *line)
{
    struct shell *s = shell_new(FOUR_MB);
    struct client other = shell_dial(s), greedy = shell_dial(s);
    shell_ask(s, &greedy, first, strcmp(first, "PING") == 0 ? "+PONG\r\n" : "+OK\r\n");
    int n = until_evicted(s, &greedy, line);
    assert_in_range(n, 4 * MB / 400, 4 * MB / 16); /* so each of them counts, and not for much */
    assert_true(shell_logged(s, "Evicting client: id=2, "));
    shell_ask(s, &other, "PING", "+PONG\r\n");
    assert_int_equal(s->engine->stats.evicted_clients, 1);
    client_close(&other);
    client_close(&greedy);
    shell_rest(s);
    assert_int_equal(s->net.memory, 0);
    shell_free(s);
}

TEST(crowd, subscriptions_count)
{
    goes("PING", "SUBSCRIBE channel:%d");
    goes("PING", "PSUBSCRIBE pattern:%d:*");
    goes("PING", "SSUBSCRIBE shard:%d");
}

TEST(crowd, watched_keys_count)
{
    goes("PING", "WATCH key:%d");
}

TEST(crowd, queued_commands_count)
{
    goes("MULTI", "SET key:%d value");
}

/* What is known of an argument takes more than an argument that is empty. */
TEST(crowd, arguments_count_though_they_are_empty)
{
    enum { ARGS = 100000 };
    struct shell *s = shell_new(NULL);
    struct client c = shell_dial(s);
    struct buf text = {0};
    buf_printf(&text, "*%d\r\n", 2 * ARGS);
    for (int i = 0; i < ARGS; i++)
        buf_put(&text, BYTES("$0\r\n\r\n"));
    while (buf_len(&text)) {
        struct bytes part = buf_bytes(&text);
        part.n = part.n < 60000 ? part.n : 60000;
        assert_true(client_send(&c, part));
        buf_consume(&text, part.n);
        shell_rest(s);
    }
    assert_true(s->net.memory > ARGS * (6 + sizeof(struct bytes)));
    buf_free(&text);
    client_close(&c);
    shell_rest(s);
    assert_int_equal(s->net.memory, 0);
    shell_free(s);
}

TEST(crowd, a_command_that_waits_counts)
{
    struct shell *s = shell_new(FOUR_MB);
    struct client other = shell_dial(s), greedy = shell_dial(s);
    struct buf text = {0};
    enum { KEYS = 60000 };
    buf_printf(&text, "*%d\r\n$5\r\nBLPOP\r\n", KEYS + 2);
    for (int i = 0; i < KEYS; i++)
        buf_printf(&text, "$6\r\n%06d\r\n", i);
    buf_printf(&text, "$1\r\n0\r\n");
    for (struct bytes rest = buf_bytes(&text); rest.n;) {
        struct bytes part = {rest.p, rest.n < 60000 ? rest.n : 60000};
        client_send(&greedy, part);
        shell_rest(s);
        rest = (struct bytes){rest.p + part.n, rest.n - part.n};
    }
    assert_true(shell_logged(s, "Evicting client: id=2, "));
    shell_ask(s, &other, "RPUSH 000007 a", ":1\r\n"); /* nobody waits for it any more */
    shell_ask(s, &other, "LLEN 000007", ":1\r\n");
    buf_free(&text);
    client_close(&other);
    client_close(&greedy);
    shell_free(s);
}

/* Says it to `subscribers` clients that never read, each message being `size` bytes long. */
static void publish(struct shell *s, struct client *c, size_t size)
{
    struct buf text = {0};
    buf_printf(&text, "*3\r\n$7\r\nPUBLISH\r\n$4\r\nnews\r\n$%zu\r\n", size);
    for (size_t i = 0; i < size; i++)
        buf_putc(&text, 'x');
    buf_printf(&text, "\r\n");
    while (buf_len(&text)) {
        struct bytes part = buf_bytes(&text);
        part.n = part.n < 60000 ? part.n : 60000;
        assert_true(client_send(c, part));
        buf_consume(&text, part.n);
        shell_rest(s);
    }
    struct buf reply = {0};
    assert_int_equal(client_read(c, 0, &reply), CLIENT_REPLY);
    assert_int_equal(reply.p[0], ':');
    buf_free(&reply);
    buf_free(&text);
}

TEST(crowd, of_subscribers_that_never_read_is_bounded_even_within_one_command)
{
    enum { SUBSCRIBERS = 40, MESSAGE = 2 * MB, LIMIT = 16 * MB, STEP = 4 * MB };
    static const char *const settings[] = {"maxmemory-clients", "16mb", NULL};
    struct shell *s = shell_new(settings);
    struct client publisher = shell_dial(s), c[SUBSCRIBERS];
    for (int i = 0; i < SUBSCRIBERS; i++) {
        c[i] = shell_dial(s);
        shell_ask(s, &c[i], "SUBSCRIBE news", "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n");
    }
    publish(s, &publisher, MESSAGE);
    assert_in_range(s->most, LIMIT, LIMIT + STEP + 2 * (MESSAGE + MB));
    assert_in_range(s->net.memory, 1, LIMIT);
    assert_in_range(s->engine->stats.evicted_clients, SUBSCRIBERS / 2, SUBSCRIBERS - 1);
    shell_ask(s, &publisher, "PING", "+PONG\r\n");
    for (int i = 0; i < SUBSCRIBERS; i++)
        client_close(&c[i]);
    client_close(&publisher);
    shell_free(s);
}

TEST(crowd, who_asked_not_to_be_evicted_stays)
{
    enum { QUEUED = 50000 };
    struct shell *s = shell_new(FOUR_MB);
    struct client stays = shell_dial(s), goes = shell_dial(s);
    shell_ask(s, &stays, "CLIENT NO-EVICT ON", "+OK\r\n");
    shell_ask(s, &stays, "MULTI", "+OK\r\n");
    for (int i = 0; i < QUEUED; i++) {
        assert_true(client_say(&stays, "SET key aValueThatIsNotAllThatShort"));
        if (i % 100 == 0)
            shell_rest(s);
    }
    shell_rest(s);
    assert_int_equal(s->net.nconns, 1);
    assert_true(shell_closed(&goes));
    struct buf reply = {0};
    for (int i = 0; i < QUEUED; i++) {
        while (client_read(&stays, 0, &reply) != CLIENT_REPLY)
            shell_rest(s);
        buf_clear(&reply);
    }
    shell_ask(s, &stays, "DISCARD", "+OK\r\n");
    buf_free(&reply);
    client_close(&stays);
    client_close(&goes);
    shell_free(s);
}

TEST(crowd, tls_counts_with_what_openssl_takes)
{
    struct papers p;
    char cert[128], key[128];
    assert_true(papers_make(&p));
    const char *settings[] = {"tls-port",
                              "auto",
                              "tls-auth-clients",
                              "no",
                              "tls-cert-file",
                              papers_path(&p, "server.crt", cert),
                              "tls-key-file",
                              papers_path(&p, "server.key", key),
                              NULL};
    struct shell *s = shell_new(settings);
    struct client plain = shell_dial(s), c;
    size_t before = s->net.memory;
    assert_in_range(before, 1, 4 << 10);
    assert_true(client_connect_tcp(&c, "127.0.0.1", net_tls_port(&s->net)));
    shell_rest(s);
    assert_in_range(s->net.memory - before, 16 << 10, 64 << 10);
    client_close(&c);
    shell_rest(s);
    assert_int_equal(s->net.memory, before);
    client_close(&plain);
    shell_free(s);
    papers_remove(&p);
}
