/*
 * Names are found through a dict per database; deadlines stand in one wheel for all of them, so
 * that expiry events of different databases leave in one order.
 *
 * What takes long to free (a flushed table, a large container) is put on a list of the doomed and
 * freed in slices by keyspace_advance. A flushed entry may still be on the wheel; when it comes up
 * and its table does not know it any more, it is left for the list.
 */
#include "store/keys.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/values.h"

#include <assert.h>

/* Something to be freed piece by piece: the entries of a table, or one container. */
struct doomed {
    struct list link;
    struct dict dict;            /* if `ops` is NULL */
    const struct value_ops *ops; /* else of `object` */
    void *object;
};

enum { DROP_AT_ONCE = 64 }; /* containers up to this many elements are freed on the spot */

static bool match(const void *object, struct bytes key)
{
    return bytes_eq(entry_name(object), key);
}

static uint32_t hash_name(const struct keyspace *s, struct bytes name)
{
    return (uint32_t)hash_bytes(s->seed, name);
}

void keyspace_init(struct keyspace *s, uint32_t ndbs, int64_t now, uint64_t seed, keys_event_fn *fn,
                   void *ctx)
{
    assert(ndbs <= KEYS_MAX_DBS);
    *s = (struct keyspace){.seed = seed, .now = now, .ndbs = ndbs, .on_event = fn, .ctx = ctx};
    s->dbs = mem_alloc(ndbs * sizeof *s->dbs);
    arena_init(&s->arena);
    wheel_init(&s->wheel, &s->arena, offsetof(struct entry, ttl), now);
    list_init(&s->doomed);
}

struct keys *keyspace_db(struct keyspace *s, uint32_t id)
{
    assert(id < s->ndbs);
    if (s->dbs[id] == NULL) {
        struct keys *k = s->dbs[id] = mem_alloc(sizeof *k);
        k->space = s;
        k->id = id;
        dict_init(&k->dict, &s->arena, match);
    }
    return s->dbs[id];
}

void keyspace_free(struct keyspace *s)
{
    for (uint32_t i = 0; i < s->ndbs; i++) {
        if (s->dbs[i]) {
            keys_flush(s->dbs[i]);
            dict_free(&s->dbs[i]->dict);
            mem_free(s->dbs[i]);
        }
    }
    for (int budget = INT32_MAX; keyspace_reclaim(s, &budget);)
        budget = INT32_MAX;
    mem_free(s->dbs);
    arena_free(&s->arena);
}

/* The value. */

static char *inline_value(const struct entry *e)
{
    return (char *)e->body + e->name_len;
}

static struct outside outside_of(const struct entry *e)
{
    struct outside o;
    memcpy(&o, inline_value(e), sizeof o);
    return o;
}

static void set_outside(struct entry *e, struct outside o)
{
    memcpy(inline_value(e), &o, sizeof o);
}

struct bytes entry_value(const struct entry *e)
{
    if (!(e->flags & ENTRY_OUTSIDE))
        return (struct bytes){inline_value(e), e->value_len};
    struct outside o = outside_of(e);
    return (struct bytes){o.p, o.n};
}

void *entry_object(const struct entry *e)
{
    void *object;
    assert(e->flags & ENTRY_OUTSIDE && e->type != VALUE_STRING);
    memcpy(&object, inline_value(e), sizeof object);
    return object;
}

/* Locks. What is known of a hold stands at the very end of the entry's room, so that name and value
 * are where they are in any other entry, and only locks pay for it. */

static size_t size_with(const struct entry *e, size_t n)
{
    return ENTRY_HEADER + e->name_len + n + (e->flags & ENTRY_LOCK ? sizeof(struct hold) : 0);
}

static char *hold_at(const struct entry *e)
{
    return (char *)e + arena_room(e) - sizeof(struct hold);
}

static void set_hold(struct entry *e, struct hold h)
{
    e->flags |= ENTRY_LOCK;
    memcpy(hold_at(e), &h, sizeof h);
}

