/*
 * A raw client: it sends any bytes at all and hands back each reply exactly as it came. Nothing
 * here sleeps; reads wait in poll, at most as long as they are told.
 */
#ifndef TESTS_LIB_CLIENT_H
#define TESTS_LIB_CLIENT_H

#include "base/buf.h"

struct client {
    int fd;
    bool eof;      /* the server has closed its side */
    struct buf in; /* what has arrived and was not asked for yet */
};

enum client_got {
    CLIENT_REPLY,
    CLIENT_CLOSED, /* the server closed, with no further reply before */
    CLIENT_TIMEOUT,
    CLIENT_GARBAGE, /* what came is no RESP; it is handed back as it is */
};

bool client_connect_unix(struct client *c, const char *path);
bool client_connect_tcp(struct client *c, const char *host, int port);

/* Both read what the server answers meanwhile, so a pipeline of any length goes through. */
bool client_send(struct client *c, struct bytes raw);
bool client_command(struct client *c, const struct bytes *words, size_t n);

/* A command as one would type it: `client_say(c, "SET k \"a b\"")`. */
bool client_say(struct client *c, const char *line);

/* Appends the bytes of the next reply to `out`. */
enum client_got client_read(struct client *c, int timeout_ms, struct buf *out);

/* Has the server closed the connection, all its replies being read? Waits for it. */
bool client_closed(struct client *c, int timeout_ms);

/* Is there nothing to read at this moment? */
bool client_quiet(struct client *c);

/* Says that nothing more will be sent, and goes on reading. */
void client_half_close(struct client *c);
void client_close(struct client *c);

#endif
