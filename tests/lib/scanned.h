/*
 * For engine tests: reads the reply of a SCAN-like command that was just run.
 */
#ifndef TESTS_LIB_SCANNED_H
#define TESTS_LIB_SCANNED_H

#include "tests/lib/rig.h"

#include <stdlib.h>
#include <string.h>

/* How many values came, and the cursor to go on from. */
static inline size_t scanned(struct rig *r, unsigned long *cursor)
{
    const char *text = rig_reply(r);
    assert_int_equal(strncmp(text, "*2 $", 4), 0);
    char *end;
    *cursor = strtoul(strchr(text + 4, ' '), &end, 10);
    assert_int_equal(strncmp(end, " *", 2), 0);
    return strtoul(end + 2, NULL, 10);
}

#endif
