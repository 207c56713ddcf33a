/*
 * The scripts a host knows, found by text (EVAL) or by SHA-1 (EVALSHA). Those that EVAL left behind
 * are kept in the order of their last use and dropped when there are too many; those of SCRIPT LOAD
 * stay.
 */
#ifndef SCRIPTS_CACHE_H
#define SCRIPTS_CACHE_H

#include "base/bytes.h"
#include "base/list.h"
#include "scripts/host.h"

#include <stdint.h>

struct script {
    struct script *next_by_body, *next_by_sha;
    struct list use; /* in cache.recent, or on no list: permanent */
    uint64_t body_hash;
    int ref; /* the compiled function in the interpreter's registry; 0: not compiled */
    unsigned flags;
    unsigned traits;   /* enum bytecode_trait, once it is compiled */
    size_t code;       /* where the Lua text begins, behind the `#!` line */
    struct bytes body; /* owned */
    char sha[SCRIPT_SHA_LEN];
};

struct cache {
    uint64_t seed;
    struct script **by_body, **by_sha; /* chained; both have `buckets`, a power of two */
    size_t buckets, n, bytes;
    struct list recent; /* oldest use first */
    size_t nrecent;
    uint64_t evicted;
};

void cache_init(struct cache *c, uint64_t seed);
void cache_free(struct cache *c);

struct script *cache_find_body(const struct cache *c, struct bytes body);
struct script *cache_find_sha(const struct cache *c, struct bytes sha);

/* Adds a script for a text that is not there yet; permanent until cache_touch says otherwise. NULL
 * when there is no memory for a copy of the text. */
struct script *cache_add(struct cache *c, struct bytes body);
void cache_remove(struct cache *c, struct script *s);

/* Marks a script as used now. The first form is for one that may be dropped later. */
void cache_recent(struct cache *c, struct script *s);
void cache_keep(struct cache *c, struct script *s);
void cache_use(struct cache *c, struct script *s);

/* The script to drop next if there are more than `limit`, or NULL. */
struct script *cache_surplus(const struct cache *c, size_t limit);

/* The 40 digits of a text's SHA-1, lower case. */
void cache_sha(struct bytes text, char out[SCRIPT_SHA_LEN]);

#endif
