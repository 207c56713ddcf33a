#include "store/packed.h"

#include <assert.h>

#define SHORT_MAX 127u

static size_t prefix_size(size_t n)
{
    return n <= SHORT_MAX ? 1 : 2;
}

char *packed_write(char *to, struct bytes item)
{
    if (item.n <= SHORT_MAX) {
        *to++ = (char)item.n;
    } else {
        *to++ = (char)(0x80u | item.n >> 8);
        *to++ = (char)item.n;
    }
    return bytes_copy(to, item);
}

bool packed_next(struct bytes run, size_t *at, struct bytes *item)
{
    if (*at == run.n)
        return false;
    const unsigned char *p = (const unsigned char *)run.p + *at;
    if (*p <= SHORT_MAX)
        *item = (struct bytes){(const char *)p + 1, *p};
    else
        *item = (struct bytes){(const char *)p + 2, (size_t)(p[0] & 0x7fu) << 8 | p[1]};
    *at = (size_t)(item->p + item->n - run.p);
    assert(*at <= run.n);
    return true;
}

size_t packed_count(struct bytes run)
{
    size_t n = 0;
    struct bytes item;
    for (size_t at = 0; packed_next(run, &at, &item);)
        n++;
    return n;
}

size_t packed_longest(struct bytes run)
{
    size_t longest = 0;
    struct bytes item;
    for (size_t at = 0; packed_next(run, &at, &item);)
        if (item.n > longest)
            longest = item.n;
    return longest;
}

size_t packed_seek(struct bytes run, size_t i)
{
    size_t at = 0;
    struct bytes item;
    while (i > 0 && packed_next(run, &at, &item))
        i--;
    return at;
}

bool packed_find(struct bytes run, struct bytes item, size_t step, size_t *at)
{
    struct bytes here;
    for (size_t i = 0, next = 0, start = 0; packed_next(run, &next, &here); i++, start = next) {
        if (i % step == 0 && bytes_eq(here, item)) {
            *at = start;
            return true;
        }
    }
    return false;
}

static size_t items_size(const struct bytes *items, size_t n)
{
    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size += prefix_size(items[i].n) + items[i].n;
    return size;
}

bool packed_fits(const struct entry *e, size_t from, size_t to, const struct bytes *items, size_t n)
{
    return entry_value(e).n - (to - from) + items_size(items, n) <= ENTRY_INLINE_MAX;
}

bool packed_splice(struct keys *k, struct entry **e, size_t from, size_t to,
                   const struct bytes *items, size_t n)
{
    assert(packed_fits(*e, from, to, items, n));
    size_t old = entry_value(*e).n, tail = old - to;
    size_t grown = from + items_size(items, n) + tail;

    /* The tail moves while there is room for both: after growing, before shrinking. */
    if (grown > old && keys_resize(k, e, grown) == NULL)
        return false;
    char *run = (char *)entry_value(*e).p;
    memmove(run + grown - tail, run + to, tail);
    char *p = run + from;
    for (size_t i = 0; i < n; i++)
        p = packed_write(p, items[i]);
    if (grown < old)
        keys_resize(k, e, grown);
    return true;
}

void packed_cut(struct keys *k, struct entry **e, size_t from, size_t to)
{
    packed_splice(k, e, from, to, NULL, 0);
}

void packed_take(struct keys *k, struct entry **e, size_t from)
{
    struct bytes run = entry_value(*e), gone;
    size_t to = from, last = packed_seek(run, packed_count(run) - 1), n = run.n - last;
    packed_next(run, &to, &gone);
    if (from != last) {
        char moved[ENTRY_INLINE_MAX], *p = (char *)run.p;
        memcpy(moved, p + last, n);
        memmove(p + from + n, p + to, last - to);
        memcpy(p + from, moved, n);
    }
    keys_resize(k, e, run.n - (to - from));
}
