/*
 * Memory that runs out on request. This program is linked with the allocating functions whose sizes
 * clients choose wrapped by the linker, so that production code needs no hook: mem_try of any size,
 * mem_try_grow and mmap of a size that only a client can have meant.
 */
#ifndef TESTS_FAULTS_FAILING_H
#define TESTS_FAULTS_FAILING_H

#include <stdbool.h>
#include <stddef.h>

/* The allocation after `skip` more of them fails, once. */
void failing_arm(int skip);

/* From here on there is memory for so many bytes, besides what is given back. */
void failing_limit(size_t bytes);

/* True if it has failed since; and from here on none does. */
bool failing_disarm(void);

/* The largest size that was asked for since the last call and may not fail. */
size_t failing_largest_own(void);

#endif
