/*
 * The differential fuzzer: random talks from the grammar, to latchd and to a redis-server. Where
 * they answer differently, the talk is made as short as it can be and printed as a case for
 * tests/compat.
 *
 *     difffuzz [SECONDS [SEED]]
 *
 * Each talk has a seed of its own, which is printed with what it found: `difffuzz 0 SEED` has that
 * one talk again. It speaks TAP.
 */
#include "base/mem.h"
#include "tests/difffuzz/duel.h"
#include "tests/difffuzz/masks.h"
#include "tests/lib/oracle.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SECONDS = 60, FINDINGS = 12, LENGTH = 40, ATTEMPTS = 100, BEGINS = 12 };

/* A finding is known by its command and by how the two replies begin. */
struct findings {
    char known[FINDINGS][160];
    size_t n;
};

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool opens_transaction(const struct command *c)
{
    return strcmp(c->name, "multi") == 0;
}

/* Replies inside scripts and transactions are compared to the byte, so what is there must be
 * comparable; and only since 7.2 a script may say what waits. */
static bool fits(struct registry *r, const struct sentence *s, bool queued)
{
    struct bytes argv[GRAMMAR_WORDS];
    size_t n = sentence_words(s, argv);
    bool script = s->command->group == GROUP_SCRIPTING && n > 3;
    if ((queued && mask_check(s->command).kind != CHECK_EXACT) || !mask_fits(argv, n) ||
        (script && !mask_fits(argv + 3, n - 3)))
        return false;
    for (size_t i = 3; script && i < n; i++) {
        const struct command *inner = registry_find(r, argv[i]);
        if (inner == NULL)
            continue;
        if (inner->sub || inner->flags & CMD_BLOCKING || !mask_allows(inner) ||
            mask_check(inner).kind != CHECK_EXACT)
            return false;
    }
    return true;
}

static void compose(struct grammar *g, struct registry *r, uint64_t seed, struct talk *t)
{
    struct dice d = {.state = seed};
    bool queued[DUEL_CLIENTS] = {0};
    t->protocol = dice_roll(&d, 2) ? 3 : 2;
    for (t->n = 0; t->n < LENGTH; t->n++) {
        struct line *line = &t->lines[t->n];
        line->who = dice_once_in(&d, 4);
        int attempts = 0;
        do
            grammar_say(g, &d, &line->words);
        while (!fits(r, &line->words, queued[line->who]) && ++attempts < ATTEMPTS);
        const char *name = line->words.command->name;
        if (opens_transaction(line->words.command))
            queued[line->who] = true;
        else if (strcmp(name, "exec") == 0 || strcmp(name, "discard") == 0)
            queued[line->who] = false;
    }
}

/* Takes out what the difference does not need, line by line and then word by word. */
static void shrink(struct duel *d, struct talk *t, size_t alike)
{
    t->n = alike + 1;
    for (size_t i = t->n - 1; i-- > 0;) {
        struct talk shorter = *t;
        size_t got;
        talk_drop(&shorter, i);
        if (!duel_run(d, &shorter, &got))
            return;
        if (got == shorter.n - 1)
            *t = shorter;
    }
}

/* For printf: how the replies begin. */
#define begins(b) buf_len(b) < BEGINS ? (int)buf_len(b) : BEGINS, buf_bytes(b).p

static void report(struct findings *f, struct duel *d, struct talk *t, size_t alike, uint64_t seed)
{
    const char *name = command_full_name(t->lines[alike].words.command);
    char *known = f->known[f->n];
    int length = snprintf(known, sizeof *f->known, "%s: %.*s, %.*s", name, begins(&d->replies[0]),
                          begins(&d->replies[1]));
    for (size_t i = 0; i < f->n; i++)
        if (strncmp(f->known[i], known, (size_t)length) == 0)
            return;
    f->n++;
    struct buf text = {0};
    shrink(d, t, alike);
    duel_run(d, t, &alike);
    talk_print(t, &text);
    printf("# case difffuzz %llu\n%.*s#   latchd %.*s\n#   oracle %.*s\n", (unsigned long long)seed,
           BYTES_FMT(buf_bytes(&text)), BYTES_FMT(buf_bytes(&d->replies[0])),
           BYTES_FMT(buf_bytes(&d->replies[1])));
    fflush(stdout);
    buf_free(&text);
}

/* Talks until the time is up; false when a server died. */
static bool fuzz(struct duel *d, double until, uint64_t seed, struct findings *f, size_t *talks)
{
    const struct grammar_options options = {
        .patient = true, .allowed = mask_allows, .without = mask_options};
    struct grammar *g = grammar_new(&options);
    struct registry *r = registry_new(false);
    struct talk *t = mem_alloc(sizeof *t);
    bool alive = true;
    do {
        size_t alike;
        compose(g, r, seed, t);
        alive = duel_run(d, t, &alike);
        if (alive && alike < t->n)
            report(f, d, t, alike, seed);
        ++*talks;
        seed++;
    } while (alive && seconds() < until && f->n < FINDINGS);
    talk_free(t);
    mem_free(t);
    registry_free(r);
    grammar_free(g);
    return alive;
}

int main(int argc, char **argv)
{
    double duration = argc > 1 ? strtod(argv[1], NULL) : SECONDS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL) * 100000;
    struct launched ours, theirs;
    struct findings f = {0};
    struct duel d;
    size_t talks = 0;
    const char *oracle = oracle_path();
    printf("1..1\n");
    if (oracle == NULL) {
        printf("ok 1 - both servers answer alike # SKIP there is no redis-server\n");
        return 0;
    }
    if (!launch_latchd(&ours, NULL) || !oracle_launch(&theirs, oracle) ||
        !duel_open(&d, ours.socket, theirs.socket))
        return 1;
    bool alive = fuzz(&d, seconds() + duration, seed, &f, &talks);
    printf("# %zu talks of %d lines from seed %llu\n", talks, LENGTH, (unsigned long long)seed);
    if (!alive) {
        struct buf log = {0};
        launch_log(&ours, &log);
        printf("# %s\n%.*s\n", launch_ended(&ours) ? "latchd has died" : "a server is gone",
               BYTES_FMT(buf_bytes(&log)));
        buf_free(&log);
    }
    duel_close(&d);
    launch_stop(&ours);
    launch_stop(&theirs);
    printf("%s 1 - both servers answer alike\n", alive && f.n == 0 ? "ok" : "not ok");
    return alive && f.n == 0 ? 0 : 1;
}
