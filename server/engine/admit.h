/*
 * May this call run now, for this session? Existence, arity, authentication, memory, and what the
 * session's state allows, in the order in which Redis asks.
 */
#ifndef SERVER_ENGINE_ADMIT_H
#define SERVER_ENGINE_ADMIT_H

#include <stdbool.h>

struct call;

/* Finds c->cmd. False after the error has been replied. */
bool admit(struct call *c);

#endif
