/*
 * The keyspace: what is kept, under which name, and until when.
 *
 * A `struct keyspace` is the whole of it: the memory, the deadlines, and the numbered databases,
 * each a `struct keys`. An entry is one arena object: links, deadline, name, and, when it is short,
 * the value itself. Nothing is reference-counted: entries own, callers borrow.
 *
 * All change passes through a bracket: keys_create or keys_edit opens it, keys_commit closes it and
 * raises the event; keys_delete removes. Nothing may fail inside the bracket but the functions that
 * say they may. An entry may move while it is edited, so editing functions take the address of the
 * caller's pointer; after commit or delete the pointer is dead.
 *
 * A key is there at its deadline and gone after it. It is treated as gone from that moment on, even
 * while a backlog of overdue keys is still being removed piece by piece.
 */
#ifndef STORE_KEYS_H
#define STORE_KEYS_H

#include "base/bytes.h"
#include "base/list.h"
#include "store/dict.h"
#include "store/event.h"
#include "store/wheel.h"

enum value_type { VALUE_STRING, VALUE_LIST, VALUE_SET, VALUE_ZSET, VALUE_HASH, VALUE_TYPES };

enum entry_flag {
    ENTRY_OUTSIDE = 1,  /* the value is a `struct outside` (string) or an object (container) */
    ENTRY_OUTGROWN = 2, /* a Redis would have left its compact encoding; see OBJECT ENCODING */
    ENTRY_FRESH = 4,    /* created in the bracket that is open now */
    ENTRY_TEXT = 8,     /* not kept as integers though it may look so; see there too */
    ENTRY_LOCK = 16,    /* a `struct hold` stands at the end of its room */
    ENTRY_FLAGS = 31,   /* all of them */
};

#define ENTRY_INLINE_MAX 512 /* longer values live outside the entry */
#define KEYS_MAX_DBS     16384

struct entry {
    struct dict_node node;
    struct timer ttl; /* armed one millisecond after the deadline */
    uint32_t name_len;
    uint32_t value_len : 10, type : 3, flags : 5, db : 14;
    uint32_t used; /* when it was last looked up, in seconds */
    char body[];   /* the name, then the value */
};

#define ENTRY_HEADER offsetof(struct entry, body)

/* What is known of a lock besides its value. Both count modulo their width: an age is right up to
 * half a year, and two clients are taken for one only when 2^30 others came between them. */
struct hold {
    uint64_t since : 34; /* ms */
    uint64_t client : 30;
};
#define HOLD_SINCE_MASK  ((INT64_C(1) << 34) - 1)
#define HOLD_CLIENT_MASK ((UINT64_C(1) << 30) - 1)

/* A long string's place; grows by doubling, so that appending is linear. */
struct outside {
    char *p;
    uint32_t n, cap;
};

struct keyspace;

/* One database. */
struct keys {
    struct keyspace *space;
    struct dict dict;
    uint32_t id;
    uint32_t expires;   /* entries that have a deadline */
    uint32_t locks;     /* entries that are locks */
    uint64_t deadlines; /* their sum, for the average; wraps */
};

typedef void keys_event_fn(void *ctx, struct keys *k, struct bytes name, enum key_event ev);

struct keyspace {
    struct arena arena;
    struct wheel wheel;
    uint64_t seed;
    int64_t now;       /* as last told by keyspace_advance */
    struct keys **dbs; /* NULL until first used */
    uint32_t ndbs;
    keys_event_fn *on_event;
    void *ctx;
    int64_t late;       /* how many ms the key was overdue whose EV_EXPIRED is being raised */
    struct list doomed; /* tables and containers that wait to be freed piece by piece */
    bool no_touch;      /* lookups do not count as a use */
    int editing;        /* open brackets; 0 between commands */
};

void keyspace_init(struct keyspace *s, uint32_t ndbs, int64_t now, uint64_t seed, keys_event_fn *fn,
                   void *ctx);
void keyspace_free(struct keyspace *s);

/* The database `id`, created on first use. */
struct keys *keyspace_db(struct keyspace *s, uint32_t id);

/*
 * Time goes on: removes what is overdue, in deadline order, raising EV_EXPIRED for each, and frees
 * what is doomed, for as long as `*budget` (about one per entry touched) lasts. True when there is
 * more to do.
 */
bool keyspace_advance(struct keyspace *s, int64_t now, int *budget);
int64_t keyspace_deadline(const struct keyspace *s);    /* when it next needs keyspace_advance */
bool keyspace_reclaim(struct keyspace *s, int *budget); /* only the freeing; true: more to do */

