/*
 * The syntax texts of the command tables, taken apart. The notation is that of Redis's manual:
 *
 *     key value [NX | XX] [EX seconds | PX milliseconds] [name [name ...]] <LEFT | RIGHT>
 *
 * Upper-case words are written as they stand, lower-case ones stand for something; brackets hold
 * what may be left out, angles what belongs together, bars separate choices, and `[x ...]` behind
 * an `x` says that there may be more of them, as `<x> ...` does.
 */
#ifndef SERVER_ENGINE_SYNTAX_H
#define SERVER_ENGINE_SYNTAX_H

#include "base/bytes.h"

enum syntax_kind {
    SYNTAX_WORD,  /* stands for a value */
    SYNTAX_TOKEN, /* a word on its own, written as it stands */
    SYNTAX_ONEOF, /* one of `inner` */
    SYNTAX_BLOCK, /* all of `inner` */
};

/* One argument; `next` follows it. Texts are slices of what was parsed. */
struct syntax {
    enum syntax_kind kind;
    struct bytes name;  /* of a word or token */
    struct bytes token; /* a token written in front of it, or nothing */
    bool optional, multiple;
    struct syntax *inner, *next;
};

/* NULL when there is nothing to parse. The texts are ours, so a mistake in them is a bug. */
struct syntax *syntax_parse(const char *text);
void syntax_free(struct syntax *s);

/* How many words the arguments take at the least and at the most; SIZE_MAX: any number. */
size_t syntax_least(const struct syntax *s);
size_t syntax_most(const struct syntax *s);

#endif
