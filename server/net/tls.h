/*
 * TLS: between a connection and its socket, when the client came to tls-port. A stream is read and
 * written like a non-blocking socket; the handshake happens on the way.
 */
#ifndef SERVER_NET_TLS_H
#define SERVER_NET_TLS_H

#include "base/log.h"
#include "server/engine/config.h"

#include <sys/types.h>

struct tls;
struct tls_stream;

/* Certificates and rules as the configuration has them now, for the connections to come; those that
 * are there keep what they began with. With *t NULL one is made. False, after a log line, when it
 * cannot be: *t is as it was. */
bool tls_configure(struct tls **t, const struct config *cfg, const struct log *log);
void tls_free(struct tls *t); /* after all its streams; NULL is fine */

/* The server's side of a connected socket, which stays the caller's. NULL when memory is out. */
struct tls_stream *tls_accept(struct tls *t, int fd);

/* Says goodbye if that is possible at once, and frees it. */
void tls_close(struct tls_stream *s);

/* As read: -1 with EAGAIN when it must wait, 0 at the end. */
ssize_t tls_read(struct tls_stream *s, char *p, size_t room);

/* The last tls_read had no room for all that has been received: the socket will not tell again. */
bool tls_has_more(const struct tls_stream *s);

/* As send; but what it took may still wait here, encrypted. */
ssize_t tls_write(struct tls_stream *s, const char *p, size_t n);

/* Bytes that so wait; tls_flush writes what the socket takes of them. False when it is broken. */
size_t tls_unsent(const struct tls_stream *s);
bool tls_flush(struct tls_stream *s);

/* Bytes that it takes, about: OpenSSL does not tell. */
size_t tls_memory(const struct tls_stream *s);

/* Has the client been let in? */
bool tls_is_up(const struct tls_stream *s);

/* Why tls_read or tls_write failed. Valid until the next call. */
const char *tls_error(const struct tls_stream *s);

#endif
