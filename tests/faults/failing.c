#include "tests/faults/failing.h"

#include "base/mem.h"
#include "store/arena.h"

#include <stddef.h>
#include <sys/mman.h>

/* What is smaller is our own need and may not fail; and small objects come from pages that are
 * mapped in chunks of this size, or of one page more. */
enum { OWN_NEED = ARENA_SMALL, CHUNK = 16 * ARENA_PAGE };

static int left = -1; /* allocations that still succeed; -1: all do */
static bool failed;
static bool limited;
static ptrdiff_t room; /* bytes that may still be had, if limited */
static size_t own;     /* the most that was asked for as a need of our own */

void *__real_mem_alloc(size_t n);
void *__real_mem_grow(void *p, size_t n);
void *__wrap_mem_alloc(size_t n);
void *__wrap_mem_grow(void *p, size_t n);
void *__real_mem_try(size_t n);
void *__real_mem_try_grow(void *p, size_t n);
void __real_mem_free(void *p);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t n);
void *__wrap_mem_try(size_t n);
void *__wrap_mem_try_grow(void *p, size_t n);
void __wrap_mem_free(void *p);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t n);

void failing_arm(int skip)
{
    left = skip;
    failed = false;
}

void failing_limit(size_t bytes)
{
    limited = true;
    room = (ptrdiff_t)bytes;
    failed = false;
}

bool failing_disarm(void)
{
    left = -1;
    limited = false;
    return failed;
}

size_t failing_largest_own(void)
{
    size_t n = own;
    own = 0;
    return n;
}

static void note_own(size_t n)
{
    own = n > own ? n : own;
}

void *__wrap_mem_alloc(size_t n)
{
    note_own(n);
    return __real_mem_alloc(n);
}

void *__wrap_mem_grow(void *p, size_t n)
{
    note_own(n);
    return __real_mem_grow(p, n);
}

static bool fails(size_t n)
{
    bool now = limited ? (ptrdiff_t)n > room : left >= 0 && left-- == 0;
    failed = failed || now;
    return now;
}

/* The size of what clients can have meant, else 0. */
static ptrdiff_t large(const void *p)
{
    size_t n = mem_size(p);
    return n > OWN_NEED ? (ptrdiff_t)n : 0;
}

void *__wrap_mem_try(size_t n)
{
    return fails(n) ? NULL : __real_mem_try(n);
}

void *__wrap_mem_try_grow(void *p, size_t n)
{
    if (n > OWN_NEED && fails(n))
        return NULL;
    room += large(p);
    p = __real_mem_try_grow(p, n);
    room -= large(p);
    return p;
}

void __wrap_mem_free(void *p)
{
    room += large(p);
    __real_mem_free(p);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    if (n == CHUNK || n == CHUNK + ARENA_PAGE)
        return __real_mmap(at, n, prot, flags, fd, offset);
    if (fails(n))
        return MAP_FAILED;
    room -= (ptrdiff_t)n;
    return __real_mmap(at, n, prot, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t n)
{
    room += (ptrdiff_t)n;
    return __real_munmap(at, n);
}
