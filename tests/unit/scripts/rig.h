/*
 * A script host with a stub in the engine's place: a handful of commands, a verdict that a test can
 * change, and the answer as wire bytes.
 *
 * Commands: ECHO x, PING, SET k v and GET k (one key at a time is enough), FAIL text (answers with
 * that error), SAY kind (answers with a value of that kind; see rig.c).
 */
#ifndef TESTS_UNIT_SCRIPTS_RIG_H
#define TESTS_UNIT_SCRIPTS_RIG_H

#include "resp/wire.h"
#include "scripts/host.h"

struct rig {
    struct script_host *host;
    struct wire wire;
    struct buf out;
    bool uncounted; /* the last run ended in an error that no command had counted */

    long checks;   /* how often the stub was asked whether to go on */
    long patience; /* it says `verdict` after so many of them; 0: it never does */
    enum script_verdict verdict;
    unsigned resolved; /* how often a name was looked up */
    char log[64];      /* the last line logged */
    char value[64];    /* of the only key */
    bool has_value;
};

void rig_init(struct rig *r);
void rig_limit(struct rig *r, size_t memory, size_t body, size_t cached);
void rig_free(struct rig *r);

/* Loads and runs a script; the answer, with its SHA-1 replaced by "SHA", stays until the next. */
const char *eval(struct rig *r, const char *body);
const char *eval_with(struct rig *r, const char *body, size_t nkeys, const char *const *words);

#endif
