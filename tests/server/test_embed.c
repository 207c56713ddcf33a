/* liblatch: servers inside this very process, from one thread and from many. */
#include "include/latch/latch.h"

#include "tests/lib/talk.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct latch *begin(void)
{
    char why[256] = "";
    struct latch *l = latch_start(NULL, why, sizeof why);
    if (l == NULL)
        fail_msg("%s", why);
    return l;
}

/* Without a socket. */
static struct latch *begin_quietly(void)
{
    struct latch *l = latch_start(&(struct latch_options){LATCH_OPTIONS}, NULL, 0);
    assert_non_null(l);
    return l;
}

static struct client dial_port(const struct latch *l)
{
    struct client c;
    assert_true(client_connect_tcp(&c, "127.0.0.1", latch_port(l)));
    return c;
}

/* The reply is a text of that kind; takes it. */
static void says_text(struct latch_reply *r, enum latch_kind kind, const char *text)
{
    assert_non_null(r);
    assert_int_equal(latch_reply_kind(r), kind);
    assert_string_equal(latch_reply_text(r, NULL), text);
    latch_reply_free(r);
}

static void says_integer(struct latch_reply *r, int64_t v)
{
    assert_non_null(r);
    assert_int_equal(latch_reply_kind(r), LATCH_INTEGER);
    assert_int_equal(latch_reply_integer(r), v);
    latch_reply_free(r);
}

TEST(embed, serves_clients_on_its_port_and_its_own_process_alike)
{
    struct latch *l = begin();
    struct client c = dial_port(l);
    ask(&c, "SET k v", "+OK\r\n");
    says_text(latch_run(l, "GET", "k", NULL), LATCH_STRING, "v");
    says_text(latch_run(l, "SET", "k", "w", NULL), LATCH_STATUS, "OK");
    ask(&c, "GET k", "$1\r\nw\r\n");
    latch_stop(l);
    assert_true(client_closed(&c, TALK_MS));
    client_close(&c);
}

TEST(embed, needs_no_socket)
{
    struct latch *l = begin_quietly();
    assert_int_equal(latch_port(l), 0);
    says_text(latch_run(l, "PING", NULL), LATCH_STATUS, "PONG");
    latch_stop(l);
}

TEST(embed, listens_on_a_unix_socket)
{
    char dir[] = "/tmp/latch-embed-XXXXXX", path[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/socket", dir);
    struct latch *l =
        latch_start(&(struct latch_options){LATCH_OPTIONS, .unix_socket = path}, NULL, 0);
    struct client c;
    assert_non_null(l);
    assert_true(client_connect_unix(&c, path));
    ask(&c, "PING", "+PONG\r\n");
    client_close(&c);
    latch_stop(l);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rmdir(dir), 0);
}

TEST(embed, several_share_nothing)
{
    struct latch *a = begin(), *b = begin();
    assert_int_not_equal(latch_port(a), latch_port(b));
    latch_reply_free(latch_run(a, "SET", "k", "a", NULL));
    says_integer(latch_run(b, "EXISTS", "k", NULL), 0);
    assert_true(latch_advance(a, 1000000));
    latch_stop(a);
    says_integer(latch_run(b, "EXISTS", "k", NULL), 0);
    latch_stop(b);
}

TEST(embed, says_why_it_cannot_start)
{
    static const char *const unknown[] = {"nosuch", "1", NULL}, *const odd[] = {"maxmemory", NULL};
    static const char *const unquoted[] = {"bind", "\"", NULL};
    char why[256];
    struct latch *l = begin();
    struct latch_options taken = {LATCH_OPTIONS, .port = latch_port(l)};
    assert_null(latch_start(&taken, why, sizeof why));
    assert_non_null(strstr(why, "Failed listening on port"));
    assert_null(
        latch_start(&(struct latch_options){LATCH_OPTIONS, .settings = unknown}, why, sizeof why));
    assert_non_null(strstr(why, "nosuch: "));
    assert_null(latch_start(&(struct latch_options){LATCH_OPTIONS, .settings = odd}, why, 256));
    assert_string_equal(why, "maxmemory: it has no value");
    assert_null(
        latch_start(&(struct latch_options){LATCH_OPTIONS, .settings = unquoted}, why, 256));
    assert_string_equal(why, "bind: its value is not well quoted");
    assert_null(latch_start(&(struct latch_options){.port = LATCH_PORT_AUTO}, why, 256));
    assert_string_equal(why, "the options do not begin with LATCH_OPTIONS");
    latch_stop(l);
    latch_stop(NULL);
}

