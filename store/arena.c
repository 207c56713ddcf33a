/*
 * Pages are 64 KB and aligned to 64 KB, so that an object's address leads to its page's header and
 * from there back to its reference. They are mapped sixteen at a time. A page that becomes empty is
 * kept for any class; beyond a few, its memory is given back with madvise while the address range
 * stays ours, so that nothing here ever fragments the process's map.
 *
 * A larger object gets whole pages of its own with the same header, and thus the same way back. Of
 * the last page only what it needs is ever touched, and counted.
 *
 * What is set aside is one mapping that nobody touches. It costs two system calls and no memory;
 * when the system has no more to give, it is handed back and the same request made again.
 *
 * Freed objects are poisoned under AddressSanitizer.
 */
#include "store/arena.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define hide(p, n) __asan_poison_memory_region((p), (n))
#define show(p, n) __asan_unpoison_memory_region((p), (n))
#else
#define hide(p, n) ((void)(p), (void)(n))
#define show(p, n) ((void)(p), (void)(n))
#endif

enum { CHUNK_PAGES = 16, WARM_PAGES = 8, HEADER = sizeof(struct arena_page) };
#define CHUNK_BYTES ((size_t)CHUNK_PAGES * ARENA_PAGE)

/* Coarse classes: four to each doubling beyond ARENA_FINE. */
static uint32_t class_of(size_t size, uint32_t *rounded)
{
    if (size <= ARENA_FINE) {
        *rounded = ((uint32_t)size + ARENA_UNIT - 1) & ~(ARENA_UNIT - 1);
        if (*rounded == 0)
            *rounded = ARENA_UNIT;
        return *rounded / ARENA_UNIT;
    }
    uint32_t class = ARENA_FINE / ARENA_UNIT, step = ARENA_FINE / 4, top = ARENA_FINE;
    for (;; step *= 2) {
        for (int i = 0; i < 4; i++) {
            class ++;
            top += step;
            uint32_t limit = top < ARENA_SMALL ? top : ARENA_SMALL;
            if (size <= limit) {
                *rounded = limit;
                return class;
            }
        }
    }
}

size_t arena_round(size_t size)
{
    uint32_t rounded;
    if (size > ARENA_SMALL)
        return size;
    class_of(size, &rounded);
    return rounded;
}

void arena_init(struct arena *a)
{
    *a = (struct arena){.n = 1}; /* number 0 is no page */
}

static struct arena_page *page_at(const struct arena *a, uint32_t number)
{
    return (struct arena_page *)a->pages[number];
}

static uint32_t take_number(struct arena *a)
{
    if (a->spare) {
        uint32_t number = a->spare;
        a->spare = a->after[number];
        return number;
    }
    if (a->n >= UINT32_MAX / ARENA_PAGE_UNITS)
        return 0;
    if (a->n >= a->cap) {
        a->cap = a->cap ? a->cap * 2 : 64;
        a->pages = mem_grow(a->pages, a->cap * sizeof *a->pages);
        a->after = mem_grow(a->after, a->cap * sizeof *a->after);
    }
    return a->n++;
}

