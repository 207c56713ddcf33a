/*
 * Sockets that wait for clients. A listener accepts a bounded number of them per turn of the loop,
 * and when descriptors run out all listeners pause until one is free again: clients wait in the
 * kernel's queue instead of being turned away.
 */
#ifndef SERVER_NET_LISTENER_H
#define SERVER_NET_LISTENER_H

#include "server/net/net.h"

struct listener;

/* One on each address that `host` resolves to; "*" and "::*" are all addresses. With *port 0 a free
 * one is picked and left there. Negative is an error number. */
int listener_tcp(struct net *n, const char *host, int *port, bool tls);

/* A stale socket in the way is removed, one that somebody listens on is not. */
int listener_unix(struct net *n, const char *path, mode_t perm);

/* Takes over a socket that already listens. */
int listener_adopt(struct net *n, int fd);

/* Clients that wait now, as many as a turn allows. */
void listener_accept_all(struct net *n);

void listener_pause(struct net *n);
void listener_resume(struct net *n);
void listener_close_tcp(struct net *n, bool tls); /* those of the one kind */
void listener_close_all(struct net *n);

#endif
