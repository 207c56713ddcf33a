/*
 * The server under test: where it is, how to connect to it, what it has used of the machine.
 */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "base/buf.h"

#include <stdint.h>
#include <sys/types.h>

struct peer {
    const char *path; /* of its unix socket; NULL: TCP on the loopback */
    int port;
    pid_t pid; /* 0: unknown, and what it uses is told as 0 */
};

/* Options --port, --unix and --pid; false when `option` is none of them. */
bool peer_option(struct peer *p, const char *option, const char *value);

/* A connected socket. Ends the program when there is none to be had. */
int peer_connect(const struct peer *p);

uint64_t peer_cpu_ns(const struct peer *p); /* spent so far, by all its threads */
size_t peer_rss(const struct peer *p);      /* bytes */

uint64_t now_ns(void);

/* Says why and ends the program. */
_Noreturn void give_up(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Sends all of it. */
void send_all(int fd, struct bytes data);

/* For what is not measured: asks on a blocking socket and gives the reply, which has to be a single
 * line or a bulk, without its type and line end. Valid until `reply` is used again. An error ends
 * the program. */
struct bytes ask(int fd, struct buf *reply, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
struct bytes ask_words(int fd, struct buf *reply, const struct bytes *words, size_t n);

#endif
