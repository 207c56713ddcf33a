#include "server/net/tail.h"

#include "base/mem.h"

struct piece {
    struct list link;
    struct buf buf;
};

struct tail *tail_new(void)
{
    struct tail *t = mem_alloc(sizeof *t);
    list_init(&t->pieces);
    t->size = sizeof *t;
    return t;
}

static struct piece *oldest(const struct tail *t)
{
    return list_empty(&t->pieces) ? NULL : container_of(t->pieces.next, struct piece, link);
}

static void drop(struct tail *t, struct piece *p)
{
    t->size -= sizeof *p + p->buf.cap;
    list_unlink(&p->link);
    buf_free(&p->buf);
    mem_free(p);
}

void tail_free(struct tail *t)
{
    struct piece *p;
    while (t && (p = oldest(t)))
        drop(t, p);
    mem_free(t);
}

/* The room behind the last byte is given back: it may be as large again. */
void tail_put(struct tail *t, struct buf *b)
{
    struct piece *p = mem_alloc(sizeof *p);
    p->buf = *b;
    p->buf.p = mem_grow(b->p, b->to);
    p->buf.cap = b->to;
    *b = (struct buf){0};
    t->size += sizeof *p + p->buf.cap;
    list_append(&t->pieces, &p->link);
}

struct buf *tail_next(struct tail *t)
{
    struct piece *p;
    while ((p = oldest(t)) && buf_len(&p->buf) == 0)
        drop(t, p);
    return p ? &p->buf : NULL;
}
