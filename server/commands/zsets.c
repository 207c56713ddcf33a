/* Sorted sets: semaphores and fair queues, by time. Ranges are in zranges.c. */
#include "base/num.h"
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "store/zset.h"

#include <math.h>

/* ZADD and ZINCRBY. */

enum { ADD_NX = 1, ADD_XX = 2, ADD_GT = 4, ADD_LT = 8, ADD_CH = 16, ADD_INCR = 32 };

static const struct {
    struct bytes word;
    unsigned flag;
} add_words[] = {
    {BYTES("NX"), ADD_NX}, {BYTES("XX"), ADD_XX}, {BYTES("GT"), ADD_GT},
    {BYTES("LT"), ADD_LT}, {BYTES("CH"), ADD_CH}, {BYTES("INCR"), ADD_INCR},
};

/* The flag that a word stands for, or 0. */
static unsigned add_flag(struct bytes word)
{
    for (size_t i = 0; i < sizeof add_words / sizeof *add_words; i++)
        if (bytes_ieq(word, add_words[i].word))
            return add_words[i].flag;
    return 0;
}

/* Where the pairs begin, after the options. */
static size_t add_pairs(const struct call *c, unsigned *flags)
{
    size_t i = 2;
    for (*flags = 0; i < c->argc && add_flag(c->argv[i]); i++)
        *flags |= add_flag(c->argv[i]);
    return i;
}

static bool refuse(struct call *c, struct bytes error)
{
    reply_error(c->reply, error);
    return false;
}

static bool add_makes_sense(struct call *c, unsigned flags, size_t pairs)
{
    size_t n = c->argc - pairs;
    unsigned order = flags & (ADD_NX | ADD_GT | ADD_LT);
    if (n == 0 || n % 2)
        return refuse(c, ERR_SYNTAX);
    if (flags & ADD_NX && flags & ADD_XX)
        return refuse(c, BYTES("ERR XX and NX options at the same time are not compatible"));
    if (order & (order - 1))
        return refuse(c,
                      BYTES("ERR GT, LT, and/or NX options at the same time are not compatible"));
    if (flags & ADD_INCR && n > 2)
        return refuse(c, BYTES("ERR INCR option supports a single increment-element pair"));
    return true;
}

/* What a pair comes to. */
struct verdict {
    bool refused; /* by NX, XX, GT or LT */
    bool added, updated;
    double score;
};

static struct verdict judge(const struct entry *e, unsigned flags, struct bytes name, double score)
{
    double old;
    if (e == NULL || !zset_score(e, name, &old))
        return (struct verdict){
            .refused = flags & ADD_XX, .added = !(flags & ADD_XX), .score = score};
    if (flags & ADD_INCR)
        score += old;
    bool refused =
        flags & ADD_NX || (flags & ADD_GT && score <= old) || (flags & ADD_LT && score >= old);
    return (struct verdict){
        .refused = refused, .updated = !refused && score != old, .score = score};
}

/* A Redis keeps the whole scores of a small sorted set as integers, which know no -0. */
static double kept_score(const struct entry *e, double score)
{
    return score == 0 && !(e->flags & ENTRY_OUTGROWN) ? 0 : score;
}

struct sums {
    int64_t added, updated;
    struct verdict last;
};

/* How long a new sorted set with the pairs from argument `i` on will be. */
static size_t add_room(const struct call *c, size_t i)
{
    size_t room = 0;
    for (; i < c->argc && room <= ENTRY_INLINE_MAX; i += 2)
        room += 2 + sizeof(double) + c->argv[i + 1].n;
    return room;
}

/* Puts in the pairs from argument `i` on; the scores have been read once. False after an error. */
static bool add_all(struct call *c, struct entry *e, unsigned flags, size_t i, struct sums *sums)
{
    enum key_event ev = flags & ADD_INCR ? EV_ZINCR : EV_ZADD;
    bool editing = false;
    for (; i < c->argc; i += 2) {
        double score;
        if (!call_real(c, i, &score))
            return false;
        struct verdict v = sums->last = judge(e, flags, c->argv[i + 1], score);
        if (isnan(v.score))
            return refuse(c, ERR_SCORE_NAN);
        if (!v.added && !v.updated)
            continue;
        if (!editing && !(e = call_edit(c, 1, VALUE_ZSET, e, add_room(c, i))))
            return false;
        if (!zset_put(c->keys, &e, c->argv[i + 1], kept_score(e, v.score))) {
            container_out_of_memory(c, e, sums->added + sums->updated > 0, ev);
            return false;
        }
        editing = true;
        sums->added += v.added;
        sums->updated += v.updated;
    }
    if (editing)
        container_commit(c, e, ev);
    return true;
}

