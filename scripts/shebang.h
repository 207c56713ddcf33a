/*
 * The first line of a script: `#!lua flags=no-writes,allow-oom`.
 */
#ifndef SCRIPTS_SHEBANG_H
#define SCRIPTS_SHEBANG_H

#include "base/bytes.h"
#include "resp/reply.h"

/* Reads it, if there is one: the flags (enum script_flag) and where the Lua text begins, which is
 * the line's end, so that lines keep their numbers. False after `err` has been told what is wrong.
 */
bool shebang_read(struct bytes body, unsigned *flags, size_t *code, struct reply *err);

#endif
