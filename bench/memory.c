/*
 * What a lock and a connection cost in memory: bench_memory string|hash|connection N --port P --pid
 * P. Fills the server with N locks of 24-byte keys (36-byte values, or one 38-byte field) that have
 * a deadline and that it knows for locks, or opens N connections that have said PING, and prints a
 * line of JSON about the growth of its resident memory.
 */
#include "bench/peer.h"
#include "bench/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BATCH = 500 };

/* Sends the line for locks `from` to `to` and reads as many replies. */
static void fill_some(int fd, const struct step *step, long from, long to)
{
    struct buf out = {0}, in = {0};
    for (long i = from; i < to; i++)
        step_put(step, (uint64_t)i, &out);
    send_all(fd, buf_bytes(&out));
    for (long done = from; done < to;) {
        long n = step_check(step, buf_bytes(&in));
        if (n < 0)
            give_up("wrong answer: %.*s", BYTES_FMT(buf_bytes(&in)));
        buf_consume(&in, (size_t)n);
        done += n > 0;
        ssize_t got = n > 0 ? 1 : read(fd, buf_room(&in, 4096), 4096);
        if (got <= 0)
            give_up("the server has closed the connection");
        if (n == 0)
            buf_added(&in, (size_t)got);
    }
    buf_free(&out);
    buf_free(&in);
}

/* Locks as clients take them, so that the server knows them for locks. */
static void fill(const struct peer *p, const char *what, long n)
{
    static const struct line string = {"SET %k %t NX PX 3600000", "+OK"};
    static const struct line hash = {"EVAL %b0 1 %k %t:1 3600000", ":0"};
    struct workload_scripts scripts = {0};
    struct step step;
    int fd = peer_connect(p);
    if (!workload_read_scripts(workload_find("reentrant"), "scripts/canonical", &scripts))
        give_up("the scripts are not in scripts/canonical");
    step_make(&step, strcmp(what, "hash") == 0 ? &hash : &string,
              &(struct places){.scripts = &scripts});
    for (long from = 0; from < n; from += BATCH)
        fill_some(fd, &step, from, from + BATCH < n ? from + BATCH : n);
    step_free(&step);
    workload_free_scripts(&scripts);
    close(fd);
}

static void connect_many(const struct peer *p, long n)
{
    struct rlimit limit;
    struct buf reply = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    for (long i = 0; i < n; i++)
        ask(peer_connect(p), &reply, "PING");
    buf_free(&reply);
}

int main(int argc, char **argv)
{
    struct peer p = {0};
    struct buf reply = {0};
    long n = argc > 2 ? atol(argv[2]) : 0;
    if (n <= 0 || argc % 2 == 0)
        give_up("usage: bench_memory string|hash|connection N --port P --pid P");
    for (int i = 3; i < argc; i += 2)
        if (!peer_option(&p, argv[i], argv[i + 1]))
            give_up("unknown option %s", argv[i]);
    int fd = peer_connect(&p);
    ask(fd, &reply, "FLUSHALL");
    ask(fd, &reply, "EVAL return(1) 0"); /* the interpreter is no lock's */
    size_t before = peer_rss(&p);
    if (strcmp(argv[1], "connection") == 0)
        connect_many(&p, n);
    else
        fill(&p, argv[1], n);
    ask(fd, &reply, "PING");
    size_t after = peer_rss(&p);
    printf("{\"what\":\"%s\",\"n\":%ld,\"rss_before\":%zu,\"rss_after\":%zu,\"bytes_each\":%.1f}\n",
           argv[1], n, before, after, (double)((long)after - (long)before) / (double)n);
    buf_free(&reply);
    return 0;
}
