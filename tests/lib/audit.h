/*
 * Does the store still add up? Walks over all of it and compares what is counted with what is
 * there: entries and their table, deadlines and the wheel, containers and their elements.
 */
#ifndef TESTS_LIB_AUDIT_H
#define TESTS_LIB_AUDIT_H

#include "store/keys.h"

/* Between two commands. NULL when all is well, else what is wrong. */
const char *audit_store(const struct keyspace *s);

#endif
