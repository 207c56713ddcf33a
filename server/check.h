/*
 * `latchd ping` and `latchd health`: asks the server that a configuration describes whether it is
 * there, for scripts, containers and supervisors. Without a plain port and a unix socket it speaks
 * TLS, with the server's own certificate.
 */
#ifndef SERVER_CHECK_H
#define SERVER_CHECK_H

#include "server/engine/config.h"

/* Connects, authenticates and sends PING, a few seconds at the most. Prints one line; returns the
 * exit code: 0 when the answer was PONG, else 1. `verbose`: where, and how long it took. */
int check_run(const struct config *cfg, bool verbose);

#endif