struct hold entry_hold(const struct entry *e)
{
    struct hold h;
    assert(e->flags & ENTRY_LOCK);
    memcpy(&h, hold_at(e), sizeof h);
    return h;
}

/* Is the entry well placed for `n` inline bytes? When it gets longer, room that it was given in
 * advance is used; when it gets shorter, room is given back. */
static bool stays(const struct entry *e, size_t n)
{
    size_t size = size_with(e, n), room = arena_room(e);
    return n >= e->value_len ? size <= room : arena_round(size) == room;
}

/* Gives the entry `n` inline bytes, keeping those that fit; it may move. When memory is out for a
 * smaller object, it stays in the larger one: getting shorter never fails. */
static bool set_inline_len(struct keys *k, struct entry **at, size_t n)
{
    struct entry *e = *at;
    size_t size = size_with(e, n);
    struct entry *moved = stays(e, n) ? NULL : arena_new(&k->space->arena, size);
    if (moved == NULL && size > arena_room(e))
        return false;
    if (moved) {
        size_t keep = e->value_len < n ? e->value_len : n;
        memcpy(moved, e, ENTRY_HEADER + e->name_len + keep);
        if (e->flags & ENTRY_LOCK)
            set_hold(moved, entry_hold(e));
        dict_replace(&k->dict, arena_ref(e), moved);
        wheel_moved(&k->space->wheel, moved);
        arena_drop(&k->space->arena, e);
        *at = e = moved;
    }
    e->value_len = (uint32_t)n & 1023;
    return true;
}

bool keys_hold(struct keys *k, struct entry **at, struct hold h)
{
    bool was = (*at)->flags & ENTRY_LOCK;
    (*at)->flags |= ENTRY_LOCK;
    if (!was && !set_inline_len(k, at, (*at)->value_len)) {
        entry_unset(*at, ENTRY_LOCK);
        return false;
    }
    k->locks += !was;
    set_hold(*at, h);
    return true;
}

/* From inside to outside, or from one outside size to another. */
static char *resize_outside(struct keys *k, struct entry **at, size_t n)
{
    struct outside o = {0};
    bool was_outside = (*at)->flags & ENTRY_OUTSIDE;
    if (was_outside)
        o = outside_of(*at);
    if (n > UINT32_MAX)
        return NULL;
    if (n > o.cap || n < o.cap / 2) {
        size_t cap = was_outside && n > o.n && n < UINT32_MAX / 2 ? n + n / 2 : n;
        char *p = arena_block(&k->space->arena, o.p, cap);
        if (p == NULL)
            return NULL;
        o.p = p;
        o.cap = (uint32_t)cap;
    }
    if (!was_outside) {
        struct bytes v = entry_value(*at);
        memcpy(o.p, v.p, v.n < n ? v.n : n);
        if (!set_inline_len(k, at, sizeof o)) {
            arena_block_drop(&k->space->arena, o.p);
            return NULL;
        }
        (*at)->flags |= ENTRY_OUTSIDE;
    }
    o.n = (uint32_t)n;
    set_outside(*at, o);
    return o.p;
}

static char *resize_inline(struct keys *k, struct entry **at, size_t n)
{
    if (!((*at)->flags & ENTRY_OUTSIDE))
        return set_inline_len(k, at, n) ? inline_value(*at) : NULL;
    struct outside o = outside_of(*at);
    if (!set_inline_len(k, at, n))
        return NULL;
    entry_unset(*at, ENTRY_OUTSIDE);
    memcpy(inline_value(*at), o.p, o.n < n ? o.n : n);
    arena_block_drop(&k->space->arena, o.p);
    return inline_value(*at);
}

char *keys_resize(struct keys *k, struct entry **e, size_t n)
{
    assert(k->space->editing > 0);
    return n > ENTRY_INLINE_MAX ? resize_outside(k, e, n) : resize_inline(k, e, n);
}

bool keys_assign(struct keys *k, struct entry **e, struct bytes value)
{
    char *p = keys_resize(k, e, value.n);
    if (p == NULL)
        return false;
    memcpy(p, value.p, value.n);
    return true;
}