/* `at` is a wish. */
static char *map(char *at, size_t size)
{
    void *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool arena_reserve(struct arena *a, size_t size)
{
    arena_release(a);
    a->naside = size + CHUNK_BYTES + ARENA_PAGE;
    a->aside = map(NULL, a->naside);
    return a->aside != NULL;
}

void arena_give_up(struct arena *a)
{
    munmap(a->aside, a->naside);
    a->aside = NULL;
}

/* Something may be had by giving up what was set aside. */
static bool more_to_try(struct arena *a)
{
    bool had = a->aside != NULL;
    arena_release(a);
    return had;
}

static char *map_or_give_up(struct arena *a, char *at, size_t size)
{
    char *p = map(at, size);
    return p == NULL && more_to_try(a) ? map(at, size) : p;
}

/* A process may have only so many separate mappings; past that, taking a piece out of one fails.
 * Then its memory goes back all the same, and only its addresses stay ours. */
static void unmap(char *p, size_t size)
{
    if (size && munmap(p, size) != 0)
        madvise(p, size, MADV_DONTNEED);
}

static char *aligned(char *p)
{
    return (char *)(((uintptr_t)p + ARENA_PAGE - 1) & ~(uintptr_t)(ARENA_PAGE - 1));
}

/* Mapped memory that begins at a multiple of ARENA_PAGE, as does its size. Mappings that touch each
 * other count as one, so it is first asked for right below the last. */
static char *map_aligned(struct arena *a, size_t size)
{
    char *p = map_or_give_up(a, a->lowest ? a->lowest - size : NULL, size);
    if (p && p != aligned(p)) {
        unmap(p, size);
        p = map_or_give_up(a, NULL, size + ARENA_PAGE);
        if (p == NULL)
            return NULL;
        char *start = aligned(p);
        unmap(p, (size_t)(start - p));
        unmap(start + size, ARENA_PAGE - (size_t)(start - p));
        p = start;
    }
    if (p)
        a->lowest = p;
    return p;
}

static void push_idle(struct arena *a, uint32_t number)
{
    a->after[number] = a->idle;
    a->idle = number;
    a->nidle++;
}

static void map_chunk(struct arena *a)
{
    char *p = map_aligned(a, CHUNK_BYTES);
    if (p == NULL)
        mem_out(CHUNK_BYTES);
    a->chunks = mem_grow(a->chunks, (a->nchunks + 1) * sizeof *a->chunks);
    a->chunks[a->nchunks++] = p;
    for (int i = CHUNK_PAGES - 1; i >= 0; i--) {
        uint32_t number = take_number(a);
        if (number == 0)
            return;
        a->pages[number] = p + (size_t)i * ARENA_PAGE;
        push_idle(a, number);
    }
}

static struct arena_page *open_page(struct arena *a, uint32_t class, uint32_t size)
{
    if (a->idle == 0)
        map_chunk(a);
    uint32_t number = a->idle;
    if (number == 0)
        mem_out(ARENA_PAGE);
    a->idle = a->after[number];
    a->nidle--;
    struct arena_page *page = page_at(a, number);
    *page = (struct arena_page){.number = number, .size = size, .fresh = HEADER, .class = class};
    hide((char *)page + HEADER, ARENA_PAGE - HEADER);
    a->open[class] = number;
    return page;
}

static void link_open(struct arena *a, struct arena_page *page)
{
    uint32_t first = a->open[page->class];
    page->prev = 0;
    page->next = first;
    if (first)
        page_at(a, first)->prev = page->number;
    a->open[page->class] = page->number;
}

static void unlink_open(struct arena *a, struct arena_page *page)
{
    if (page->prev)
        page_at(a, page->prev)->next = page->next;
    else
        a->open[page->class] = page->next;
    if (page->next)
        page_at(a, page->next)->prev = page->prev;
}

static bool page_full(const struct arena_page *page)
{
    return page->freed == 0 && page->fresh + page->size > ARENA_PAGE;
}

/* What is mapped for a larger object that takes `len` bytes with its header. */
static size_t mapped(size_t len)
{
    return (len + ARENA_PAGE - 1) & ~(size_t)(ARENA_PAGE - 1);
}

static void *new_large(struct arena *a, size_t size)
{
    if (size > UINT32_MAX - ARENA_PAGE)
        return NULL;
    uint32_t number = take_number(a);
    if (number == 0)
        return NULL;
    size_t len = (size + HEADER + 4095) & ~(size_t)4095;
    char *p = map_aligned(a, mapped(len));
    a->pages[number] = p;
    if (p == NULL) {
        a->after[number] = a->spare;
        a->spare = number;
        return NULL;
    }
    *(struct arena_page *)p =
        (struct arena_page){.number = number, .size = (uint32_t)(len - HEADER), .used = 1};
    a->bytes += len;
    return p + HEADER;
}

void *arena_new(struct arena *a, size_t size)
{
    if (size > ARENA_SMALL)
        return new_large(a, size);
    uint32_t rounded, class = class_of(size, &rounded);
    struct arena_page *page =
        a->open[class] ? page_at(a, a->open[class]) : open_page(a, class, rounded);
    char *object;
    if (page->freed) {
        object = (char *)page + page->freed;
        show(object, rounded);
        page->freed = *(uint32_t *)object;
    } else {
        object = (char *)page + page->fresh;
        show(object, rounded);
        page->fresh += rounded;
    }
    page->used++;
    if (page_full(page))
        unlink_open(a, page);
    a->bytes += rounded;
    return object;
}

/* The only page of its class with room stays, even when it is empty: one lock that is taken and
 * left again and again would otherwise open and close a page each time. */
static bool only_open(const struct arena *a, const struct arena_page *page)
{
    return a->open[page->class] == page->number && page->next == 0;
}

static void drop_large(struct arena *a, struct arena_page *page)
{
    uint32_t number = page->number;
    size_t len = page->size + (size_t)HEADER;
    a->bytes -= len;
    if (a->lowest == (char *)page)
        a->lowest += mapped(len);
    unmap((char *)page, mapped(len));
    a->pages[number] = NULL;
    a->after[number] = a->spare;
    a->spare = number;
}

void arena_drop(struct arena *a, void *object)
{
    struct arena_page *page = arena_page_of(object);
    if (page->size > ARENA_SMALL) {
        drop_large(a, page);
        return;
    }
    a->bytes -= page->size;
    if (page_full(page))
        link_open(a, page);
    *(uint32_t *)object = page->freed;
    page->freed = (uint32_t)((char *)object - (char *)page);
    hide(object, page->size);
    if (--page->used || only_open(a, page))
        return;
    unlink_open(a, page);
    show((char *)page + HEADER, ARENA_PAGE - HEADER);
    uint32_t number = page->number;
    if (a->nidle >= WARM_PAGES)
        madvise(page, ARENA_PAGE, MADV_DONTNEED);
    push_idle(a, number);
}

void *arena_block(struct arena *a, void *p, size_t size)
{
    size_t before = mem_size(p);
    void *grown = mem_try_grow(p, size);
    if (grown == NULL && more_to_try(a))
        grown = mem_try_grow(p, size);
    if (grown == NULL && size <= ARENA_SMALL)
        mem_out(size);
    if (grown)
        a->bytes += mem_size(grown) - before;
    return grown;
}

void arena_block_drop(struct arena *a, void *p)
{
    a->bytes -= mem_size(p);
    mem_free(p);
}

void arena_free(struct arena *a)
{
    for (uint32_t i = 1; i < a->n; i++) {
        struct arena_page *page = page_at(a, i);
        if (page && page->size > ARENA_SMALL && page->number == i)
            munmap(page, mapped(page->size + (size_t)HEADER));
    }
    for (uint32_t i = 0; i < a->nchunks; i++) {
        show(a->chunks[i], CHUNK_BYTES);
        munmap(a->chunks[i], CHUNK_BYTES);
    }
    arena_release(a);
    mem_free(a->chunks);
    mem_free(a->pages);
    mem_free(a->after);
    *a = (struct arena){0};
}
