/*
 * The bytes are ours, so they are taken at their word. Texts stay where they are: what ended their
 * line is overwritten with a NUL.
 */
#include "server/embed_reply.h"

#include "base/mem.h"
#include "base/num.h"

#include <assert.h>
#include <math.h>

struct latch_reply {
    enum latch_kind kind;
    struct bytes text;
    int64_t integer;
    double real;
    size_t n;
    struct latch_reply *items;
};

/* The outermost one, and what all texts lie in. */
struct root {
    struct latch_reply reply;
    struct buf bytes;
};

/* Takes the line at *p, without its end; *p is behind it afterwards. */
static struct bytes take_line(char **p)
{
    char *from = *p, *end = strchr(from, '\r');
    assert(end);
    *end = '\0';
    *p = end + 2;
    return (struct bytes){from, (size_t)(end - from)};
}

static int64_t take_number(char **p)
{
    int64_t n = 0;
    num_parse_i64(take_line(p), &n);
    return n;
}

static struct bytes take_bulk(char **p)
{
    size_t n = (size_t)take_number(p);
    struct bytes text = {*p, n};
    (*p)[n] = '\0';
    *p += n + 2;
    return text;
}

static double parse_real(struct bytes s)
{
    double v = NAN;
    num_parse_f64(s, &v);
    return v;
}

static void take_value(char **p, struct latch_reply *out);

static void take_items(char **p, struct latch_reply *out, enum latch_kind kind, size_t each)
{
    out->kind = kind;
    out->n = (size_t)take_number(p) * each;
    out->items = mem_alloc(out->n * sizeof *out->items + 1);
    for (size_t i = 0; i < out->n; i++)
        take_value(p, &out->items[i]);
}

static void take_value(char **p, struct latch_reply *out)
{
    char type = *(*p)++;
    switch (type) {
    case '+': *out = (struct latch_reply){.kind = LATCH_STATUS, .text = take_line(p)}; break;
    case '-': *out = (struct latch_reply){.kind = LATCH_ERROR, .text = take_line(p)}; break;
    case '(': *out = (struct latch_reply){.kind = LATCH_STRING, .text = take_line(p)}; break;
    case '$': *out = (struct latch_reply){.kind = LATCH_STRING, .text = take_bulk(p)}; break;
    case ':': *out = (struct latch_reply){.kind = LATCH_INTEGER, .integer = take_number(p)}; break;
    case ',':
        *out = (struct latch_reply){.kind = LATCH_REAL, .real = parse_real(take_line(p))};
        break;
    case '#':
        *out = (struct latch_reply){.kind = LATCH_BOOLEAN, .integer = take_line(p).p[0] == 't'};
        break;
    case '=':
        *out = (struct latch_reply){.kind = LATCH_STRING, .text = take_bulk(p)};
        out->text.p += 4; /* "txt:" */
        out->text.n -= 4;
        break;
    case '*': take_items(p, out, LATCH_ARRAY, 1); break;
    case '~': take_items(p, out, LATCH_SET, 1); break;
    case '%': take_items(p, out, LATCH_MAP, 2); break;
    case '>': take_items(p, out, LATCH_PUSH, 1); break;
    default: /* "_" */
        take_line(p);
        *out = (struct latch_reply){.kind = LATCH_NULL};
        break;
    }
}

struct latch_reply *embed_reply_new(struct buf *bytes)
{
    struct root *r = mem_alloc(sizeof *r);
    r->bytes = *bytes;
    *bytes = (struct buf){0};
    if (buf_len(&r->bytes)) {
        buf_putc(&r->bytes, '\0');
        char *p = r->bytes.p + r->bytes.from;
        take_value(&p, &r->reply);
    }
    return &r->reply;
}

static void free_items(struct latch_reply *r)
{
    for (size_t i = 0; i < r->n; i++)
        free_items(&r->items[i]);
    mem_free(r->items);
}

void latch_reply_free(struct latch_reply *r)
{
    if (r == NULL)
        return;
    struct root *root = (struct root *)r;
    free_items(r);
    buf_free(&root->bytes);
    mem_free(root);
}

enum latch_kind latch_reply_kind(const struct latch_reply *r)
{
    return r->kind;
}

const char *latch_reply_text(const struct latch_reply *r, size_t *length)
{
    if (length)
        *length = r->text.n;
    return r->text.p ? r->text.p : "";
}

int64_t latch_reply_integer(const struct latch_reply *r)
{
    return r->integer;
}

double latch_reply_real(const struct latch_reply *r)
{
    return r->kind == LATCH_REAL ? r->real : (double)r->integer;
}

size_t latch_reply_count(const struct latch_reply *r)
{
    return r->n;
}

const struct latch_reply *latch_reply_at(const struct latch_reply *r, size_t i)
{
    return i < r->n ? &r->items[i] : NULL;
}
