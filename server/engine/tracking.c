/*
 * A remembered name has a list of its readers, one small object each, which also stands in a table
 * of all pairs, so that reading a key again costs the same however many clients read it. Names and
 * readers live in the store's arena and count as memory in use. tracking-table-max-keys bounds the
 * names; past it, the one that was not read for longest goes and its readers are told, since nobody
 * would tell them later. Past maxmemory so does the one that was read just now, and then older
 * ones: reading is never refused, and must not leave others without memory for their locks.
 *
 * Nothing here is walked when a client goes or a database is flushed: a client's tracker stays
 * behind as a tombstone until its readers are gone, and a flush only counts, which makes all older
 * names dead. The dead are swept from the front of the order, a few after each command.
 *
 * Changes for BCAST clients are collected during a command and sent when it is over. They are
 * sorted first: names below one prefix then stand together, each once, and in Redis's order.
 */
#include "server/engine/tracking.h"

#include "base/hash.h"
#include "base/mem.h"
#include "server/engine/call.h"

#include <assert.h>
#include <stdlib.h>

enum { SWEEP = 64 }; /* names that are let go after one command */

struct tracked {
    struct dict_node node;
    struct list order;
    struct reader *readers;
    uint32_t flushes; /* tracking.flushes when it was created */
    uint32_t name_len;
    char name[];
};

struct reader {
    struct dict_node node;
    struct reader *next;
    struct tracked *key;
    struct tracker *tracker;
};

struct change {
    size_t at, n; /* in tracking.names */
    uint64_t by;  /* the session's id, or 0 */
};

/* What a reader is found by. */
struct pair {
    uint64_t key; /* its reference */
    uint64_t tracker;
};

static struct bytes pair_bytes(const struct pair *pair)
{
    return (struct bytes){(const char *)pair, sizeof *pair};
}

static struct pair pair_of(const struct tracked *key, const struct tracker *tracker)
{
    return (struct pair){arena_ref(key), tracker->id};
}

static struct bytes tracked_name(const struct tracked *key)
{
    return (struct bytes){key->name, key->name_len};
}

static bool match_key(const void *object, struct bytes name)
{
    return bytes_eq(tracked_name(object), name);
}

static bool match_reader(const void *object, struct bytes key)
{
    const struct reader *r = object;
    struct pair pair = pair_of(r->key, r->tracker);
    return bytes_eq(pair_bytes(&pair), key);
}

static uint32_t hash(const struct tracking *t, struct bytes key)
{
    return (uint32_t)hash_bytes(t->seed, key);
}

void tracking_init(struct tracking *t, struct arena *a, uint64_t seed)
{
    *t = (struct tracking){.arena = a, .seed = seed};
    dict_init(&t->keys, a, match_key);
    dict_init(&t->readers, a, match_reader);
    list_init(&t->order);
}

/* Trackers. */

static struct tracker *tracker_get(struct session *s)
{
    struct session_more *more = session_more(s);
    if (more->tracker == NULL) {
        struct tracker *tr = more->tracker = mem_alloc(sizeof *tr);
        tr->session = s;
        tr->id = s->id;
        tr->refs = 1;
        list_init(&tr->prefixes);
    }
    return more->tracker;
}

const struct tracker *tracker_of(const struct session *s)
{
    static const struct tracker none = {
        .prefixes = {(struct list *)&none.prefixes, (struct list *)&none.prefixes}};
    return s->more && s->more->tracker ? s->more->tracker : &none;
}

int64_t tracking_redirect_id(const struct session *s)
{
    const struct tracker *tr = tracker_of(s);
    if (!(s->flags & SESSION_TRACKING))
        return -1;
    return tr->redirect ? (int64_t)tr->redirect->id : 0;
}

static void release(struct tracker *tr)
{
    if (tr && --tr->refs == 0)
        mem_free(tr);
}

static void set_redirect(struct tracker *tr, struct tracker *to)
{
    if (to)
        to->refs++;
    release(tr->redirect);
    tr->redirect = to;
}

/* Remembered names. */

static bool dead(const struct tracking *t, const struct tracked *key)
{
    return key->flushes != t->flushes;
}

static struct tracked *find_key(const struct tracking *t, struct bytes name)
{
    return dict_find(&t->keys, name, hash(t, name));
}

