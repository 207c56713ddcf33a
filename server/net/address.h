/*
 * Addresses of sockets as text: "127.0.0.1:5000", "[::1]:5000", and for a unix socket its path,
 * "/run/latchd.sock:0".
 */
#ifndef SERVER_NET_ADDRESS_H
#define SERVER_NET_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Of either end of the socket; "?:0" when it cannot be told. */
void address_of_peer(int fd, char *out, size_t cap);
void address_of_self(int fd, char *out, size_t cap);

/* Who connected to a unix socket, as the kernel knows; false when it does not. */
bool address_credentials(int fd, int64_t *uid, int64_t *gid, int64_t *pid);

/* A unix socket or a loopback address. */
bool address_is_local(const struct sockaddr *a);

#endif
