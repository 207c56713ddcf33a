#include "resp/tape.h"

#include "base/mem.h"

#include <assert.h>

/* What an emptied tape may keep: enough for the replies of ordinary scripts. */
#define KEEP_NODES 256
#define KEEP_TEXT  16384

static bool grow(struct tape *t)
{
    size_t cap = t->cap ? 2 * t->cap : 16;
    struct tape_node *nodes = NULL;
    if (cap <= t->most / sizeof *nodes)
        nodes = mem_try_grow(t->nodes, cap * sizeof *nodes);
    if (nodes == NULL)
        return false;
    t->nodes = nodes;
    t->cap = cap;
    return true;
}

static void append(struct reply *r, struct tape_node node)
{
    struct tape *t = (struct tape *)r;
    if (t->n == t->cap && !grow(t))
        r->lost = true;
    else
        t->nodes[t->n++] = node;
}

/* Room for a text, even an empty one; NULL when there is none. */
static char *room_for(struct reply *r, size_t n)
{
    struct tape *t = (struct tape *)r;
    struct buf *text = &t->text;
    bool fits = text->cap - text->to > n;
    if (!fits && (buf_len(text) + n > t->most || !buf_try_room(text, n + 1))) {
        r->lost = true;
        return NULL;
    }
    return text->p + text->to;
}

/* Says that the next `n` bytes, which are there already, are a text. */
static void append_text(struct reply *r, enum tape_kind kind, size_t n)
{
    struct buf *text = &((struct tape *)r)->text;
    assert(n <= UINT32_MAX);
    append(r, (struct tape_node){.kind = kind, .at = text->to, .len = (uint32_t)n});
    buf_added(text, n);
}

static void append_bytes(struct reply *r, enum tape_kind kind, struct bytes text)
{
    char *to = room_for(r, text.n);
    if (to == NULL)
        return;
    bytes_copy(to, text);
    append_text(r, kind, text.n);
}

static void append_line(struct reply *r, enum tape_kind kind, struct bytes text)
{
    char *to = room_for(r, text.n);
    if (to == NULL)
        return;
    reply_copy_line(to, text);
    append_text(r, kind, text.n);
}

static void append_aggregate(struct reply *r, enum tape_kind kind, size_t n)
{
    assert(n <= UINT32_MAX);
    append(r, (struct tape_node){.kind = kind, .len = (uint32_t)n});
}

static void tape_status(struct reply *r, struct bytes text)
{
    append_line(r, TAPE_STATUS, text);
}

static void tape_error(struct reply *r, struct bytes text)
{
    append_line(r, TAPE_ERROR, text);
}

static void tape_integer(struct reply *r, int64_t v)
{
    append(r, (struct tape_node){.kind = TAPE_INT, .i = v});
}

static void tape_real(struct reply *r, double v)
{
    append(r, (struct tape_node){.kind = TAPE_REAL, .f = v});
}

static void tape_boolean(struct reply *r, bool v)
{
    append(r, (struct tape_node){.kind = TAPE_BOOL, .b = v});
}

static void tape_bulk(struct reply *r, struct bytes data)
{
    append_bytes(r, TAPE_BULK, data);
}

static void tape_verbatim(struct reply *r, const char format[3], struct bytes text)
{
    if (room_for(r, 3 + text.n) == NULL)
        return;
    buf_put(&((struct tape *)r)->text, (struct bytes){format, 3});
    append_bytes(r, TAPE_VERBATIM, text);
}

static void tape_bignum(struct reply *r, struct bytes digits)
{
    append_bytes(r, TAPE_BIGNUM, digits);
}

static void tape_null(struct reply *r)
{
    append(r, (struct tape_node){.kind = TAPE_NULL});
}

static void tape_null_array(struct reply *r)
{
    append(r, (struct tape_node){.kind = TAPE_NULL_ARRAY});
}

static void tape_array(struct reply *r, size_t n)
{
    append_aggregate(r, TAPE_ARRAY, n);
}

static void tape_map(struct reply *r, size_t pairs)
{
    append_aggregate(r, TAPE_MAP, pairs);
}

static void tape_set(struct reply *r, size_t n)
{
    append_aggregate(r, TAPE_SET, n);
}

static void tape_push(struct reply *r, size_t n)
{
    append_aggregate(r, TAPE_PUSH, n);
}

static const struct reply_ops tape_ops = {
    .status = tape_status,
    .error = tape_error,
    .integer = tape_integer,
    .real = tape_real,
    .boolean = tape_boolean,
    .bulk = tape_bulk,
    .verbatim = tape_verbatim,
    .bignum = tape_bignum,
    .null = tape_null,
    .null_array = tape_null_array,
    .array = tape_array,
    .map = tape_map,
    .set = tape_set,
    .push = tape_push,
};

void tape_init(struct tape *t)
{
    *t = (struct tape){.reply.ops = &tape_ops, .most = SIZE_MAX};
}

void tape_reset(struct tape *t)
{
    t->n = 0;
    t->reply.lost = false;
    buf_clear(&t->text);
    if (t->cap > KEEP_NODES) {
        mem_free(t->nodes);
        t->nodes = NULL;
        t->cap = 0;
    }
    if (t->text.cap > KEEP_TEXT)
        buf_free(&t->text);
}

static void play(const struct tape *t, const struct tape_node *n, struct reply *to)
{
    switch (n->kind) {
    case TAPE_STATUS: return reply_status(to, tape_text(t, n));
    case TAPE_ERROR: return reply_error(to, tape_text(t, n));
    case TAPE_INT: return reply_int(to, n->i);
    case TAPE_REAL: return reply_real(to, n->f);
    case TAPE_BOOL: return reply_bool(to, n->b);
    case TAPE_BULK: return reply_bulk(to, tape_text(t, n));
    case TAPE_VERBATIM: return reply_verbatim(to, tape_format(t, n), tape_text(t, n));
    case TAPE_BIGNUM: return reply_bignum(to, tape_text(t, n));
    case TAPE_NULL: return reply_null(to);
    case TAPE_NULL_ARRAY: return reply_null_array(to);
    case TAPE_ARRAY: return reply_array(to, n->len);
    case TAPE_MAP: return reply_map(to, n->len);
    case TAPE_SET: return reply_set(to, n->len);
    case TAPE_PUSH: return reply_push(to, n->len);
    }
}

void tape_play(const struct tape *t, struct reply *to)
{
    for (size_t i = 0; i < t->n; i++)
        play(t, &t->nodes[i], to);
}

void tape_free(struct tape *t)
{
    mem_free(t->nodes);
    buf_free(&t->text);
    tape_init(t);
}
