#include "tests/lib/answer.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

enum { INCOMPLETE = 0, BROKEN = -1 };

/* The line from `in` without its type byte and line end; the bytes it takes, or INCOMPLETE. */
static ssize_t take_line(struct bytes in, struct bytes *line)
{
    const char *cr = memmem(in.p, in.n, "\r\n", 2);
    if (cr == NULL)
        return INCOMPLETE;
    *line = (struct bytes){in.p + 1, (size_t)(cr - in.p) - 1};
    return cr + 2 - in.p;
}

static bool line_number(struct bytes line, int64_t *out)
{
    char text[24], *end;
    if (line.n == 0 || line.n >= sizeof text)
        return false;
    memcpy(text, line.p, line.n);
    text[line.n] = '\0';
    errno = 0;
    *out = strtoll(text, &end, 10);
    return *end == '\0' && errno == 0;
}

static ssize_t take(struct bytes in, struct answer *out);

static ssize_t take_items(struct bytes in, size_t at, size_t n, struct answer *out)
{
    if (out) {
        out->n = n;
        out->items = mem_alloc((n ? n : 1) * sizeof *out->items);
    }
    for (size_t i = 0; i < n; i++) {
        struct bytes rest = {in.p + at, in.n - at};
        ssize_t used = take(rest, out ? &out->items[i] : NULL);
        if (used <= 0)
            return used;
        at += (size_t)used;
    }
    return (ssize_t)at;
}

static ssize_t take_bulk(struct bytes in, size_t at, size_t n, struct answer *out)
{
    if (in.n < at + n + 2)
        return INCOMPLETE;
    if (memcmp(in.p + at + n, "\r\n", 2) != 0)
        return BROKEN;
    size_t mark = in.p[0] == '=' && n >= 4 ? 4 : 0; /* "txt:" of a verbatim string */
    if (out)
        out->text = (struct bytes){in.p + at + mark, n - mark};
    return (ssize_t)(at + n + 2);
}

/* What follows a first line that carries a length. */
static ssize_t take_counted(struct bytes in, size_t at, struct bytes line, struct answer *out)
{
    int64_t n;
    if (!line_number(line, &n) || n < -1 || n > (1 << 30))
        return BROKEN;
    if (n == -1) {
        if (out)
            out->kind = '_';
        return (ssize_t)at;
    }
    if (strchr("$!=", in.p[0]))
        return take_bulk(in, at, (size_t)n, out);
    return take_items(in, at, (size_t)n * (in.p[0] == '%' || in.p[0] == '|' ? 2 : 1), out);
}

static ssize_t take(struct bytes in, struct answer *out)
{
    struct bytes line;
    if (in.n == 0)
        return INCOMPLETE;
    if (in.p[0] == '\0' || !strchr("+-:$*_,#(!=%~>|", in.p[0]))
        return BROKEN;
    ssize_t used = take_line(in, &line);
    if (used <= 0)
        return used;
    if (out)
        *out = (struct answer){.kind = in.p[0], .text = line};
    if (strchr("$*!=%~>|", in.p[0]))
        used = take_counted(in, (size_t)used, line, out);
    if (out && used > 0)
        out->raw = (struct bytes){in.p, (size_t)used};
    return used;
}

ssize_t answer_length(struct bytes in)
{
    return take(in, NULL);
}

bool answer_parse(struct bytes raw, struct answer *out)
{
    *out = (struct answer){0};
    return take(raw, out) == (ssize_t)raw.n;
}

void answer_free(struct answer *a)
{
    for (size_t i = 0; i < a->n; i++)
        answer_free(&a->items[i]);
    mem_free(a->items);
    *a = (struct answer){0};
}

bool answer_is_aggregate(const struct answer *a)
{
    return a->kind && strchr("*%~>|", a->kind) != NULL;
}

bool answer_int(const struct answer *a, int64_t *out)
{
    return !answer_is_aggregate(a) && line_number(a->text, out);
}
