#include "store/keys.h"

#include "tests/lib/random.h"
#include "tests/lib/test.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A keyspace that writes down its events. */
struct log {
    struct keyspace space;
    char text[4096];
    size_t n, events;
};

static void hear(void *ctx, struct keys *k, struct bytes name, enum key_event ev)
{
    struct log *l = ctx;
    l->events++;
    if (l->n < sizeof l->text - 200)
        l->n += (size_t)snprintf(l->text + l->n, sizeof l->text - l->n, "%u:%.*s:%.*s ", k->id,
                                 BYTES_FMT(event_infos[ev].name), BYTES_FMT(name));
}

static struct log *log_new(void)
{
    struct log *l = calloc(1, sizeof *l);
    keyspace_init(&l->space, 16, 1000, 42, hear, l);
    return l;
}

static void log_free(struct log *l)
{
    keyspace_free(&l->space);
    free(l);
}

#define heard(l, expected)                                                                         \
    do {                                                                                           \
        assert_string_equal((l)->text, (expected));                                                \
        (l)->n = 0;                                                                                \
        (l)->text[0] = '\0';                                                                       \
    } while (0)

static void put(struct keys *k, struct bytes name, struct bytes value, int64_t at)
{
    struct entry *e = keys_find(k, name);
    if (e)
        keys_edit(k, e);
    else
        e = keys_create(k, name, VALUE_STRING, value.n);
    assert_true(keys_assign(k, &e, value));
    keys_expire_at(k, e, at);
    keys_commit(k, e, EV_SET);
}

static bool advance(struct log *l, int64_t now, int budget)
{
    return keyspace_advance(&l->space, now, &budget);
}

TEST(keys, a_key_is_there_at_its_deadline_and_gone_after_it)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    put(k, BYTES("k"), BYTES("v"), 2000);
    heard(l, "0:new:k 0:set:k ");
    advance(l, 2000, 100);
    assert_non_null(keys_find(k, BYTES("k")));
    advance(l, 2001, 100);
    assert_null(keys_find(k, BYTES("k")));
    heard(l, "0:expired:k ");
    log_free(l);
}

TEST(keys, an_overdue_key_is_absent_before_it_is_removed)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    put(k, BYTES("k"), BYTES("v"), 1500);
    advance(l, 5000, 0); /* no work allowed */
    assert_int_equal(k->dict.count, 1);
    l->n = 0;
    assert_null(keys_find(k, BYTES("k")));
    heard(l, "0:expired:k ");
    assert_int_equal(k->dict.count, 0);
    log_free(l);
}

TEST(keys, expiry_events_of_all_databases_leave_in_deadline_order)
{
    struct log *l = log_new();
    put(keyspace_db(&l->space, 3), BYTES("b"), BYTES(""), 1200);
    put(keyspace_db(&l->space, 0), BYTES("c"), BYTES(""), 1300);
    put(keyspace_db(&l->space, 9), BYTES("a"), BYTES(""), 1100);
    heard(l, "3:new:b 3:set:b 0:new:c 0:set:c 9:new:a 9:set:a ");
    advance(l, 9999, 100);
    heard(l, "9:expired:a 3:expired:b 0:expired:c ");
    log_free(l);
}

TEST(keys, a_million_at_once_are_removed_in_slices)
{
    enum { N = 100000, SLICE = 500 };
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    for (uint32_t i = 0; i < N; i++)
        put(k, (struct bytes){(const char *)&i, sizeof i}, BYTES("v"), 1500);
    size_t before = l->events;
    int slices = 0;
    for (bool more = true; more; slices++) {
        size_t removed = l->events;
        more = advance(l, 2000, SLICE);
        assert_true(l->events - removed <= SLICE);
    }
    assert_int_equal(l->events - before, N);
    assert_true(slices >= N / SLICE);
    assert_int_equal(k->dict.count, 0);
    assert_int_equal(k->expires, 0);
    log_free(l);
}

