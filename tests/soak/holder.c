#include "tests/soak/holder.h"

#include "tests/lib/answer.h"
#include "tests/lib/client.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_MS = 10000, PATIENCE_MS = 300 };

#define MS INT64_C(1000000)

int64_t monotonic_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool read_file(const char *name, struct buf *out)
{
    char path[128], chunk[4096];
    size_t n;
    snprintf(path, sizeof path, "scripts/canonical/%s.lua", name);
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        perror(path);
        return false;
    }
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_put(out, (struct bytes){chunk, n});
    fclose(f);
    return true;
}

bool scripts_read(struct scripts *s)
{
    static const char *const acquire[] = {"acquire", "reentrant_acquire", "fair_acquire",
                                          "semaphore_acquire"};
    static const char *const release[] = {"release", "reentrant_release", "fair_release",
                                          "semaphore_release"};
    bool all = read_file("extend", &s->extend);
    for (int kind = 0; kind < LOCK_KINDS; kind++)
        all = all && read_file(acquire[kind], &s->acquire[kind]) &&
              read_file(release[kind], &s->release[kind]);
    return all;
}

void scripts_free(struct scripts *s)
{
    for (int kind = 0; kind < LOCK_KINDS; kind++) {
        buf_free(&s->acquire[kind]);
        buf_free(&s->release[kind]);
    }
    buf_free(&s->extend);
}

/* One lock, and who asks for it. */
struct hold {
    enum lock_kind kind;
    int lock;
    char key[32], queue[32], patience[32], token[32], lease[16];
    int64_t lease_ms;
};

struct state {
    const struct holder *h;
    struct client client;
    struct dice dice;
    unsigned tokens;
};

static void choose(struct state *s, struct hold *o)
{
    o->kind = (enum lock_kind)dice_roll(&s->dice, LOCK_KINDS);
    o->lock = (int)dice_roll(&s->dice, LOCKS_PER_KIND);
    o->lease_ms = 20 + (int64_t)dice_roll(&s->dice, 180);
    snprintf(o->key, sizeof o->key, "lock:%d:%d", o->kind, o->lock);
    snprintf(o->queue, sizeof o->queue, "queue:%d:%d", o->kind, o->lock);
    snprintf(o->patience, sizeof o->patience, "patience:%d:%d", o->kind, o->lock);
    snprintf(o->token, sizeof o->token, "%llx:%u", (unsigned long long)s->h->seed, ++s->tokens);
    snprintf(o->lease, sizeof o->lease, "%lld", (long long)o->lease_ms);
}

/* Says it and reads a number; false when the connection is of no more use. */
static bool ask(struct state *s, const struct bytes *argv, size_t n, int64_t *out)
{
    struct buf reply = {0};
    struct answer a = {0};
    bool told = client_command(&s->client, argv, n) &&
                client_read(&s->client, REPLY_MS, &reply) == CLIENT_REPLY &&
                answer_parse(buf_bytes(&reply), &a) && answer_int(&a, out);
    if (!told && buf_len(&reply))
        fprintf(stderr, "# unexpected: %.*s", BYTES_FMT(buf_bytes(&reply)));
    answer_free(&a);
    buf_free(&reply);
    return told;
}

static bool acquire(struct state *s, const struct hold *o, int64_t *answer)
{
    const struct bytes script = buf_bytes(&s->h->scripts->acquire[o->kind]);
    const struct bytes key = bytes_of(o->key), token = bytes_of(o->token),
                       lease = bytes_of(o->lease);
    if (o->kind == LOCK_FAIR) {
        const struct bytes argv[] = {
            BYTES("EVAL"),         script, BYTES("3"), key,         bytes_of(o->queue),
            bytes_of(o->patience), token,  lease,      BYTES("300")};
        return ask(s, argv, 9, answer);
    }
    if (o->kind == LOCK_SEMAPHORE) {
        const struct bytes argv[] = {BYTES("EVAL"), script,     BYTES("1"), key,
                                     token,         BYTES("3"), lease};
        return ask(s, argv, 7, answer);
    }
    const struct bytes argv[] = {BYTES("EVAL"), script, BYTES("1"), key, token, lease};
    return ask(s, argv, 6, answer);
}

