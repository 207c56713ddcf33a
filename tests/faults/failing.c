#include "tests/faults/failing.h"

#include <stddef.h>
#include <sys/mman.h>

/* Below this a block is the slots of a table, which are our own need and may not fail; and small
 * objects come from pages that are mapped in chunks of this size. */
enum { OWN_NEED = 16 << 10, CHUNK = 17 << 16 };

static int left = -1; /* allocations that still succeed; -1: all do */
static bool failed;

void *__real_mem_try(size_t n);
void *__real_mem_try_grow(void *p, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *__wrap_mem_try(size_t n);
void *__wrap_mem_try_grow(void *p, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);

void failing_arm(int skip)
{
    left = skip;
    failed = false;
}

bool failing_disarm(void)
{
    left = -1;
    return failed;
}

static bool fails(void)
{
    if (left < 0 || left-- > 0)
        return false;
    failed = true;
    return true;
}

void *__wrap_mem_try(size_t n)
{
    return fails() ? NULL : __real_mem_try(n);
}

void *__wrap_mem_try_grow(void *p, size_t n)
{
    return n > OWN_NEED && fails() ? NULL : __real_mem_try_grow(p, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    return n != CHUNK && fails() ? MAP_FAILED : __real_mmap(at, n, prot, flags, fd, offset);
}
