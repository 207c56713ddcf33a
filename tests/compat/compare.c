#include "tests/compat/compare.h"

#include "base/mem.h"
#include "tests/lib/answer.h"

#include <stdlib.h>

static int by_bytes(const void *a, const void *b)
{
    return bytes_cmp(*(const struct bytes *)a, *(const struct bytes *)b);
}

/* The elements' bytes, `width` of them in one, sorted. To be freed. */
static struct bytes *sorted(const struct answer *a, size_t width, size_t *n)
{
    struct bytes *out = mem_alloc((a->n / width + 1) * sizeof *out);
    *n = a->n / width;
    for (size_t i = 0; i < *n; i++) {
        const struct answer *first = &a->items[i * width], *last = first + width - 1;
        out[i] = (struct bytes){first->raw.p, (size_t)(last->raw.p + last->raw.n - first->raw.p)};
    }
    qsort(out, *n, sizeof *out, by_bytes);
    return out;
}

static bool same_unordered(const struct answer *a, const struct answer *b)
{
    if (!answer_is_aggregate(a))
        return bytes_eq(a->raw, b->raw);
    size_t width = a->kind == '%' ? 2 : 1, n, m;
    struct bytes *x = sorted(a, width, &n), *y = sorted(b, width, &m);
    bool same = a->kind == b->kind && n == m;
    for (size_t i = 0; same && i < n; i++)
        same = bytes_eq(x[i], y[i]);
    mem_free(x);
    mem_free(y);
    return same;
}

static bool same_within(const struct answer *a, const struct answer *b, long tolerance)
{
    int64_t x, y;
    if (a->kind != b->kind || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!same_within(&a->items[i], &b->items[i], tolerance))
            return false;
    if (answer_is_aggregate(a))
        return true;
    if (!answer_int(a, &x) || !answer_int(b, &y))
        return bytes_eq(a->raw, b->raw);
    /* -1 and -2 mean something else than a short time. */
    return x == y || (x >= 0 && y >= 0 && llabs(x - y) <= tolerance);
}

static struct bytes first_word(struct bytes s)
{
    const char *blank = memchr(s.p, ' ', s.n);
    return (struct bytes){s.p, blank ? (size_t)(blank - s.p) : s.n};
}

static bool same_from(struct bytes a, struct bytes b, struct bytes mark)
{
    const char *x = memmem(a.p, a.n, mark.p, mark.n), *y = memmem(b.p, b.n, mark.p, mark.n);
    return x && y &&
           bytes_eq((struct bytes){x, (size_t)(a.p + a.n - x)},
                    (struct bytes){y, (size_t)(b.p + b.n - y)});
}

/* The value of `name` in `name:value` or `name=value`, lines or words. */
static bool field_in_text(struct bytes text, struct bytes name, struct bytes *value)
{
    for (size_t at = 0; at + name.n < text.n; at++) {
        bool begins = at == 0 || strchr(" \n", text.p[at - 1]);
        char mark = text.p[at + name.n];
        if (!begins || (mark != ':' && mark != '=') || memcmp(text.p + at, name.p, name.n) != 0)
            continue;
        const char *from = text.p + at + name.n + 1, *to = from;
        while (to < text.p + text.n && !strchr(" \r\n", *to))
            to++;
        *value = (struct bytes){from, (size_t)(to - from)};
        return true;
    }
    return false;
}

/* The same in a map or in a flat array of names and values; the value is its bytes. */
static bool field_in(const struct answer *a, struct bytes name, struct bytes *value)
{
    if (!answer_is_aggregate(a))
        return field_in_text(a->text, name, value);
    for (size_t i = 0; i + 1 < a->n; i += 2) {
        if (bytes_eq(a->items[i].text, name)) {
            *value = a->items[i + 1].raw;
            return true;
        }
    }
    return false;
}

/* Every field of the list is in both; those written as =name with the same value. */
static bool same_fields(const struct answer *a, const struct answer *b, struct bytes list)
{
    if (a->kind != b->kind)
        return false;
    while (list.n) {
        const char *comma = memchr(list.p, ',', list.n);
        struct bytes name = {list.p, comma ? (size_t)(comma - list.p) : list.n}, x, y;
        size_t used = name.n + (comma != NULL);
        list = (struct bytes){list.p + used, list.n - used};
        bool equal = name.n && name.p[0] == '=';
        if (equal)
            name = (struct bytes){name.p + 1, name.n - 1};
        if (!field_in(a, name, &x) || !field_in(b, name, &y) || (equal && !bytes_eq(x, y)))
            return false;
    }
    return true;
}

/* The index of the next element from `i` on that is not `name` or the value after it. */
static size_t skip_named(const struct answer *a, size_t i, struct bytes name)
{
    while (i + 1 < a->n && a->items[i].kind == '$' && bytes_eq(a->items[i].text, name))
        i += 2;
    return i;
}

static bool same_without(const struct answer *a, const struct answer *b, struct bytes name)
{
    size_t i = 0, k = 0;
    if (!answer_is_aggregate(a) || a->kind != b->kind)
        return bytes_eq(a->raw, b->raw);
    for (;; i++, k++) {
        i = skip_named(a, i, name);
        k = skip_named(b, k, name);
        if (i >= a->n || k >= b->n)
            return i >= a->n && k >= b->n;
        if (!same_without(&a->items[i], &b->items[k], name))
            return false;
    }
}

static bool same(const struct check *check, const struct answer *a, const struct answer *b)
{
    switch (check->kind) {
    case CHECK_EXACT: return bytes_eq(a->raw, b->raw);
    case CHECK_ANY: return true;
    case CHECK_TYPE: return a->kind == b->kind;
    case CHECK_SIZE:
        return a->kind == '-' ? bytes_eq(a->raw, b->raw) : a->kind == b->kind && a->n == b->n;
    case CHECK_CODE:
        return a->kind == b->kind && bytes_eq(first_word(a->text), first_word(b->text));
    case CHECK_UNORDERED: return same_unordered(a, b);
    case CHECK_TIME: return same_within(a, b, check->tolerance);
    case CHECK_FROM: return a->kind == b->kind && same_from(a->raw, b->raw, check->fields);
    case CHECK_WITHOUT: return same_without(a, b, check->fields);
    case CHECK_FIELDS: return same_fields(a, b, check->fields);
    }
    return false;
}

bool compare(const struct check *check, struct bytes a, struct bytes b)
{
    struct answer x, y;
    bool x_whole = answer_parse(a, &x), y_whole = answer_parse(b, &y);
    bool result = x_whole && y_whole ? same(check, &x, &y) : bytes_eq(a, b);
    answer_free(&x);
    answer_free(&y);
    return result;
}

void compare_collect(struct bytes elements, size_t width, struct buf *out)
{
    struct answer a;
    size_t n;
    if (!answer_parse(elements, &a))
        return;
    struct bytes *list = sorted(&a, width, &n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !bytes_eq(list[i - 1], list[i]))
            buf_put(out, list[i]);
    mem_free(list);
    answer_free(&a);
}
