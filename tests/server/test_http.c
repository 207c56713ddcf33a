/* The HTTP port: what is answered, to whom, and for how long. */
#include "tests/lib/talk.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const flags[] = {"--http", "127.0.0.1:0", NULL};

/* The port stands in the log. */
static struct client dial_http(const struct launched *l)
{
    struct buf log = {0};
    struct client c;
    launch_log(l, &log);
    buf_putc(&log, '\0');
    const char *at = strstr(log.p, "http://127.0.0.1:");
    assert_non_null(at);
    int port = (int)strtol(at + strlen("http://127.0.0.1:"), NULL, 10);
    assert_true(client_connect_tcp(&c, "127.0.0.1", port));
    buf_free(&log);
    return c;
}

/* All that comes until the server closes, as text. */
static void read_all(struct client *c, struct buf *out)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    ssize_t n = 1;
    while (n > 0) {
        assert_int_equal(poll(&p, 1, TALK_MS), 1);
        n = read(c->fd, buf_room(out, 4096), 4096);
        buf_added(out, n > 0 ? (size_t)n : 0);
    }
    buf_putc(out, '\0');
}

/* Sends a request; what comes back begins and goes on like this. */
static void fetch(const struct launched *l, const char *request, const char *status,
                  const char *const *parts)
{
    struct client c = dial_http(l);
    struct buf got = {0};
    says(&c, request);
    read_all(&c, &got);
    assert_memory_equal(got.p, status, strlen(status));
    for (; *parts; parts++)
        if (strstr(got.p, *parts) == NULL)
            fail_msg("%s is missing in %s", *parts, got.p);
    buf_free(&got);
    client_close(&c);
}

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define HAS(...)                                                                                   \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

TEST(http, says_that_it_is_healthy_and_ready)
{
    struct launched l = start(flags);
    fetch(&l, GET("/healthz"), "HTTP/1.1 200 OK\r\n", HAS("Content-Length: 3\r\n", "\r\n\r\nok\n"));
    fetch(&l, GET("/readyz"), "HTTP/1.1 200 OK\r\n", HAS("\r\n\r\nready\n"));
    stop(&l);
}

/* Leaves the server with an answer that nobody takes, so that it cannot end yet. */
static void leave_unread(struct client *c)
{
    enum { MUCH = 4000000 }; /* more than the kernel keeps for a socket */
    struct buf text = {0};
    memset(buf_room(&text, MUCH), 'x', MUCH);
    buf_added(&text, MUCH);
    assert_true(client_command(c, (struct bytes[]){BYTES("ECHO"), buf_bytes(&text)}, 2));
    buf_free(&text);
}

TEST(http, says_that_it_is_not_ready_while_it_ends)
{
    struct launched l = start(flags);
    struct client c = dial(&l);
    struct buf got = {0};
    leave_unread(&c);
    kill(l.pid, SIGTERM);
    do { /* the signal may take its time */
        struct client h = dial_http(&l);
        buf_clear(&got);
        says(&h, GET("/readyz"));
        read_all(&h, &got);
        client_close(&h);
    } while (strstr(got.p, "\r\n\r\nready\n"));
    assert_memory_equal(got.p, BYTES("HTTP/1.1 503 Service Unavailable\r\n").p, 34);
    assert_non_null(strstr(got.p, "\r\n\r\nshutting down\n"));
    buf_free(&got);
    client_close(&c);
    struct pollfd end = {.fd = l.pidfd, .events = POLLIN}; /* a second signal would be impatient */
    assert_int_equal(poll(&end, 1, TALK_MS), 1);
    stop(&l);
}

TEST(http, shows_what_was_counted)
{
    struct launched l = start(flags);
    struct client c = dial(&l);
    ask(&c, "SET k v NX PX 60000", "+OK\r\n");
    ask(&c, "GET k", "$1\r\nv\r\n");
    ask(&c, "GET k", "$1\r\nv\r\n");
    ask(&c, "EVAL \"return 1\" 0", ":1\r\n");
    ask(&c, "NOSUCH", "-ERR unknown command 'NOSUCH', with args beginning with: \r\n");
    fetch(&l, GET("/metrics"), "HTTP/1.1 200 OK\r\n",
          HAS("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n",
              "# TYPE latchd_commands counter\n", "latchd_commands_total{command=\"get\"} 2\n",
              "latchd_command_duration_seconds_count{command=\"get\"} 2\n",
              "latchd_errors_total{code=\"ERR\"} 1\n", "latchd_keys{db=\"0\"} 1\n",
              "latchd_locks{db=\"0\"} 1\n", "latchd_clients 1\n", "latchd_script_runs_total 1\n",
              "latchd_expiry_lateness_seconds_count 0\n", "latchd_loop_lag_seconds_bucket{le=",
              "latchd_pubsub_channels 0\n", "latchd_pubsub_messages_total 0\n",
              "# UNIT latchd_memory_used_bytes bytes\nlatchd_memory_used_bytes ",
              "# TYPE latchd_build info\nlatchd_build_info{", "\n# EOF\n"));
    client_close(&c);
    stop(&l);
}

