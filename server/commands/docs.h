/* What COMMAND DOCS tells of one command, all of it from the command's row. */
#ifndef SERVER_COMMANDS_DOCS_H
#define SERVER_COMMANDS_DOCS_H

#include "resp/reply.h"
#include "server/engine/registry.h"

/* The command's name, then a map: one pair of the map that the caller has begun. */
void docs_reply(struct reply *r, const struct command *cmd);

#endif
