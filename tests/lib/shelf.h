/*
 * For tests of values: a keyspace with one container in an open bracket, chance from a seed, and
 * texts of all lengths.
 */
#ifndef TESTS_LIB_SHELF_H
#define TESTS_LIB_SHELF_H

#include "store/keys.h"
#include "store/packed.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>

struct shelf {
    struct keyspace space;
    struct keys *k;
    struct entry *e;
    uint64_t random;
    size_t empty; /* bytes in use without the container */
};

static inline void shelf_no_event(void *ctx, struct keys *k, struct bytes name, enum key_event ev)
{
    (void)ctx, (void)k, (void)name, (void)ev;
}

static inline void shelf_init(struct shelf *s, enum value_type type, uint64_t seed)
{
    keyspace_init(&s->space, 1, 0, seed, shelf_no_event, NULL);
    s->k = keyspace_db(&s->space, 0);
    keys_commit(s->k, keys_create(s->k, BYTES("another"), VALUE_STRING, 0), EV_SET);
    s->empty = s->space.arena.bytes;
    s->e = keys_create(s->k, BYTES("the container"), type, 0);
    s->random = seed * 2 + 1;
}

/* Takes the container away piece by piece, and nothing of it may be left. */
static inline void shelf_free(struct shelf *s)
{
    keys_abandon(s->k, s->e);
    for (int budget = 7; keyspace_reclaim(&s->space, &budget);)
        budget = 7;
    assert_int_equal(s->space.arena.bytes, s->empty);
    keyspace_free(&s->space);
}

static inline uint32_t shelf_random(struct shelf *s, uint32_t below)
{
    s->random = s->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(s->random >> 33) % below;
}

/* A text that is told apart by `id`, at least `n` bytes long; the caller frees its `p`. */
static inline struct bytes shelf_text(uint32_t id, size_t n)
{
    char head[16];
    size_t used = (size_t)snprintf(head, sizeof head, "%u", id);
    struct bytes text = {malloc(n > used ? n : used + 1), n > used ? n : used};
    memset((char *)text.p, 'x', text.n);
    memcpy((char *)text.p, head, used);
    return text;
}

/* Mostly short, at times longer than a packed run, rarely an arena object of its own. */
static inline size_t shelf_length(struct shelf *s, size_t usual)
{
    uint32_t kind = shelf_random(s, 400);
    if (kind == 0)
        return 40000 + shelf_random(s, 10000);
    if (kind < 4)
        return 100 + shelf_random(s, 600);
    return shelf_random(s, (uint32_t)usual + 1);
}

#define assert_bytes_equal(a, b)                                                                   \
    do {                                                                                           \
        struct bytes a_ = (a), b_ = (b);                                                           \
        assert_int_equal(a_.n, b_.n);                                                              \
        if (a_.n)                                                                                  \
            assert_memory_equal(a_.p, b_.p, a_.n);                                                 \
    } while (0)

#endif