static void drop_key(struct tracking *t, struct tracked *key)
{
    for (struct reader *r = key->readers, *next; r; r = next) {
        next = r->next;
        dict_remove(&t->readers, r);
        release(r->tracker);
        arena_drop(t->arena, r);
    }
    if (!dead(t, key))
        t->live--;
    list_unlink(&key->order);
    dict_remove(&t->keys, key);
    arena_drop(t->arena, key);
}

/* The name, created when it is missing; NULL when memory is out. */
static struct tracked *get_key(struct tracking *t, struct bytes name)
{
    struct tracked *key = find_key(t, name);
    if (key && dead(t, key)) {
        drop_key(t, key);
        key = NULL;
    }
    if (key) {
        list_unlink(&key->order);
        list_append(&t->order, &key->order);
        return key;
    }
    key = name.n > UINT32_MAX ? NULL : arena_new(t->arena, sizeof *key + name.n);
    if (key == NULL)
        return NULL;
    key->readers = NULL;
    key->flushes = t->flushes;
    key->name_len = (uint32_t)name.n;
    bytes_copy(key->name, name);
    list_append(&t->order, &key->order);
    dict_insert(&t->keys, key, hash(t, name));
    t->live++;
    return key;
}

static void add_reader(struct tracking *t, struct tracked *key, struct tracker *tr)
{
    struct pair pair = pair_of(key, tr);
    uint32_t h = hash(t, pair_bytes(&pair));
    if (dict_find(&t->readers, pair_bytes(&pair), h))
        return;
    struct reader *r = arena_new(t->arena, sizeof *r);
    r->key = key;
    r->tracker = tr;
    r->next = key->readers;
    key->readers = r;
    tr->refs++;
    dict_insert(&t->readers, r, h);
}

void tracking_free(struct tracking *t)
{
    while (!list_empty(&t->order))
        drop_key(t, container_of(t->order.next, struct tracked, order));
    assert(t->nprefixes == 0);
    mem_free(t->prefixes);
    dict_free(&t->readers);
    dict_free(&t->keys);
    buf_free(&t->changes);
    buf_free(&t->names);
}

/* Telling. */

/* Only a client that has gone can make a redirection fail, and the one who redirects is told each
 * time, if its protocol has a way. */
static void tell_broken(struct tracker *tr)
{
    tr->options |= TRACKING_BROKEN;
    if (tr->session->resp < 3)
        return;
    struct reply *r = session_push(tr->session);
    reply_push(r, 2);
    reply_bulk(r, BYTES("tracking-redir-broken"));
    reply_int(r, (int64_t)tr->redirect->id);
}

enum { MESSAGE_FRAME = 128 }; /* what a message has besides its payload, at most */

/* Sends `payload`, a value in protocol bytes, as what has become invalid; without one, there was no
 * memory for it. RESP2 has no messages of its own accord but those of channels, so there it goes to
 * a subscriber or nowhere. */
static void tell(struct tracker *tr, struct bytes payload)
{
    assert(tr->session);
    struct session *s = tr->redirect ? tr->redirect->session : tr->session;
    struct buf message = {0};
    struct wire w;
    if (s == NULL) {
        tell_broken(tr);
        return;
    }
    if (s->resp < 3 && !(tr->redirect && s->flags & SESSION_PUBSUB))
        return;
    if (payload.n == 0 || !buf_try_room(&message, MESSAGE_FRAME + payload.n)) {
        session_no_room(s);
        return;
    }
    wire_init(&w, &message, s->resp);
    if (s->resp >= 3) {
        reply_push(&w.reply, 2);
        reply_bulk(&w.reply, BYTES("invalidate"));
    } else {
        reply_push(&w.reply, 3);
        reply_bulk(&w.reply, BYTES("message"));
        reply_bulk(&w.reply, BYTES("__redis__:invalidate"));
    }
    buf_put(&message, payload);
    session_push_bytes(s, buf_bytes(&message));
    buf_free(&message);
}

/* Everything has become invalid. */
static void tell_all(struct tracker *tr)
{
    tell(tr, tr->session->resp >= 3 ? BYTES("_\r\n") : BYTES("$-1\r\n"));
}

