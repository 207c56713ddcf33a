#include "scripts/cache.h"

#include "base/hash.h"
#include "base/mem.h"

#include <sha1.h>
#include <string.h>

enum { FIRST_BUCKETS = 64 };

void cache_sha(struct bytes text, char out[SCRIPT_SHA_LEN])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t sum[SHA1_DIGEST_LENGTH];
    SHA1_CTX ctx;
    SHA1Init(&ctx);
    SHA1Update(&ctx, (const uint8_t *)text.p, text.n);
    SHA1Final(sum, &ctx);
    for (size_t i = 0; i < sizeof sum; i++) {
        out[2 * i] = digits[sum[i] >> 4];
        out[2 * i + 1] = digits[sum[i] & 15];
    }
}

void cache_init(struct cache *c, uint64_t seed)
{
    *c = (struct cache){.seed = seed, .buckets = FIRST_BUCKETS};
    c->by_body = mem_alloc(c->buckets * sizeof *c->by_body);
    c->by_sha = mem_alloc(c->buckets * sizeof *c->by_sha);
    list_init(&c->recent);
}

static void script_free(struct script *s)
{
    mem_free((char *)s->body.p);
    mem_free(s);
}

void cache_free(struct cache *c)
{
    for (size_t i = 0; i < c->buckets; i++) {
        for (struct script *s = c->by_sha[i], *next; s; s = next) {
            next = s->next_by_sha;
            script_free(s);
        }
    }
    mem_free(c->by_body);
    mem_free(c->by_sha);
}

/* The digits are as good as random, so eight of them are the hash; the bit that tells the case of
 * letters is set. */
static uint64_t sha_hash(const char *sha)
{
    uint64_t digits;
    memcpy(&digits, sha, sizeof digits);
    return (digits | 0x2020202020202020ULL) * 0x9e3779b97f4a7c15ULL >> 32;
}

static void link_in(struct cache *c, struct script *s)
{
    struct script **body = &c->by_body[s->body_hash & (c->buckets - 1)];
    struct script **sha = &c->by_sha[sha_hash(s->sha) & (c->buckets - 1)];
    s->next_by_body = *body;
    *body = s;
    s->next_by_sha = *sha;
    *sha = s;
}

static void grow(struct cache *c)
{
    struct script **old = c->by_sha;
    size_t n = c->buckets;
    c->buckets *= 2;
    mem_free(c->by_body);
    c->by_body = mem_alloc(c->buckets * sizeof *c->by_body);
    c->by_sha = mem_alloc(c->buckets * sizeof *c->by_sha);
    for (size_t i = 0; i < n; i++) {
        for (struct script *s = old[i], *next; s; s = next) {
            next = s->next_by_sha;
            link_in(c, s);
        }
    }
    mem_free(old);
}

struct script *cache_find_body(const struct cache *c, struct bytes body)
{
    uint64_t hash = hash_bytes(c->seed, body);
    struct script *s = c->by_body[hash & (c->buckets - 1)];
    while (s && (s->body_hash != hash || !bytes_eq(s->body, body)))
        s = s->next_by_body;
    return s;
}

struct script *cache_find_sha(const struct cache *c, struct bytes sha)
{
    if (sha.n != SCRIPT_SHA_LEN)
        return NULL;
    struct script *s = c->by_sha[sha_hash(sha.p) & (c->buckets - 1)];
    while (s && memcmp(s->sha, sha.p, sha.n) != 0 && !bytes_ieq(script_sha(s), sha))
        s = s->next_by_sha;
    return s;
}

static size_t cost(const struct script *s)
{
    return sizeof *s + s->body.n;
}

struct script *cache_add(struct cache *c, struct bytes body)
{
    char *copy = mem_try(body.n + 1);
    if (copy == NULL)
        return NULL;
    if (body.n)
        memcpy(copy, body.p, body.n);
    if (c->n >= c->buckets)
        grow(c);

    struct script *s = mem_alloc(sizeof *s);
    s->body = (struct bytes){copy, body.n};
    s->body_hash = hash_bytes(c->seed, body);
    cache_sha(body, s->sha);
    list_init(&s->use);
    link_in(c, s);
    c->n++;
    c->bytes += cost(s);
    return s;
}

void cache_remove(struct cache *c, struct script *s)
{
    struct script **at = &c->by_body[s->body_hash & (c->buckets - 1)];
    while (*at != s)
        at = &(*at)->next_by_body;
    *at = s->next_by_body;
    at = &c->by_sha[sha_hash(s->sha) & (c->buckets - 1)];
    while (*at != s)
        at = &(*at)->next_by_sha;
    *at = s->next_by_sha;

    cache_keep(c, s);
    c->n--;
    c->bytes -= cost(s);
    script_free(s);
}

void cache_recent(struct cache *c, struct script *s)
{
    list_append(&c->recent, &s->use);
    c->nrecent++;
}

void cache_keep(struct cache *c, struct script *s)
{
    if (list_empty(&s->use))
        return;
    list_unlink(&s->use);
    c->nrecent--;
}

void cache_use(struct cache *c, struct script *s)
{
    if (list_empty(&s->use) || c->recent.prev == &s->use)
        return;
    list_unlink(&s->use);
    list_append(&c->recent, &s->use);
}

struct script *cache_surplus(const struct cache *c, size_t limit)
{
    return c->nrecent > limit ? container_of(c->recent.next, struct script, use) : NULL;
}
