/*
 * hiredis as C programs use it: blocking contexts, one per thread, and one asynchronous context per
 * worker on a single libuv loop. Prints TAP.
 *
 * Exclusion is shown with a counter that has no protection of its own: it is read, time passes, it
 * is written.
 */
#include <hiredis/adapters/libuv.h>
#include <hiredis/hiredis.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define UNLOCK                                                                                     \
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

enum { WORKERS = 8, ROUNDS = 25 };

struct witness {
    _Atomic int count, inside, overlaps;
};

static int port, cases;

static void report(bool holds, const char *what)
{
    printf("%sok %d - %s\n", holds ? "" : "not ", ++cases, what);
}

static redisContext *dial(void)
{
    redisContext *c = redisConnectWithTimeout("127.0.0.1", port, (struct timeval){.tv_sec = 10});
    if (c == NULL || c->err) {
        fprintf(stderr, "connect: %s\n", c ? c->errstr : "no memory");
        exit(1);
    }
    return c;
}

static bool answers(redisReply *r, int type, const char *text)
{
    bool same = r != NULL && r->type == type && (text == NULL || strcmp(r->str, text) == 0);
    freeReplyObject(r);
    return same;
}

static bool counts(redisReply *r, long long n)
{
    bool same = r != NULL && r->type == REDIS_REPLY_INTEGER && r->integer == n;
    freeReplyObject(r);
    return same;
}

/* ---- blocking ---- */

static void *work_blocking(void *witness)
{
    struct witness *w = witness;
    redisContext *c = dial();
    for (int i = 0; i < ROUNDS; i++) {
        while (!answers(redisCommand(c, "SET counter %d NX PX 10000", c->fd), REDIS_REPLY_STATUS,
                        "OK"))
            ;
        w->overlaps += ++w->inside > 1;
        int seen = w->count;
        freeReplyObject(redisCommand(c, "PING")); /* others may come in while it waits */
        w->count = seen + 1;
        w->inside--;
        if (!counts(redisCommand(c, "EVAL %s 1 counter %d", UNLOCK, c->fd), 1))
            w->overlaps++;
    }
    redisFree(c);
    return NULL;
}

static void threads_exclude_each_other(void)
{
    struct witness w = {0};
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, work_blocking, &w);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    report(w.count == WORKERS * ROUNDS && w.overlaps == 0, "threads exclude each other");
}

static void replies_have_their_types(redisContext *c)
{
    report(answers(redisCommand(c, "PING"), REDIS_REPLY_STATUS, "PONG"), "a status");
    report(answers(redisCommand(c, "SET k %b", "a\0b", (size_t)3), REDIS_REPLY_STATUS, "OK"),
           "binary arguments");
    report(counts(redisCommand(c, "STRLEN k"), 3), "an integer");
    report(answers(redisCommand(c, "GET nothing"), REDIS_REPLY_NIL, NULL), "a nil");
    report(answers(redisCommand(c, "INCR k"), REDIS_REPLY_ERROR,
                   "ERR value is not an integer or out of range"),
           "an error");
    redisReply *r = redisCommand(c, "EVAL %s 0", "return {1, {'two', false}}");
    report(r != NULL && r->type == REDIS_REPLY_ARRAY && r->elements == 2 &&
               r->element[1]->elements == 2 && r->element[1]->element[1]->type == REDIS_REPLY_NIL,
           "nested arrays");
    freeReplyObject(r);
}

static void pipelines_keep_their_order(redisContext *c)
{
    bool right = true;
    for (int i = 0; i < 1000; i++)
        redisAppendCommand(c, "ECHO %d", i);
    for (int i = 0; i < 1000; i++) {
        redisReply *r = NULL;
        right = redisGetReply(c, (void **)&r) == REDIS_OK && r->type == REDIS_REPLY_STRING &&
                atoi(r->str) == i && right;
        freeReplyObject(r);
    }
    report(right, "a thousand replies in order");
}

static void a_watched_key_stops_a_transaction(redisContext *c)
{
    redisContext *other = dial();
    bool right = answers(redisCommand(c, "WATCH k"), REDIS_REPLY_STATUS, "OK");
    right = answers(redisCommand(other, "SET k 1"), REDIS_REPLY_STATUS, "OK") && right;
    right = answers(redisCommand(c, "MULTI"), REDIS_REPLY_STATUS, "OK") && right;
    right = answers(redisCommand(c, "INCR k"), REDIS_REPLY_STATUS, "QUEUED") && right;
    right = answers(redisCommand(c, "EXEC"), REDIS_REPLY_NIL, NULL) && right;
    report(right && answers(redisCommand(c, "GET k"), REDIS_REPLY_STRING, "1"), "WATCH stops EXEC");
    redisFree(other);
}

