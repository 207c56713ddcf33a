/*
 * CLIENT PAUSE: for a while, all commands or only those that write are put off. The clients that
 * sent them wait, and when the pause is over their commands are run in the order in which they
 * came.
 */
#ifndef SERVER_ENGINE_PAUSE_H
#define SERVER_ENGINE_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

struct alarm;
struct call;
struct engine;

struct pause {
    bool on, all;
    bool ended; /* those who were put off are still to be run */
    int64_t until;
    struct alarm *alarm;
};

/* A pause that is on already is made longer and stricter, never the opposite. */
void pause_begin(struct engine *e, int64_t until, bool all);
void pause_end(struct engine *e);

/* Must this call wait? */
bool pause_holds(const struct call *c);

/* After each command: runs what a pause that has ended had put off. */
void pause_settle(struct engine *e);

#endif
