/*
 * A real redis-server to compare with. Debian's redis-tools holds one: its redis-check-rdb is the
 * server's own executable and is a server when started under that name.
 */
#ifndef TESTS_LIB_ORACLE_H
#define TESTS_LIB_ORACLE_H

#include "tests/lib/launch.h"

/* $ORACLE, or an installed redis-server; NULL when there is none. */
const char *oracle_path(void);

/* Starts the server at `path`, with DEBUG allowed. */
bool oracle_launch(struct launched *l, const char *path);

#endif
