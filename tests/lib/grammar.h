/*
 * Commands nobody would write: made from the command tables' own syntax texts, so every command
 * takes part with all its options, with arguments that are mostly of the right kind, sometimes odd,
 * and sometimes too few or too many. Keys, fields and channels are few, so that commands meet.
 *
 * The same choices give the same commands, in every build of the same tables.
 */
#ifndef TESTS_LIB_GRAMMAR_H
#define TESTS_LIB_GRAMMAR_H

#include "base/buf.h"
#include "server/engine/registry.h"
#include "tests/lib/dice.h"

#define GRAMMAR_WORDS 48

/* A command's words; they lie one behind the other in `text`. */
struct sentence {
    const struct command *command; /* what it was made from */
    size_t n;
    uint32_t end[GRAMMAR_WORDS];
    struct buf text;
};

/* Each word as a slice of `text`; `argv` has room for GRAMMAR_WORDS. */
size_t sentence_words(const struct sentence *s, struct bytes *argv);
void sentence_add(struct sentence *s, struct bytes word);
void sentence_clear(struct sentence *s);
void sentence_free(struct sentence *s);

struct grammar_options {
    bool patient; /* whoever waits really waits: timeouts are short, and leases long or past */
    bool (*allowed)(const struct command *c); /* NULL: all */
    const char *const *without; /* option words that are not used, NULL at the end; may be NULL */
};

struct grammar *grammar_new(const struct grammar_options *options);
void grammar_free(struct grammar *g);

/* One command; what `s` held before goes. */
void grammar_say(struct grammar *g, struct dice *d, struct sentence *s);

#endif