/* Does it remember keys, rather than follow prefixes or nothing any more? */
static bool remembers(const struct tracker *tr)
{
    return tr->session && tr->session->flags & SESSION_TRACKING && !(tr->options & TRACKING_BCAST);
}

/* Tells the key's readers, but not the one who changed it if it does not want to hear of its own
 * changes, and forgets the key. */
static void invalidate(struct tracking *t, struct tracked *key, const struct session *by)
{
    struct buf payload = {0};
    struct wire w;
    wire_init(&w, &payload, 2); /* the same in both versions */
    reply_array(&w.reply, 1);
    reply_bulk(&w.reply, tracked_name(key));
    if (w.reply.lost)
        buf_clear(&payload);
    for (struct reader *r = key->readers; r; r = r->next) {
        bool own = r->tracker->options & TRACKING_NOLOOP && r->tracker->session == by;
        if (remembers(r->tracker) && !own)
            tell(r->tracker, buf_bytes(&payload));
    }
    buf_free(&payload);
    drop_key(t, key);
}

static bool memory_is_out(const struct engine *e)
{
    return engine_memory(e) > (size_t)config_memory_limit(e->config);
}

/* Lets go of what was not read for longest: the dead, silently, and what is beyond the limits. */
static void sweep(struct engine *e, int budget)
{
    struct tracking *t = &e->tracking;
    size_t max = (size_t)e->config->tracking_table_max_keys;
    for (; budget > 0 && !list_empty(&t->order); budget--) {
        struct tracked *key = container_of(t->order.next, struct tracked, order);
        if (dead(t, key))
            drop_key(t, key);
        else if ((max > 0 && t->live > max) || memory_is_out(e))
            invalidate(t, key, NULL);
        else
            return;
    }
}

/* Reading. */

static bool wants_to_remember(const struct session *s)
{
    if (s == NULL || !(s->flags & SESSION_TRACKING))
        return false;
    unsigned o = s->more->tracker->options;
    bool said = o & TRACKING_CACHING;
    return !(o & TRACKING_BCAST) && !(o & TRACKING_OPTIN && !said) &&
           !(o & TRACKING_OPTOUT && said);
}

void tracking_remember(struct call *c)
{
    struct engine *e = c->engine;
    struct key_walk keys = key_walk(c->cmd, c->argv, c->argc);
    size_t at;
    uint16_t flags;
    if (!wants_to_remember(e->running) || c->cmd->group == GROUP_SCRIPTING)
        return;
    while (key_walk_next(&keys, &at, &flags)) {
        struct tracked *key = get_key(&e->tracking, c->argv[at]);
        if (key)
            add_reader(&e->tracking, key, e->running->more->tracker);
        if (key && memory_is_out(e))
            invalidate(&e->tracking, key, NULL);
        sweep(e, 1);
    }
}

void tracking_command_done(struct session *s)
{
    struct tracker *tr = s->more ? s->more->tracker : NULL;
    if (tr == NULL || !(tr->options & TRACKING_CACHING) || s->flags & SESSION_MULTI)
        return;
    const char *name = s->last ? command_full_name(s->last) : ""; /* unknown commands have none */
    if (strncmp(name, "client|", strlen("client|")) != 0)
        tr->options &= ~(unsigned)TRACKING_CACHING;
}

/* Changes. */

static void note_change(struct tracking *t, struct bytes name, const struct session *by)
{
    struct change change = {buf_len(&t->names), name.n, by ? by->id : 0};
    if (!buf_try_room(&t->names, name.n) || !buf_try_room(&t->changes, sizeof change)) {
        t->missed = true;
        return;
    }
    buf_put(&t->names, name);
    buf_put(&t->changes, (struct bytes){(const char *)&change, sizeof change});
}

void tracking_touch(struct engine *e, struct bytes name, const struct session *by)
{
    struct tracking *t = &e->tracking;
    if (t->nprefixes)
        note_change(t, name, by);
    struct tracked *key = t->keys.count ? find_key(t, name) : NULL;
    if (key && !dead(t, key))
        invalidate(t, key, by);
}

