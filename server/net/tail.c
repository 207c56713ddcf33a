#include "server/net/tail.h"

#include "base/mem.h"

#include <sys/mman.h>

/* In pages of its own, and then the bytes follow it; or, when it is large, on the heap. */
struct piece {
    struct list link;
    struct buf buf;
};

static struct piece *first(const struct list *pieces)
{
    return list_empty(pieces) ? NULL : container_of(pieces->next, struct piece, link);
}

static struct piece *last(const struct list *pieces)
{
    return list_empty(pieces) ? NULL : container_of(pieces->prev, struct piece, link);
}

static bool is_pages(const struct piece *p)
{
    return p->buf.p == (const char *)(p + 1);
}

static size_t size(const struct piece *p)
{
    return sizeof *p + p->buf.cap;
}

static size_t room(const struct piece *p)
{
    return p ? p->buf.cap - p->buf.to : 0;
}

/* Scrap. Pages are in front. */

void scrap_init(struct scrap *s)
{
    list_init(&s->pieces);
}

static void give_back(struct piece *p)
{
    list_unlink(&p->link);
    if (is_pages(p)) {
        munmap(p, TAIL_PIECE);
    } else {
        buf_free(&p->buf);
        mem_free(p);
    }
}

bool scrap_free_some(struct scrap *s, size_t n)
{
    struct piece *p;
    for (size_t done = 0; done < n && (p = last(&s->pieces)); give_back(p))
        done += size(p);
    return !list_empty(&s->pieces);
}

static void scrap_add(struct scrap *s, struct piece *p)
{
    list_unlink(&p->link);
    list_append(is_pages(p) ? s->pieces.next : &s->pieces, &p->link);
}

/* NULL when memory is out. */
static struct piece *get_pages(const struct scrap *s)
{
    struct piece *p = first(&s->pieces);
    if (p && is_pages(p)) {
        list_unlink(&p->link);
        return p;
    }
    p = mmap(NULL, TAIL_PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Tails. */

struct tail *tail_new(struct scrap *s)
{
    struct tail *t = mem_alloc(sizeof *t);
    t->scrap = s;
    list_init(&t->pieces);
    t->size = sizeof *t;
    return t;
}

static void drop(struct tail *t, struct piece *p)
{
    t->size -= size(p);
    scrap_add(t->scrap, p);
}

void tail_free(struct tail *t)
{
    struct piece *p;
    while (t && (p = first(&t->pieces)))
        drop(t, p);
    mem_free(t);
}

static void add(struct tail *t, struct piece *p, struct buf b)
{
    p->buf = b;
    t->size += size(p);
    list_append(&t->pieces, &p->link);
}

/* The room behind its last byte is given back: it may be as large again. */
static void take(struct tail *t, struct buf *b)
{
    char *shrunk = mem_try_grow(b->p, b->to);
    if (shrunk) {
        b->p = shrunk;
        b->cap = b->to;
    }
    add(t, mem_alloc(sizeof(struct piece)), *b);
    *b = (struct buf){0};
}

static struct piece *add_pages(struct tail *t)
{
    struct piece *p = get_pages(t->scrap);
    if (p)
        add(t, p, (struct buf){.p = (char *)(p + 1), .cap = TAIL_PIECE - sizeof *p});
    return p;
}

bool tail_append(struct tail *t, struct bytes text)
{
    while (text.n) {
        struct piece *p = last(&t->pieces);
        if (room(p) == 0 && (p = add_pages(t)) == NULL)
            return false;
        size_t n = text.n < room(p) ? text.n : room(p);
        buf_put(&p->buf, (struct bytes){text.p, n});
        text = (struct bytes){text.p + n, text.n - n};
    }
    return true;
}

bool tail_put(struct tail *t, struct buf *b)
{
    if (buf_len(b) >= TAIL_LARGE)
        take(t, b);
    else if (!tail_append(t, buf_bytes(b)))
        return false;
    buf_clear(b);
    return true;
}

struct buf *tail_next(struct tail *t)
{
    struct piece *p;
    while ((p = first(&t->pieces)) && buf_len(&p->buf) == 0)
        drop(t, p);
    return p ? &p->buf : NULL;
}