TEST(keys, a_flushed_key_neither_lives_nor_expires)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    put(k, BYTES("k"), BYTES("v"), 1500);
    keys_flush(k);
    assert_null(keys_find(k, BYTES("k")));
    put(k, BYTES("k"), BYTES("w"), WHEEL_NEVER);
    l->n = 0;
    l->text[0] = '\0';
    advance(l, 3000, 0);
    int budget = 1; /* the timer of the old one comes up before it is freed */
    wheel_pop(&l->space.wheel, 3000, &budget);
    advance(l, 3000, INT_MAX);
    heard(l, "");
    assert_true(bytes_eq(entry_value(keys_find(k, BYTES("k"))), BYTES("w")));
    log_free(l);
}

TEST(keys, flushing_is_immediate_and_the_memory_follows_in_slices)
{
    enum { N = 20000 };
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    for (uint32_t i = 0; i < N; i++)
        put(k, (struct bytes){(const char *)&i, sizeof i}, BYTES("some value"), 5000);
    size_t full = l->space.arena.bytes;
    keys_flush(k);
    assert_int_equal(k->dict.count, 0);
    size_t last = l->space.arena.bytes;
    assert_int_equal(last, full);
    for (bool more = true; more; last = l->space.arena.bytes) {
        more = advance(l, 1000, 100);
        assert_true(last - l->space.arena.bytes < 100 * 200);
    }
    assert_int_equal(l->space.arena.bytes, 0);
    log_free(l);
}

TEST(keys, a_rename_keeps_value_and_deadline)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0), *other = keyspace_db(&l->space, 5);
    put(k, BYTES("from"), BYTES("value"), 1700);
    assert_true(keys_rename(k, keys_find(k, BYTES("from")), other, BYTES("a longer name")));
    assert_null(keys_find(k, BYTES("from")));
    struct entry *e = keys_find(other, BYTES("a longer name"));
    assert_true(bytes_eq(entry_value(e), BYTES("value")));
    assert_int_equal(entry_deadline(e), 1700);
    assert_int_equal(k->expires, 0);
    assert_int_equal(other->expires, 1);
    log_free(l);
}

TEST(keys, an_abandoned_creation_leaves_nothing)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    keys_abandon(k, keys_create(k, BYTES("k"), VALUE_STRING, 10));
    assert_null(keys_find(k, BYTES("k")));
    assert_int_equal(l->space.editing, 0);
    heard(l, "");
    log_free(l);
}

TEST(keys, the_average_time_left_follows_every_change)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    assert_int_equal(keys_average_ttl(k), 0);
    put(k, BYTES("none"), BYTES(""), WHEEL_NEVER);
    put(k, BYTES("a"), BYTES(""), 1100);
    put(k, BYTES("b"), BYTES(""), 1300);
    assert_int_equal(keys_average_ttl(k), 200);
    put(k, BYTES("b"), BYTES(""), 1500);
    assert_int_equal(keys_average_ttl(k), 300);
    advance(l, 1200, 100); /* a is gone */
    assert_int_equal(keys_average_ttl(k), 300);
    put(k, BYTES("b"), BYTES(""), WHEEL_NEVER);
    assert_int_equal(keys_average_ttl(k), 0);
    put(k, BYTES("c"), BYTES(""), 1500);
    keys_flush(k);
    put(k, BYTES("d"), BYTES(""), 1250);
    assert_int_equal(keys_average_ttl(k), 50);
    log_free(l);
}

TEST(keys, a_lock_takes_no_more_than_its_share)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    put(k, BYTES("lock:{resource:00000001}"), BYTES("6e1a1b5e-7f0d-4f61-9d1c-2f1a3b4c5d6e"), 5000);
    assert_int_equal(arena_room(keys_find(k, BYTES("lock:{resource:00000001}"))), 96);
    log_free(l);
}

/* The model: names 0 to 199, each with a value of random length and perhaps a deadline. */
enum { NAMES = 200 };

struct model {
    bool there[NAMES];
    size_t len[NAMES];
    int64_t at[NAMES];
};

static size_t some_length(uint64_t *random)
{
    return random_below(random, random_below(random, 8) ? 100 : 3000);
}

static void fill(char *p, uint32_t id, size_t from, size_t n)
{
    for (size_t i = from; i < n; i++)
        p[i] = (char)(id + i);
}

