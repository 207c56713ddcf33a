/*
 * Addresses of sockets as text: "127.0.0.1:5000", "[::1]:5000", and for a unix socket its path,
 * "/run/latchd.sock:0".
 */
#ifndef SERVER_NET_ADDRESS_H
#define SERVER_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* Of either end of the socket; "?:0" when it cannot be told. */
void address_of_peer(int fd, char *out, size_t cap);
void address_of_self(int fd, char *out, size_t cap);

/* A unix socket or a loopback address. */
bool address_is_local(const struct sockaddr *a);

#endif
