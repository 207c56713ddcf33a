/*
 * A sink that writes protocol bytes. RESP2 and RESP3 differ here and nowhere else: a map becomes a
 * flat array, a boolean 0 or 1, a double a bulk, a push or a set an array.
 */
#ifndef RESP_WIRE_H
#define RESP_WIRE_H

#include "base/buf.h"
#include "resp/reply.h"

struct wire;

/* May `n` bytes more be written? Asked only when `out` has no room for them and would grow. When
 * they may not, the reply is lost, as when memory is out. */
typedef bool wire_grow_fn(struct wire *w, size_t n);

struct wire {
    struct reply reply;     /* first, so that a wire is a reply */
    struct buf *out;        /* borrowed */
    int version;            /* 2 or 3; may be changed between two values */
    wire_grow_fn *may_grow; /* NULL: it may */
};

void wire_init(struct wire *w, struct buf *out, int version);

/* From the next value on in that version; other kinds of sinks have none and stay as they are. */
void wire_switch(struct reply *r, int version);

#endif
