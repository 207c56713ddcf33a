/* Attacks on connections: those who do not read, do not finish, or come in crowds. */
#include "tests/soak/front.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { UNREAD_MB = 1000, UNFINISHED_MB = 8, WAVES = 3, STORM = 12000, STAY_MS = 1200 };

static void dial_all(const struct front *f, struct client *crowd, int n)
{
    for (int i = 0; i < n; i++)
        crowd[i] = front_dial(f);
}

static void hang_up(struct client *crowd, int n)
{
    for (int i = 0; i < n; i++)
        client_close(&crowd[i]);
}

static int count_closed(struct client *crowd, int n)
{
    int closed = 0;
    for (int i = 0; i < n; i++)
        closed += front_closed(&crowd[i]);
    return closed;
}

/* Publishes for a while to those who do not read. */
static void publish(struct front *f, int n)
{
    struct client c = front_dial(f);
    char text[1100];
    size_t sent = 0;
    memset(text, 'x', sizeof text);
    memcpy(text, "PUBLISH ch ", 11);
    memcpy(text + 1090, "\r\n", 2);
    for (double from = front_now_ms(); front_now_ms() < from + FRONT_FLOOD_MS;) {
        for (int i = 0; i < 100; i++)
            client_send(&c, (struct bytes){text, 1092});
        if (!front_skip(&c, 100))
            break;
        sent += 100;
    }
    struct buf count = {0};
    client_say(&c, "PUBLISH ch last");
    client_read(&c, FRONT_REPLY_MS, &count);
    long left = buf_len(&count) ? strtol(count.p + 1, NULL, 10) : 0;
    front_tell(f, "%zu MB sent; %ld of %d still subscribed", sent * 1090 * (size_t)n >> 20, left,
               n);
    buf_free(&count);
    client_close(&c);
}

static void silent_subscribers(struct front *f, int n)
{
    struct client crowd[FRONT_CROWD];
    dial_all(f, crowd, n);
    for (int i = 0; i < n; i++)
        front_say(&crowd[i], "SUBSCRIBE ch");
    publish(f, n);
    hang_up(crowd, n);
}

static void one_silent_subscriber(struct front *f)
{
    silent_subscribers(f, 1);
}

static void many_silent_subscribers(struct front *f)
{
    silent_subscribers(f, FRONT_CROWD);
}

static void never_reads(struct front *f)
{
    struct client c = front_dial(f);
    struct buf gets = {0};
    front_say(&c, "EVAL \"return redis.call('set', 'big', string.rep('x', 1000000))\" 0");
    for (int i = 0; i < UNREAD_MB; i++)
        buf_put(&gets, BYTES("GET big\r\n"));
    front_stuff(&c, buf_bytes(&gets));
    poll(NULL, 0, FRONT_FLOOD_MS);
    front_tell(f, "asked for %d MB; %s", UNREAD_MB,
               front_closed(&c) ? "closed" : "still connected");
    buf_free(&gets);
    client_close(&c);
}

/* Nobody has logged in, and nobody reads what they are told about it. */
static void set_password(struct front *f)
{
    struct client c = front_dial(f);
    front_say(&c, "CONFIG SET requirepass secret");
    client_close(&c);
}

static void strangers(struct front *f)
{
    struct client crowd[FRONT_CROWD];
    struct buf words = {0};
    for (int i = 0; i < 10000; i++)
        buf_put(&words, BYTES("GET big\r\n"));
    dial_all(f, crowd, FRONT_CROWD);
    for (double end = front_now_ms() + FRONT_FLOOD_MS; front_now_ms() < end;)
        for (int i = 0; i < FRONT_CROWD; i++)
            (void)send(crowd[i].fd, words.p, buf_len(&words), MSG_NOSIGNAL | MSG_DONTWAIT);
    front_tell(f, "%d of %d closed", count_closed(crowd, FRONT_CROWD), FRONT_CROWD);
    hang_up(crowd, FRONT_CROWD);
    buf_free(&words);
}

