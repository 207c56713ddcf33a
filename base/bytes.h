/*
 * A borrowed slice of bytes: a pointer and a length, never NUL-terminated. Whoever keeps the
 * bytes beyond the call that handed them over copies them.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct bytes {
    const char *p;
    size_t n;
};

/* A string literal, its length counted by the compiler. */
#define BYTES(lit) ((struct bytes){(lit), sizeof(lit) - 1})

/* For printf: `"%.*s", BYTES_FMT(s)`. */
#define BYTES_FMT(s) bytes_width(s), (s).p

/* A width below zero would be none at all: printf would look for a NUL. */
static inline int bytes_width(struct bytes s)
{
    return s.n < INT_MAX ? (int)s.n : INT_MAX;
}

static inline struct bytes bytes_of(const char *cstr)
{
    return (struct bytes){cstr, strlen(cstr)};
}

static inline bool bytes_eq(struct bytes a, struct bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Letters are folded as ASCII, whatever the locale. */
static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool bytes_ieq(struct bytes a, struct bytes b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (ascii_lower(a.p[i]) != ascii_lower(b.p[i]))
            return false;
    return true;
}

/* Is `s` the word `lit`, in any case? Arguments are matched with this. */
#define bytes_is(s, lit) bytes_ieq((s), BYTES(lit))

/* As memcmp; a prefix sorts before what it begins. */
static inline int bytes_cmp(struct bytes a, struct bytes b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int r = n ? memcmp(a.p, b.p, n) : 0;
    return r ? r : (a.n > b.n) - (a.n < b.n);
}

/* Copies the bytes to `to` and returns where they end there; a slice of nothing may have no place.
 */
static inline char *bytes_copy(char *to, struct bytes s)
{
    if (s.n)
        memcpy(to, s.p, s.n);
    return to + s.n;
}

#endif