static void add(struct call *c, unsigned flags, size_t pairs)
{
    struct entry *e;
    struct sums sums = {0};
    double score;
    for (size_t i = pairs; i < c->argc; i += 2)
        if (!call_real(c, i, &score))
            return;
    if (!call_find(c, 1, VALUE_ZSET, &e) || !container_reserve(c, e, pairs, 2) ||
        !add_all(c, e, flags, pairs, &sums))
        return;
    if (!(flags & ADD_INCR))
        reply_int(c->reply, sums.added + (flags & ADD_CH ? sums.updated : 0));
    else if (sums.last.refused)
        reply_null(c->reply);
    else
        reply_real(c->reply, sums.last.score);
}

static void add_with(struct call *c, unsigned more)
{
    unsigned flags;
    size_t pairs = add_pairs(c, &flags);
    if (add_makes_sense(c, flags | more, pairs))
        add(c, flags | more, pairs);
}

static void cmd_zadd(struct call *c)
{
    add_with(c, 0);
}

/* ZADD's options are known here too, if only to be refused: nothing is left behind them. */
static void cmd_zincrby(struct call *c)
{
    add_with(c, ADD_INCR);
}

/* Giving a member that is there another score needs no memory: a held permit can be renewed. */
static bool add_grows(struct call *c)
{
    unsigned flags;
    double score;
    size_t i = add_pairs(c, &flags);
    struct entry *e = keys_peek(c->keys, c->argv[1]);
    if (e == NULL || e->type != VALUE_ZSET)
        return true;
    for (; i + 1 < c->argc; i += 2)
        if (!zset_score(e, c->argv[i + 1], &score))
            return true;
    return false;
}

static void cmd_zrem(struct call *c)
{
    container_remove(c, VALUE_ZSET, zset_remove, EV_ZREM);
}

static void cmd_zcard(struct call *c)
{
    container_count(c, VALUE_ZSET);
}

static void reply_score(struct call *c, const struct entry *e, struct bytes name)
{
    double score;
    if (e && zset_score(e, name, &score))
        reply_real(c->reply, score);
    else
        reply_null(c->reply);
}

static void cmd_zscore(struct call *c)
{
    struct entry *e;
    if (call_find(c, 1, VALUE_ZSET, &e))
        reply_score(c, e, c->argv[2]);
}

static void cmd_zmscore(struct call *c)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_ZSET, &e))
        return;
    reply_array(c->reply, c->argc - 2);
    for (size_t i = 2; i < c->argc; i++)
        reply_score(c, e, c->argv[i]);
}

static void rank(struct call *c, bool reverse)
{
    struct entry *e;
    size_t at;
    double score;
    bool with_score = call_arg_is(c, 3, BYTES("WITHSCORE"));
    if (c->argc > 4) {
        call_wrong_arity(c);
        return;
    }
    if (c->argc == 4 && !with_score) {
        call_syntax_error(c);
        return;
    }
    if (!call_find(c, 1, VALUE_ZSET, &e))
        return;
    if (e == NULL || !zset_rank(e, c->argv[2], &at, &score)) {
        if (with_score)
            reply_null_array(c->reply);
        else
            reply_null(c->reply);
        return;
    }
    if (with_score)
        reply_array(c->reply, 2);
    reply_int(c->reply, (int64_t)(reverse ? zset_count(e) - 1 - at : at));
    if (with_score)
        reply_real(c->reply, score);
}

static void cmd_zrank(struct call *c)
{
    rank(c, false);
}

static void cmd_zrevrank(struct call *c)
{
    rank(c, true);
}

/* Takes `n` members from the low or the high end, replying with each; RESP3 nests pairs of several.
 */
static void pop_members(struct call *c, struct entry *e, bool max, size_t n, bool nested)
{
    size_t count = zset_count(e);
    struct zset_walk w = zset_walk(e, max ? count - 1 : 0, max);
    for (size_t i = 0; i < n && zset_next(&w); i++) {
        if (nested)
            reply_array(c->reply, 2);
        reply_bulk(c->reply, w.name);
        reply_real(c->reply, w.score);
    }
    if (c->reply->lost)
        return;
    keys_edit(c->keys, e);
    zset_remove_range(c->keys, &e, max ? count - n : 0, n);
    container_commit(c, e, max ? EV_ZPOPMAX : EV_ZPOPMIN);
}

static void pop(struct call *c, bool max)
{
    struct entry *e;
    int64_t most = 1;
    if (c->argc > 3) {
        call_syntax_error(c);
        return;
    }
    if ((c->argc == 3 && !container_read_count(c, 2, &most)) || !call_find(c, 1, VALUE_ZSET, &e))
        return;
    size_t n = e ? zset_count(e) : 0;
    if ((uint64_t)most < n)
        n = (size_t)most;
    bool nested = c->resp > 2 && c->argc == 3;
    reply_array(c->reply, nested ? n : 2 * n);
    if (n > 0)
        pop_members(c, e, max, n, nested);
}

static void cmd_zpopmin(struct call *c)
{
    pop(c, false);
}

static void cmd_zpopmax(struct call *c)
{
    pop(c, true);
}

