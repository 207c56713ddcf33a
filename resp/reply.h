/*
 * The sink that every answer goes to. A handler says what it answers, never how that looks in
 * bytes: the data model is RESP3's, and the sink decides. Two sinks exist: `wire` writes RESP2 or
 * RESP3 bytes, `tape` records typed values.
 *
 * An aggregate announces its size first and its elements follow, so nothing is ever patched in
 * later. Every command gives exactly one complete value (pushes apart).
 */
#ifndef RESP_REPLY_H
#define RESP_REPLY_H

#include "base/bytes.h"

#include <stdarg.h>
#include <stdint.h>

struct reply;

struct reply_ops {
    void (*status)(struct reply *r, struct bytes text);
    void (*error)(struct reply *r, struct bytes text); /* text with its code: "ERR no such key" */
    void (*integer)(struct reply *r, int64_t v);
    void (*real)(struct reply *r, double v);
    void (*boolean)(struct reply *r, bool v);
    void (*bulk)(struct reply *r, struct bytes data);
    void (*verbatim)(struct reply *r, const char format[3], struct bytes text);
    void (*bignum)(struct reply *r, struct bytes digits);
    void (*null)(struct reply *r);       /* RESP2: $-1 */
    void (*null_array)(struct reply *r); /* RESP2: *-1 */
    void (*array)(struct reply *r, size_t n);
    void (*map)(struct reply *r, size_t pairs); /* RESP2: an array of 2n */
    void (*set)(struct reply *r, size_t n);     /* RESP2: an array */
    void (*push)(struct reply *r, size_t n);    /* RESP2: an array */
};

#define REPLY_CODE_MAX 32

struct reply {
    const struct reply_ops *ops;
    bool lost;                 /* there was no room for it: what was said is of no use */
    unsigned errors;           /* how many were said */
    char code[REPLY_CODE_MAX]; /* the last one's first word; undefined before the first */
};

static inline void reply_status(struct reply *r, struct bytes text)
{
    r->ops->status(r, text);
}

static inline void reply_ok(struct reply *r)
{
    r->ops->status(r, BYTES("OK"));
}

void reply_error(struct reply *r, struct bytes text);

static inline void reply_int(struct reply *r, int64_t v)
{
    r->ops->integer(r, v);
}

static inline void reply_real(struct reply *r, double v)
{
    r->ops->real(r, v);
}

static inline void reply_bool(struct reply *r, bool v)
{
    r->ops->boolean(r, v);
}

static inline void reply_bulk(struct reply *r, struct bytes data)
{
    r->ops->bulk(r, data);
}

static inline void reply_verbatim(struct reply *r, const char format[3], struct bytes text)
{
    r->ops->verbatim(r, format, text);
}

static inline void reply_bignum(struct reply *r, struct bytes digits)
{
    r->ops->bignum(r, digits);
}

static inline void reply_null(struct reply *r)
{
    r->ops->null(r);
}

static inline void reply_null_array(struct reply *r)
{
    r->ops->null_array(r);
}

static inline void reply_array(struct reply *r, size_t n)
{
    r->ops->array(r, n);
}

static inline void reply_map(struct reply *r, size_t pairs)
{
    r->ops->map(r, pairs);
}

static inline void reply_set(struct reply *r, size_t n)
{
    r->ops->set(r, n);
}

static inline void reply_push(struct reply *r, size_t n)
{
    r->ops->push(r, n);
}

/* A bulk from a C string or an integer. */
void reply_str(struct reply *r, const char *s);
void reply_bulk_i64(struct reply *r, int64_t v);

/* A formatted error. Newlines at its end are dropped. */
void reply_errorf(struct reply *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For sinks: the text of a status or an error, to where there is room for it. Bytes that would
 * break the framing of its line (CR, LF) become spaces, in every sink. */
void reply_copy_line(char *to, struct bytes text);

#endif