static void check(struct keys *k, const struct model *m, uint32_t id)
{
    struct entry *e = keys_find(k, (struct bytes){(const char *)&id, sizeof id});
    assert_int_equal(e != NULL, m->there[id]);
    if (e == NULL)
        return;
    struct bytes v = entry_value(e);
    assert_int_equal(v.n, m->len[id]);
    for (size_t i = 0; i < v.n; i++)
        assert_int_equal(v.p[i], (char)(id + i));
    assert_int_equal(entry_deadline(e), m->at[id]);
}

static void change(struct keys *k, struct model *m, uint32_t id, uint64_t *random)
{
    struct bytes name = {(const char *)&id, sizeof id};
    struct entry *e = keys_find(k, name);
    if (e && random_below(random, 4) == 0) {
        keys_delete(k, e, EV_DEL);
        m->there[id] = false;
        return;
    }
    size_t had = e ? m->len[id] : 0, n = some_length(random);
    if (e)
        keys_edit(k, e);
    else
        e = keys_create(k, name, VALUE_STRING, 0);
    fill(keys_resize(k, &e, n), id, had, n);
    m->at[id] =
        random_below(random, 2) ? WHEEL_NEVER : k->space->now + (int64_t)random_below(random, 5000);
    keys_expire_at(k, e, m->at[id]);
    keys_commit(k, e, EV_SET);
    m->there[id] = true;
    m->len[id] = n;
}

TEST(keys, agree_with_a_naive_model)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    static struct model m;
    uint64_t random = 3;
    int64_t now = 1000;
    memset(&m, 0, sizeof m);
    for (int step = 0; step < 50000; step++) {
        uint32_t id = (uint32_t)random_below(&random, NAMES);
        check(k, &m, id);
        change(k, &m, id, &random);
        check(k, &m, id);
        if (random_below(&random, 20) == 0) {
            now += (int64_t)random_below(&random, 500);
            advance(l, now, (int)random_below(&random, 5));
            for (uint32_t i = 0; i < NAMES; i++)
                m.there[i] = m.there[i] && m.at[i] >= now;
        }
    }
    keys_flush(k);
    advance(l, now, INT_MAX);
    assert_int_equal(l->space.arena.bytes, 0);
    log_free(l);
}

TEST(keys, a_lock_keeps_its_hold_wherever_it_goes)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    struct hold h = {.since = 123456789, .client = 4711};
    struct entry *e = keys_create_lock(k, BYTES("lock"), 5, h);
    assert_true(keys_assign(k, &e, BYTES("alice")));
    keys_expire_at(k, e, 5000);
    for (size_t n = 1; n < 2000; n = n * 3 / 2 + 1) { /* inline, then outside, and back */
        assert_non_null(keys_resize(k, &e, n));
        assert_int_equal(entry_hold(e).since, h.since);
        assert_int_equal(entry_hold(e).client, h.client);
    }
    assert_true(keys_assign(k, &e, BYTES("bob")));
    keys_commit(k, e, EV_SET);
    e = keys_find(k, BYTES("lock"));
    assert_true(keys_rename(k, e, k, BYTES("the same lock under a longer name")));
    e = keys_find(k, BYTES("the same lock under a longer name"));
    assert_int_equal(entry_hold(e).since, h.since);
    assert_int_equal(entry_hold(e).client, h.client);
    assert_true(bytes_eq(entry_value(e), BYTES("bob")));
    assert_int_equal(entry_deadline(e), 5000);
    log_free(l);
}

TEST(keys, only_locks_pay_for_their_hold)
{
    struct log *l = log_new();
    struct keys *k = keyspace_db(&l->space, 0);
    put(k, BYTES("a-key-of-24-bytes-------"), BYTES("a-value-of-36-bytes-----------------"), 9000);
    struct entry *e = keys_find(k, BYTES("a-key-of-24-bytes-------"));
    assert_int_equal(keys_memory(k, e), 100);
    assert_true(keys_hold(k, &e, (struct hold){.since = 1, .client = 2}));
    assert_int_equal(keys_memory(k, e), 108);
    assert_ptr_equal(keys_find(k, BYTES("a-key-of-24-bytes-------")), e);
    assert_true(bytes_eq(entry_value(e), BYTES("a-value-of-36-bytes-----------------")));
    struct entry *before = e;
    assert_true(keys_hold(k, &e, (struct hold){.since = 3, .client = 4}));
    assert_ptr_equal(e, before);
    assert_int_equal(entry_hold(e).client, 4);
    log_free(l);
}
