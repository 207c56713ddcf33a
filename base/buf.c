#include "base/buf.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <stdio.h>

/* Sliding down is only worth it when it at least halves the buffer: amortised linear. */
static bool slide(struct buf *b, size_t n)
{
    size_t len = buf_len(b);
    if (b->from == 0 || b->cap - len < n || b->from < len)
        return false;
    assert(b->p);
    memcpy(b->p, b->p + b->from, len);
    b->from = 0;
    b->to = len;
    return true;
}

static size_t grown(const struct buf *b, size_t n)
{
    size_t want = b->cap ? b->cap : 64;
    while (want - b->to < n)
        want *= 2;
    return want;
}

void buf_reserve(struct buf *b, size_t n)
{
    if (slide(b, n))
        return;
    size_t want = grown(b, n);
    b->p = mem_grow(b->p, want);
    b->cap = want;
}

bool buf_try_room(struct buf *b, size_t n)
{
    if (b->cap - b->to >= n || slide(b, n))
        return true;
    size_t want = grown(b, n);
    char *p = mem_try_grow(b->p, want);
    if (p == NULL)
        return false;
    b->p = p;
    b->cap = want;
    return true;
}

void buf_put_i64(struct buf *b, int64_t v)
{
    buf_added(b, num_format_i64(buf_room(b, NUM_I64_MAX), v));
}

bool buf_try_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    size_t room = b->cap - b->to;
    int n = vsnprintf(b->p ? b->p + b->to : NULL, room, fmt, ap);
    bool fits = n < 0 || (size_t)n < room || buf_try_room(b, (size_t)n + 1);
    if (fits && n >= 0 && (size_t)n >= room)
        vsnprintf(b->p + b->to, (size_t)n + 1, fmt, again);
    if (fits && n > 0)
        b->to += (size_t)n;
    va_end(again);
    return fits;
}

void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
    if (!buf_try_vprintf(b, fmt, ap))
        mem_out(b->cap ? 2 * b->cap : 64);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(b, fmt, ap);
    va_end(ap);
}

void buf_free(struct buf *b)
{
    mem_free(b->p);
    *b = (struct buf){0};
}
