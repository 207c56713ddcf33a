/*
 * A bare interpreter with the script libraries and nothing else, for their tests. It stands in for
 * the host: it answers script_check and script_readonly, and its allocator counts, caps and fails
 * at will.
 */
#ifndef TESTS_UNIT_SCRIPTS_LIBS_LUA_RIG_H
#define TESTS_UNIT_SCRIPTS_LIBS_LUA_RIG_H

#include "scripts/libs.h"
#include "tests/lib/test.h"

struct lua_rig {
    lua_State *L;
    struct cjson_settings *cjson;
    size_t used, cap;     /* bytes; cap 0 is none */
    size_t peak;          /* the most that was in use */
    long allocations;     /* requests for more, since rig_open or when the test set it to zero */
    long failures;        /* how many of them were refused */
    long fail_at;         /* the request that fails, counted from 1; 0 is none */
    bool fail_ever_after; /* and so do all that follow it */
    unsigned checks;      /* how often script_check was asked */
    unsigned stop_at;     /* the check at which the script is stopped; 0 is never */
};

struct lua_rig *rig_open(void);

/* Also asserts that all memory was given back. */
void rig_close(struct lua_rig *r);

/*
 * Runs a chunk. Answers what it returned as text, several values with blanks between them, or
 * "error: " and the message. Valid until the next run.
 */
const char *rig_run(struct lua_rig *r, const char *chunk);

/* Asserts what each chunk answers, in a rig of its own. The list ends with {NULL, NULL}. */
struct rig_answer {
    const char *chunk, *answer;
};
void rig_answers(const struct rig_answer *list);

/* Asserts that the chunk is stopped at the tenth check, wherever it is by then. */
void rig_stops(const char *chunk);

#endif
