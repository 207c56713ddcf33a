/* TLS, with the real program and certificates made for the occasion. */
#include "tests/lib/secure.h"
#include "tests/lib/talk.h"

#include "base/mem.h"
#include "base/num.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A latchd that listens for TLS, with papers; and a plain connection to it. */
struct place {
    struct papers papers;
    struct launched server;
    struct client admin;
    int port;
};

static int tls_port(struct client *c)
{
    struct buf got = {0};
    int64_t port = 0;
    assert_true(client_say(c, "CONFIG GET tls-port"));
    assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    const char *at = strstr(got.p, "tls-port\r\n$");
    assert_non_null(at);
    at = strstr(at + 11, "\r\n") + 2;
    assert_true(num_parse_i64((struct bytes){at, strcspn(at, "\r")}, &port));
    buf_free(&got);
    return (int)port;
}

static void begin(struct place *p, const char *auth_clients)
{
    char ca[128], cert[128], key[128];
    assert_true(papers_make(&p->papers));
    const char *flags[] = {"--tls-port",
                           "auto",
                           "--tls-cert-file",
                           papers_path(&p->papers, "server.crt", cert),
                           "--tls-key-file",
                           papers_path(&p->papers, "server.key", key),
                           "--tls-ca-cert-file",
                           papers_path(&p->papers, "ca.crt", ca),
                           "--tls-auth-clients",
                           auth_clients,
                           "--busy-reply-threshold",
                           "20",
                           NULL};
    p->server = start(flags);
    p->admin = dial(&p->server);
    p->port = tls_port(&p->admin);
    assert_true(p->port > 0);
}

static void end(struct place *p)
{
    client_close(&p->admin);
    stop(&p->server);
    papers_remove(&p->papers);
}

/* Connects and is answered. */
static bool is_served(struct place *p, struct secure_how how)
{
    struct secure s;
    bool served =
        secure_connect(&s, &p->papers, p->port, how) && secure_ask(&s, "PING", "+PONG\r\n");
    secure_close(&s);
    return served;
}

TEST(tls, speaks_1_2_and_1_3_and_nothing_older)
{
    struct place p;
    begin(&p, "no");
    assert_true(is_served(&p, (struct secure_how){.version = TLS1_2_VERSION}));
    assert_true(is_served(&p, (struct secure_how){.version = TLS1_3_VERSION}));
    assert_false(is_served(&p, (struct secure_how){.version = TLS1_1_VERSION}));
    assert_false(is_served(&p, (struct secure_how){.version = TLS1_VERSION}));
    ask(&p.admin, "CONFIG SET tls-protocols TLSv1.3", "+OK\r\n");
    assert_false(is_served(&p, (struct secure_how){.version = TLS1_2_VERSION}));
    assert_true(is_served(&p, (struct secure_how){.version = TLS1_3_VERSION}));
    ask(&p.admin, "CONFIG SET tls-protocols TLSv1.2", "+OK\r\n");
    assert_true(is_served(&p, (struct secure_how){.version = TLS1_2_VERSION}));
    assert_false(is_served(&p, (struct secure_how){.version = TLS1_3_VERSION}));
    ask(&p.admin, "CONFIG SET tls-protocols TLSv1.1",
        "-ERR CONFIG SET failed (possibly related to argument 'tls-protocols') - Unable to update "
        "TLS configuration. Check server logs.\r\n");
    end(&p);
}

/* What `latchd ping` with the certificate of that name says; `code` is how it ends. */
static void ping(struct place *p, const char *name, const char *ca, int *code, char said[200])
{
    char line[800];
    const char *dir = p->papers.dir;
    snprintf(line, sizeof line,
             "%s ping --port 0 --tls-port %d --tls-cert-file %s/%s.crt --tls-key-file %s/%s.key "
             "--tls-ca-cert-file %s/%s.crt 2>&1",
             launch_latchd_path(), p->port, dir, name, dir, name, dir, ca);
    FILE *out = popen(line, "r");
    assert_non_null(out);
    said[fread(said, 1, 199, out)] = '\0';
    *code = WEXITSTATUS(pclose(out));
}

