/*
 * Names are found through an open-addressed table that is built once per engine, at most a quarter
 * full. The first eight letters of a name, folded to lower case all at once, are a number: it is
 * hashed with one multiplication and compared with one comparison, and few names are longer. A name
 * that was taken away leaves its slot in use, without a command: the words behind it are still
 * found.
 */
#include "server/engine/registry.h"

#include "base/mem.h"
#include "base/num.h"
#include "server/commands/families.h"

#include <assert.h>

enum { TABLE = 2 * REGISTRY_MAX };

struct word {
    struct bytes name; /* `p` NULL: the slot was never used */
    uint64_t head;     /* of the name, see head_of */
    const struct command *command;
};

struct registry {
    struct word table[TABLE];
    const struct command **all; /* commands, each followed by its subcommands */
    size_t n;
    uint16_t ids[TABLE]; /* by address: id + 1 */
    bool hidden[REGISTRY_MAX];
    char **given; /* names by rename-command */
    size_t ngiven;
};

const struct flag_name acl_categories[ACL_CATEGORIES] = {
    {ACL_KEYSPACE, "@keyspace"},
    {ACL_READ, "@read"},
    {ACL_WRITE, "@write"},
    {ACL_SET, "@set"},
    {ACL_SORTEDSET, "@sortedset"},
    {ACL_LIST, "@list"},
    {ACL_HASH, "@hash"},
    {ACL_STRING, "@string"},
    {ACL_BITMAP, "@bitmap"},
    {ACL_HYPERLOGLOG, "@hyperloglog"},
    {ACL_GEO, "@geo"},
    {ACL_STREAM, "@stream"},
    {ACL_PUBSUB, "@pubsub"},
    {ACL_ADMIN, "@admin"},
    {ACL_FAST, "@fast"},
    {ACL_SLOW, "@slow"},
    {ACL_BLOCKING, "@blocking"},
    {ACL_DANGEROUS, "@dangerous"},
    {ACL_CONNECTION, "@connection"},
    {ACL_TRANSACTION, "@transaction"},
    {ACL_SCRIPTING, "@scripting"},
};

/* Upper case ASCII letters among the eight bytes become lower case: a byte plus 0x80 - 'A' has its
 * top bit set from 'A' on, plus 0x7f - 'Z' from 'Z' + 1 on. */
static uint64_t lower8(uint64_t w)
{
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t low = w & 0x7f * each;
    uint64_t upper = (low + (0x80 - 'A') * each) & ~(low + (0x7f - 'Z') * each) & ~w & 0x80 * each;
    return w | upper >> 2;
}

/* The first eight bytes in lower case, zeros behind a shorter name. */
static uint64_t head_of(struct bytes name)
{
    uint64_t w = 0;
    if (name.n >= 8) {
        memcpy(&w, name.p, 8);
    } else if (name.n >= 4) {
        uint32_t first, last; /* they may overlap */
        memcpy(&first, name.p, 4);
        memcpy(&last, name.p + name.n - 4, 4);
        w = first | (uint64_t)last << 8 * (name.n - 4);
    } else {
        for (size_t i = 0; i < name.n; i++)
            w |= (uint64_t)(unsigned char)name.p[i] << 8 * i;
    }
    return lower8(w);
}

static size_t hash_head(uint64_t head, size_t n)
{
    return ((head + n) * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TABLE;
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

static void put_word(struct registry *r, struct bytes name, const struct command *c)
{
    uint64_t head = head_of(name);
    size_t i = hash_head(head, name.n);
    while (r->table[i].command)
        i = (i + 1) % TABLE;
    r->table[i] = (struct word){name, head, c};
}

static void add_family(struct registry *r, const struct command *family)
{
    for (const struct command *c = family; c->name; c++) {
        put_word(r, bytes_of(c->name), c);
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
    assert(r->n < REGISTRY_MAX);
    return r;
}

void registry_free(struct registry *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->ngiven; i++)
        mem_free(r->given[i]);
    mem_free(r->given);
    mem_free(r->all);
    mem_free(r);
}

static struct bytes behind_head(struct bytes name)
{
    return name.n > 8 ? (struct bytes){name.p + 8, name.n - 8} : (struct bytes){0};
}

static struct word *find_word(const struct registry *r, struct bytes name)
{
    uint64_t head = head_of(name);
    const struct word *w;
    for (size_t i = hash_head(head, name.n); (w = &r->table[i])->name.p; i = (i + 1) % TABLE)
        if (w->head == head && w->name.n == name.n && w->command &&
            bytes_ieq(behind_head(w->name), behind_head(name)))
            return (struct word *)w;
    return NULL;
}

const struct command *registry_find(const struct registry *r, struct bytes name)
{
    const struct word *w = find_word(r, name);
    return w ? w->command : NULL;
}

/* Subcommands stand behind their container. */
static void hide(struct registry *r, const struct command *c, bool hidden)
{
    size_t id = registry_id(r, c);
    r->hidden[id] = hidden;
    for (const struct command *sub = c->sub; sub && sub->name; sub++)
        r->hidden[++id] = hidden;
}

const char *registry_rename(struct registry *r, struct bytes from, struct bytes to)
{
    struct word *w = find_word(r, from);
    if (w == NULL)
        return "No such command in rename-command";
    const struct command *c = w->command;
    w->command = NULL;
    hide(r, c, to.n == 0);
    if (to.n == 0)
        return NULL;
    if (registry_find(r, to) || r->ngiven == REGISTRY_MAX)
        return "Target command name already exists";
    char *given = mem_alloc(to.n);
    memcpy(given, to.p, to.n);
    r->given = mem_grow(r->given, (r->ngiven + 1) * sizeof *r->given);
    r->given[r->ngiven++] = given;
    put_word(r, (struct bytes){given, to.n}, c);
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

const struct command *registry_find_own(const struct registry *r, struct bytes full_name)
{
    for (size_t i = 0; i < r->n; i++)
        if (bytes_ieq(bytes_of(command_full_name(r->all[i])), full_name))
            return r->all[i];
    return NULL;
}

bool registry_hidden(const struct registry *r, const struct command *c)
{
    return r->hidden[registry_id(r, c)];
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

/* What is really done to a key whose spec has these flags: SET reads it only with GET. */
static uint16_t key_flags(const struct bytes *argv, size_t argc, uint16_t flags)
{
    if (!(flags & KEY_VARIABLE))
        return flags;
    for (size_t i = 3; i < argc; i++)
        if (bytes_is(argv[i], "GET"))
            return KEY_RW | KEY_ACCESS | KEY_UPDATE;
    return KEY_OW | KEY_UPDATE;
}

struct key_walk key_walk(const struct command *c, const struct bytes *argv, size_t argc)
{
    return (struct key_walk){.command = c, .argv = argv, .argc = argc, .at = 1};
}

bool key_walk_next(struct key_walk *w, size_t *at, uint16_t *flags)
{
    while (w->at > w->last) {
        if (w->spec == COMMAND_KEYSPECS || w->command->keys[w->spec].flags == 0)
            return false;
        const struct keyspec *spec = &w->command->keys[w->spec++];
        w->step = spec->step ? (size_t)spec->step : 1;
        if (!spec_range(spec, w->argv, w->argc, &w->at, &w->last)) {
            w->at = 1;
            w->last = 0;
        }
    }
    *at = w->at;
    *flags = key_flags(w->argv, w->argc, w->command->keys[w->spec - 1].flags);
    w->at += w->step;
    return true;
}
