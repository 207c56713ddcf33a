#include "scripts/pool.h"

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

/* Under AddressSanitizer, blocks that are not alive cannot be touched, as if malloc had made them.
 */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define HIDE(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define SHOW(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define HIDE(p, n) ((void)(p), (void)(n))
#define SHOW(p, n) ((void)(p), (void)(n))
#endif

/* Before each chunk and each large block. */
struct block {
    struct list link;
    char data[] __attribute__((aligned(POOL_GRAIN)));
};

void pool_init(struct pool *p, size_t cap)
{
    memset(p, 0, sizeof *p);
    p->cap = cap;
    list_init(&p->blocks);
}

void pool_drop(struct pool *p)
{
    list_each_safe (at, &p->blocks) {
        mem_free(container_of(at, struct block, link));
    }
    pool_init(p, p->cap);
}

static size_t rounded(size_t n)
{
    return (n + POOL_GRAIN - 1) & ~(size_t)(POOL_GRAIN - 1);
}

static bool fits(const struct pool *p, size_t n)
{
    return p->used <= p->cap && n <= p->cap - p->used;
}

/* Without a ceiling it is our own need, which does not fail. */
static struct block *new_block(const struct pool *p, size_t size)
{
    size += sizeof(struct block);
    return p->cap == SIZE_MAX ? mem_alloc(size) : mem_try(size);
}

/* The rest of the old chunk is given up: it is shorter than one small block. */
static bool add_chunk(struct pool *p)
{
    struct block *b = new_block(p, POOL_CHUNK);
    if (b == NULL)
        return false;
    list_append(&p->blocks, &b->link);
    p->held += sizeof *b + POOL_CHUNK;
    p->bump = b->data;
    p->end = b->data + POOL_CHUNK;
    HIDE(p->bump, POOL_CHUNK);
    return true;
}

static inline void *take_small(struct pool *p, size_t size)
{
    struct pool_free *f = p->free[size / POOL_GRAIN];
    if (f) {
        SHOW(f, size);
        p->used += size;
        p->free[size / POOL_GRAIN] = f->next;
        return f;
    }
    if ((size_t)(p->end - p->bump) < size && !add_chunk(p))
        return NULL;
    void *block = p->bump;
    p->used += size;
    p->bump += size;
    SHOW(block, size);
    return block;
}

static void *take_large(struct pool *p, size_t size)
{
    struct block *b = new_block(p, size);
    if (b == NULL)
        return NULL;
    list_append(&p->blocks, &b->link);
    p->used += size;
    p->held += sizeof *b + size;
    return b->data;
}

static inline void give_small(struct pool *p, void *block, size_t size)
{
    struct pool_free *f = block;
    p->used -= size;
    f->next = p->free[size / POOL_GRAIN];
    p->free[size / POOL_GRAIN] = f;
    HIDE(f, size);
}

static void give(struct pool *p, void *block, size_t size)
{
    if (size <= POOL_SMALL) {
        give_small(p, block, size);
        return;
    }
    struct block *b = container_of(block, struct block, data);
    list_unlink(&b->link);
    p->used -= size;
    p->held -= sizeof *b + size;
    mem_free(b);
}

/* A large block that stays large keeps its place in the list. */
static void *resize_large(struct pool *p, void *block, size_t old, size_t size)
{
    struct block *b = container_of(block, struct block, data);
    list_unlink(&b->link);
    bool own = p->cap == SIZE_MAX && size > old;
    struct block *moved = (own ? mem_grow : mem_try_grow)(b, sizeof *b + size);
    if (moved) {
        p->used += size - old;
        p->held += size - old;
        b = moved;
    }
    list_append(&p->blocks, &b->link);
    return moved ? moved->data : NULL;
}

/* To another kind of block, or between small ones. */
static void *replace(struct pool *p, void *block, size_t from, size_t to)
{
    void *fresh = to <= POOL_SMALL ? take_small(p, to) : take_large(p, to);
    if (block && fresh) {
        memcpy(fresh, block, from < to ? from : to);
        give(p, block, from);
    }
    return fresh;
}

/* What gets smaller while memory is out stays where it is: shrinking never fails. */
static void *resize(struct pool *p, void *block, size_t old, size_t want)
{
    size_t from = rounded(old), to = rounded(want);
    if (from == to)
        return block;
    if (to == 0) {
        give(p, block, from);
        return NULL;
    }
    if (to < want || (to > from && !fits(p, to - from)))
        return NULL;
    bool large = block && from > POOL_SMALL && to > POOL_SMALL;
    void *fresh = (large ? resize_large : replace)(p, block, from, to);
    if (fresh == NULL && to < from) {
        p->used -= from - to;
        return block;
    }
    return fresh;
}

/* New small blocks and the end of small blocks are nearly all there is. */
void *pool_resize(struct pool *p, void *block, size_t old, size_t want)
{
    if (old == 0 && want - 1 < POOL_SMALL && fits(p, rounded(want)))
        return take_small(p, rounded(want));
    if (want == 0 && old - 1 < POOL_SMALL) {
        give_small(p, block, rounded(old));
        return NULL;
    }
    return resize(p, block, old, want);
}