static void byte_by_byte(struct front *f)
{
    struct client crowd[FRONT_CROWD];
    const char *text = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10000\r\nxxxxxxxxxxxxxxxxxxxxx";
    dial_all(f, crowd, FRONT_CROWD);
    for (int k = 0; k < FRONT_FLOOD_MS / 1000 && text[k]; k++) {
        for (int i = 0; i < FRONT_CROWD; i++)
            client_send(&crowd[i], (struct bytes){text + k, 1});
        poll(NULL, 0, 1000);
    }
    front_tell(f, "%d of %d closed", count_closed(crowd, FRONT_CROWD), FRONT_CROWD);
    hang_up(crowd, FRONT_CROWD);
}

/* Each promises half a gigabyte, sends a part of it and waits. */
static void unfinished(struct front *f)
{
    struct client crowd[FRONT_CROWD];
    size_t n = (size_t)UNFINISHED_MB << 20;
    struct bytes part = {calloc(1, n), n};
    dial_all(f, crowd, FRONT_CROWD);
    for (int i = 0; i < FRONT_CROWD; i++) {
        front_stuff(&crowd[i], BYTES("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\n"));
        front_stuff(&crowd[i], part);
    }
    front_tell(f, "%d of %d closed", count_closed(crowd, FRONT_CROWD), FRONT_CROWD);
    hang_up(crowd, FRONT_CROWD);
    free((char *)part.p);
}

/* Asks each of them and waits for the answers. How many have come. */
static size_t ask_all(const int *fds, size_t n)
{
    size_t answered = 0;
    for (size_t i = 0; i < n; i++)
        (void)send(fds[i], "PING\r\n", 6, MSG_NOSIGNAL | MSG_DONTWAIT);
    for (size_t i = 0; i < n; i++) {
        char reply[8] = "";
        if (poll(&(struct pollfd){.fd = fds[i], .events = POLLIN}, 1, FRONT_REPLY_MS) > 0)
            (void)recv(fds[i], reply, sizeof reply, MSG_DONTWAIT);
        answered += reply[0] == '+';
    }
    return answered;
}

/* One of two processes: so many connections, all open at once and each answered, and all gone, at
 * once or after a while in which they have talked. */
static size_t crowd_in(const struct front *f, size_t n, bool stays)
{
    int *fds = calloc(n, sizeof *fds);
    size_t in = 0;
    for (struct client c; in < n && client_connect_unix(&c, f->socket); in++)
        fds[in] = c.fd;
    size_t answered = ask_all(fds, in);
    if (stays) {
        poll(NULL, 0, STAY_MS);
        answered += ask_all(fds, in);
    }
    for (size_t i = 0; i < in; i++)
        close(fds[i]);
    free(fds);
    return answered;
}

static void storm(struct front *f, int waves, bool stays)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    size_t each = limit.rlim_cur > STORM / 2 + 100 ? STORM / 2 : (size_t)limit.rlim_cur - 100;
    size_t *answered =
        mmap(NULL, 2 * sizeof *answered, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t other = fork();
    for (int i = 0; i < waves; i++)
        answered[other == 0] += crowd_in(f, each, stays);
    if (other == 0)
        _exit(0);
    waitpid(other, NULL, 0);
    front_tell(f, "%d x %zu; %zu answered", waves, 2 * each, answered[0] + answered[1]);
}

static void connection_storm(struct front *f)
{
    storm(f, WAVES, false);
}

static void exodus(struct front *f)
{
    storm(f, 1, true);
}

const struct attack attacks_on_connections[] = {
    {"subscriber", "a subscriber that never reads", false, NULL, one_silent_subscriber},
    {"subscribers", "200 subscribers that never read", false, NULL, many_silent_subscribers},
    {"unread", "a client that never reads its replies", false, NULL, never_reads},
    {"strangers", "200 clients that do not log in and never read", false, set_password, strangers},
    {"bytes", "200 clients that send a byte a second", false, NULL, byte_by_byte},
    {"unfinished", "200 clients that stop after 8 of 500 MB", false, NULL, unfinished},
    {"storm", "12,000 connections at once, from two processes, and gone", false, NULL,
     connection_storm},
    {"exodus", "12,000 connections that have stayed and talked, all gone at once", false, NULL,
     exodus},
    {0},
};
