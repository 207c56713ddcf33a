/*
 * How soon a server answers and what it takes while nobody asks: bench_start PORT COMMAND... Starts
 * the command STARTS times, each time asks PING until there is an answer, and lets the last one be
 * idle for a second. Prints a line of JSON.
 */
#include "bench/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STARTS = 21, IDLE_S = 1, GIVE_UP_S = 10 };

static pid_t start(char **command)
{
    pid_t pid = fork();
    if (pid < 0)
        give_up("fork: %s", strerror(errno));
    if (pid > 0)
        return pid;
    if (freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr))
        execvp(command[0], command);
    _exit(127);
}

static bool answers(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char pong[7];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool there = fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) == 0 &&
                 send(fd, "PING\r\n", 6, MSG_NOSIGNAL) == 6 &&
                 recv(fd, pong, sizeof pong, MSG_WAITALL) == sizeof pong;
    close(fd);
    return there;
}

/* From fork to the first answer, in milliseconds. */
static double time_start(struct peer *p, char **command)
{
    uint64_t began = now_ns();
    p->pid = start(command);
    while (!answers(p->port))
        if (now_ns() - began > GIVE_UP_S * UINT64_C(1000000000))
            give_up("%s does not answer on port %d", command[0], p->port);
    return (double)(now_ns() - began) / 1e6;
}

static void stop(const struct peer *p)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    struct peer p = {.port = argc > 2 ? atoi(argv[1]) : 0};
    double ms[STARTS];
    if (p.port == 0)
        give_up("usage: bench_start PORT COMMAND...");
    for (int i = 0; i < STARTS; i++) {
        if (i)
            stop(&p);
        ms[i] = time_start(&p, argv + 2);
    }
    qsort(ms, STARTS, sizeof *ms, by_size);
    size_t rss = peer_rss(&p);
    uint64_t cpu = peer_cpu_ns(&p);
    nanosleep(&(struct timespec){.tv_sec = IDLE_S}, NULL);
    cpu = peer_cpu_ns(&p) - cpu;
    stop(&p);
    printf("{\"start_ms\":{\"min\":%.2f,\"p50\":%.2f},\"idle_rss\":%zu,\"idle_cpu_us\":%.0f}\n",
           ms[0], ms[STARTS / 2], rss, (double)cpu / 1000 / IDLE_S);
    return 0;
}
