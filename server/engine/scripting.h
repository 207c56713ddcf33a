/*
 * Scripts as the engine runs them: the host of scripts/ behind the commands EVAL and SCRIPT, the
 * rules for commands that a script calls, and what happens to everybody else while one runs long.
 */
#ifndef SERVER_ENGINE_SCRIPTING_H
#define SERVER_ENGINE_SCRIPTING_H

#include "scripts/host.h"

struct call;
struct engine;
struct session;

struct scripting {
    struct script_host *host;   /* NULL until the first script */
    struct script_context *run; /* the script that runs now, or NULL */
    bool busy;                  /* it has passed busy-reply-threshold */
    bool killed;                /* SCRIPT KILL or SHUTDOWN has been said */
};

void scripting_free(struct engine *e);

/* The host, created on first use: a server without scripts does not pay for an interpreter. */
struct script_host *scripting_host(struct engine *e);

/* Runs a script with keys and arguments from argv[3..] and replies. */
void scripting_run(struct call *c, const struct script *s, size_t nkeys, bool read_only);

/* SCRIPT KILL, with its reply. */
void scripting_kill(struct call *c);

/* The server is going down: the running script ends at its next check. */
void scripting_abort(struct engine *e);

#endif
