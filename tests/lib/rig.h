/*
 * An engine without a server: commands go in as text, time is a number, and replies come back as
 * readable text. An engine test reads as a timetable:
 *
 *     struct rig *r = rig_new();
 *     run(r, "SET job:7 alice NX PX 100");   is(r, "+OK");
 *     later(r, 101);
 *     run(r, "SET job:7 bob NX PX 100");     is(r, "+OK");
 *     rig_free(r);
 *
 * A reply prints as RESP2 or RESP3 bytes with "\r\n" shown as a blank between lines:
 * "+OK", ":1", "$-1", "*2 $1 a $1 b", "-ERR syntax error".
 */
#ifndef TESTS_LIB_RIG_H
#define TESTS_LIB_RIG_H

#include "server/engine/engine.h"
#include "tests/lib/test.h"

#define RIG_CLIENTS 8

struct rig {
    struct engine *engine;
    struct config config;
    struct log log;
    int64_t now;  /* ms */
    int64_t wall; /* ms that the wall clock is ahead of now */
    struct session *clients[RIG_CLIENTS];
    int who;            /* the client that `run` speaks for */
    struct buf reply;   /* the last reply, as text */
    const char *file;   /* what every file holds; NULL: there is none */
    struct buf written; /* what was last written into one, ended by NUL */
    bool disk_full;
    int wakes, stops;
    int64_t slept;                 /* us, by DEBUG SLEEP */
    int64_t takes;                 /* us that each command is said to take */
    int64_t us;                    /* the clock by which those within others are timed */
    int64_t running_ms;            /* what a script is told of its age; grows by one each time */
    void (*others)(struct rig *r); /* called when a busy script serves others */
    int64_t real, ring_at;         /* ms: the machine's time; when the engine wants to be rung */
    bool frozen, clock_reset;      /* what TEST.* has done to the clock */
};

struct rig *rig_new(void);
struct rig *rig_new_testing(void); /* with the commands TEST.* */
void rig_free(struct rig *r);

/* Executes one command as the current client. Words are split by Redis's quoting rules. */
void run(struct rig *r, const char *line);

/* Same, with bytes counted. */
void run_argv(struct rig *r, const struct bytes *argv, size_t argc);

/* Switches to client `who` (0 to RIG_CLIENTS - 1), connecting it on first use. */
void as(struct rig *r, int who);
void disconnect(struct rig *r, int who);

/* Time goes on by `ms`, from deadline to deadline. */
void later(struct rig *r, int64_t ms);

/* The machine's time goes on, and the engine's does not. */
void really_later(struct rig *r, int64_t ms);

/* What client `who` has received and not yet looked at, as text; clears it. */
const char *received(struct rig *r, int who);

/* Checks the last reply. */
#define is(r, text) assert_string_equal(rig_reply(r), (text))
const char *rig_reply(struct rig *r);

/* run, then is. */
#define expect(r, line, text)                                                                      \
    do {                                                                                           \
        run((r), (line));                                                                          \
        is((r), (text));                                                                           \
    } while (0)

#endif
