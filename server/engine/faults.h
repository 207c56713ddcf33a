/*
 * Faults that a test suite has asked for. Each is a row of conditions (which command, with which
 * argument, of which client, how often) and what then happens instead of, or besides, the command.
 *
 * A command is looked at once, when it comes from its client: what scripts and transactions run is
 * not, and neither are the commands of the test suite itself. The first fault whose conditions all
 * hold is the one that happens.
 */
#ifndef SERVER_ENGINE_FAULTS_H
#define SERVER_ENGINE_FAULTS_H

#include "base/bytes.h"
#include "base/list.h"

#include <stdint.h>

struct call;
struct command;

enum fault_action {
    FAULT_ERROR,      /* an error is answered, nothing is executed */
    FAULT_DELAY,      /* executed after some time of the machine's */
    FAULT_DROP_REPLY, /* executed, and the answer is lost: the connection is of no more use */
    FAULT_CLOSE,      /* the connection is closed, nothing is executed */
    FAULT_BLACKHOLE,  /* nothing is executed or answered from now on, and nothing closed */
};

struct fault {
    struct list link;
    uint64_t id;
    const struct command *command; /* NULL: any */
    struct bytes match;            /* a glob for one of its arguments; {0}: whatever they are */
    struct bytes client;           /* its CLIENT SETNAME; {0}: whoever it is */
    int64_t percent;               /* how often, of those that fit */
    int64_t left;                  /* how many times more; -1: any number */
    uint64_t hits;
    enum fault_action action;
    int64_t ms;         /* of FAULT_DELAY */
    struct bytes error; /* of FAULT_ERROR, with its code */
    struct argv *words; /* what it was asked for with; the texts above lie in it */
};

struct faults {
    struct list list; /* oldest first */
    uint64_t last_id;
};

void faults_init(struct faults *f);
void faults_clear(struct faults *f);
bool faults_remove(struct faults *f, uint64_t id); /* false when there is none of that id */

/* From TEST.FAULT ADD: the words from the command's name on. NULL after the error was replied. */
struct fault *faults_add(struct call *c, size_t first);

/* The word that asks for it. */
const char *fault_name(enum fault_action action);

/* Does one happen to the command that has just come? True when the command is dealt with. */
bool faults_catch(struct call *c);

#endif
