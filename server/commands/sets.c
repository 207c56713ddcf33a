/* Sets. */
#include "base/hash.h"
#include "base/mem.h"
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "server/commands/names.h"
#include "store/set.h"

static bool has(const struct entry *e, struct bytes member)
{
    return e && set_has(e, member);
}

static void cmd_sadd(struct call *c)
{
    struct entry *e;
    size_t i = 2;
    if (!call_find(c, 1, VALUE_SET, &e))
        return;
    while (i < c->argc && has(e, c->argv[i]))
        i++;
    if (i == c->argc) {
        reply_int(c->reply, 0);
        return;
    }
    int64_t added = 0;
    if (!container_reserve(c, e, i, 1) ||
        !(e = call_edit(c, 1, VALUE_SET, e, container_room(c, 2))))
        return;
    for (; i < c->argc; i++) {
        if (set_has(e, c->argv[i]))
            continue;
        if (!set_add(c->keys, &e, c->argv[i])) {
            container_out_of_memory(c, e, added > 0, EV_SADD);
            return;
        }
        added++;
    }
    container_commit(c, e, EV_SADD);
    reply_int(c->reply, added);
}

static void cmd_srem(struct call *c)
{
    container_remove(c, VALUE_SET, set_remove, EV_SREM);
}

static void cmd_sismember(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_SET, &e))
        reply_int(c->reply, has(e, c->argv[2]));
}

static void cmd_smismember(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_SET, &e))
        return;
    reply_array(c->reply, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        reply_int(c->reply, has(e, c->argv[i]));
}

static void cmd_scard(struct call *c)
{
    container_count(c, VALUE_SET);
}

static void reply_members(struct call *c, const struct entry *e)
{
    struct set_walk w = set_walk(e);
    while (set_next(&w))
        reply_bulk(c->reply, w.member);
}

static void cmd_smembers(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_SET, &e))
        return;
    reply_set(c->reply, e ? set_count(e) : 0);
    if (e)
        reply_members(c, e);
}

/* Members at random. */

static size_t draw(struct call *c, size_t below)
{
    return (size_t)(engine_random(c->engine) % below);
}

static void pop_one(struct call *c, struct entry *e)
{
    struct bytes member = set_at(e, draw(c, set_count(e)));
    reply_bulk(c->reply, member);
    if (c->reply->lost)
        return;
    keys_edit(c->keys, e);
    set_remove(c->keys, &e, member);
    container_commit(c, e, EV_SPOP);
}

/* One bit for each member's number. */
struct picks {
    uint64_t *words;
    size_t n;
};

/* Picks `n` of `all`, every choice being as likely. Numbers are drawn until enough of them differ:
 * of those to take or, when these are the fewer, of those to leave, so that few are drawn twice. */
static bool pick(struct call *c, struct picks *p, size_t all, size_t n)
{
    bool leaving = n > all / 2;
    p->n = (all + 63) / 64;
    p->words = mem_try(p->n * sizeof *p->words);
    if (p->words == NULL)
        return false;
    memset(p->words, 0, p->n * sizeof *p->words);
    for (size_t left = leaving ? all - n : n; left > 0;) {
        size_t i = draw(c, all);
        uint64_t bit = UINT64_C(1) << i % 64;
        left -= !(p->words[i / 64] & bit);
        p->words[i / 64] |= bit;
    }
    for (size_t i = 0; i < p->n && leaving; i++)
        p->words[i] = ~p->words[i];
    if (all % 64)
        p->words[p->n - 1] &= (UINT64_C(1) << all % 64) - 1;
    return true;
}

/* The next lower number that is picked, from `*i` down; false when there is none. */
static bool next_picked(const struct picks *p, size_t *i)
{
    uint64_t below = *i % 64 ? p->words[*i / 64] & ((UINT64_C(1) << *i % 64) - 1) : 0;
    size_t at = *i / 64;
    while (below == 0 && at > 0)
        below = p->words[--at];
    if (below)
        *i = at * 64 + 63 - (size_t)__builtin_clzll(below);
    return below != 0;
}

/* They are picked, told and then taken, so that all are still there when memory runs out. From the
 * last one down: those before it keep their numbers. */
static void pop_several(struct call *c, struct entry *e, size_t n)
{
    size_t all = set_count(e);
    struct picks picks;
    if (!pick(c, &picks, all, n)) {
        call_out_of_memory(c);
        return;
    }
    reply_set(c->reply, n);
    for (size_t i = all; next_picked(&picks, &i);)
        reply_bulk(c->reply, set_at(e, i));
    if (!c->reply->lost) {
        keys_edit(c->keys, e);
        for (size_t i = all; next_picked(&picks, &i);)
            set_remove(c->keys, &e, set_at(e, i));
        container_commit(c, e, EV_SPOP);
    }
    mem_free(picks.words);
}

