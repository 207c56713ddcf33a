/*
 * Transactions: between MULTI and EXEC a session's commands are checked and kept; EXEC runs them
 * all at one moment, with nothing in between.
 */
#ifndef SERVER_ENGINE_MULTI_H
#define SERVER_ENGINE_MULTI_H

#include "server/engine/call.h"

void multi_begin(struct session *s);

/* Keeps the admitted call for EXEC and replies QUEUED. */
void multi_queue(struct call *c);

/* A command was refused: EXEC will refuse too. Harmless outside MULTI. */
void multi_fail(struct session *s);

/* Runs what was queued, replying with an array of the answers. The transaction is over. */
void multi_exec(struct call *c);

/* EXEC cannot run: the transaction is over, and the reply says why. */
void multi_abort(struct call *c, const char *why);

/* Forgets queue and watches: DISCARD, RESET, or the client has gone. */
void multi_discard(struct session *s);

/* Does the queue hold a command that may write? */
bool multi_writes(const struct session *s);

/* Commands queued so far, -1 outside MULTI; and the bytes they take. */
int multi_count(const struct session *s);
size_t multi_memory(const struct session *s);

#endif