bool keys_set_object(struct keys *k, struct entry **e, void *object)
{
    assert(k->space->editing > 0 && (*e)->type != VALUE_STRING);
    if (!set_inline_len(k, e, sizeof object))
        return false;
    (*e)->flags |= ENTRY_OUTSIDE;
    memcpy(inline_value(*e), &object, sizeof object);
    return true;
}

/* Freeing. */

static void doom(struct keyspace *s, struct doomed d)
{
    struct doomed *kept = mem_alloc(sizeof *kept);
    *kept = d;
    list_append(&s->doomed, &kept->link);
}

static void free_object(struct keyspace *s, const struct value_ops *ops, void *object)
{
    int budget = DROP_AT_ONCE;
    if (!ops->drop(&s->arena, object, &budget))
        doom(s, (struct doomed){.ops = ops, .object = object});
}

static void free_value(struct keyspace *s, struct entry *e)
{
    if (!(e->flags & ENTRY_OUTSIDE))
        return;
    if (e->type == VALUE_STRING)
        arena_block_drop(&s->arena, outside_of(e).p);
    else
        free_object(s, value_ops[e->type], entry_object(e));
}

static void free_entry(struct keyspace *s, struct entry *e)
{
    free_value(s, e);
    arena_drop(&s->arena, e);
}

/* All that may fail comes first, while the old value is still there. */
char *keys_restring(struct keys *k, struct entry **at, size_t n)
{
    assert(k->space->editing > 0);
    struct outside o = {.n = (uint32_t)n, .cap = (uint32_t)n};
    size_t before = (*at)->value_len, inside = n > ENTRY_INLINE_MAX ? sizeof o : n;
    if (n > UINT32_MAX || (inside != n && !(o.p = arena_block(&k->space->arena, NULL, n))))
        return NULL;
    if (inside > before && !set_inline_len(k, at, inside)) {
        arena_block_drop(&k->space->arena, o.p);
        return NULL;
    }
    free_value(k->space, *at);
    k->locks -= ((*at)->flags & ENTRY_LOCK) != 0;
    (*at)->flags &= ENTRY_FRESH;
    (*at)->type = VALUE_STRING;
    set_inline_len(k, at, inside);
    if (o.p == NULL)
        return inline_value(*at);
    (*at)->flags |= ENTRY_OUTSIDE;
    set_outside(*at, o);
    return o.p;
}

/* Frees a part of it; true when nothing is left. */
static bool reclaim_some(struct keyspace *s, struct doomed *d, int *budget)
{
    if (d->ops)
        return d->ops->drop(&s->arena, d->object, budget);
    for (; *budget > 0; --*budget) {
        struct entry *e = dict_take(&d->dict);
        if (e == NULL) {
            dict_free(&d->dict);
            return true;
        }
        wheel_disarm(&s->wheel, e);
        free_entry(s, e);
    }
    return false;
}

bool keyspace_reclaim(struct keyspace *s, int *budget)
{
    while (*budget > 0 && !list_empty(&s->doomed)) {
        struct doomed *d = container_of(s->doomed.next, struct doomed, link);
        if (reclaim_some(s, d, budget)) {
            list_unlink(&d->link);
            mem_free(d);
        }
    }
    return !list_empty(&s->doomed);
}

/* Finding, creating, removing. */

static void raise_event(struct keys *k, struct bytes name, enum key_event ev)
{
    k->space->on_event(k->space->ctx, k, name, ev);
}

/* Takes it out of the average, before it is disarmed. */
static void forget_deadline(struct keys *k, const struct entry *e)
{
    if (e->ttl.at == WHEEL_NEVER)
        return;
    k->expires--;
    k->deadlines -= (uint64_t)entry_deadline(e);
}

static bool unlink_entry(struct keys *k, struct entry *e)
{
    if (!dict_remove(&k->dict, e))
        return false;
    k->locks -= (e->flags & ENTRY_LOCK) != 0;
    forget_deadline(k, e);
    wheel_disarm(&k->space->wheel, e);
    return true;
}

