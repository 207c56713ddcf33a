#include "tests/soak/history.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MS INT64_C(1000000)

/* The server counts in whole milliseconds, so a lease may seem shorter by one at each end; and a
 * lock may stay taken for a few ms more. */
static const int64_t early = 2 * MS, late = 5 * MS;

/* A question without an answer may still be carried out while the server is paused. */
static const int64_t unanswered = 5000 * MS;

/* Nobody certainly holds a lock for longer than this. */
static const int64_t window = 20000 * MS;

static const char *const names[] = {"string lock", "reentrant lock", "fair lock", "semaphore"};

static void *share(size_t n)
{
    void *p =
        mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool history_init(struct history *h, size_t clients, size_t records_each)
{
    *h = (struct history){.clients = clients, .notes = share(clients * sizeof *h->notes)};
    for (size_t i = 0; h->notes && i < clients; i++) {
        h->notes[i].cap = records_each;
        h->notes[i].records = share(records_each * sizeof(struct record));
        if (h->notes[i].records == NULL)
            return false;
    }
    return h->notes != NULL;
}

void history_free(struct history *h)
{
    for (size_t i = 0; i < h->clients; i++)
        munmap(h->notes[i].records, h->notes[i].cap * sizeof(struct record));
    munmap(h->notes, h->clients * sizeof *h->notes);
}

struct record *history_next(struct notes *n)
{
    return n->n < n->cap ? &n->records[n->n++] : NULL;
}

/* All records of one lock, by when they were asked. */
struct lock_view {
    enum lock_kind kind;
    int lock;
    const struct record **records;
    size_t n;
};

static int by_asked(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a,
                        *y = *(const struct record *const *)b;
    return (x->asked > y->asked) - (x->asked < y->asked);
}

static void view(const struct history *h, struct lock_view *v)
{
    size_t cap = 0;
    v->n = 0;
    for (size_t i = 0; i < h->clients; i++)
        cap += h->notes[i].n;
    v->records = mem_alloc((cap + 1) * sizeof(struct record *));
    for (size_t i = 0; i < h->clients; i++) {
        for (size_t k = 0; k < h->notes[i].n; k++) {
            const struct record *r = &h->notes[i].records[k];
            if (r->kind == v->kind && r->lock == v->lock)
                v->records[v->n++] = r;
        }
    }
    qsort(v->records, v->n, sizeof(struct record *), by_asked);
}

static bool held(const struct record *r)
{
    return r->outcome == GRANTED || r->outcome == EXTENDED;
}

/* Until when it certainly held the lock: it may have been carried out as soon as it was asked. */
static int64_t certain_end(const struct record *r)
{
    return r->returned && r->returned < r->certain ? r->returned : r->certain - early;
}

/* When it certainly held the lock no more. */
static int64_t latest_end(const struct record *r)
{
    if (r->outcome == REFUSED)
        return 0;
    if (r->outcome != GRANTED)
        return r->latest + unanswered;
    return r->gone && r->gone < r->latest ? r->gone : r->latest;
}

/* How many others held the lock during all of the time from b's question to its answer. */
static int holders_during(const struct lock_view *v, const struct record *b, size_t at)
{
    int n = 0;
    for (size_t i = at; i-- > 0 && v->records[i]->asked > b->asked - window;) {
        const struct record *a = v->records[i];
        n += held(a) && a->answered < b->asked && certain_end(a) > b->answered;
    }
    return n;
}

/* Could so many have held it when this was asked? */
static bool may_be_full(const struct lock_view *v, size_t at, int permits)
{
    const struct record *b = v->records[at];
    for (size_t i = at + 1; i < v->n && v->records[i]->asked <= b->answered && permits > 0; i++)
        permits -= v->records[i]->outcome != REFUSED;
    for (size_t i = at; i-- > 0 && permits > 0;)
        permits -= latest_end(v->records[i]) + late > b->asked;
    return permits <= 0;
}

static void complain(struct buf *report, const struct lock_view *v, const struct record *r,
                     const char *what)
{
    buf_printf(report, "%s %d: %s (asked at %.3f ms, answered at %.3f ms)\n", names[v->kind],
               v->lock, what, (double)r->asked / 1e6, (double)r->answered / 1e6);
}

static const char *judge(const struct lock_view *v, size_t i)
{
    const struct record *r = v->records[i];
    int permits = v->kind == LOCK_SEMAPHORE ? PERMITS : 1;
    if (held(r) && holders_during(v, r, i) >= permits)
        return "granted while others certainly held it";
    /* A fair lock that is free is kept for the first in the queue. */
    if (r->outcome == REFUSED && v->kind != LOCK_FAIR && !may_be_full(v, i, permits))
        return "refused although nobody can have held it any more";
    if (held(r) && r->refused_return && r->gone && r->gone < r->certain - early)
        return "taken away before its lease was over";
    return NULL;
}

size_t history_check(struct history *h, struct buf *report)
{
    size_t broken = 0;
    for (int kind = 0; kind < LOCK_KINDS; kind++) {
        for (int lock = 0; lock < LOCKS_PER_KIND; lock++) {
            struct lock_view v = {.kind = (enum lock_kind)kind, .lock = lock};
            view(h, &v);
            for (size_t i = 0; i < v.n; i++) {
                const char *wrong = judge(&v, i);
                h->granted += held(v.records[i]);
                h->refused += v.records[i]->outcome == REFUSED;
                if (wrong && broken++ < 20)
                    complain(report, &v, v.records[i], wrong);
            }
            mem_free(v.records);
        }
    }
    return broken;
}
