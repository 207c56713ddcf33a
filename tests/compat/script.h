/*
 * Case files: what is said to the servers and how their answers are compared. The format is told
 * in README.md beside this file. A parsed script borrows from the text it was parsed from.
 */
#ifndef TESTS_COMPAT_SCRIPT_H
#define TESTS_COMPAT_SCRIPT_H

#include "base/buf.h"
#include "tests/compat/version.h"

enum step_kind {
    STEP_ASK,   /* send, then read one reply */
    STEP_SEND,  /* send only */
    STEP_READ,  /* read one reply more */
    STEP_QUIET, /* nothing has come */
    STEP_SCAN,  /* follow a cursor to its end */
    STEP_CLOSE, /* close the connection */
    STEP_SHUT,  /* close our direction of it */
};

enum check_kind {
    CHECK_EXACT,
    CHECK_UNORDERED, /* elements in any order */
    CHECK_TIME,      /* numbers may differ by `tolerance` */
    CHECK_ANY,
    CHECK_TYPE,    /* the type byte only */
    CHECK_SIZE,    /* and how many elements there are; of errors, all */
    CHECK_CODE,    /* the first word of an error or a status */
    CHECK_FROM,    /* from the first `fields` on */
    CHECK_WITHOUT, /* all but what stands under the name `fields`, at any depth */
    CHECK_FIELDS,  /* `fields` are there; those written =name have the same value */
};

struct check {
    enum check_kind kind;
    long tolerance;
    struct bytes fields;
};

struct step {
    enum step_kind kind;
    int line;            /* in the file */
    bool raw;            /* `text` is bytes, not words */
    struct bytes source; /* the line as it is written */
    struct bytes conn;   /* empty: the connection without a name */
    struct bytes text;
    struct check check;
    struct bytes save;      /* variable that takes the reply's text */
    struct bytes expect[2]; /* of RESP2 and RESP3, in quotes; p is NULL when not written */
};

struct script_case {
    struct bytes name;
    int line;
    struct version_range holds;
    int only; /* 2 or 3: that protocol alone; 0: both */
    struct step *steps;
    size_t n;
};

struct script {
    const char *path;
    struct script_case *cases;
    size_t n;
};

/* False when a line is not understood; `error` then names it. */
bool script_parse(struct script *s, const char *path, struct bytes text, struct buf *error);
void script_free(struct script *s);

#endif