/* The name is still readable while the event is heard, but no lookup finds it. */
static void remove_entry(struct keys *k, struct entry *e, enum key_event ev)
{
    unlink_entry(k, e);
    raise_event(k, entry_name(e), ev);
    free_entry(k->space, e);
}

bool keys_overdue(const struct keys *k, const struct entry *e)
{
    return e->ttl.at <= k->space->now;
}

bool keys_holds(const struct keys *k, struct bytes name)
{
    return dict_find(&k->dict, name, hash_name(k->space, name)) != NULL;
}

struct entry *keys_peek(struct keys *k, struct bytes name)
{
    struct entry *e = dict_find(&k->dict, name, hash_name(k->space, name));
    if (e && keys_overdue(k, e)) {
        k->space->late = k->space->now - e->ttl.at;
        remove_entry(k, e, EV_EXPIRED);
        return NULL;
    }
    return e;
}

struct entry *keys_find(struct keys *k, struct bytes name)
{
    struct entry *e = keys_peek(k, name);
    if (e && !k->space->no_touch)
        e->used = (uint32_t)(k->space->now / 1000);
    return e;
}

/* With `extra` bytes of room behind the value. */
static struct entry *create(struct keys *k, struct bytes name, enum value_type type, size_t room,
                            size_t extra)
{
    struct keyspace *s = k->space;
    bool container = type != VALUE_STRING;
    if (container && room > ENTRY_INLINE_MAX)
        room = sizeof(void *);
    size_t inside = room > ENTRY_INLINE_MAX ? sizeof(struct outside) : room;
    struct entry *e =
        name.n > UINT32_MAX ? NULL : arena_new(&s->arena, ENTRY_HEADER + name.n + inside + extra);
    if (e == NULL)
        return NULL;
    e->ttl.at = WHEEL_NEVER;
    e->name_len = (uint32_t)name.n;
    e->value_len = container ? 0 : (uint32_t)inside & 1023;
    e->type = type & 7;
    e->flags = ENTRY_FRESH;
    e->db = k->id & 16383;
    e->used = (uint32_t)(s->now / 1000);
    memcpy(e->body, name.p, name.n);
    if (inside != room) {
        struct outside o = {arena_block(&s->arena, NULL, room), (uint32_t)room, (uint32_t)room};
        if (o.p == NULL) {
            arena_drop(&s->arena, e);
            return NULL;
        }
        e->flags |= ENTRY_OUTSIDE;
        set_outside(e, o);
    }
    dict_insert(&k->dict, e, hash_name(s, name));
    s->editing++;
    return e;
}

struct entry *keys_create(struct keys *k, struct bytes name, enum value_type type, size_t room)
{
    return create(k, name, type, room, 0);
}

struct entry *keys_create_lock(struct keys *k, struct bytes name, size_t room, struct hold h)
{
    struct entry *e = create(k, name, VALUE_STRING, room, sizeof h);
    if (e) {
        set_hold(e, h);
        k->locks++;
    }
    return e;
}

void keys_edit(struct keys *k, struct entry *e)
{
    (void)e;
    k->space->editing++;
}

void keys_commit(struct keys *k, struct entry *e, enum key_event ev)
{
    k->space->editing--;
    if (e->flags & ENTRY_FRESH) {
        entry_unset(e, ENTRY_FRESH);
        raise_event(k, entry_name(e), EV_NEW);
    }
    raise_event(k, entry_name(e), ev);
    if (e->type != VALUE_STRING && value_ops[e->type]->count(e) == 0)
        remove_entry(k, e, EV_DEL);
}

void keys_abandon(struct keys *k, struct entry *e)
{
    k->space->editing--;
    if (e->flags & ENTRY_FRESH) {
        unlink_entry(k, e);
        free_entry(k->space, e);
    }
}

void keys_notify(struct keys *k, struct bytes name, enum key_event ev)
{
    raise_event(k, name, ev);
}