TEST(embed, takes_options_of_any_age)
{
    struct {
        struct latch_options known;
        char later[64];
    } newer = {.known = {.size = sizeof newer}};
    memset(newer.later, 0xff, sizeof newer.later);
    struct latch *l = latch_start(&newer.known, NULL, 0);
    assert_non_null(l);
    latch_stop(l);
    struct latch_options older = {.size = offsetof(struct latch_options, unix_socket),
                                  .unix_socket = "/nowhere/at/all"};
    l = latch_start(&older, NULL, 0);
    assert_non_null(l);
    latch_stop(l);
}

TEST(embed, takes_latchds_options)
{
    static const char *const settings[] = {"requirepass", "secret", "save", "3600 1",
                                           "test",        "no",     NULL};
    struct latch_options o = {LATCH_OPTIONS, .port = LATCH_PORT_AUTO, .settings = settings};
    struct latch *l = latch_start(&o, NULL, 0);
    assert_non_null(l);
    struct client c = dial_port(l);
    ask(&c, "PING", "-NOAUTH Authentication required.\r\n");
    says_text(latch_run(l, "PING", NULL), LATCH_STATUS, "PONG");
    assert_false(latch_advance(l, 1));
    assert_false(latch_reset(l));
    client_close(&c);
    latch_stop(l);
}

/* Time. */

TEST(embed, time_is_moved_and_stopped)
{
    struct latch *l = latch_start(&(struct latch_options){LATCH_OPTIONS, .frozen = true}, NULL, 0);
    assert_non_null(l);
    latch_reply_free(latch_run(l, "SET", "lock", "me", "PX", "30000", NULL));
    says_integer(latch_run(l, "PTTL", "lock", NULL), 30000);
    assert_true(latch_advance(l, 30000));
    says_integer(latch_run(l, "PTTL", "lock", NULL), 0);
    assert_true(latch_advance(l, 1));
    says_integer(latch_run(l, "EXISTS", "lock", NULL), 0);
    assert_true(latch_thaw(l));
    assert_true(latch_freeze(l));
    assert_false(latch_advance(l, -1));
    assert_false(latch_set_time(l, 1));
    assert_true(latch_set_time(l, INT64_C(4000000000000)));
    struct latch_reply *now = latch_run(l, "TIME", NULL);
    assert_string_equal(latch_reply_text(latch_reply_at(now, 0), NULL), "4000000000");
    latch_reply_free(now);
    assert_true(latch_reset(l));
    now = latch_run(l, "TIME", NULL);
    assert_in_range(atoll(latch_reply_text(latch_reply_at(now, 0), NULL)), time(NULL) - 60,
                    time(NULL) + 60);
    latch_reply_free(now);
    latch_stop(l);
}

/* Replies. */

TEST(embed, replies_are_trees)
{
    struct latch *l = begin_quietly();
    struct latch_client *c = latch_connect(l);
    struct latch_reply *r;
    says_text(latch_client_run(c, "NOSUCH", NULL), LATCH_ERROR,
              "ERR unknown command 'NOSUCH', with args beginning with: ");
    r = latch_client_run(c, "GET", "nothing", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_NULL);
    assert_string_equal(latch_reply_text(r, NULL), "");
    latch_reply_free(r);
    latch_reply_free(latch_client_run(c, "HSET", "h", "a", "1", "b", "2", NULL));
    r = latch_client_run(c, "HGETALL", "h", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_MAP);
    assert_int_equal(latch_reply_count(r), 4);
    assert_string_equal(latch_reply_text(latch_reply_at(r, 2), NULL), "b");
    assert_null(latch_reply_at(r, 4));
    latch_reply_free(r);
    latch_reply_free(latch_client_run(c, "ZADD", "z", "1.5", "m", NULL));
    r = latch_client_run(c, "ZSCORE", "z", "m", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_REAL);
    assert_true(latch_reply_real(r) == 1.5);
    latch_reply_free(r);
    r = latch_client_run(c, "EVAL", "redis.setresp(3) return {1, 'x', {true, {}}}", "0", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_ARRAY);
    assert_int_equal(latch_reply_integer(latch_reply_at(r, 0)), 1);
    assert_int_equal(latch_reply_count(latch_reply_at(latch_reply_at(r, 2), 1)), 0);
    latch_reply_free(r);
    r = latch_client_run(c, "INFO", "server", NULL);
    assert_int_equal(strncmp(latch_reply_text(r, NULL), "# Server", 8), 0);
    latch_reply_free(r);
    latch_stop(l);
}