TEST(tls, ping_speaks_it_where_there_is_nothing_else)
{
    struct place p;
    char said[200];
    int code;
    begin(&p, "yes");
    ping(&p, "server", "ca", &code, said);
    assert_string_equal(said, "PONG\n");
    assert_int_equal(code, 0);
    ping(&p, "server", "client", &code, said); /* which vouches for nobody */
    assert_non_null(strstr(said, ": TLS: certificate verify failed\n"));
    assert_int_equal(code, 1);
    end(&p);
}

TEST(tls, asks_clients_for_papers_as_it_is_told)
{
    struct place p;
    begin(&p, "yes");
    assert_true(is_served(&p, (struct secure_how){.name = "client"}));
    assert_false(is_served(&p, (struct secure_how){0}));
    assert_false(is_served(&p, (struct secure_how){.name = "stranger"}));
    ask(&p.admin, "CONFIG SET tls-auth-clients optional", "+OK\r\n");
    assert_true(is_served(&p, (struct secure_how){.name = "client"}));
    assert_true(is_served(&p, (struct secure_how){0}));
    assert_false(is_served(&p, (struct secure_how){.name = "stranger"}));
    ask(&p.admin, "CONFIG SET tls-auth-clients no", "+OK\r\n");
    assert_true(is_served(&p, (struct secure_how){.name = "stranger"}));
    end(&p);
}

TEST(tls, uses_the_ciphers_it_is_told)
{
    struct place p;
    begin(&p, "no");
    ask(&p.admin,
        "CONFIG SET tls-ciphers ECDHE-ECDSA-AES128-GCM-SHA256 tls-ciphersuites "
        "TLS_CHACHA20_POLY1305_SHA256",
        "+OK\r\n");
    struct secure s;
    assert_true(secure_connect(&s, &p.papers, p.port, (struct secure_how){0}));
    assert_string_equal(SSL_get_cipher(s.ssl), "TLS_CHACHA20_POLY1305_SHA256");
    secure_close(&s);
    assert_true(
        secure_connect(&s, &p.papers, p.port, (struct secure_how){.version = TLS1_2_VERSION}));
    assert_string_equal(SSL_get_cipher(s.ssl), "ECDHE-ECDSA-AES128-GCM-SHA256");
    secure_close(&s);
    end(&p);
}