static bool release(struct state *s, const struct hold *o, int64_t *answer)
{
    const struct bytes script = buf_bytes(&s->h->scripts->release[o->kind]);
    const struct bytes key = bytes_of(o->key), token = bytes_of(o->token);
    bool fair = o->kind == LOCK_FAIR;
    const struct bytes argv[] = {BYTES("EVAL"),
                                 script,
                                 fair ? BYTES("2") : BYTES("1"),
                                 key,
                                 fair ? bytes_of(o->queue) : token,
                                 token};
    return ask(s, argv, fair ? 6 : 5, answer);
}

/* More time for a string lock, one hold more for a reentrant one. */
static bool extend(struct state *s, const struct hold *o, struct record *r)
{
    int64_t answer, asked = monotonic_ns();
    const struct bytes argv[] = {BYTES("EVAL"),      buf_bytes(&s->h->scripts->extend),
                                 BYTES("1"),         bytes_of(o->key),
                                 bytes_of(o->token), bytes_of(o->lease)};
    bool reentrant = o->kind == LOCK_REENTRANT;
    if (!reentrant && o->kind != LOCK_STRING)
        return true;
    r->outcome = EXTENDED;
    if (!(reentrant ? acquire(s, o, &answer) : ask(s, argv, 6, &answer)))
        return false;
    int64_t answered = monotonic_ns();
    bool more = reentrant ? answer == 0 : answer == 1;
    if (more) {
        r->latest = answered + o->lease_ms * MS;
        r->certain = asked + o->lease_ms * MS;
        /* A reentrant lock that had ended was taken anew just now: then there was a gap. */
        if (answered > r->asked + (o->lease_ms - 2) * MS)
            r->answered = answered;
    }
    r->outcome = GRANTED;
    return true;
}

static void idle(struct state *s, int64_t most_ms)
{
    poll(NULL, 0, (int)dice_roll(&s->dice, (uint64_t)most_ms + 1));
}

static bool give_back(struct state *s, const struct hold *o, struct record *r, int holds)
{
    int64_t answer = 0;
    r->returned = monotonic_ns();
    if (!release(s, o, &answer))
        return false;
    r->refused_return = o->kind == LOCK_REENTRANT ? answer < 0 : answer == 0;
    if (holds > 1 && !release(s, o, &answer))
        return false;
    r->gone = monotonic_ns();
    return true;
}

/* Takes the lock, keeps it for a while, and gives it back or forgets it; false when the connection
 * is of no more use. */
static bool hold(struct state *s, const struct hold *o, struct record *r)
{
    int64_t answer;
    int holds = 1;
    *r = (struct record){.kind = (uint8_t)o->kind, .lock = (uint8_t)o->lock, .outcome = ASKED};
    r->asked = monotonic_ns();
    r->latest = r->asked + o->lease_ms * MS;
    if (!acquire(s, o, &answer))
        return false;
    r->answered = monotonic_ns();
    r->certain = r->asked + o->lease_ms * MS;
    r->latest = r->answered + o->lease_ms * MS;
    r->outcome = answer == 0 ? GRANTED : REFUSED;
    if (answer != 0) {
        idle(s, answer > 0 && answer < 20 ? answer : 20);
        return true;
    }
    idle(s, o->lease_ms / 2);
    if (dice_once_in(&s->dice, 4)) {
        if (!extend(s, o, r))
            return false;
        holds += o->kind == LOCK_REENTRANT;
        idle(s, o->lease_ms / 2);
    }
    if (dice_once_in(&s->dice, 6))
        return true; /* forgotten: it ends by itself */
    return give_back(s, o, r, holds);
}

void holder_run(const struct holder *h)
{
    struct state s = {.h = h, .client = {.fd = -1}, .dice = {.state = h->seed}};
    struct record *r;
    while (monotonic_ns() < h->until) {
        struct hold o;
        if (s.client.fd < 0 && !client_connect_unix(&s.client, h->socket))
            return;
        choose(&s, &o);
        if ((r = history_next(h->notes)) == NULL)
            break;
        if (!hold(&s, &o, r) || dice_once_in(&s.dice, 50))
            client_close(&s.client); /* without a word, whatever it holds */
    }
    client_close(&s.client);
}
