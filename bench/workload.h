/*
 * What the generator asks and what it must hear. A workload is a table of lines, and both the load
 * generator and the counter of instructions read it, so that they speak of the same work.
 *
 * In a line, words are split at blanks, and these are replaced:
 *
 *     %k  a key of 24 bytes, another one in each cycle      %t  the lane's token, 36 bytes
 *     %l  a key of 24 bytes, always the same in a lane      %u  another token: %u1, %u2 ...
 *     %c  a channel, always the same in a lane              %n  how many listeners there are
 *     %h  the SHA-1 of a script: %h0, %h1                   %b  its text: %b0, %b1
 *
 * An answer is the reply with its line ends written as blanks ("*2 :1 :0"), or a range of integers
 * (":1..500").
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "base/buf.h"

enum { WORKLOAD_SCRIPTS = 2, WORKLOAD_LINES = 12, WORKLOAD_KEY = 24 };

struct line {
    const char *ask, *answer;
};

struct workload {
    const char *name, *summary;
    int operations;                        /* in one cycle */
    const char *scripts[WORKLOAD_SCRIPTS]; /* files of scripts/canonical */
    struct line before;                    /* said once by each lane */
    struct line cycle[WORKLOAD_LINES];     /* said again and again, in this order */
    int listeners;       /* of each lane: connections that hear of what it does; -1: an option */
    struct line joining; /* said once by each listener */
    struct line hearing; /* heard by each listener in each cycle, perhaps after asking */
};

extern const struct workload workloads[]; /* ended by a row without a name */

const struct workload *workload_find(const char *name);

/* The texts of its scripts, without the comments; and their names for EVALSHA, which whoever runs
 * the workload fills in. */
struct workload_scripts {
    struct buf text[WORKLOAD_SCRIPTS];
    char sha[WORKLOAD_SCRIPTS][41];
};

/* Reads them from `dir`; false when a file is missing. */
bool workload_read_scripts(const struct workload *w, const char *dir, struct workload_scripts *out);
void workload_free_scripts(struct workload_scripts *s);

/* What stands in for the places of a line. */
struct places {
    unsigned lane;
    int listeners;
    const struct workload_scripts *scripts;
};

/* A line made ready: bytes to send, in which the digits of %k can still be changed, and the reply.
 */
struct step {
    struct buf request; /* empty: nothing is asked */
    size_t key_at[4];   /* where in it keys stand */
    size_t nkeys;
    struct buf answer; /* empty: an integer from `least` to `most` */
    int64_t least, most;
};

void step_make(struct step *s, const struct line *line, const struct places *places);
void step_free(struct step *s);

/* Appends the request with key number `key` in its places. */
void step_put(const struct step *s, uint64_t key, struct buf *out);

/* Looks for the answer at the beginning of `in`. The length of it; 0 when it is not all there;
 * negative when it is another one. */
long step_check(const struct step *s, struct bytes in);

/* A stream of numbers that is the same for the same seed. */
static inline uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#endif
