/*
 * A conversation with two servers at once: the same lines to both, on connections of the same
 * names, until their replies differ.
 */
#ifndef TESTS_DIFFFUZZ_DUEL_H
#define TESTS_DIFFFUZZ_DUEL_H

#include "tests/compat/script.h"
#include "tests/lib/client.h"
#include "tests/lib/grammar.h"

enum { DUEL_CLIENTS = 2, DUEL_LINES = 64 };

struct line {
    int who;
    struct sentence words;
};

struct talk {
    int protocol; /* 2 or 3 */
    size_t n;
    struct line lines[DUEL_LINES];
};

struct duel {
    const char *sockets[2]; /* ours, theirs */
    struct client control[2];
    struct client clients[2][DUEL_CLIENTS];
    struct buf replies[2]; /* to the last line said */
    unsigned nonce;
};

bool duel_open(struct duel *d, const char *ours, const char *theirs);
void duel_close(struct duel *d);

/* Both servers begin empty and hear the talk. The number of lines that were answered alike; `n`
 * when all were. False when a server is gone. */
bool duel_run(struct duel *d, const struct talk *t, size_t *alike);

void talk_free(struct talk *t);
void talk_drop(struct talk *t, size_t at); /* one line less */

/* As a case of tests/compat. */
void talk_print(const struct talk *t, struct buf *out);

#endif
