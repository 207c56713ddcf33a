/*
 * Names that a command has found and is about to reply with. They are borrowed from the store, good
 * until it changes. How many there will be is for clients to choose, so memory may run out: then
 * `failed` says that some are missing.
 */
#ifndef SERVER_COMMANDS_NAMES_H
#define SERVER_COMMANDS_NAMES_H

#include "server/engine/call.h"

struct names {
    struct bytes *all;
    size_t n, cap;
    bool failed;
};

void names_add(struct names *names, struct bytes name);

/* Replies with all of them behind that header, reply_array or reply_set, or with the error when
 * some are missing. Frees them. */
typedef void names_header_fn(struct reply *r, size_t n);
void names_reply(struct call *c, struct names *names, names_header_fn *header);

#endif
