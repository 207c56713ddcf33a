/*
 * An owned, growable run of bytes. `{0}` is an empty one and holds no memory. Consuming from the
 * front is cheap: it only moves a mark, and the space is won back when room is next needed.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/bytes.h"

#include <stdarg.h>
#include <stdint.h>

struct buf {
    char *p;         /* the allocation */
    size_t from, to; /* the bytes are p[from..to) */
    size_t cap;
};

static inline size_t buf_len(const struct buf *b)
{
    return b->to - b->from;
}

static inline struct bytes buf_bytes(const struct buf *b)
{
    return (struct bytes){b->p + b->from, b->to - b->from};
}

/* The slow path of buf_room. */
void buf_reserve(struct buf *b, size_t n);

/* `n` writable bytes past the end; buf_added says how many of them were used. */
static inline char *buf_room(struct buf *b, size_t n)
{
    if (b->cap - b->to < n)
        buf_reserve(b, n);
    return b->p + b->to;
}

/* The same for a number that a client chose: false when memory is out, and nothing has changed. */
bool buf_try_room(struct buf *b, size_t n);

static inline void buf_added(struct buf *b, size_t n)
{
    b->to += n;
}

static inline void buf_put(struct buf *b, struct bytes s)
{
    if (s.n)
        memcpy(buf_room(b, s.n), s.p, s.n);
    b->to += s.n;
}

static inline void buf_putc(struct buf *b, char c)
{
    *buf_room(b, 1) = c;
    b->to++;
}

void buf_put_i64(struct buf *b, int64_t v);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* False when memory is out, and nothing has changed. */
bool buf_try_vprintf(struct buf *b, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

/* Drop `n` bytes from the front. */
static inline void buf_consume(struct buf *b, size_t n)
{
    b->from += n;
    if (b->from == b->to)
        b->from = b->to = 0;
}

static inline void buf_clear(struct buf *b)
{
    b->from = b->to = 0;
}

void buf_free(struct buf *b);

#endif
