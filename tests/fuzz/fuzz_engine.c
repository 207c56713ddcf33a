/*
 * Streams of commands through the whole engine: the bytes choose commands from the grammar, who
 * says them, when time passes and who leaves. After every command the store must add up and the
 * client must have been given one reply, whole and well-formed; at the end everything goes and no
 * memory may be left.
 */
#include "base/quote.h"
#include "tests/lib/answer.h"
#include "tests/lib/audit.h"
#include "tests/lib/grammar.h"
#include "tests/lib/rig.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { CLIENTS = 4, COMMANDS = 200 };

/* cmocka's main is not here, but the rig asks for it in its checks. */
static void fail_with(const char *why)
{
    fprintf(stderr, "fuzz_engine: %s\n", why);
    abort();
}

/* Commands with an effect beyond the engine, or made to take long. */
static bool allowed(const struct command *c)
{
    return strcmp(c->name, "debug") != 0;
}

/* The number of replies in the client's output, all of which must be whole. */
static size_t count_replies(const struct session *s)
{
    struct bytes out = buf_bytes(&s->out);
    size_t count = 0;
    while (out.n) {
        ssize_t used = answer_length(out);
        if (used <= 0)
            fail_with(used ? "a reply is no RESP" : "a reply is not complete");
        out = (struct bytes){out.p + used, out.n - (size_t)used};
        count++;
    }
    return count;
}

/* May this client get something that is not the reply, or no reply at all? */
static bool unpredictable(const struct session *s)
{
    return s->flags &
           (SESSION_BLOCKED | SESSION_CLOSING | SESSION_REPLY_OFF | SESSION_REPLY_SKIP |
            SESSION_REPLY_SKIP_NEXT | SESSION_PUBSUB | SESSION_MONITOR | SESSION_TRACKING);
}

/* Subscribing answers once for each channel, and may have been queued. */
static bool answers_often(const struct command *c)
{
    return (c->group == GROUP_PUBSUB && c->full_name == NULL && c->run != NULL) ||
           strcmp(c->name, "exec") == 0;
}

static void check(struct rig *r)
{
    const char *wrong = audit_store(&r->engine->space);
    if (wrong)
        fail_with(wrong);
}

/* With FUZZ_SHOW in the environment a run is told as it goes on, to see what a finding is about. */
static void show(const struct rig *r, const struct bytes *argv, size_t n)
{
    struct buf line = {0};
    if (getenv("FUZZ_SHOW") == NULL)
        return;
    for (size_t i = 0; i < n; i++) {
        buf_putc(&line, ' ');
        quote_put(&line, argv[i]);
    }
    fprintf(stderr, "%lld %d>%.*s\n", (long long)r->now, r->who, BYTES_FMT(buf_bytes(&line)));
    buf_free(&line);
}

static void say(struct rig *r, const struct sentence *sentence)
{
    struct bytes argv[GRAMMAR_WORDS];
    size_t n = sentence_words(sentence, argv);
    struct session *s = r->clients[r->who];
    for (int i = 0; i < CLIENTS; i++)
        if (r->clients[i])
            buf_clear(&r->clients[i]->out);
    show(r, argv, n);
    bool free_before = !unpredictable(s);
    engine_execute(r->engine, s, r->now, argv, n);
    engine_took(r->engine, s, argv, n, (int64_t)n * 1000);
    size_t replies = count_replies(s);
    if (free_before && !unpredictable(s) && !answers_often(sentence->command) && replies != 1)
        fail_with(replies ? "more than one reply" : "no reply");
    check(r);
}

/* Those who were to be closed go, as a shell would see to it. */
static void sweep(struct rig *r)
{
    for (int i = 0; i < CLIENTS; i++)
        if (r->clients[i] && r->clients[i]->flags & (SESSION_CLOSING | SESSION_KILLED))
            disconnect(r, i);
}

static void pass_time(struct rig *r, struct dice *d)
{
    static const int64_t steps[] = {1, 10, 51, 1000, 100001, INT64_C(1) << 40};
    int64_t until = r->now + steps[dice_roll(d, sizeof steps / sizeof *steps)];
    for (int i = 0; i < 1000 && engine_deadline(r->engine) <= until; i++) {
        int64_t next = engine_deadline(r->engine);
        if (next > r->now)
            r->now = next;
        engine_advance(r->engine, r->now);
    }
    r->now = until;
    check(r);
}

static void step(struct rig *r, struct grammar *g, struct dice *d, struct sentence *s)
{
    int who = (int)dice_roll(d, CLIENTS);
    switch (dice_roll(d, 16)) {
    case 14: pass_time(r, d); return;
    case 15: disconnect(r, who); return;
    default: break;
    }
    as(r, who);
    if (r->clients[who]->flags & SESSION_BLOCKED)
        return;
    grammar_say(g, d, s);
    say(r, s);
    sweep(r);
}

/* A table that has become empty keeps its slots. */
static void let_go(struct dict *d)
{
    if (d->count)
        fail_with("something is left in a table after all have gone");
    dict_free(d);
}

/* Everyone leaves, everything is deleted, all deadlines pass. */
static void empty(struct rig *r)
{
    for (int i = 0; i < CLIENTS; i++)
        disconnect(r, i);
    for (uint32_t i = 0; i < r->engine->space.ndbs; i++)
        if (r->engine->space.dbs[i])
            keys_flush(r->engine->space.dbs[i]);
    for (int budget = 1 << 20; keyspace_reclaim(&r->engine->space, &budget);)
        budget = 1 << 20;
    check(r);
    let_go(&r->engine->pubsub.subscriptions);
    tracking_free(
        &r->engine->tracking); /* it forgets the readers that have gone little by little */
    for (int kind = 0; kind < TOPIC_KINDS; kind++)
        let_go(&r->engine->pubsub.topics[kind]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct dice d = {.left = {(const char *)data, n}};
    static struct grammar *g; /* the same for all runs */
    if (g == NULL)
        g = grammar_new(&(struct grammar_options){.allowed = allowed});
    struct rig *r = rig_new();
    struct sentence s = {0};
    size_t before = engine_memory(r->engine);
    r->config.script_time_limit = 1000;
    for (int i = 0; i < COMMANDS && !dice_over(&d); i++)
        step(r, g, &d, &s);
    empty(r);
    if (engine_memory(r->engine) != before)
        fail_with("memory is counted that nobody holds");
    sentence_free(&s);
    rig_free(r);
    return 0;
}
