/* What goes wrong around a server: clients that die, clocks that jump, a stop while all talk. */
#include "tests/lib/talk.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAKETIME "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"

/* One number of INFO. */
static long info(struct client *c, const char *name)
{
    struct buf got = {0};
    assert_true(client_say(c, "INFO everything"));
    assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    const char *at = strstr(got.p, name);
    assert_non_null(at);
    long value = strtol(at + strlen(name) + 1, NULL, 10);
    buf_free(&got);
    return value;
}

/* The number of a `:` reply. */
static long number(struct client *c, const char *line)
{
    struct buf got = {0};
    assert_true(client_say(c, line));
    assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    buf_putc(&got, '\0');
    long n = strtol(got.p + 1, NULL, 10);
    buf_free(&got);
    return n;
}

/* The peer learns of it by a reset, not by an orderly end. */
static void die(struct client *c)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    client_close(c);
}

/* Asks until the number is this: what a death leaves behind goes with the next turn of the loop. */
static void await_info(struct client *c, const char *name, long value)
{
    for (int i = 0; i < 10000 && info(c, name) != value; i++)
        ;
    assert_int_equal(info(c, name), value);
}

TEST(faults, a_client_may_die_in_the_middle_of_anything)
{
    static const char *const phases[] = {
        "",
        "PI",
        "*",
        "*3\r\n$3\r\nSE",
        "*2\r\n$4\r\nECHO\r\n$100000\r\nhalf of it",
        "MULTI\r\nSET k v\r\n",
        "WATCH k\r\n",
        "BLPOP l 0\r\n",
        "BLPOP l 0\r\nSET k v\r\nPI",
        "SUBSCRIBE ch\r\n",
        "PSUBSCRIBE c*\r\n",
        "HELLO 3\r\nCLIENT TRACKING ON BCAST\r\n",
        "MONITOR\r\n",
        "SSUBSCRIBE ch\r\n",
        "BLMOVE l dst LEFT RIGHT 0\r\n",
        "BZPOPMIN z 0\r\n",
        "MULTI\r\nSET k v\r\nEXEC\r\n",
        "MULTI\r\nNOSUCH\r\n",
        "HELLO 3\r\nCLIENT TRACKING ON\r\nGET k\r\n",
        "CLIENT KILL TYPE pubsub\r\nSUBSCRIBE ch\r\nCLIENT",
        "CLIENT REPLY OFF\r\n",
        "EVAL \"return string.rep('x', 5000000)\" 0\r\n",
        "EVAL \"return redis.call('set', 'k', 'v')\" 0\r\nQUIT\r\n",
    };
    struct launched l = start(NULL);
    struct client c = dial(&l);
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct client victim = dial(&l);
        says(&victim, phases[i]);
        ask(&c, "PING", "+PONG\r\n");
        assert_in_range(number(&c, "PUBLISH ch message"), 0, 1);
        die(&victim);
        await_info(&c, "connected_clients", 1);
        assert_int_equal(info(&c, "blocked_clients"), 0);
        assert_int_equal(info(&c, "pubsub_channels"), 0);
        assert_int_equal(info(&c, "tracking_clients"), 0);
    }
    ask(&c, "RPUSH l still-there", ":1\r\n");
    client_close(&c);
    stop(&l);
}

/* Sends it to a server that is stopped: nothing comes for so long. */
static void assert_stands_still(struct client *c, const char *line, int ms)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    assert_true(client_say(c, line));
    assert_int_equal(poll(&p, 1, ms), 0);
}

TEST(faults, a_server_that_was_stopped_neither_ends_leases_early_nor_lets_them_hang)
{
    enum { STOPPED = 1200, SLACK = 10000 };
    struct launched l = start(NULL);
    struct client c = dial(&l), waits = dial(&l);
    ask(&c, "SET long token PX 60000", "+OK\r\n");
    ask(&c, "SET short token PX 600", "+OK\r\n");
    says(&waits, "BLPOP list 1\r\n");
    await_info(&c, "blocked_clients", 1);
    kill(l.pid, SIGSTOP);
    assert_stands_still(&c, "GET short", STOPPED);
    kill(l.pid, SIGCONT);
    hears(&c, "$-1\r\n");
    ask(&c, "GET long", "$5\r\ntoken\r\n");
    assert_in_range(number(&c, "PTTL long"), 60000 - STOPPED - SLACK, 60000 - STOPPED);
    hears(&waits, "*-1\r\n");
    client_close(&c);
    client_close(&waits);
    stop(&l);
}