void tracking_flush(struct engine *e)
{
    struct tracking *t = &e->tracking;
    if (t->clients) {
        list_each (l, &e->sessions) {
            struct session *s = container_of(l, struct session, link);
            if (s->flags & SESSION_TRACKING)
                tell_all(s->more->tracker);
        }
    }
    t->flushes++;
    t->live = 0;
}

/* Prefixes. */

static struct bytes prefix_text(const struct prefix *p)
{
    return (struct bytes){p->text, p->n};
}

static bool starts_with(struct bytes s, struct bytes prefix)
{
    return s.n >= prefix.n && bytes_eq((struct bytes){s.p, prefix.n}, prefix);
}

/* The number of the first prefix that is not before `text`. */
static size_t place_of(const struct tracking *t, struct bytes text)
{
    size_t low = 0;
    for (size_t high = t->nprefixes; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (bytes_cmp(prefix_text(t->prefixes[mid]), text) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void insert_prefix(struct tracking *t, size_t at, struct prefix *p)
{
    if (t->nprefixes == t->prefixes_cap) {
        t->prefixes_cap = t->prefixes_cap ? 2 * t->prefixes_cap : 8;
        t->prefixes = mem_grow(t->prefixes, t->prefixes_cap * sizeof *t->prefixes);
    }
    struct prefix **place = t->prefixes + at;
    memmove(place + 1, place, (t->nprefixes++ - at) * sizeof *place);
    *place = p;
}

/* The prefix, created in its place in the order when it is missing. */
static struct prefix *get_prefix(struct tracking *t, struct bytes text)
{
    size_t at = place_of(t, text);
    if (at < t->nprefixes && bytes_eq(prefix_text(t->prefixes[at]), text))
        return t->prefixes[at];
    struct prefix *p = mem_alloc(sizeof *p + text.n);
    p->n = text.n;
    bytes_copy(p->text, text);
    list_init(&p->users);
    insert_prefix(t, at, p);
    return p;
}

static void drop_prefix(struct tracking *t, struct prefix *p)
{
    struct prefix **place = t->prefixes + place_of(t, prefix_text(p));
    memmove(place, place + 1, (size_t)(t->prefixes + --t->nprefixes - place) * sizeof *place);
    mem_free(p);
}

/* What it takes of its client's memory. */
static size_t cost(const struct prefix_use *u)
{
    return sizeof *u + sizeof *u->prefix + u->prefix->n;
}

static void follow(struct tracking *t, struct tracker *tr, struct bytes text)
{
    struct list *after = &tr->prefixes;
    list_each (l, &tr->prefixes) {
        struct prefix_use *u = container_of(l, struct prefix_use, in_tracker);
        int order = bytes_cmp(text, prefix_text(u->prefix));
        if (order == 0)
            return;
        if (order < 0) {
            after = l;
            break;
        }
    }
    struct prefix_use *u = mem_alloc(sizeof *u);
    u->tracker = tr;
    u->prefix = get_prefix(t, text);
    list_append(&u->prefix->users, &u->in_prefix);
    list_append(after, &u->in_tracker);
    tr->session->more->kept += cost(u);
}

static void unfollow_all(struct tracking *t, struct tracker *tr)
{
    list_each_safe (l, &tr->prefixes) {
        struct prefix_use *u = container_of(l, struct prefix_use, in_tracker);
        struct prefix *p = u->prefix;
        tr->session->more->kept -= cost(u);
        list_unlink(&u->in_prefix);
        list_unlink(&u->in_tracker);
        mem_free(u);
        if (list_empty(&p->users))
            drop_prefix(t, p);
    }
}

/* Telling those who follow prefixes. */

static struct bytes change_name(const struct tracking *t, const struct change *c)
{
    return (struct bytes){buf_bytes(&t->names).p + c->at, c->n};
}

static int compare_changes(const void *a, const void *b, void *ctx)
{
    const struct change *x = a, *y = b;
    int order = bytes_cmp(change_name(ctx, x), change_name(ctx, y));
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the changes and leaves the last one of each name; how many are left. */
static size_t sort_changes(struct tracking *t, struct change *c, size_t n)
{
    size_t kept = 0;
    qsort_r(c, n, sizeof *c, compare_changes, t);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || !bytes_eq(change_name(t, &c[i]), change_name(t, &c[i + 1])))
            c[kept++] = c[i];
    return kept;
}

/* The first of the sorted changes that is not before `prefix`. */
static size_t first_from(const struct tracking *t, const struct change *c, size_t n,
                         struct bytes prefix)
{
    size_t low = 0;
    for (size_t high = n; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (bytes_cmp(change_name(t, &c[mid]), prefix) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The names of n changes as an array, those by `except` left out; false when none is left. Nothing
 * at all when there is no memory for it. */
static bool put_names(const struct tracking *t, const struct change *c, size_t n, uint64_t except,
                      struct buf *out)
{
    struct wire w;
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        left += c[i].by == 0 || c[i].by != except;
    if (left == 0)
        return false;
    wire_init(&w, out, 2); /* the same in both versions */
    reply_array(&w.reply, left);
    for (size_t i = 0; i < n; i++)
        if (c[i].by == 0 || c[i].by != except)
            reply_bulk(&w.reply, change_name(t, &c[i]));
    if (w.reply.lost)
        buf_clear(out);
    return true;
}

static void tell_followers(const struct tracking *t, const struct prefix *p, const struct change *c,
                           size_t n)
{
    struct buf all = {0}, others = {0};
    put_names(t, c, n, 0, &all);
    list_each (l, &p->users) {
        struct tracker *tr = container_of(l, struct prefix_use, in_prefix)->tracker;
        buf_clear(&others);
        if (!(tr->options & TRACKING_NOLOOP))
            tell(tr, buf_bytes(&all));
        else if (put_names(t, c, n, tr->id, &others))
            tell(tr, buf_bytes(&others));
    }
    buf_free(&all);
    buf_free(&others);
}

static void broadcast(struct tracking *t)
{
    struct change *c = (struct change *)(void *)t->changes.p;
    size_t n = sort_changes(t, c, buf_len(&t->changes) / sizeof *c);
    for (size_t i = 0; i < t->nprefixes; i++) {
        const struct prefix *p = t->prefixes[i];
        size_t from = first_from(t, c, n, prefix_text(p)), to = from;
        while (to < n && starts_with(change_name(t, &c[to]), prefix_text(p)))
            to++;
        if (to > from)
            tell_followers(t, p, c + from, to - from);
    }
    buf_free(&t->changes);
    buf_free(&t->names);
}

/* A change was missed for want of memory, and nobody knows which: it may have been any. */
static void admit_missing(struct tracking *t)
{
    t->missed = false;
    buf_free(&t->changes);
    buf_free(&t->names);
    for (size_t i = 0; i < t->nprefixes; i++)
        list_each (l, &t->prefixes[i]->users)
            tell_all(container_of(l, struct prefix_use, in_prefix)->tracker);
}

void tracking_settle(struct engine *e)
{
    if (e->tracking.missed)
        admit_missing(&e->tracking);
    if (buf_len(&e->tracking.changes))
        broadcast(&e->tracking);
    sweep(e, SWEEP);
}

/* Beginning and ending. */

void tracking_enable(struct session *s, unsigned how, struct session *redirect,
                     const struct bytes *prefixes, size_t n)
{
    struct tracking *t = &s->engine->tracking;
    struct tracker *tr = tracker_get(s);
    if (!(s->flags & SESSION_TRACKING))
        t->clients++;
    s->flags |= SESSION_TRACKING;
    tr->options = how | (tr->options & TRACKING_CACHING);
    set_redirect(tr, redirect ? tracker_get(redirect) : NULL);
    if (how & TRACKING_BCAST && n == 0)
        follow(t, tr, BYTES(""));
    for (size_t i = 0; i < n; i++)
        follow(t, tr, prefixes[i]);
}

void tracking_disable(struct session *s)
{
    struct tracking *t = &s->engine->tracking;
    if (!(s->flags & SESSION_TRACKING))
        return;
    struct tracker *tr = s->more->tracker;
    t->clients--;
    s->flags &= ~SESSION_TRACKING;
    tr->options = 0;
    set_redirect(tr, NULL);
    unfollow_all(t, tr);
}

void tracking_leave(struct session *s)
{
    tracking_disable(s);
    if (s->more && s->more->tracker) {
        s->more->tracker->session = NULL;
        release(s->more->tracker);
        s->more->tracker = NULL;
    }
}
