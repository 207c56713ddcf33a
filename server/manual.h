/*
 * Pages that are made from the tables the server itself runs by, so that they cannot be wrong: the
 * page of options, the man pages, and what a shell may complete.
 */
#ifndef SERVER_MANUAL_H
#define SERVER_MANUAL_H

#include "base/buf.h"

void manual_options(struct buf *out);    /* docs/configuration.md */
void manual_program(struct buf *out);    /* latchd(1), as roff */
void manual_file(struct buf *out);       /* latchd.conf(5), as roff */
void manual_completion(struct buf *out); /* for bash */

#endif
