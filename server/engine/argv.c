#include "server/engine/argv.h"

#include "base/mem.h"

struct argv *argv_copy(const struct bytes *argv, size_t argc)
{
    size_t size = sizeof(struct argv) + argc * sizeof *argv;
    size_t text = size;
    for (size_t i = 0; i < argc; i++)
        size += argv[i].n;
    struct argv *a = mem_try(size);
    if (a == NULL)
        return NULL;
    a->argc = argc;
    a->size = size;
    char *p = (char *)a + text;
    for (size_t i = 0; i < argc; i++) {
        a->argv[i] = (struct bytes){p, argv[i].n};
        if (argv[i].n)
            memcpy(p, argv[i].p, argv[i].n);
        p += argv[i].n;
    }
    return a;
}
