/*
 * A command that is kept for later: by MULTI, or while its client waits. One allocation holds the
 * slices and their bytes.
 */
#ifndef SERVER_ENGINE_ARGV_H
#define SERVER_ENGINE_ARGV_H

#include "base/bytes.h"

struct argv {
    size_t argc;
    size_t size; /* bytes of the allocation */
    struct bytes argv[];
};

/* NULL when memory is out. Freed with mem_free. */
struct argv *argv_copy(const struct bytes *argv, size_t argc);

#endif