static void pop_named(struct call *c, size_t i, struct entry *e, bool max)
{
    reply_array(c->reply, 3);
    reply_bulk(c->reply, c->argv[i]);
    pop_members(c, e, max, 1, false);
}

static void cmd_bzpopmin(struct call *c)
{
    container_pop_or_wait(c, VALUE_ZSET, pop_named, false);
}

static void cmd_bzpopmax(struct call *c)
{
    container_pop_or_wait(c, VALUE_ZSET, pop_named, true);
}

static void visit(void *ctx, struct bytes name, double score)
{
    scan_add(ctx, (struct scan_item){.name = name, .score = score});
}

static void put_pair(struct call *c, const struct scan_item *item)
{
    char text[NUM_F64_MAX];
    reply_bulk(c->reply, item->name);
    reply_bulk(c->reply, (struct bytes){text, num_format_f64(text, item->score)});
}

static void cmd_zscan(struct call *c)
{
    struct entry *e;
    struct scan s;
    if (!scan_begin(c, VALUE_ZSET, &s, &e))
        return;
    if (e->flags & ENTRY_OUTGROWN) {
        do {
            s.cursor = zset_scan(e, s.cursor, visit, &s);
        } while (scan_goes_on(&s));
    } else {
        struct zset_walk w = zset_walk(e, 0, false);
        while (zset_next(&w))
            visit(&s, w.name, w.score);
        s.cursor = 0;
    }
    scan_reply(c, &s, 2, put_pair);
}

/* clang-format off */
const struct command zset_commands[] = {
    {.name = "bzpopmax", .run = cmd_bzpopmax, .arity = -3,
     .flags = CMD_WRITE | CMD_BLOCKING | CMD_FAST, .acl = ACL_SORTEDSET, .group = GROUP_ZSET,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, -2, 1}}, .since = "5.0.0",
     .complexity = "O(log(N))", .syntax = "key [key ...] timeout",
     .summary = "Takes the highest member of the first sorted set that has any; waits for one."},
    {.name = "bzpopmin", .run = cmd_bzpopmin, .arity = -3,
     .flags = CMD_WRITE | CMD_BLOCKING | CMD_FAST, .acl = ACL_SORTEDSET, .group = GROUP_ZSET,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, -2, 1}}, .since = "5.0.0",
     .complexity = "O(log(N))", .syntax = "key [key ...] timeout",
     .summary = "Takes the lowest member of the first sorted set that has any; waits for one."},
    {.name = "zadd", .run = cmd_zadd, .arity = -4, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(log(N)) for each member", .grows = add_grows,
     .syntax = "key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]",
     .summary = "Adds members with their scores, or gives members other scores."},
    {.name = "zcard", .run = cmd_zcard, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(1)", .syntax = "key", .summary = "Counts the members."},
    {.name = "zincrby", .run = cmd_zincrby, .arity = 4,
     .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST, .acl = ACL_SORTEDSET, .group = GROUP_ZSET,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_UPDATE, 1, 0, 1}}, .since = "1.2.0",
     .complexity = "O(log(N))", .syntax = "key increment member", .grows = add_grows,
     .summary = "Adds to a member's score; a missing one counts from 0."},
    {.name = "zmscore", .run = cmd_zmscore, .arity = -3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "6.2.0", .complexity = "O(N) in the members given", .syntax = "key member [member ...]",
     .summary = "Reads the scores of several members."},
    {.name = "zpopmax", .run = cmd_zpopmax, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}}, .since = "5.0.0",
     .complexity = "O(log(N) * M) for M members", .syntax = "key [count]",
     .summary = "Takes out the members with the highest scores."},
    {.name = "zpopmin", .run = cmd_zpopmin, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}}, .since = "5.0.0",
     .complexity = "O(log(N) * M) for M members", .syntax = "key [count]",
     .summary = "Takes out the members with the lowest scores."},
    {.name = "zrank", .run = cmd_zrank, .arity = -3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(log(N))", .syntax = "key member [WITHSCORE]",
     .summary = "Tells how many members stand below one: who holds a permit?"},
    {.name = "zrem", .run = cmd_zrem, .arity = -3, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(log(N) * M) for M members",
     .syntax = "key member [member ...]",
     .summary = "Removes members; a sorted set without members is gone."},
    {.name = "zrevrank", .run = cmd_zrevrank, .arity = -3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(log(N))", .syntax = "key member [WITHSCORE]",
     .summary = "Tells how many members stand above one."},
    {.name = "zscan", .run = cmd_zscan, .arity = -3, .flags = CMD_READONLY,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.8.0", .complexity = "O(1) for each call, O(N) for all of it",
     .syntax = "key cursor [MATCH pattern] [COUNT count]", .tips = "nondeterministic_output",
     .summary = "Goes through members and scores piece by piece."},
    {.name = "zscore", .run = cmd_zscore, .arity = 3, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(1)", .syntax = "key member",
     .summary = "Reads a member's score."},
    {0},
};
/* clang-format on */
