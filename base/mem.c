#include "base/mem.h"

#include <assert.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mem_out(size_t n)
{
    fprintf(stderr, "latchd: out of memory (%zu bytes wanted)\n", n);
    abort();
}

static void *must(void *p, size_t n)
{
    if (p == NULL && n != 0)
        mem_out(n);
    return p;
}

void *mem_alloc(size_t n)
{
    return must(calloc(1, n), n);
}

void *mem_grow(void *p, size_t n)
{
    return must(realloc(p, n), n);
}

void *mem_try(size_t n)
{
    return malloc(n);
}

void *mem_try_grow(void *p, size_t n)
{
    return realloc(p, n);
}

char *mem_strdup(const char *s)
{
    if (s == NULL)
        return NULL;
    size_t n = strlen(s) + 1;
    char *copy = mem_alloc(n);
    assert(copy);
    return memcpy(copy, s, n);
}

void mem_free(void *p)
{
    free(p);
}

size_t mem_size(const void *p)
{
    return p ? malloc_usable_size((void *)p) + sizeof(size_t) : 0;
}
