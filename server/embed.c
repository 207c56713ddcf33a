/*
 * The library: a server on a thread of its own, and calls that are handed over to it.
 *
 * Everything of the server, from its making to its end, happens on that thread. A call from outside
 * is a job on the caller's stack: it is put on a list under the lock, the loop is woken, and the
 * caller waits until the job says that it is done. So there is one lock, held for a few
 * instructions at a time, and the engine never meets a second thread.
 *
 * A client without a socket is a session that only this file looks at. When its command must wait,
 * its job is kept with it and answered when the session is woken.
 */
#include "include/latch/latch.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/embed_reply.h"
#include "server/engine/engine.h"
#include "server/engine/roster.h"
#include "server/server.h"

#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <uv.h>

enum state { STARTING, RUNNING, ENDED };

struct latch {
    struct latch_options options;
    struct config config;
    struct log log;
    char why[256]; /* the last warning: why it could not start */
    int port;
    pthread_t thread;

    pthread_mutex_t lock;   /* for what follows */
    pthread_cond_t changed; /* the state, a job, or the number of callers */
    enum state state;
    size_t callers;   /* other threads that are in here */
    struct list jobs; /* not begun */
    struct list all;  /* clients, closed ones too */

    /* The server's thread only. */
    struct server *server;
    uv_async_t wake;
    struct list clients; /* that are not closed */
};

struct latch_client {
    struct latch *latch;
    pthread_mutex_t busy;    /* one command at a time */
    struct list all;         /* on latch->all */
    struct list link;        /* on latch->clients */
    struct session *session; /* NULL: closed */
    struct job *waiting;     /* its command that has no answer yet */
};

/* Something to do on the server's thread. */
struct job {
    struct list link;
    void (*run)(struct latch *l, struct job *j);
    bool done;
    struct latch_client *client;
    const struct bytes *argv;
    size_t argc;
    const char *name;
    struct buf answer; /* bytes, if `answered` */
    bool answered;
    int n;
};

/* Handing over. */

/* Every call from outside is between these two; latch_stop waits for those that are. */
static void enter(struct latch *l)
{
    pthread_mutex_lock(&l->lock);
    l->callers++;
    pthread_mutex_unlock(&l->lock);
}

