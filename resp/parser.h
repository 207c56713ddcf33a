/*
 * Request framing: arrays of bulks, and inline commands with Redis's quoting rules. The parser owns
 * no input and answers nothing: it is shown the bytes that have arrived and says OK, MORE or BAD.
 *
 * It remembers how far it has looked, so a command that arrives byte by byte is still read once; it
 * remembers offsets, not pointers, so the input may move in memory between two calls (but the
 * bytes already shown must come again, from the start of the unfinished command).
 */
#ifndef RESP_PARSER_H
#define RESP_PARSER_H

#include "base/buf.h"

#include <stdint.h>

enum parse_result {
    PARSE_OK,   /* argv holds a command (argc may be 0: an empty line; skip it) */
    PARSE_MORE, /* unfinished; show it again with more behind it */
    PARSE_BAD,  /* not the protocol; `error` says why; the connection should be closed */
};

struct parser_limits {
    int64_t args;         /* arguments of one command: INT32_MAX in Redis */
    int64_t bulk;         /* bytes of one argument: proto-max-bulk-len */
    size_t line;          /* bytes of an inline command or a header line: 65536 */
    bool unauthenticated; /* besides, at most 10 arguments of 16384 bytes, as in Redis */
};

/* After PARSE_OK, argv[0..argc) are slices of the input (of `unquoted` for an inline command),
 * valid until the next parser_next. */
struct parser {
    struct bytes *argv;
    size_t argc;
    char error[64]; /* after PARSE_BAD: "Protocol error: invalid bulk length" */
    size_t want;    /* after PARSE_MORE: at least this many further bytes are missing */

    /* private */
    size_t *offsets; /* where the arguments found so far begin; their lengths are in argv already */
    size_t cap;
    size_t pos;           /* all before it has been read */
    size_t seen;          /* bytes from pos on that do not hold the end of the line */
    int64_t args_left;    /* -1: at the start of a command */
    int64_t bulk;         /* length of the bulk being read, -1: at its header */
    struct buf unquoted;  /* the words of an inline command, */
    struct buf word_ends; /* and where each ends */
};

void parser_init(struct parser *p);

/* Reads the next command from `in`, which starts where the last finished command ended. On
 * PARSE_OK `*used` is how many bytes it took. */
enum parse_result parser_next(struct parser *p, const struct parser_limits *limits, struct bytes in,
                              size_t *used);

/* Is it between two commands, with nothing remembered? Then it may be used for other input. */
bool parser_idle(const struct parser *p);

/* Bytes that it holds. */
size_t parser_memory(const struct parser *p);

void parser_free(struct parser *p);

#endif
