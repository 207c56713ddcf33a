/*
 * How to know without sleeping that a server is up: every server prints a line once it listens. So
 * its output goes to a file, inotify wakes us at each line, and then we try to talk to it. A pidfd
 * in the same poll tells of a program that ended instead.
 */
#include "tests/lib/launch.h"

#include "tests/lib/client.h"

#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { START_MS = 10000, STOP_MS = 5000, MAX_ARGS = 64 };

#ifndef LATCHD_PATH
#define LATCHD_PATH "build/latchd"
#endif

static bool answers(const struct launched *l)
{
    struct client c;
    struct buf reply = {0};
    bool up = client_connect_unix(&c, l->socket) && client_send(&c, BYTES("PING\r\n")) &&
              client_read(&c, START_MS, &reply) == CLIENT_REPLY;
    client_close(&c);
    buf_free(&reply);
    return up;
}

static bool await_up(struct launched *l, int watch)
{
    struct pollfd p[2] = {{.fd = watch, .events = POLLIN}, {.fd = l->pidfd, .events = POLLIN}};
    char events[4096];
    while (poll(p, 2, START_MS) > 0 && !p[1].revents) {
        if (read(watch, events, sizeof events) > 0 && answers(l))
            return true;
    }
    return false;
}

_Noreturn static void become(const struct launched *l, const char *program, const char *argv0,
                             const char *const *extra, int log)
{
    const char *argv[MAX_ARGS] = {argv0, "--port",       "0",  "--unixsocket", l->socket, "--save",
                                  "",    "--appendonly", "no", "--dir",        l->dir};
    size_t n = 11;
    for (; extra && *extra && n < MAX_ARGS - 1; extra++)
        argv[n++] = *extra;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(program, (char *const *)argv);
    perror(program);
    _exit(127);
}

static void complain(const struct launched *l, const char *program)
{
    struct buf log = {0};
    launch_log(l, &log);
    fprintf(stderr, "%s did not come up; it said:\n%.*s\n", program, BYTES_FMT(buf_bytes(&log)));
    buf_free(&log);
}

bool launch(struct launched *l, const char *program, const char *argv0, const char *const *extra)
{
    *l = (struct launched){.pid = -1, .pidfd = -1, .dir = "/tmp/latch-test-XXXXXX"};
    if (mkdtemp(l->dir) == NULL)
        return false;
    snprintf(l->socket, sizeof l->socket, "%s/socket", l->dir);
    snprintf(l->log, sizeof l->log, "%s/log", l->dir);

    int log = open(l->log, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    int watch = inotify_init1(IN_CLOEXEC);
    inotify_add_watch(watch, l->log, IN_MODIFY);
    fflush(NULL);
    l->pid = fork();
    if (l->pid == 0)
        become(l, program, argv0, extra, log);
    l->pidfd = pidfd_open(l->pid, 0);
    bool up = await_up(l, watch);
    close(watch);
    close(log);
    if (!up) {
        complain(l, program);
        launch_stop(l);
    }
    return up;
}

const char *launch_latchd_path(void)
{
    const char *path = getenv("LATCHD");
    return path ? path : LATCHD_PATH;
}

bool launch_latchd(struct launched *l, const char *const *extra)
{
    return launch(l, launch_latchd_path(), "latchd", extra);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

int launch_stop(struct launched *l)
{
    int status = 0;
    if (l->pid > 0) {
        struct pollfd p = {.fd = l->pidfd, .events = POLLIN};
        kill(l->pid, SIGTERM);
        if (poll(&p, 1, STOP_MS) <= 0)
            kill(l->pid, SIGKILL);
        waitpid(l->pid, &status, 0);
        close(l->pidfd);
    }
    if (l->dir[0])
        nftw(l->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    l->pid = -1;
    return status;
}

bool launch_ended(const struct launched *l)
{
    struct pollfd p = {.fd = l->pidfd, .events = POLLIN};
    return l->pid <= 0 || poll(&p, 1, 0) > 0;
}

void launch_log(const struct launched *l, struct buf *out)
{
    int fd = open(l->log, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = read(fd, buf_room(out, 4096), 4096)) > 0)
        buf_added(out, (size_t)n);
    if (fd >= 0)
        close(fd);
}