TEST(http, knows_the_older_format)
{
    struct launched l = start(flags);
    fetch(&l, "GET /metrics HTTP/1.1\r\nAccept: text/plain\r\n\r\n", "HTTP/1.1 200 OK\r\n",
          HAS("Content-Type: text/plain; version=0.0.4", "# TYPE latchd_commands_total counter\n",
              "latchd_locks{db=\"0\"} 0\n", /* before there is any */
              "# TYPE latchd_build_info gauge\n"));
    stop(&l);
}

TEST(http, prefers_the_newer_format_when_both_are_welcome)
{
    struct launched l = start(flags);
    fetch(&l,
          "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text;version=1.0.0,"
          "text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n\r\n",
          "HTTP/1.1 200 OK\r\n", HAS("Content-Type: application/openmetrics-text; version=1.0.0"));
    stop(&l);
}

TEST(http, lists_locks_and_keeps_their_tokens)
{
    struct launched l = start(flags);
    struct client c = dial(&l);
    ask(&c, "CLIENT SETNAME worker", "+OK\r\n");
    ask(&c, "SET \"job \\\"7\\\"\" 0123456789 NX PX 60000", "+OK\r\n");
    ask(&c, "SET plain 1 PX 60000", "+OK\r\n");
    fetch(&l, GET("/locks?pretty"), "HTTP/1.1 200 OK\r\n",
          HAS("Content-Type: application/json\r\n",
              "\"key\":\"job \\\"7\\\"\",\"kind\":\"string\",\"holder\":\"01234567\",\"holders\":1",
              "\"age_ms\":", "\"ttl_ms\":", "\"client\":{\"id\":",
              "\"connected\":true,\"name\":\"worker\"", "\"total\":1}"));
    client_close(&c);
    stop(&l);
}

TEST(http, shows_the_beginning_of_a_long_name)
{
    enum { SHOWN = 1024 };
    struct launched l = start(flags);
    struct client c = dial(&l);
    struct buf line = {0}, shown = {0};
    buf_printf(&line, "SET %0*d token NX PX 60000", 2 * SHOWN, 7);
    buf_putc(&line, '\0');
    buf_printf(&shown, "\"key\":\"%0*d\"", SHOWN, 0);
    buf_putc(&shown, '\0');
    ask(&c, line.p, "+OK\r\n");
    fetch(&l, GET("/locks"), "HTTP/1.1 200 OK\r\n", HAS(shown.p));
    buf_free(&line);
    buf_free(&shown);
    client_close(&c);
    stop(&l);
}

TEST(http, refuses_the_rest)
{
    struct launched l = start(flags);
    fetch(&l, GET("/"), "HTTP/1.1 404 Not Found\r\n", HAS("/metrics"));
    fetch(&l, "DELETE /locks HTTP/1.1\r\n\r\n", "HTTP/1.1 405 ", HAS("Allow: GET\r\n"));
    fetch(&l, "PING\r\n", "HTTP/1.1 400 ", HAS("Connection: close\r\n"));
    stop(&l);
}

TEST(http, a_request_has_a_longest_length)
{
    struct launched l = start(flags);
    struct client c = dial(&l);
    struct buf text = {0};
    buf_printf(&text, "GET /healthz HTTP/1.1\r\nX: %09000d", 0);
    fetch(&l, text.p, "HTTP/1.1 431 Request Header Fields Too Large\r\n",
          HAS("Connection: close\r\n"));
    ask(&c, "PING", "+PONG\r\n");
    buf_free(&text);
    client_close(&c);
    stop(&l);
}

TEST(http, a_request_may_come_in_pieces)
{
    struct launched l = start(flags);
    struct client c = dial_http(&l);
    struct buf got = {0};
    for (const char *p = GET("/healthz"); *p; p++)
        assert_true(client_send(&c, (struct bytes){p, 1}));
    read_all(&c, &got);
    assert_non_null(strstr(got.p, "\r\n\r\nok\n"));
    buf_free(&got);
    client_close(&c);
    stop(&l);
}

TEST(http, of_a_crowd_few_are_let_in_and_others_are_served)
{
    enum { CROWD = 33 }; /* one more than are let in */
    struct launched l = start(flags);
    struct client crowd[CROWD], c = dial(&l);
    struct buf got = {0};
    for (int i = 0; i < CROWD; i++)
        crowd[i] = dial_http(&l);
    read_all(&crowd[CROWD - 1], &got);
    assert_string_equal(got.p, "");
    ask(&c, "PING", "+PONG\r\n");
    says(&crowd[0], GET("/healthz"));
    read_all(&crowd[0], &got);
    assert_non_null(strstr(got.p + 1, "\r\n\r\nok\n"));
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
    buf_free(&got);
    client_close(&c);
    stop(&l);
}

TEST(http, a_crowd_does_not_keep_the_server_from_ending)
{
    enum { CROWD = 40 }; /* more than are let in */
    struct launched l = start(flags);
    struct client crowd[CROWD];
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = dial_http(&l);
        client_send(&crowd[i], BYTES("GET /he"));
    }
    struct client c = dial(&l);
    ask(&c, "PING", "+PONG\r\n");
    client_close(&c);
    stop(&l);
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
}
