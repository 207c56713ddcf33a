/*
 * TLS for tests: certificates to throw away, and a client that blocks until it is answered, at most
 * as long as SECURE_SECONDS.
 */
#ifndef TESTS_LIB_SECURE_H
#define TESTS_LIB_SECURE_H

#include "base/buf.h"

#include <openssl/ssl.h>

enum { SECURE_SECONDS = 20 };

/* A directory with ca.crt, and with NAME.crt and NAME.key for the names server, client and
 * stranger; the last is signed by nobody that the server knows. */
struct papers {
    char dir[40];
};

bool papers_make(struct papers *p);
void papers_remove(struct papers *p);

/* Makes NAME.crt and NAME.key anew, for that common name. */
bool papers_renew(const struct papers *p, const char *name, const char *common_name);

/* "dir/file", in `out`. */
const char *papers_path(const struct papers *p, const char *file, char out[128]);

struct secure_how {
    const char *name; /* whose papers are shown; NULL: none */
    int version;      /* the only one spoken; 0: any */
};

struct secure {
    int fd;
    SSL_CTX *ctx;
    SSL *ssl;
};

/* False when there is no handshake to be had. The server may still hang up afterwards: with TLS 1.3
 * a client is done before its papers have been looked at. */
bool secure_connect(struct secure *s, const struct papers *p, int port, struct secure_how how);
void secure_close(struct secure *s);

bool secure_send(struct secure *s, struct bytes raw);

/* Reads exactly `n` bytes; false when the connection ended before. */
bool secure_read(struct secure *s, char *out, size_t n);

/* Sends the line and reads just as many bytes as the reply has. */
bool secure_ask(struct secure *s, const char *line, const char *reply);

/* The common name in the server's certificate. */
void secure_peer(const struct secure *s, char out[64]);

#endif
