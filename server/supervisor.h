/*
 * systemd, without its library: sockets that it opened for us, and telling it how we are.
 */
#ifndef SERVER_SUPERVISOR_H
#define SERVER_SUPERVISOR_H

#include "server/engine/config.h"

/* Sockets handed over (LISTEN_FDS), ready to use; returns how many, numbered from *first on. */
size_t supervisor_sockets(int *first);

/* Sends a state, such as "READY=1"; false when nobody wants to know. */
bool supervisor_tell(const struct config *cfg, const char *state);

/* Are we to stay in the foreground because a supervisor watches? */
bool supervisor_watches(const struct config *cfg);

#endif