void keys_delete(struct keys *k, struct entry *e, enum key_event ev)
{
    remove_entry(k, e, ev);
}

void keys_drop(struct keys *k, struct entry *e)
{
    unlink_entry(k, e);
    free_entry(k->space, e);
}

bool keys_rename(struct keys *k, struct entry *e, struct keys *to, struct bytes name)
{
    size_t size = size_with(e, e->value_len) - e->name_len + name.n;
    struct entry *moved = arena_new(&k->space->arena, size);
    if (moved == NULL)
        return false;
    int64_t at = entry_deadline(e);
    unlink_entry(k, e);
    memcpy(moved, e, ENTRY_HEADER);
    moved->name_len = (uint32_t)name.n;
    moved->db = to->id & 16383;
    memcpy(moved->body, name.p, name.n);
    memcpy(inline_value(moved), inline_value(e), e->value_len);
    if (e->flags & ENTRY_LOCK)
        set_hold(moved, entry_hold(e));
    arena_drop(&k->space->arena, e);
    to->locks += (moved->flags & ENTRY_LOCK) != 0;
    dict_insert(&to->dict, moved, hash_name(to->space, name));
    keys_expire_at(to, moved, at);
    return true;
}

void keys_expire_at(struct keys *k, struct entry *e, int64_t at)
{
    forget_deadline(k, e);
    wheel_disarm(&k->space->wheel, e);
    if (at == WHEEL_NEVER)
        return;
    wheel_arm(&k->space->wheel, e, at + 1);
    k->expires++;
    k->deadlines += (uint64_t)at;
}

void keys_flush(struct keys *k)
{
    doom(k->space, (struct doomed){.dict = k->dict});
    dict_init(&k->dict, &k->space->arena, match);
    k->expires = 0;
    k->deadlines = 0;
    k->locks = 0;
}

int64_t keys_average_ttl(const struct keys *k)
{
    if (k->expires == 0)
        return 0;
    int64_t sum = (int64_t)(k->deadlines - (uint64_t)k->space->now * k->expires);
    return sum > 0 ? sum / k->expires : 0;
}

size_t keys_memory(const struct keys *k, const struct entry *e)
{
    (void)k;
    size_t n = arena_room(e) + sizeof(ref);
    if (e->flags & ENTRY_OUTSIDE)
        n += e->type == VALUE_STRING ? mem_size(outside_of(e).p)
                                     : value_ops[e->type]->memory(entry_object(e));
    return n;
}

/* An array of references doubles, and the old one goes when the new one is there. */
size_t keys_growth(const struct entry *e, size_t n)
{
    if (e == NULL || !(e->flags & ENTRY_OUTSIDE))
        return 3 * sizeof(ref) * (n + ENTRY_INLINE_MAX);
    const struct value_ops *ops = value_ops[e->type];
    return ops->growth ? ops->growth(entry_object(e), n) : 0;
}

/* Time. */

bool keyspace_advance(struct keyspace *s, int64_t now, int *budget)
{
    struct entry *e;
    s->now = now;
    while ((e = wheel_pop(&s->wheel, now, budget))) {
        struct keys *k = s->dbs[e->db];
        const struct entry *following = wheel_following(&s->wheel);
        if (following)
            dict_prefetch(&s->dbs[following->db]->dict, following->node.hash);
        if (!dict_remove(&k->dict, e))
            continue; /* flushed: the list of the doomed has it */
        k->expires--;
        k->locks -= (e->flags & ENTRY_LOCK) != 0;
        k->deadlines -= (uint64_t)(s->wheel.popped - 1);
        s->late = now - s->wheel.popped;
        raise_event(k, entry_name(e), EV_EXPIRED);
        free_entry(s, e);
    }
    return keyspace_reclaim(s, budget) || *budget <= 0;
}

int64_t keyspace_deadline(const struct keyspace *s)
{
    return list_empty(&s->doomed) ? wheel_next(&s->wheel) : s->now;
}