static void cmd_spop(struct call *c)
{
    struct entry *e;
    int64_t most = 1;
    if (c->argc > 3) {
        call_syntax_error(c);
        return;
    }
    bool one = c->argc == 2;
    if ((!one && !container_read_count(c, 2, &most)) || !call_find(c, 1, VALUE_SET, &e))
        return;
    size_t n = e ? set_count(e) : 0;
    if ((uint64_t)most < n)
        n = (size_t)most;
    if (one && n == 0)
        reply_null(c->reply);
    else if (one)
        pop_one(c, e);
    else if (n == 0)
        reply_set(c->reply, 0);
    else
        pop_several(c, e, n);
}

/* `n` different members: each is taken with the chance that leaves enough for the rest. */
static void sample(struct call *c, const struct entry *e, size_t n)
{
    struct set_walk w = set_walk(e);
    for (size_t left = set_count(e); n > 0 && set_next(&w); left--) {
        if (draw(c, left) < n) {
            reply_bulk(c->reply, w.member);
            n--;
        }
    }
}

static void show_one(struct call *c, const struct entry *e)
{
    if (e)
        reply_bulk(c->reply, set_at(e, draw(c, set_count(e))));
    else
        reply_null(c->reply);
}

/* A negative count means that one member may come again. */
static void show_several(struct call *c, const struct entry *e, int64_t count)
{
    size_t all = e ? set_count(e) : 0;
    if (count < 0 && e) {
        reply_array(c->reply, (size_t)-count);
        for (; count < 0; count++)
            reply_bulk(c->reply, set_at(e, draw(c, all)));
        return;
    }
    size_t n = count < 0 || (uint64_t)count > all ? all : (size_t)count;
    reply_array(c->reply, n);
    if (n > 0)
        sample(c, e, n);
}

/* Redis has no limit to how often members may come again, and can be kept busy for ever. */
enum { MOST_REPEATED = 10000000 };

static void cmd_srandmember(struct call *c)
{
    struct entry *e;
    int64_t count = 1;
    if (c->argc > 3) {
        call_syntax_error(c);
        return;
    }
    if (c->argc == 3 && !call_int_in(c, 2, -INT64_MAX, INT64_MAX,
                                     "ERR value is out of range, value must between "
                                     "-9223372036854775807 and 9223372036854775807",
                                     &count))
        return;
    if (!call_find(c, 1, VALUE_SET, &e))
        return;
    if (e && count < -MOST_REPEATED) {
        reply_error(c->reply, BYTES("ERR value is out of range"));
        return;
    }
    if (c->argc == 2)
        show_one(c, e);
    else
        show_several(c, e, count);
}

/* Several sets. */

/* Members found, with an index of their own so that each comes once. */
struct members {
    struct names found;
    uint32_t *slots; /* numbers into `found`, from 1; open addressing, at most half full */
    size_t nslots;
    uint64_t seed;
};

static uint32_t *find_slot(const struct members *m, struct bytes member)
{
    size_t i = hash_bytes(m->seed, member) & (m->nslots - 1);
    while (m->slots[i] && !bytes_eq(m->found.all[m->slots[i] - 1], member))
        i = (i + 1) & (m->nslots - 1);
    return &m->slots[i];
}

/* Makes the index twice as large; false when memory is out. */
static bool reindex(struct members *m)
{
    size_t nslots = m->nslots ? 2 * m->nslots : 64;
    uint32_t *slots = mem_try(nslots * sizeof *slots);
    if (slots == NULL)
        return false;
    memset(slots, 0, nslots * sizeof *slots);
    mem_free(m->slots);
    m->slots = slots;
    m->nslots = nslots;
    for (size_t i = 0; i < m->found.n; i++)
        *find_slot(m, m->found.all[i]) = (uint32_t)i + 1;
    return true;
}

static void add_once(struct members *m, struct bytes member)
{
    if (m->found.n >= m->nslots / 2 && !reindex(m))
        m->found.failed = true;
    if (m->found.failed)
        return;
    uint32_t *slot = find_slot(m, member);
    if (*slot)
        return;
    names_add(&m->found, member);
    *slot = (uint32_t)m->found.n;
}

/* The sets of all keys, NULL for missing ones; NULL after an error. The caller frees it. */
static struct entry **find_all(struct call *c)
{
    struct entry **sets = mem_try((c->argc - 1) * sizeof *sets);
    if (sets == NULL) {
        call_out_of_memory(c);
        return NULL;
    }
    for (size_t i = 1; i < c->argc; i++) {
        if (!call_find(c, i, VALUE_SET, &sets[i - 1])) {
            mem_free(sets);
            return NULL;
        }
    }
    return sets;
}

static void cmd_sunion(struct call *c)
{
    struct entry **sets = find_all(c);
    struct members m = {.seed = c->engine->space.seed};
    if (sets == NULL)
        return;
    for (size_t i = 0; i < c->argc - 1; i++) {
        struct set_walk w = set_walk(sets[i]);
        while (sets[i] && set_next(&w))
            add_once(&m, w.member);
    }
    mem_free(sets);
    mem_free(m.slots);
    names_reply(c, &m.found, reply_set);
}

