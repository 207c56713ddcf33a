/*
 * The load generator against a server that tells the truth for a while and then does not: it must
 * notice every kind of lie.
 */
#include "tests/lib/launch.h"
#include "tests/lib/test.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HONEST = 20, CLIENTS = 16 };

#define PING "*1\r\n$4\r\nPING\r\n"

/* Answers one read of PINGs; the answer after HONEST of them is the lie, and an empty lie closes
 * the connection. */
static bool answer(int fd, const char *lie, int *answered)
{
    char in[4096];
    ssize_t n = read(fd, in, sizeof in);
    if (n <= 0)
        return false;
    if (strncmp(in, PING, sizeof PING - 1) != 0)
        return send(fd, "+OK\r\n", 5, MSG_NOSIGNAL) > 0;
    for (; n > 0; n -= (ssize_t)sizeof PING - 1) {
        const char *text = lie && ++*answered == HONEST ? lie : "+PONG\r\n";
        if (*text == '\0' || send(fd, text, strlen(text), MSG_NOSIGNAL) < 0)
            return false;
    }
    return true;
}

static void serve(int listener, const char *lie)
{
    struct pollfd p[1 + CLIENTS] = {{.fd = listener, .events = POLLIN}};
    nfds_t n = 1;
    int answered = 0;
    while (poll(p, n, -1) > 0) {
        for (nfds_t i = 1; i < n; i++) {
            if (p[i].revents && !answer(p[i].fd, lie, &answered)) {
                close(p[i].fd);
                p[i].fd = -1;
            }
        }
        if (p[0].revents && n < 1 + CLIENTS)
            p[n++] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
    }
}

/* Runs it against a liar in a process of its own; its exit status, and what it printed. */
static int load(const char *lie, const char *options, char *said, size_t size)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "/tmp/bench-liar-%d", (int)getpid());
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    unlink(a.sun_path);
    assert_int_equal(bind(listener, (struct sockaddr *)&a, sizeof a), 0);
    assert_int_equal(listen(listener, CLIENTS), 0);
    pid_t liar = fork();
    if (liar == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener, lie);
        _exit(0);
    }
    close(listener);

    char command[512];
    snprintf(command, sizeof command, "%s ping --unix %s %s 2>&1", BENCH_LOAD, a.sun_path, options);
    FILE *f = popen(command, "r");
    said[fread(said, 1, size - 1, f)] = '\0';
    int status = pclose(f);
    kill(liar, SIGKILL);
    waitpid(liar, NULL, 0);
    unlink(a.sun_path);
    return WEXITSTATUS(status);
}

static void notices(const char *lie, const char *why)
{
    char said[4096];
    assert_int_equal(
        load(lie, "--connections 3 --pipeline 4 --warm 0 --operations 200", said, sizeof said), 1);
    if (strstr(said, why) == NULL)
        fail_msg("it said: %s", said);
}

TEST(load, believes_a_server_that_tells_the_truth)
{
    char said[4096];
    int status =
        load(NULL, "--connections 3 --pipeline 4 --warm 0 --operations 240", said, sizeof said);
    assert_int_equal(status, 0);
    assert_non_null(
        strstr(said, "\"workload\":\"ping\",\"transport\":\"unix\",\"connections\":3,"));
    assert_non_null(strstr(said, "\"pipeline\":4,"));
    assert_non_null(strstr(said, "\"operations\":240,"));
}

TEST(load, notices_a_wrong_reply)
{
    notices("+PANG\r\n", "wrong answer");
}

TEST(load, notices_an_error)
{
    notices("-ERR no\r\n", "wrong answer");
}

TEST(load, notices_a_reply_too_many)
{
    notices("+PONG\r\n+PONG\r\n+PONG\r\n+PONG\r\n+PONG\r\n+PONG\r\n", "unasked");
}

TEST(load, notices_a_closed_connection)
{
    notices("", "closed");
}

/* Every workload, all its answers, from the server itself. */
TEST(load, every_workload_is_answered_rightly_by_latchd)
{
    struct launched l;
    assert_true(launch_latchd(&l, NULL));
    static const char *const names[] = {
        "ping",    "set-get",        "contended", "set-del", "compare-del",     "reentrant",
        "renewal", "reentrant-eval", "fair",      "fanout",  "handoff-publish", "handoff-blpop"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char command[512];
        snprintf(command, sizeof command,
                 "%s %s --unix %s --connections 2 --listeners 5 --pipeline 4 --warm 0 "
                 "--operations 100 >/dev/null",
                 BENCH_LOAD, names[i], l.socket);
        if (system(command) != 0)
            fail_msg("%s", names[i]);
    }
    launch_stop(&l);
}