/* ---- asynchronous, on libuv ---- */

struct worker {
    redisAsyncContext *c;
    struct witness *w;
    uv_timer_t pause;
    int seen, left;
};

static void acquire(struct worker *k);

static void on_released(redisAsyncContext *c, void *reply, void *worker)
{
    struct worker *k = worker;
    redisReply *r = reply;
    if (r == NULL || r->type != REDIS_REPLY_INTEGER || r->integer != 1)
        k->w->overlaps++;
    if (--k->left > 0) {
        acquire(k);
        return;
    }
    uv_close((uv_handle_t *)&k->pause, NULL);
    redisAsyncDisconnect(c);
}

static void on_section_over(uv_timer_t *pause)
{
    struct worker *k = pause->data;
    k->w->count = k->seen + 1;
    k->w->inside--;
    redisAsyncCommand(k->c, on_released, k, "EVAL %s 1 counter %d", UNLOCK, k->c->c.fd);
}

static void on_again(uv_timer_t *pause)
{
    acquire(pause->data);
}

static void on_acquired(redisAsyncContext *c, void *reply, void *worker)
{
    (void)c;
    struct worker *k = worker;
    redisReply *r = reply;
    if (r == NULL || r->type != REDIS_REPLY_STATUS) {
        uv_timer_start(&k->pause, on_again, 1, 0);
        return;
    }
    k->w->overlaps += ++k->w->inside > 1;
    k->seen = k->w->count;
    uv_timer_start(&k->pause, on_section_over, 1, 0);
}

static void acquire(struct worker *k)
{
    redisAsyncCommand(k->c, on_acquired, k, "SET counter %d NX PX 10000", k->c->c.fd);
}

static void workers_on_a_loop_exclude_each_other(uv_loop_t *loop)
{
    struct witness w = {0};
    struct worker workers[WORKERS] = {0};
    for (int i = 0; i < WORKERS; i++) {
        struct worker *k = &workers[i];
        *k = (struct worker){.c = redisAsyncConnect("127.0.0.1", port), .w = &w, .left = ROUNDS};
        uv_timer_init(loop, &k->pause);
        k->pause.data = k;
        redisLibuvAttach(k->c, loop);
        acquire(k);
    }
    uv_run(loop, UV_RUN_DEFAULT);
    report(w.count == WORKERS * ROUNDS && w.overlaps == 0, "workers on a loop exclude each other");
}

struct listener {
    redisAsyncContext *publisher;
    int heard;
};

static void on_message(redisAsyncContext *c, void *reply, void *listener)
{
    struct listener *l = listener;
    redisReply *r = reply;
    if (r == NULL)
        return;
    if (strcmp(r->element[0]->str, "subscribe") == 0) {
        redisAsyncCommand(l->publisher, NULL, NULL, "PUBLISH news one");
    } else if (strcmp(r->element[0]->str, "message") == 0) {
        l->heard += strcmp(r->element[2]->str, "one") == 0;
        redisAsyncDisconnect(l->publisher);
        redisAsyncCommand(c, NULL, NULL, "UNSUBSCRIBE news");
        redisAsyncDisconnect(c);
    }
}

static void messages_arrive_on_a_loop(uv_loop_t *loop)
{
    struct listener l = {.publisher = redisAsyncConnect("127.0.0.1", port)};
    redisAsyncContext *subscriber = redisAsyncConnect("127.0.0.1", port);
    redisLibuvAttach(l.publisher, loop);
    redisLibuvAttach(subscriber, loop);
    redisAsyncCommand(subscriber, on_message, &l, "SUBSCRIBE news");
    uv_run(loop, UV_RUN_DEFAULT);
    report(l.heard == 1, "a message arrives on a loop");
}

int main(void)
{
    port = atoi(getenv("REDIS_PORT"));
    redisContext *c = dial();
    replies_have_their_types(c);
    pipelines_keep_their_order(c);
    a_watched_key_stops_a_transaction(c);
    redisFree(c);
    threads_exclude_each_other();
    workers_on_a_loop_exclude_each_other(uv_default_loop());
    messages_arrive_on_a_loop(uv_default_loop());
    printf("1..%d\n", cases);
}