/* A script runs for its caller, and then for nobody. */
TEST(faults, a_client_may_die_while_its_script_runs)
{
    static const char *const flags[] = {"--busy-reply-threshold", "20", NULL};
    struct launched l = start(flags);
    struct client c = dial(&l), victim = dial(&l);
    says(&victim, "EVAL \"while true do end\" 0\r\n");
    struct buf got = {0};
    do {
        buf_clear(&got);
        assert_true(client_say(&c, "PING"));
        assert_int_equal(client_read(&c, TALK_MS, &got), CLIENT_REPLY);
    } while (got.p[0] == '+');
    die(&victim);
    ask(&c, "SCRIPT KILL", "+OK\r\n");
    await_info(&c, "connected_clients", 1);
    buf_free(&got);
    client_close(&c);
    stop(&l);
}

TEST(faults, ends_in_good_order_while_all_talk)
{
    enum { CROWD = 40 };
    struct launched l = start(NULL);
    struct client crowd[CROWD];
    struct buf pipeline = {0};
    for (int i = 0; i < 500; i++)
        buf_put(&pipeline, BYTES("SET k v PX 100\r\nGET k\r\nEVAL \"return 1\" 0\r\n"));
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = dial(&l);
        if (i % 4 == 3)
            says(&crowd[i], "SUBSCRIBE ch\r\n");
        else if (i % 4 == 2)
            says(&crowd[i], "BLPOP l 0\r\n");
        else
            assert_true(client_send(&crowd[i], buf_bytes(&pipeline)));
    }
    stop(&l);
    for (int i = 0; i < CROWD; i++)
        client_close(&crowd[i]);
    buf_free(&pipeline);
}

static void set_clock(const char *path, const char *offset)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(offset, f);
    fclose(f);
}

/* Milliseconds that the server's wall clock is ahead of ours, as a deadline on it tells. */
static long ahead(struct client *c)
{
    struct timespec now;
    ask(c, "SET probe v PX 100000", "+OK\r\n");
    clock_gettime(CLOCK_REALTIME, &now);
    return number(c, "PEXPIRETIME probe") - 100000 -
           ((long)now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

TEST(faults, setting_the_clock_neither_ends_nor_prolongs_a_lock)
{
    enum { HOUR = 3600000, SLACK = 20000 };
    char path[] = "/tmp/latch-clock-XXXXXX";
    if (access(FAKETIME, R_OK) != 0)
        skip();
    close(mkstemp(path));
    set_clock(path, "+0");
    setenv("FAKETIME_TIMESTAMP_FILE", path, 1);
    setenv("FAKETIME_NO_CACHE", "1", 1);
    setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", 1);
    setenv("DONT_FAKE_MONOTONIC", "1", 1);
    setenv("LD_PRELOAD", FAKETIME, 1);
    const char *asan = getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    struct launched l = start(NULL);
    unsetenv("LD_PRELOAD");
    asan ? setenv("ASAN_OPTIONS", asan, 1) : unsetenv("ASAN_OPTIONS");

    struct client c = dial(&l);
    ask(&c, "SET lock token PX 600000", "+OK\r\n");
    assert_in_range(ahead(&c) + SLACK, 0, 2 * SLACK);
    set_clock(path, "+3600");
    assert_in_range(ahead(&c) - HOUR + SLACK, 0, 2 * SLACK);
    assert_in_range(number(&c, "PTTL lock"), 600000 - SLACK, 600000);
    set_clock(path, "-3600");
    assert_in_range(ahead(&c) + HOUR + SLACK, 0, 2 * SLACK);
    assert_in_range(number(&c, "PTTL lock"), 600000 - SLACK, 600000);

    /* One that is short ends all the same. */
    ask(&c, "SET lock token PX 30", "+OK\r\n");
    while (number(&c, "PTTL lock") >= 0)
        ;
    client_close(&c);
    stop(&l);
    remove(path);
}