TEST(embed, words_may_hold_any_byte)
{
    struct latch *l = begin_quietly();
    const char *set[] = {"SET", "a\0b", "\r\n\0"}, *get[] = {"GET", "a\0b"};
    size_t lengths[] = {3, 3, 3}, n;
    latch_reply_free(latch_runv(l, 3, set, lengths));
    struct latch_reply *r = latch_runv(l, 2, get, lengths);
    assert_memory_equal(latch_reply_text(r, &n), "\r\n\0", 3);
    assert_int_equal(n, 3);
    latch_reply_free(r);
    assert_null(latch_runv(l, 0, NULL, NULL));
    latch_stop(l);
}

/* Clients. */

TEST(embed, a_client_keeps_what_a_connection_would)
{
    struct latch *l = begin_quietly();
    struct latch_client *a = latch_connect(l), *b = latch_connect(l);
    latch_reply_free(latch_client_run(a, "SELECT", "3", NULL));
    latch_reply_free(latch_client_run(a, "MULTI", NULL));
    says_text(latch_client_run(a, "SET", "k", "v", NULL), LATCH_STATUS, "QUEUED");
    says_integer(latch_client_run(b, "EXISTS", "k", NULL), 0);
    latch_reply_free(latch_client_run(a, "EXEC", NULL));
    says_text(latch_client_run(a, "GET", "k", NULL), LATCH_STRING, "v");
    says_integer(latch_client_run(b, "EXISTS", "k", NULL), 0);
    latch_disconnect(a);
    latch_stop(l); /* b goes with it */
}

TEST(embed, messages_do_not_disturb_replies)
{
    struct latch *l = begin_quietly();
    struct latch_client *c = latch_connect(l);
    struct latch_reply *r = latch_client_run(c, "SUBSCRIBE", "a", "b", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_PUSH);
    latch_reply_free(r);
    says_integer(latch_run(l, "PUBLISH", "a", "x", NULL), 1);
    says_text(latch_client_run(c, "PING", NULL), LATCH_STATUS, "PONG");
    says_integer(latch_client_run(c, "PUBLISH", "a", "x", NULL), 1);
    latch_stop(l);
}

TEST(embed, clients_are_dropped_by_name)
{
    struct latch *l = begin();
    struct client a = dial_port(l), b = dial_port(l);
    struct latch_client *c = latch_connect(l);
    ask(&a, "CLIENT SETNAME worker", "+OK\r\n");
    ask(&b, "PING", "+PONG\r\n");
    latch_reply_free(latch_client_run(c, "CLIENT", "SETNAME", "worker", NULL));
    assert_int_equal(latch_drop(l, "worker"), 2);
    assert_true(client_closed(&a, TALK_MS));
    assert_null(latch_client_run(c, "PING", NULL));
    ask(&b, "PING", "+PONG\r\n");
    assert_int_equal(latch_drop(l, NULL), 1);
    assert_true(client_closed(&b, TALK_MS));
    client_close(&a);
    client_close(&b);
    latch_disconnect(c);
    latch_stop(l);
}

TEST(embed, a_lost_answer_is_none)
{
    struct latch *l = begin_quietly();
    struct latch_client *c = latch_connect(l);
    latch_reply_free(latch_run(l, "TEST.FAULT", "ADD", "SET", "TIMES", "1", "DROP-REPLY", NULL));
    struct latch_reply *r = latch_client_run(c, "SET", "lock", "me", "NX", NULL);
    assert_int_equal(latch_reply_kind(r), LATCH_NONE);
    latch_reply_free(r);
    says_integer(latch_run(l, "EXISTS", "lock", NULL), 1);
    assert_null(latch_client_run(c, "PING", NULL));
    latch_stop(l);
}

TEST(embed, quitting_and_shutting_down_end_what_they_should)
{
    struct latch *l = begin_quietly();
    struct latch_client *c = latch_connect(l);
    says_text(latch_client_run(c, "QUIT", NULL), LATCH_STATUS, "OK");
    assert_null(latch_client_run(c, "PING", NULL));
    says_text(latch_run(l, "PING", NULL), LATCH_STATUS, "PONG");
    latch_reply_free(latch_run(l, "SHUTDOWN", NULL));
    struct latch_reply *r;
    while ((r = latch_run(l, "PING", NULL)))
        latch_reply_free(r);
    assert_false(latch_advance(l, 1));
    assert_null(latch_connect(l));
    latch_stop(l);
}

/* Threads. */

struct worker {
    struct latch *latch;
    struct latch_client *client;
    pthread_t thread;
    struct latch_reply *reply;
};

static void *pop(void *arg)
{
    struct worker *w = arg;
    w->reply = latch_run(w->latch, "BLPOP", "q", "0", NULL);
    return NULL;
}

