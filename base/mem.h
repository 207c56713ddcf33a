/*
 * Memory from libc, with one decision made once: our own small needs do not fail (the process ends
 * with one line on stderr, which is the log of the program), and a size that a client chose may
 * fail, with NULL, for the caller to turn into an error reply.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t n);             /* zeroed; does not return on failure */
void *mem_grow(void *p, size_t n);     /* realloc with the same promise; new bytes undefined */
void *mem_try(size_t n);               /* not zeroed; NULL on failure */
void *mem_try_grow(void *p, size_t n); /* NULL on failure, and `p` is untouched */
char *mem_strdup(const char *s);       /* NULL gives NULL */
void mem_free(void *p);
_Noreturn void mem_out(size_t n); /* says so, and ends the process */
size_t mem_size(const void *p);   /* bytes the allocator really set aside for `p` */

/* An array with twice as many places as `*cap`, or `first` where there were none, each of `size`
 * bytes. NULL on failure, and nothing has changed. */
static inline void *mem_try_double(void *array, size_t *cap, size_t first, size_t size)
{
    size_t more = *cap ? 2 * *cap : first;
    void *grown = mem_try_grow(array, more * size);
    if (grown)
        *cap = more;
    return grown;
}

#endif
