/*
 * The lists are circular, and a list's head is named by a small reference, which no object can have
 * (see arena.h). So a timer can leave whatever list it is on without knowing which one that is: a
 * slot, the timers that are moving down, or those that are due.
 *
 * Between two calls this holds: every timer in a slot agrees with `now` in all digits above its
 * level and is ahead of it in its level's digit. Hence the lowest busy slot of the lowest busy
 * level is what comes next, and nothing in between needs a look.
 */
#include "store/wheel.h"

#include <assert.h>

enum {
    BITS = 6,
    MOVING = WHEEL_LEVELS * WHEEL_SLOTS + 1, /* lists are numbered from 1 */
    DUE,
};

static struct timer *timer_of(const struct wheel *w, void *object)
{
    return (struct timer *)((char *)object + w->offset);
}

static bool is_list(ref r)
{
    return r < ARENA_PAGE_UNITS;
}

static ref *next_of(struct wheel *w, ref r)
{
    return is_list(r) ? &w->lists[r].first : &timer_of(w, arena_at(w->arena, r))->next;
}

static ref *prev_of(struct wheel *w, ref r)
{
    return is_list(r) ? &w->lists[r].last : &timer_of(w, arena_at(w->arena, r))->prev;
}

static bool empty(const struct wheel *w, ref list)
{
    return w->lists[list].first == list;
}

static void append(struct wheel *w, ref list, ref r, struct timer *t)
{
    t->prev = w->lists[list].last;
    t->next = list;
    *next_of(w, t->prev) = r;
    w->lists[list].last = r;
}

void wheel_init(struct wheel *w, struct arena *a, size_t offset, int64_t now)
{
    *w = (struct wheel){.arena = a, .offset = offset, .now = now};
    for (ref i = 0; i < WHEEL_LISTS; i++)
        w->lists[i] = (struct wheel_list){i, i};
}

static void place(struct wheel *w, ref r, struct timer *t)
{
    if (t->at <= w->now) {
        append(w, DUE, r, t);
        return;
    }
    int level = (63 - __builtin_clzll((uint64_t)(t->at ^ w->now))) / BITS;
    int slot = (int)(t->at >> (level * BITS)) & (WHEEL_SLOTS - 1);
    append(w, (ref)(1 + level * WHEEL_SLOTS + slot), r, t);
    w->busy[level] |= UINT64_C(1) << slot;
}

void wheel_arm(struct wheel *w, void *object, int64_t at)
{
    struct timer *t = timer_of(w, object);
    t->at = at;
    if (at != WHEEL_NEVER)
        place(w, arena_ref(object), t);
}

static void leave(struct wheel *w, struct timer *t)
{
    *next_of(w, t->prev) = t->next;
    *prev_of(w, t->next) = t->prev;
    if (t->prev == t->next && is_list(t->prev) && t->prev < MOVING) {
        ref slot = t->prev - 1;
        w->busy[slot / WHEEL_SLOTS] &= ~(UINT64_C(1) << slot % WHEEL_SLOTS);
    }
}

void wheel_disarm(struct wheel *w, void *object)
{
    struct timer *t = timer_of(w, object);
    if (t->at == WHEEL_NEVER)
        return;
    leave(w, t);
    t->at = WHEEL_NEVER;
}

void wheel_moved(struct wheel *w, void *copy)
{
    struct timer *t = timer_of(w, copy);
    if (t->at == WHEEL_NEVER)
        return;
    *next_of(w, t->prev) = *prev_of(w, t->next) = arena_ref(copy);
}

/* The start of the next slot that holds anything, and its list. */
static int64_t next_slot(const struct wheel *w, ref *list)
{
    for (int level = 0; level < WHEEL_LEVELS; level++) {
        if (w->busy[level] == 0)
            continue;
        int slot = __builtin_ctzll(w->busy[level]), shift = level * BITS;
        uint64_t above =
            shift + BITS >= 64 ? 0 : (uint64_t)w->now >> (shift + BITS) << (shift + BITS);
        *list = (ref)(1 + level * WHEEL_SLOTS + slot);
        return (int64_t)(above | (uint64_t)slot << shift);
    }
    return WHEEL_NEVER;
}

int64_t wheel_next(const struct wheel *w)
{
    ref list;
    return empty(w, DUE) && empty(w, MOVING) ? next_slot(w, &list) : w->now;
}

/* A whole slot at once: its timers are due (lowest level) or move down, one by one. */
static void come_up(struct wheel *w, ref list)
{
    ref to = list <= WHEEL_SLOTS ? DUE : MOVING, slot = list - 1;
    w->lists[to] = w->lists[list];
    *prev_of(w, w->lists[to].first) = to;
    *next_of(w, w->lists[to].last) = to;
    w->lists[list] = (struct wheel_list){list, list};
    w->busy[slot / WHEEL_SLOTS] &= ~(UINT64_C(1) << slot % WHEEL_SLOTS);
}

/* The one after the next is likely to be asked for too, and far away in memory. */
static void prefetch_second(struct wheel *w)
{
    if (empty(w, DUE))
        return;
    ref second = *next_of(w, w->lists[DUE].first);
    if (!is_list(second))
        __builtin_prefetch(arena_at(w->arena, second));
}

const void *wheel_following(const struct wheel *w)
{
    return empty(w, DUE) ? NULL : arena_at(w->arena, w->lists[DUE].first);
}

void *wheel_pop(struct wheel *w, int64_t now, int *budget)
{
    for (; *budget > 0; --*budget) {
        if (!empty(w, MOVING)) {
            ref r = w->lists[MOVING].first;
            struct timer *t = timer_of(w, arena_at(w->arena, r));
            leave(w, t);
            place(w, r, t);
        } else if (!empty(w, DUE)) {
            void *object = arena_at(w->arena, w->lists[DUE].first);
            w->popped = timer_of(w, object)->at;
            wheel_disarm(w, object);
            prefetch_second(w);
            --*budget;
            return object;
        } else {
            ref list = 0;
            int64_t next = next_slot(w, &list);
            if (next > now) {
                if (now > w->now)
                    w->now = now;
                return NULL;
            }
            w->now = next;
            come_up(w, list);
        }
    }
    return NULL;
}