static void launch_pop(struct worker *w, struct latch *l, const char *n)
{
    w->latch = l;
    assert_int_equal(pthread_create(&w->thread, NULL, pop, w), 0);
    says_text(latch_run(l, "TEST.AWAIT", "WAITERS", "q", n, "TIMEOUT", "20000", NULL), LATCH_STATUS,
              "OK");
}

TEST(embed, a_client_that_waits_holds_up_no_other)
{
    struct latch *l = begin_quietly();
    struct worker w = {0};
    launch_pop(&w, l, "1");
    says_integer(latch_run(l, "RPUSH", "q", "x", NULL), 1);
    pthread_join(w.thread, NULL);
    assert_string_equal(latch_reply_text(latch_reply_at(w.reply, 1), NULL), "x");
    latch_reply_free(w.reply);
    latch_stop(l);
}

TEST(embed, stopping_lets_go_of_those_who_wait)
{
    struct latch *l = begin_quietly();
    struct worker w[3] = {0};
    launch_pop(&w[0], l, "1");
    launch_pop(&w[1], l, "2");
    launch_pop(&w[2], l, "3");
    latch_stop(l);
    for (int i = 0; i < 3; i++) {
        pthread_join(w[i].thread, NULL);
        assert_null(w[i].reply);
    }
}

static void *count(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 200; i++) {
        latch_reply_free(latch_client_run(w->client, "INCR", "n", NULL));
        if (i % 50 == 0) {
            latch_advance(w->latch, 1);
            latch_reply_free(latch_run(w->latch, "PING", NULL));
        }
    }
    return NULL;
}

TEST(embed, every_function_may_be_called_from_any_thread)
{
    enum { N = 8 };
    struct latch *l = begin();
    struct latch_client *shared = latch_connect(l);
    struct worker w[N];
    for (int i = 0; i < N; i++) {
        w[i] = (struct worker){.latch = l, .client = shared};
        assert_int_equal(pthread_create(&w[i].thread, NULL, count, &w[i]), 0);
    }
    for (int i = 0; i < N; i++)
        pthread_join(w[i].thread, NULL);
    says_text(latch_run(l, "GET", "n", NULL), LATCH_STRING, "1600");
    latch_stop(l);
}

static void *start_and_stop(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10; i++) {
        struct latch *l = begin();
        latch_reply_free(latch_run(l, "EVAL", "return redis.call('SET','k','v')", "0", NULL));
        latch_stop(l);
    }
    return NULL;
}

TEST(embed, many_starts_and_stops_from_many_threads)
{
    enum { N = 4 };
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, start_and_stop, NULL), 0);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
}

/* The host. */

static void keep_line(void *ctx, enum latch_level level, const char *line)
{
    struct buf *lines = ctx;
    buf_printf(lines, "%d %s\n", (int)level, line);
}

TEST(embed, the_log_goes_to_the_host)
{
    struct buf lines = {0};
    struct latch_options o = {LATCH_OPTIONS, .log = keep_line, .log_ctx = &lines};
    struct latch *l = latch_start(&o, NULL, 0);
    latch_reply_free(latch_run(l, "EVAL", "redis.log(redis.LOG_WARNING, 'said')", "0", NULL));
    latch_stop(l);
    buf_putc(&lines, '\0');
    assert_non_null(strstr(lines.p, "3 said\n"));
    buf_free(&lines);
}

TEST(embed, signals_stay_as_they_were)
{
    static const int ending[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGCHLD};
    enum { N = sizeof ending / sizeof *ending };
    sigset_t before, after;
    struct sigaction had[N], has; /* some are ignored from the start in a shell's background */
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    for (size_t i = 0; i < N; i++)
        sigaction(ending[i], NULL, &had[i]);
    struct latch *l = begin();
    latch_reply_free(latch_run(l, "PING", NULL));
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(sigismember(&before, ending[i]), sigismember(&after, ending[i]));
        assert_int_equal(sigaction(ending[i], NULL, &has), 0);
        assert_ptr_equal(has.sa_handler, had[i].sa_handler);
    }
    latch_stop(l);
}

TEST(embed, numbers_are_plain_in_a_host_that_speaks_german)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    struct latch *l = begin_quietly();
    says_text(latch_run(l, "INCRBYFLOAT", "n", "1.5", NULL), LATCH_STRING, "1.5");
    says_text(latch_run(l, "EVAL", "return tostring(1.5 + tonumber('1.25'))", "0", NULL),
              LATCH_STRING, "2.75");
    latch_stop(l);
    setlocale(LC_ALL, "C");
}