static void leave(struct latch *l)
{
    pthread_mutex_lock(&l->lock);
    l->callers--;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

/* The job has been run to its end when this returns; false: the server has ended. */
static bool hand_over(struct latch *l, struct job *j)
{
    pthread_mutex_lock(&l->lock);
    bool taken = l->state == RUNNING;
    if (taken) {
        list_append(&l->jobs, &j->link);
        uv_async_send(&l->wake);
        while (!j->done)
            pthread_cond_wait(&l->changed, &l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return taken;
}

static void finish(struct latch *l, struct job *j)
{
    pthread_mutex_lock(&l->lock);
    j->done = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static struct job *next_job(struct latch *l)
{
    struct job *j = NULL;
    pthread_mutex_lock(&l->lock);
    if (!list_empty(&l->jobs)) {
        j = container_of(l->jobs.next, struct job, link);
        list_unlink(&j->link);
    }
    pthread_mutex_unlock(&l->lock);
    return j;
}

/* Clients, on the server's thread. */

static void close_client(struct latch_client *c)
{
    if (c->session)
        session_free(c->session);
    c->session = NULL;
    list_unlink(&c->link);
    if (c->waiting) {
        struct job *j = c->waiting;
        c->waiting = NULL;
        finish(c->latch, j);
    }
}

/* Takes the answer, if it is complete, to whoever waits for it. */
static void look_at(struct latch_client *c)
{
    struct session *s = c->session;
    if (s == NULL)
        return;
    bool ending = s->flags & SESSION_CLOSING;
    if (c->waiting && (ending || !(s->flags & SESSION_BLOCKED))) {
        struct job *j = c->waiting;
        c->waiting = NULL;
        j->answer = s->out;
        j->answered = !(s->flags & SESSION_KILLED);
        s->out = (struct buf){0};
        finish(c->latch, j);
    }
    if (c->waiting == NULL)
        buf_clear(&s->out); /* messages */
    if (ending)
        close_client(c);
}

static void look_at_all(struct latch *l)
{
    list_each_safe (pos, &l->clients)
        look_at(container_of(pos, struct latch_client, link));
}

/* One of our sessions has something to say: not at once, it may be in the midst of it. */
static void on_session(void *ctx, struct session *s)
{
    struct latch *l = ctx;
    (void)s;
    uv_async_send(&l->wake);
}

static void on_wake(uv_async_t *a)
{
    struct latch *l = a->data;
    for (struct job *j; (j = next_job(l));)
        j->run(l, j);
    look_at_all(l);
}

static void run_connect(struct latch *l, struct job *j)
{
    struct latch_client *c = j->client;
    c->session = session_new(server_engine(l->server), NULL, SESSION_LOCAL);
    c->session->flags |= SESSION_AUTHENTICATED;
    c->session->resp = 3;
    list_append(&l->clients, &c->link);
    finish(l, j);
}

static void run_disconnect(struct latch *l, struct job *j)
{
    close_client(j->client);
    finish(l, j);
}

static void run_command(struct latch *l, struct job *j)
{
    struct latch_client *c = j->client;
    if (c->session == NULL) {
        finish(l, j);
        return;
    }
    buf_clear(&c->session->out); /* messages that came since */
    c->waiting = j;
    server_execute(l->server, c->session, j->argv, j->argc);
    look_at(c);
}

static void run_drop(struct latch *l, struct job *j)
{
    roster_each (server_engine(l->server), s) {
        const char *name = s->more && s->more->name ? s->more->name : "";
        if (j->name ? strcmp(name, j->name) == 0 : s->owner != NULL) {
            session_close(s, true);
            j->n++;
        }
    }
    finish(l, j);
}

/* The server's thread. */

static void on_log(void *ctx, enum log_level level, const char *line)
{
    struct latch *l = ctx;
    if (level == LOG_WARNING)
        snprintf(l->why, sizeof l->why, "%s", line);
    if (l->options.log)
        l->options.log(l->options.log_ctx, (enum latch_level)level, line);
}

static void set_state(struct latch *l, enum state state)
{
    pthread_mutex_lock(&l->lock);
    l->state = state;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static bool open_server(struct latch *l)
{
    l->server = server_new(&(struct server_options){.config = &l->config,
                                                    .log = &l->log,
                                                    .may_be_deaf = true,
                                                    .frozen = l->options.frozen,
                                                    .wake = on_session,
                                                    .ctx = l});
    if (l->server == NULL)
        return false;
    uv_async_init(server_loop(l->server), &l->wake, on_wake);
    l->wake.data = l;
    l->port = server_port(l->server);
    return true;
}

/* Whoever still waits is let go. */
static void close_server(struct latch *l)
{
    while (!list_empty(&l->clients))
        close_client(container_of(l->clients.next, struct latch_client, link));
    set_state(l, ENDED);
    for (struct job *j; (j = next_job(l));)
        finish(l, j);
    uv_close((uv_handle_t *)&l->wake, NULL);
    server_free(l->server);
}

/* Numbers are read and printed as in C, whatever the host's locale. */
static void *serve(void *arg)
{
    struct latch *l = arg;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = uselocale(plain);
    if (open_server(l)) {
        set_state(l, RUNNING);
        server_run(l->server);
        close_server(l);
    } else {
        set_state(l, ENDED);
    }
    uselocale(before);
    freelocale(plain);
    return NULL;
}

/* The host's signals are for the host's threads. */
static bool start_thread(struct latch *l)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool ok = pthread_create(&l->thread, NULL, serve, l) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

/* Options. */

static void set_text(char **field, const char *text)
{
    mem_free(*field);
    *field = mem_strdup(text);
}

static bool set(struct latch *l, const char *name, const char *text)
{
    struct buf joined = {0}, ends = {0};
    char why[CONFIG_ERROR_MAX] = "its value is not well quoted";
    ssize_t n = quote_split(bytes_of(text), &joined, &ends);
    struct bytes *values = mem_alloc((n > 0 ? (size_t)n : 1) * sizeof *values);
    const size_t *end = (const size_t *)(const void *)buf_bytes(&ends).p;
    for (ssize_t i = 0; i < n; i++) {
        size_t from = i ? end[i - 1] : 0;
        values[i] = (struct bytes){buf_bytes(&joined).p + from, end[i] - from};
    }
    bool ok = n >= 0 && config_load(&l->config, bytes_of(name), values, n ? (size_t)n : 1, why);
    if (!ok)
        snprintf(l->why, sizeof l->why, "%s: %.200s", name, why);
    mem_free(values);
    buf_free(&joined);
    buf_free(&ends);
    return ok;
}

static bool configure(struct latch *l)
{
    const struct latch_options *o = &l->options;
    l->config.test = true;
    bool ok = set(l, "bind", "127.0.0.1");
    for (const char *const *s = o->settings; ok && s && s[0]; s += 2) {
        if (s[1] == NULL) {
            snprintf(l->why, sizeof l->why, "%s: it has no value", s[0]);
            return false;
        }
        ok = set(l, s[0], s[1]);
    }
    l->config.port = o->port == LATCH_PORT_AUTO ? CONFIG_PORT_AUTO : o->port;
    if (o->unix_socket)
        set_text(&l->config.unixsocket, o->unix_socket);
    l->log = (struct log){.write = on_log, .ctx = l, .min = (enum log_level)l->config.loglevel};
    return ok;
}

/* What the caller's header had of the options; the rest is zero. */
static bool read_options(struct latch *l, const struct latch_options *given)
{
    if (given == NULL) {
        l->options = (struct latch_options){.port = LATCH_PORT_AUTO};
        return true;
    }
    size_t size = given->size < sizeof l->options ? given->size : sizeof l->options;
    if (size < offsetof(struct latch_options, port) + sizeof given->port) {
        snprintf(l->why, sizeof l->why, "the options do not begin with LATCH_OPTIONS");
        return false;
    }
    memcpy(&l->options, given, size);
    return true;
}

/* Starting and stopping. */

static bool begin(struct latch *l, const struct latch_options *given)
{
    if (!read_options(l, given) || !configure(l))
        return false;
    if (!start_thread(l)) {
        snprintf(l->why, sizeof l->why, "there is no thread to be had");
        return false;
    }
    pthread_mutex_lock(&l->lock);
    while (l->state == STARTING)
        pthread_cond_wait(&l->changed, &l->lock);
    bool ok = l->state == RUNNING;
    pthread_mutex_unlock(&l->lock);
    if (!ok)
        pthread_join(l->thread, NULL);
    return ok;
}

static struct latch_client *new_client(struct latch *l)
{
    struct latch_client *c = mem_alloc(sizeof *c);
    c->latch = l;
    list_init(&c->link);
    pthread_mutex_init(&c->busy, NULL);
    pthread_mutex_lock(&l->lock);
    list_append(&l->all, &c->all);
    pthread_mutex_unlock(&l->lock);
    return c;
}

static void free_client(struct latch_client *c)
{
    pthread_mutex_lock(&c->latch->lock);
    list_unlink(&c->all);
    pthread_mutex_unlock(&c->latch->lock);
    pthread_mutex_destroy(&c->busy);
    mem_free(c);
}

static void free_latch(struct latch *l)
{
    while (!list_empty(&l->all))
        free_client(container_of(l->all.next, struct latch_client, all));
    config_free(&l->config);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
    mem_free(l);
}

struct latch *latch_start(const struct latch_options *given, char *error, size_t size)
{
    struct latch *l = mem_alloc(sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    list_init(&l->jobs);
    list_init(&l->clients);
    list_init(&l->all);
    config_init(&l->config);
    if (begin(l, given))
        return l;
    if (size)
        snprintf(error, size, "%s", l->why);
    free_latch(l);
    return NULL;
}

void latch_stop(struct latch *l)
{
    if (l == NULL)
        return;
    pthread_mutex_lock(&l->lock);
    if (l->state == RUNNING)
        server_stop(l->server, true);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    pthread_mutex_lock(&l->lock);
    while (l->callers)
        pthread_cond_wait(&l->changed, &l->lock);
    pthread_mutex_unlock(&l->lock);
    free_latch(l);
}

int latch_port(const struct latch *l)
{
    return l->port;
}

int latch_drop(struct latch *l, const char *client_name)
{
    struct job j = {.run = run_drop, .name = client_name};
    enter(l);
    hand_over(l, &j);
    leave(l);
    return j.n;
}

/* Commands. */

struct latch_client *latch_connect(struct latch *l)
{
    enter(l);
    struct latch_client *c = new_client(l);
    struct job j = {.run = run_connect, .client = c};
    if (!hand_over(l, &j)) {
        free_client(c);
        c = NULL;
    }
    leave(l);
    return c;
}

void latch_disconnect(struct latch_client *c)
{
    if (c == NULL)
        return;
    struct latch *l = c->latch;
    struct job j = {.run = run_disconnect, .client = c};
    enter(l);
    hand_over(l, &j);
    free_client(c);
    leave(l);
}

static struct latch_reply *run_words(struct latch_client *c, const struct bytes *words, size_t n)
{
    struct latch *l = c->latch;
    struct job j = {.run = run_command, .client = c, .argv = words, .argc = n};
    enter(l);
    pthread_mutex_lock(&c->busy);
    bool taken = n > 0 && hand_over(l, &j);
    pthread_mutex_unlock(&c->busy);
    leave(l);
    if (taken && j.answered)
        return embed_reply_new(&j.answer);
    buf_free(&j.answer);
    return NULL;
}

struct latch_reply *latch_client_runv(struct latch_client *c, size_t argc, const char *const *argv,
                                      const size_t *lengths)
{
    struct bytes *words = mem_alloc((argc + 1) * sizeof *words);
    for (size_t i = 0; i < argc; i++)
        words[i] = lengths ? (struct bytes){argv[i], lengths[i]} : bytes_of(argv[i]);
    struct latch_reply *r = run_words(c, words, argc);
    mem_free(words);
    return r;
}

static struct latch_reply *run_list(struct latch_client *c, va_list words)
{
    struct buf argv = {0};
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the callers have started it */
    for (const char *word; (word = va_arg(words, const char *));) {
        struct bytes b = bytes_of(word);
        buf_put(&argv, (struct bytes){(const char *)&b, sizeof b});
    }
    struct latch_reply *r =
        run_words(c, (const struct bytes *)(const void *)argv.p, argv.to / sizeof(struct bytes));
    buf_free(&argv);
    return r;
}

struct latch_reply *latch_client_run(struct latch_client *c, ...)
{
    va_list words;
    va_start(words, c);
    struct latch_reply *r = run_list(c, words);
    va_end(words);
    return r;
}

struct latch_reply *latch_run(struct latch *l, ...)
{
    va_list words;
    enter(l);
    va_start(words, l);
    struct latch_client *c = latch_connect(l);
    struct latch_reply *r = c ? run_list(c, words) : NULL;
    latch_disconnect(c);
    va_end(words);
    leave(l);
    return r;
}

struct latch_reply *latch_runv(struct latch *l, size_t argc, const char *const *argv,
                               const size_t *lengths)
{
    enter(l);
    struct latch_client *c = latch_connect(l);
    struct latch_reply *r = c ? latch_client_runv(c, argc, argv, lengths) : NULL;
    latch_disconnect(c);
    leave(l);
    return r;
}

/* Time: the commands of the same names. */

static bool is_ok(struct latch_reply *r)
{
    bool ok = r && latch_reply_kind(r) == LATCH_STATUS;
    latch_reply_free(r);
    return ok;
}

static bool move(struct latch *l, const char *command, int64_t ms)
{
    char number[24];
    snprintf(number, sizeof number, "%lld", (long long)ms);
    return is_ok(latch_run(l, command, number, NULL));
}

bool latch_advance(struct latch *l, int64_t ms)
{
    return move(l, "TEST.ADVANCE", ms);
}

bool latch_set_time(struct latch *l, int64_t unix_ms)
{
    return move(l, "TEST.SETTIME", unix_ms);
}

bool latch_freeze(struct latch *l)
{
    return is_ok(latch_run(l, "TEST.FREEZE", NULL));
}

bool latch_thaw(struct latch *l)
{
    return is_ok(latch_run(l, "TEST.THAW", NULL));
}

bool latch_reset(struct latch *l)
{
    return is_ok(latch_run(l, "TEST.RESET", NULL));
}