/* The living entry of that name, or NULL. One found overdue is removed here, with its event.
 * Peeking does not count as a use. */
struct entry *keys_find(struct keys *k, struct bytes name);
struct entry *keys_peek(struct keys *k, struct bytes name);

/* Is there an entry of that name, overdue or not? Changes nothing. */
bool keys_holds(const struct keys *k, struct bytes name);

/* Opens the bracket on a new entry; there is none of that name. A string is `room` undefined bytes
 * long; a container is empty, and `room` only says how long it is about to become. Either way the
 * value is written once into its final place. NULL, and no bracket, when memory is out. */
struct entry *keys_create(struct keys *k, struct bytes name, enum value_type type, size_t room);
void keys_edit(struct keys *k, struct entry *e);

/* The same for a string that is a lock from the start. */
struct entry *keys_create_lock(struct keys *k, struct bytes name, size_t room, struct hold h);

/* Closes the bracket and raises `ev`. A container that has become empty goes, with EV_DEL. */
void keys_commit(struct keys *k, struct entry *e, enum key_event ev);

/* Closes the bracket without a change and without an event; an entry created in it goes again. */
void keys_abandon(struct keys *k, struct entry *e);

/* Removes the entry; no bracket is open. */
void keys_delete(struct keys *k, struct entry *e, enum key_event ev);

/* Removes it without an event, because another entry takes its name at once. */
void keys_drop(struct keys *k, struct entry *e);

/* An event that is not a change of the value: a deadline set or removed. */
void keys_notify(struct keys *k, struct bytes name, enum key_event ev);

/* Moves the entry to another name and database (there is none of that name there); no event, the
 * deadline stays. False when memory is out. */
bool keys_rename(struct keys *k, struct entry *e, struct keys *to, struct bytes name);

/* The deadline, or WHEEL_NEVER. Setting one is not a change of the value: it needs no bracket. */
static inline int64_t entry_deadline(const struct entry *e)
{
    return e->ttl.at == WHEEL_NEVER ? WHEEL_NEVER : e->ttl.at - 1;
}
void keys_expire_at(struct keys *k, struct entry *e, int64_t at);

/* Makes the entry a lock, or gives it another holder; it may move. Needs no bracket and raises no
 * event. False, and nothing done, when memory is out. */
bool keys_hold(struct keys *k, struct entry **e, struct hold h);
struct hold entry_hold(const struct entry *e); /* of a lock */

void keys_flush(struct keys *k); /* empties it at once; the memory follows piece by piece */

static inline void entry_unset(struct entry *e, unsigned flags)
{
    e->flags &= ~flags & ENTRY_FLAGS;
}

static inline struct bytes entry_name(const struct entry *e)
{
    return (struct bytes){e->body, e->name_len};
}

/* Is it past its deadline? Only those who walk over entries need to ask. */
bool keys_overdue(const struct keys *k, const struct entry *e);

/* How many milliseconds the entries that have a deadline have left, on average. */
int64_t keys_average_ttl(const struct keys *k);

/* Bytes that the arrays of a container, or of none yet, may take when `n` elements are put in. */
size_t keys_growth(const struct entry *e, size_t n);

/* Bytes that the entry and its value take. */
size_t keys_memory(const struct keys *k, const struct entry *e);

/*
 * Inside the bracket. The value as bytes: a string, or the packed form of a small container (see
 * store/packed.h). keys_resize makes it `n` bytes long, keeping what fits, and returns where it is
 * now; NULL, and nothing done, when memory is out, but never when an inline value gets shorter.
 */
struct bytes entry_value(const struct entry *e);
char *keys_resize(struct keys *k, struct entry **e, size_t n);
bool keys_assign(struct keys *k, struct entry **e, struct bytes value);

/* Makes it a string of `n` undefined bytes, whatever it was; NULL, and nothing done, when memory is
 * out. */
char *keys_restring(struct keys *k, struct entry **at, size_t n);

/* A container that has outgrown the entry: its object, allocated by the type's own code. */
void *entry_object(const struct entry *e);
bool keys_set_object(struct keys *k, struct entry **e, void *object);

/*
 * What the keyspace must know of a container type; each type's file defines one. `drop` frees up to
 * `*budget` elements and, when none are left, the object itself: then it returns true.
 */
struct value_ops {
    size_t (*count)(const struct entry *e);
    bool (*drop)(struct arena *a, void *object, int *budget);
    size_t (*memory)(const void *object);
    size_t (*growth)(const void *object, size_t n); /* see keys_growth; NULL: there are no arrays */
};

#endif
