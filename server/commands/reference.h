/*
 * The reference page of all commands, docs/commands.md, written from the same rows that run them:
 * `latchd --commands` prints it, and a test keeps the file in step.
 */
#ifndef SERVER_COMMANDS_REFERENCE_H
#define SERVER_COMMANDS_REFERENCE_H

#include "base/buf.h"
#include "server/engine/registry.h"

void reference_print(const struct registry *r, struct buf *out);

#endif
