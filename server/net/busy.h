/*
 * Serving others from inside a command that takes long, which is a script past its threshold. The
 * loop cannot be entered a second time; so the pollers are asked once, without
 * waiting, and what is ready is read, executed by the rules for a busy server, and answered. The
 * connection whose command is running is left alone.
 */
#ifndef SERVER_NET_BUSY_H
#define SERVER_NET_BUSY_H

#include "server/net/net.h"

void busy_serve(struct net *n);

/* The command that took long has ended. */
void busy_end(struct net *n);

#endif