/* Is the member in all of the sets (`in`), or in none of them, the one numbered `except` apart? */
static bool is_uniform(struct entry **sets, size_t n, size_t except, struct bytes member, bool in)
{
    for (size_t i = 0; i < n; i++)
        if (i != except && has(sets[i], member) != in)
            return false;
    return true;
}

static void keep_uniform(struct call *c, struct entry **sets, size_t base, bool in)
{
    struct names found = {0};
    struct set_walk w = set_walk(sets[base]);
    while (sets[base] && set_next(&w))
        if (is_uniform(sets, c->argc - 1, base, w.member, in))
            names_add(&found, w.member);
    mem_free(sets);
    names_reply(c, &found, reply_set);
}

static void cmd_sinter(struct call *c)
{
    struct entry **sets = find_all(c);
    size_t smallest = 0;
    if (sets == NULL)
        return;
    for (size_t i = 0; i < c->argc - 1 && sets[smallest]; i++)
        if (sets[i] == NULL || set_count(sets[i]) < set_count(sets[smallest]))
            smallest = i;
    keep_uniform(c, sets, smallest, true);
}

static void cmd_sdiff(struct call *c)
{
    struct entry **sets = find_all(c);
    if (sets)
        keep_uniform(c, sets, 0, false);
}

static void visit(void *ctx, struct bytes member)
{
    scan_add(ctx, (struct scan_item){.name = member});
}

static void put_member(struct call *c, const struct scan_item *item)
{
    reply_bulk(c->reply, item->name);
}

static void cmd_sscan(struct call *c)
{
    struct entry *e;
    struct scan s;
    if (!scan_begin(c, VALUE_SET, &s, &e))
        return;
    if (e->flags & ENTRY_OUTGROWN) {
        do {
            s.cursor = set_scan(e, s.cursor, visit, &s);
        } while (scan_goes_on(&s));
    } else {
        struct set_walk w = set_walk(e);
        while (set_next(&w))
            visit(&s, w.member);
        s.cursor = 0;
    }
    scan_reply(c, &s, 1, put_member);
}

/* clang-format off */
const struct command set_commands[] = {
    {.name = "sadd", .run = cmd_sadd, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the members given", .syntax = "key member [member ...]",
     .summary = "Adds members and says how many of them were new."},
    {.name = "scard", .run = cmd_scard, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key", .summary = "Counts the members."},
    {.name = "sdiff", .run = cmd_sdiff, .arity = -2, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, -1, 1}},
     .since = "1.0.0", .complexity = "O(N*M): members of the first set, other sets",
     .syntax = "key [key ...]", .tips = "nondeterministic_output_order",
     .summary = "Lists the members of the first set that are in none of the others."},
    {.name = "sinter", .run = cmd_sinter, .arity = -2, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, -1, 1}},
     .since = "1.0.0", .complexity = "O(N*M): members of the smallest set, other sets",
     .syntax = "key [key ...]", .tips = "nondeterministic_output_order",
     .summary = "Lists the members that all sets have."},
    {.name = "sismember", .run = cmd_sismember, .arity = 3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key member",
     .summary = "Tells whether a member is there."},
    {.name = "smembers", .run = cmd_smembers, .arity = 2, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N)", .syntax = "key",
     .tips = "nondeterministic_output_order", .summary = "Lists all members."},
    {.name = "smismember", .run = cmd_smismember, .arity = -3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "6.2.0", .complexity = "O(N) in the members given", .syntax = "key member [member ...]",
     .summary = "Tells of several members whether they are there."},
    {.name = "spop", .run = cmd_spop, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the members taken", .syntax = "key [count]",
     .tips = "nondeterministic_output", .summary = "Takes members out at random."},
    {.name = "srandmember", .run = cmd_srandmember, .arity = -2, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1), with a count O(N)", .syntax = "key [count]",
     .tips = "nondeterministic_output",
     .summary = "Shows members at random; with a negative count one may come again."},
    {.name = "srem", .run = cmd_srem, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the members given", .syntax = "key member [member ...]",
     .summary = "Removes members; a set without members is gone."},
    {.name = "sscan", .run = cmd_sscan, .arity = -3, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.8.0", .complexity = "O(1) for each call, O(N) for all of it",
     .syntax = "key cursor [MATCH pattern] [COUNT count]", .tips = "nondeterministic_output",
     .summary = "Goes through the members piece by piece."},
    {.name = "sunion", .run = cmd_sunion, .arity = -2, .flags = CMD_READONLY,
     .acl = ACL_SET, .group = GROUP_SET, .keys = {{KEY_RO | KEY_ACCESS, 1, -1, 1}},
     .since = "1.0.0", .complexity = "O(N) in the members of all sets", .syntax = "key [key ...]",
     .tips = "nondeterministic_output_order", .summary = "Lists the members that any set has."},
    {0},
};
/* clang-format on */
