/*
 * Where latchd and the redis-server beside it may differ, each with its reason: the one list of
 * what the differential fuzzer does not see.
 */
#ifndef TESTS_DIFFFUZZ_MASKS_H
#define TESTS_DIFFFUZZ_MASKS_H

#include "server/engine/registry.h"
#include "tests/compat/script.h"

/* Is the command said at all? */
bool mask_allows(const struct command *c);

/* Do both versions read these words alike? */
bool mask_fits(const struct bytes *argv, size_t n);

/* How the replies to it are compared. */
struct check mask_check(const struct command *c);

/* Did this reply become that one in a later version? */
bool mask_changed(struct bytes ours, struct bytes theirs);

/* Option words that the older server does not know. */
extern const char *const mask_options[];

#endif
