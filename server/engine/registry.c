/*
 * Names are found through an open-addressed table that is built once per engine, at most a quarter
 * full, so a lookup is one hash of a short word and nearly always one comparison.
 */
#include "server/engine/registry.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/commands/families.h"

#include <assert.h>

enum { TABLE = 1024 };

struct registry {
    const struct command *table[TABLE];
    const struct command **all; /* commands, each followed by its subcommands */
    size_t n;
    uint16_t ids[TABLE]; /* by address: id + 1 */
};

/* Cheap and good enough for a fixed set of words. */
static uint32_t hash_word(struct bytes name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.n; i++)
        h = (h ^ (uint8_t)ascii_lower(name.p[i])) * 16777619u;
    return h ^ h >> 15;
}

static uint32_t hash_address(const struct command *c)
{
    return (uint32_t)((uintptr_t)c / sizeof(void *) * 2654435761u >> 7) % TABLE;
}

static void add(struct registry *r, const struct command *c)
{
    r->all = mem_grow(r->all, (r->n + 1) * sizeof *r->all);
    r->all[r->n++] = c;
    uint32_t i = hash_address(c);
    while (r->ids[i])
        i = (i + 1) % TABLE;
    r->ids[i] = (uint16_t)r->n;
}

static void add_family(struct registry *r, const struct command *family)
{
    for (const struct command *c = family; c->name; c++) {
        uint32_t i = hash_word(bytes_of(c->name)) % TABLE;
        while (r->table[i])
            i = (i + 1) % TABLE;
        r->table[i] = c;
        add(r, c);
        for (const struct command *sub = c->sub; sub && sub->name; sub++)
            add(r, sub);
    }
}

struct registry *registry_new(bool testing)
{
    struct registry *r = mem_alloc(sizeof *r);
    for (size_t i = 0; i < sizeof command_families / sizeof *command_families; i++)
        add_family(r, command_families[i]);
    if (testing)
        add_family(r, testing_commands);
    assert(r->n < TABLE / 2);
    return r;
}

void registry_free(struct registry *r)
{
    if (r)
        mem_free(r->all);
    mem_free(r);
}

const struct command *registry_find(const struct registry *r, struct bytes name)
{
    for (uint32_t i = hash_word(name) % TABLE; r->table[i]; i = (i + 1) % TABLE)
        if (bytes_ieq(bytes_of(r->table[i]->name), name))
            return r->table[i];
    return NULL;
}

const struct command *registry_find_full(const struct registry *r, struct bytes name)
{
    const char *bar = name.n ? memchr(name.p, '|', name.n) : NULL;
    if (bar == NULL)
        return registry_find(r, name);
    size_t n = (size_t)(bar - name.p);
    const struct command *container = registry_find(r, (struct bytes){name.p, n});
    return container ? command_sub(container, (struct bytes){bar + 1, name.n - n - 1}) : NULL;
}

const struct command *command_sub(const struct command *c, struct bytes name)
{
    for (const struct command *sub = c->sub; sub && sub->name; sub++)
        if (bytes_ieq(bytes_of(sub->name), name))
            return sub;
    return NULL;
}

size_t registry_count(const struct registry *r)
{
    return r->n;
}

size_t registry_id(const struct registry *r, const struct command *c)
{
    uint32_t i = hash_address(c);
    while (r->all[r->ids[i] - 1] != c)
        i = (i + 1) % TABLE;
    return r->ids[i] - 1u;
}

const struct command *registry_at(const struct registry *r, size_t id)
{
    assert(id < r->n);
    return r->all[id];
}

const char *command_full_name(const struct command *c)
{
    return c->full_name ? c->full_name : c->name;
}

uint32_t command_acl(const struct command *c)
{
    uint32_t acl = c->acl;
    if (c->flags & CMD_WRITE)
        acl |= ACL_WRITE;
    if (c->flags & CMD_READONLY && c->group != GROUP_SCRIPTING)
        acl |= ACL_READ;
    if (c->flags & CMD_ADMIN)
        acl |= ACL_ADMIN | ACL_DANGEROUS;
    if (c->flags & CMD_PUBSUB)
        acl |= ACL_PUBSUB;
    if (c->flags & CMD_BLOCKING)
        acl |= ACL_BLOCKING;
    return acl | (c->flags & CMD_FAST ? ACL_FAST : ACL_SLOW);
}

bool command_arity_ok(const struct command *c, size_t argc)
{
    return c->arity >= 0 ? argc == (size_t)c->arity : argc >= (size_t)-c->arity;
}

/* The range of arguments that one spec names. */
static bool spec_range(const struct keyspec *spec, const struct bytes *argv, size_t argc,
                       size_t *first, size_t *last)
{
    *first = (size_t)spec->first;
    if (spec->numkeys) {
        int64_t n;
        if (*first >= argc || !num_parse_i64(argv[*first], &n) || n < 0 ||
            (uint64_t)n > argc - *first - 1)
            return false;
        *last = *first + (size_t)n;
        ++*first;
        return true;
    }
    *last = spec->last >= 0 ? *first + (size_t)spec->last : argc - (size_t)-spec->last;
    return *first < argc && *last < argc;
}

int command_keys(const struct command *c, const struct bytes *argv, size_t argc, size_t *at,
                 uint16_t *flags, size_t cap)
{
    size_t n = 0;
    for (int i = 0; i < COMMAND_KEYSPECS && c->keys[i].flags; i++) {
        const struct keyspec *spec = &c->keys[i];
        size_t first, last;
        if (!spec_range(spec, argv, argc, &first, &last))
            return -1;
        for (size_t k = first; k <= last; k += spec->step ? (size_t)spec->step : 1, n++) {
            if (n < cap) {
                at[n] = k;
                flags[n] = spec->flags;
            }
        }
    }
    return (int)n;
}
