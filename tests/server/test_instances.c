/* Several servers in one process share nothing. */
#include "server/server.h"

#include "tests/lib/talk.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

struct instance {
    struct config config;
    struct log log;
    struct server *server;
    pthread_t thread;
};

static void *serve(void *arg)
{
    struct instance *i = arg;
    server_run(i->server);
    return NULL;
}

static struct instance *instance_start(void)
{
    struct instance *i = calloc(1, sizeof *i);
    assert_non_null(i);
    config_init(&i->config);
    i->config.port = CONFIG_PORT_AUTO;
    i->server = server_new(&(struct server_options){.config = &i->config, .log = &i->log});
    assert_non_null(i->server);
    assert_int_equal(pthread_create(&i->thread, NULL, serve, i), 0);
    return i;
}

static void instance_stop(struct instance *i)
{
    server_stop(i->server, false);
    pthread_join(i->thread, NULL);
    server_free(i->server);
    config_free(&i->config);
    free(i);
}

static struct client instance_dial(const struct instance *i)
{
    struct client c;
    assert_true(client_connect_tcp(&c, "127.0.0.1", server_port(i->server)));
    return c;
}

TEST(instances, two_servers_have_two_ports_and_two_keyspaces)
{
    struct instance *a = instance_start(), *b = instance_start();
    struct client ca = instance_dial(a), cb = instance_dial(b);
    assert_int_not_equal(server_port(a->server), server_port(b->server));
    ask(&ca, "SET k a", "+OK\r\n");
    ask(&cb, "GET k", "$-1\r\n");
    ask(&cb, "SET k b", "+OK\r\n");
    ask(&ca, "GET k", "$1\r\na\r\n");
    instance_stop(a);
    assert_true(client_closed(&ca, TALK_MS));
    ask(&cb, "GET k", "$1\r\nb\r\n");
    instance_stop(b);
    client_close(&ca);
    client_close(&cb);
}

TEST(instances, one_that_was_never_run_can_be_freed)
{
    struct config config;
    struct log log = {0};
    config_init(&config);
    config.port = CONFIG_PORT_AUTO;
    struct server *s = server_new(&(struct server_options){.config = &config, .log = &log});
    assert_non_null(s);
    server_free(s);
    config_free(&config);
}

TEST(instances, one_that_cannot_listen_is_none)
{
    struct instance *a = instance_start();
    struct config config;
    struct log log = {0};
    config_init(&config);
    config.port = server_port(a->server);
    assert_null(server_new(&(struct server_options){.config = &config, .log = &log}));
    config_free(&config);
    instance_stop(a);
}

TEST(instances, a_signal_ends_the_program_after_what_was_received_is_answered)
{
    enum { N = 20000 };
    struct launched l = start(NULL);
    struct client c = dial(&l);
    struct buf out = {0}, got = {0};
    for (int i = 0; i < N; i++)
        buf_put(&out, BYTES("PING\r\n"));
    /* The socket has taken it all, so the server has received it before the signal comes. */
    assert_true(client_send(&c, buf_bytes(&out)));
    assert_int_equal(launch_stop(&l), 0);
    int answers = 0;
    while (client_read(&c, TALK_MS, &got) == CLIENT_REPLY)
        answers++;
    assert_int_equal(answers, N);
    buf_free(&out);
    buf_free(&got);
    client_close(&c);
}

TEST(instances, survives_running_out_of_descriptors)
{
    enum { N = 100 };
    struct launched l = start(NULL);
    struct client first = dial(&l), c[N];
    struct rlimit few = {.rlim_cur = 32, .rlim_max = 20000};
    ask(&first, "PING", "+PONG\r\n");
    assert_int_equal(prlimit(l.pid, RLIMIT_NOFILE, &few, NULL), 0);
    for (int i = 0; i < N; i++) {
        c[i] = dial(&l);
        says(&c[i], "PING\r\n");
    }
    ask(&first, "PING", "+PONG\r\n");
    /* One after the other leaves, and the next one's turn comes. */
    for (int i = 0; i < N; i++) {
        hears(&c[i], "+PONG\r\n");
        client_close(&c[i]);
    }
    ask(&first, "PING", "+PONG\r\n");
    client_close(&first);
    stop(&l);
}
