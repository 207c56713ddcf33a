#include "resp/wire.h"

#include "base/num.h"

#include <assert.h>

#define HEADER_MAX (1 + NUM_I64_MAX + 2) /* a type, a number, CRLF */

static struct wire *wire_of(struct reply *r)
{
    return (struct wire *)r;
}

static char *end_line(char *p)
{
    p[0] = '\r';
    p[1] = '\n';
    return p + 2;
}

/* ":42\r\n", "$5\r\n", "*3\r\n", into room that is there; returns the end. */
static char *write_header(char *p, char type, int64_t v)
{
    *p++ = type;
    return end_line(p + num_format_i64(p, v));
}

static bool grow(struct wire *w, size_t n)
{
    return (w->may_grow == NULL || w->may_grow(w, n)) && buf_try_room(w->out, n);
}

/* Room for `n` bytes; NULL when there is none, and then the reply is lost. How long one becomes is
 * for the client to choose. */
static char *room_for(struct wire *w, size_t n)
{
    struct buf *out = w->out;
    if (out->cap - out->to < n && !grow(w, n)) {
        w->reply.lost = true;
        return NULL;
    }
    return out->p + out->to;
}

static void put_header(struct wire *w, char type, int64_t v)
{
    char *p = room_for(w, HEADER_MAX);
    if (p)
        buf_added(w->out, (size_t)(write_header(p, type, v) - p));
}

static void put_fixed(struct wire *w, struct bytes text)
{
    char *p = room_for(w, text.n);
    if (p)
        buf_added(w->out, (size_t)(bytes_copy(p, text) - p));
}

static void put_text_line(struct wire *w, char type, struct bytes text)
{
    char *p = room_for(w, text.n + 3);
    if (p == NULL)
        return;
    *p++ = type;
    reply_copy_line(p, text);
    end_line(p + text.n);
    buf_added(w->out, 1 + text.n + 2);
}

static void put_bulk(struct wire *w, struct bytes data)
{
    char *room = room_for(w, HEADER_MAX + data.n + 2);
    if (room == NULL)
        return;
    char *p = write_header(room, '$', (int64_t)data.n);
    if (data.n)
        memcpy(p, data.p, data.n);
    buf_added(w->out, (size_t)(end_line(p + data.n) - room));
}

static void wire_status(struct reply *r, struct bytes text)
{
    put_text_line(wire_of(r), '+', text);
}

static void wire_error(struct reply *r, struct bytes text)
{
    put_text_line(wire_of(r), '-', text);
}

static void wire_integer(struct reply *r, int64_t v)
{
    put_header(wire_of(r), ':', v);
}

static void wire_real(struct reply *r, double v)
{
    struct wire *w = wire_of(r);
    char text[NUM_F64_MAX];
    struct bytes s = {text, num_format_f64(text, v)};
    if (w->version >= 3)
        put_text_line(w, ',', s);
    else
        put_bulk(w, s);
}

static void wire_boolean(struct reply *r, bool v)
{
    struct wire *w = wire_of(r);
    if (w->version >= 3)
        put_fixed(w, v ? BYTES("#t\r\n") : BYTES("#f\r\n"));
    else
        put_fixed(w, v ? BYTES(":1\r\n") : BYTES(":0\r\n"));
}

static void wire_bulk(struct reply *r, struct bytes data)
{
    put_bulk(wire_of(r), data);
}

static void wire_verbatim(struct reply *r, const char format[3], struct bytes text)
{
    struct wire *w = wire_of(r);
    if (w->version < 3) {
        put_bulk(w, text);
        return;
    }
    if (room_for(w, HEADER_MAX + text.n + 6) == NULL)
        return;
    put_header(w, '=', (int64_t)text.n + 4);
    buf_put(w->out, (struct bytes){format, 3});
    buf_putc(w->out, ':');
    buf_put(w->out, text);
    buf_put(w->out, BYTES("\r\n"));
}

static void wire_bignum(struct reply *r, struct bytes digits)
{
    struct wire *w = wire_of(r);
    if (w->version >= 3)
        put_text_line(w, '(', digits);
    else
        put_bulk(w, digits);
}

static void wire_null(struct reply *r)
{
    struct wire *w = wire_of(r);
    put_fixed(w, w->version >= 3 ? BYTES("_\r\n") : BYTES("$-1\r\n"));
}

static void wire_null_array(struct reply *r)
{
    struct wire *w = wire_of(r);
    put_fixed(w, w->version >= 3 ? BYTES("_\r\n") : BYTES("*-1\r\n"));
}

static void wire_array(struct reply *r, size_t n)
{
    put_header(wire_of(r), '*', (int64_t)n);
}

static void wire_map(struct reply *r, size_t pairs)
{
    struct wire *w = wire_of(r);
    if (w->version >= 3)
        put_header(w, '%', (int64_t)pairs);
    else
        put_header(w, '*', 2 * (int64_t)pairs);
}

static void wire_set(struct reply *r, size_t n)
{
    struct wire *w = wire_of(r);
    put_header(w, w->version >= 3 ? '~' : '*', (int64_t)n);
}

static void wire_push(struct reply *r, size_t n)
{
    struct wire *w = wire_of(r);
    put_header(w, w->version >= 3 ? '>' : '*', (int64_t)n);
}

static const struct reply_ops wire_ops = {
    .status = wire_status,
    .error = wire_error,
    .integer = wire_integer,
    .real = wire_real,
    .boolean = wire_boolean,
    .bulk = wire_bulk,
    .verbatim = wire_verbatim,
    .bignum = wire_bignum,
    .null = wire_null,
    .null_array = wire_null_array,
    .array = wire_array,
    .map = wire_map,
    .set = wire_set,
    .push = wire_push,
};

void wire_init(struct wire *w, struct buf *out, int version)
{
    assert(version == 2 || version == 3);
    w->reply.ops = &wire_ops;
    w->reply.errors = 0;
    w->reply.lost = false;
    w->out = out;
    w->version = version;
    w->may_grow = NULL;
}

void wire_switch(struct reply *r, int version)
{
    assert(version == 2 || version == 3);
    if (r->ops == &wire_ops)
        wire_of(r)->version = version;
}