TEST(tls, carries_much_in_both_directions)
{
    enum { SIZE = 6 << 20 };
    struct place p;
    begin(&p, "no");
    struct secure s;
    assert_true(secure_connect(&s, &p.papers, p.port, (struct secure_how){0}));
    struct buf value = {0}, command = {0};
    for (int i = 0; i < SIZE / 8; i++)
        buf_printf(&value, "%08d", i);
    buf_printf(&command, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n", SIZE);
    buf_put(&command, buf_bytes(&value));
    buf_put(&command, BYTES("\r\n"));
    assert_true(secure_send(&s, buf_bytes(&command)));
    char *got = mem_alloc(SIZE + 32);
    assert_true(secure_read(&s, got, 5));
    assert_memory_equal(got, "+OK\r\n", 5);
    assert_true(secure_send(&s, BYTES("GET k\r\n")));
    assert_true(secure_read(&s, got, 10 + SIZE + 2));
    assert_memory_equal(got, "$6291456\r\n", 10);
    assert_memory_equal(got + 10, value.p, SIZE);
    mem_free(got);
    buf_free(&value);
    buf_free(&command);
    secure_close(&s);
    end(&p);
}

TEST(tls, answers_a_pipeline_however_it_is_cut_into_records)
{
    enum { N = 20000 };
    struct place p;
    begin(&p, "no");
    struct secure s;
    assert_true(secure_connect(&s, &p.papers, p.port, (struct secure_how){0}));
    static const char slowly[] = "*2\r\n$4\r\nECHO\r\n$3\r\nabc\r\n";
    for (size_t i = 0; i < sizeof slowly - 1; i++)
        assert_true(secure_send(&s, (struct bytes){slowly + i, 1}));
    char got[16];
    assert_true(secure_read(&s, got, 9));
    assert_memory_equal(got, "$3\r\nabc\r\n", 9);
    struct buf all = {0};
    for (int i = 0; i < N; i++)
        buf_printf(&all, "*2\r\n$4\r\nECHO\r\n$6\r\n%06d\r\n", i);
    assert_true(secure_send(&s, buf_bytes(&all)));
    for (int i = 0; i < N; i++) {
        char expected[24];
        snprintf(expected, sizeof expected, "$6\r\n%06d\r\n", i);
        assert_true(secure_read(&s, got, 12));
        assert_memory_equal(got, expected, 12);
    }
    buf_free(&all);
    secure_close(&s);
    end(&p);
}

TEST(tls, does_not_negotiate_again)
{
    struct place p;
    begin(&p, "no");
    struct secure s;
    assert_true(
        secure_connect(&s, &p.papers, p.port, (struct secure_how){.version = TLS1_2_VERSION}));
    assert_true(secure_ask(&s, "PING", "+PONG\r\n"));
    SSL_renegotiate(s.ssl);
    assert_int_not_equal(SSL_do_handshake(s.ssl), 1);
    secure_close(&s);
    assert_true(is_served(&p, (struct secure_how){0}));
    end(&p);
}

TEST(tls, hangs_up_on_those_who_do_not_speak_it)
{
    struct place p;
    begin(&p, "no");
    struct client c;
    assert_true(client_connect_tcp(&c, "127.0.0.1", p.port));
    says(&c, "PING\r\nPING\r\n");
    struct buf got = {0};
    client_read(&c, TALK_MS, &got); /* an alert, which is no RESP */
    assert_null(buf_len(&got) ? memchr(got.p, '+', got.to) : NULL);
    assert_true(client_closed(&c, TALK_MS));
    buf_free(&got);
    client_close(&c);
    assert_true(is_served(&p, (struct secure_how){0}));
    end(&p);
}

static void await_log(const struct launched *l, const char *text)
{
    struct buf log = {0};
    do {
        buf_clear(&log);
        launch_log(l, &log);
        buf_putc(&log, '\0');
        assert_false(launch_ended(l));
    } while (strstr(log.p, text) == NULL);
    buf_free(&log);
}

TEST(tls, takes_up_new_certificates_and_keeps_who_is_there)
{
    struct place p;
    char name[64], path[128], line[256];
    begin(&p, "no");
    struct secure old, new;
    assert_true(secure_connect(&old, &p.papers, p.port, (struct secure_how){0}));
    secure_peer(&old, name);
    assert_string_equal(name, "first");
    assert_true(papers_renew(&p.papers, "server", "second"));
    kill(p.server.pid, SIGHUP);
    await_log(&p.server, "TLS certificates reloaded.");
    assert_true(secure_connect(&new, &p.papers, p.port, (struct secure_how){0}));
    secure_peer(&new, name);
    assert_string_equal(name, "second");
    secure_close(&new);
    assert_true(papers_renew(&p.papers, "third", "third"));
    snprintf(line, sizeof line, "CONFIG SET tls-cert-file %s",
             papers_path(&p.papers, "third.crt", path));
    assert_true(client_say(&p.admin, line)); /* the key does not fit it */
    hears(&p.admin,
          "-ERR CONFIG SET failed (possibly related to argument 'tls-cert-file') - Unable "
          "to update TLS configuration. Check server logs.\r\n");
    snprintf(line, sizeof line, "CONFIG SET tls-cert-file %s/third.crt tls-key-file %s/third.key",
             p.papers.dir, p.papers.dir);
    ask(&p.admin, line, "+OK\r\n");
    assert_true(secure_connect(&new, &p.papers, p.port, (struct secure_how){0}));
    secure_peer(&new, name);
    assert_string_equal(name, "third");
    assert_true(secure_ask(&old, "PING", "+PONG\r\n"));
    secure_close(&new);
    secure_close(&old);
    end(&p);
}

TEST(tls, keeps_the_old_certificate_when_the_new_one_is_broken)
{
    struct place p;
    char path[128];
    begin(&p, "no");
    assert_int_equal(truncate(papers_path(&p.papers, "server.crt", path), 10), 0);
    kill(p.server.pid, SIGHUP);
    await_log(&p.server, "TLS certificates not reloaded: the old ones stay in use.");
    assert_true(is_served(&p, (struct secure_how){0}));
    end(&p);
}

TEST(tls, can_be_switched_on_and_off)
{
    struct place p;
    begin(&p, "no");
    ask(&p.admin, "CONFIG SET tls-port 0", "+OK\r\n");
    assert_false(is_served(&p, (struct secure_how){0}));
    ask(&p.admin, "CONFIG SET tls-port auto", "+OK\r\n");
    p.port = tls_port(&p.admin);
    assert_true(is_served(&p, (struct secure_how){0}));
    end(&p);
}

TEST(tls, is_not_to_be_had_without_a_certificate)
{
    struct launched l = start(NULL);
    struct client c = dial(&l);
    ask(&c, "CONFIG SET tls-port auto",
        "-ERR CONFIG SET failed (possibly related to argument 'tls-port') - Unable to update TLS "
        "configuration. Check server logs.\r\n");
    ask(&c, "CONFIG GET tls-port", "*2\r\n$8\r\ntls-port\r\n$1\r\n0\r\n");
    client_close(&c);
    stop(&l);
}

TEST(tls, is_served_while_a_script_runs)
{
    struct place p;
    begin(&p, "no");
    struct client caller = dial(&p.server);
    struct secure s;
    assert_true(secure_connect(&s, &p.papers, p.port, (struct secure_how){0}));
    assert_true(secure_ask(&s, "PING", "+PONG\r\n"));
    says(&caller, "EVAL \"while true do end\" 0\r\n");
    char got[1] = {'+'};
    struct buf rest = {0};
    while (got[0] == '+') { /* until the script has run for 20 ms */
        assert_true(secure_send(&s, BYTES("PING\r\n")));
        assert_true(secure_read(&s, got, 1));
        char c = 0;
        while (c != '\n')
            assert_true(secure_read(&s, &c, 1));
    }
    assert_int_equal(got[0], '-');
    assert_true(is_served(&p, (struct secure_how){0}) == false); /* it is let in, and told BUSY */
    assert_true(secure_ask(&s, "SCRIPT KILL", "+OK\r\n"));
    assert_int_equal(client_read(&caller, TALK_MS, &rest), CLIENT_REPLY);
    assert_true(secure_ask(&s, "PING", "+PONG\r\n"));
    buf_free(&rest);
    secure_close(&s);
    client_close(&caller);
    end(&p);
}

TEST(tls, is_what_redis_cli_expects)
{
    struct place p;
    char command[512], got[64] = "";
    begin(&p, "yes");
    snprintf(command, sizeof command,
             "redis-cli --tls --cacert %s/ca.crt --cert %s/client.crt --key %s/client.key -p %d "
             "SET k v",
             p.papers.dir, p.papers.dir, p.papers.dir, p.port);
    FILE *f = popen(command, "r"); /* NOLINT: fixed words */
    assert_non_null(fgets(got, sizeof got, f));
    assert_int_equal(pclose(f), 0);
    assert_string_equal(got, "OK\n");
    end(&p);
}
