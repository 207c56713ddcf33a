/*
 * Runs one case in one protocol against the server under test and, where the case holds for its
 * version, against the oracle.
 */
#ifndef TESTS_COMPAT_RUN_H
#define TESTS_COMPAT_RUN_H

#include "tests/compat/side.h"

enum run_result { RUN_OK, RUN_FAILED, RUN_SKIPPED };

/* `oracle` may be NULL: then only what is written out is checked. `report` gets the conversation,
 * with both answers where they differ, or the reason for skipping. */
enum run_result run_case(struct side *subject, struct side *oracle, const struct script_case *c,
                         int protocol, struct buf *report);

#endif
