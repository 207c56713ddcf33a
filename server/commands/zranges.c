/*
 * Ranges of sorted sets, by rank, by score, and by name among equal scores. Whatever a range is
 * given by, it is a stretch of ranks: the sorted set tells how many members stand below each end.
 */
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "store/zset.h"

#include <math.h>
#include <stdlib.h>

enum by { BY_RANK, BY_SCORE, BY_NAME };

/* One end of a range as it was given. */
struct edge {
    int64_t index;     /* BY_RANK */
    double score;      /* BY_SCORE */
    struct bytes name; /* BY_NAME */
    bool exclusive;
    int infinite; /* BY_NAME: -1 for "-", 1 for "+" */
};

struct range {
    enum by by;
    struct edge min, max; /* BY_RANK: first and last, in the direction of the walk */
    bool reverse, with_scores, limited;
    int64_t offset, count; /* of LIMIT */
};

/* The ranks that a range covers. */
struct stretch {
    size_t from, n;
};

/* "1.5", "(1.5", "-inf". Redis is more lenient here than with scores: whatever strtod takes is
 * good, a leading blank, nothing at all, and numbers beyond the largest. */
static bool read_score(struct call *c, size_t i, struct edge *edge)
{
    struct bytes s = c->argv[i];
    char text[256] = "x", *end = text;
    edge->exclusive = s.n > 0 && s.p[0] == '(';
    if (edge->exclusive)
        s = (struct bytes){s.p + 1, s.n - 1};
    if (s.n < sizeof text) {
        *bytes_copy(text, s) = 0;
        edge->score = strtod(text, &end);
    }
    if (*end == 0 && !isnan(edge->score))
        return true;
    reply_error(c->reply, ERR_SCORE_RANGE);
    return false;
}

/* "[name", "(name", "-" or "+". */
static bool read_name(struct call *c, size_t i, struct edge *edge)
{
    struct bytes s = c->argv[i];
    edge->infinite = bytes_eq(s, BYTES("+")) - bytes_eq(s, BYTES("-"));
    if (edge->infinite)
        return true;
    if (s.n == 0 || (s.p[0] != '[' && s.p[0] != '(')) {
        reply_error(c->reply, ERR_NAME_RANGE);
        return false;
    }
    edge->exclusive = s.p[0] == '(';
    edge->name = (struct bytes){s.p + 1, s.n - 1};
    return true;
}

static bool read_edge(struct call *c, size_t i, enum by by, struct edge *edge)
{
    switch (by) {
    case BY_SCORE: return read_score(c, i, edge);
    case BY_NAME: return read_name(c, i, edge);
    default: return call_int(c, i, &edge->index);
    }
}

/* Arguments 2 and 3. By score and by name, a range in reverse is given from its upper end. */
static bool read_edges(struct call *c, struct range *r)
{
    bool swapped = r->reverse && r->by != BY_RANK;
    return read_edge(c, swapped ? 3 : 2, r->by, &r->min) &&
           read_edge(c, swapped ? 2 : 3, r->by, &r->max);
}

/* How many members stand before the edge: below it, or with `after` up to it. */
static size_t before(const struct entry *e, enum by by, const struct edge *edge, bool after)
{
    if (by == BY_SCORE)
        return zset_below(e, edge->score, after);
    if (edge->infinite)
        return edge->infinite < 0 ? 0 : zset_count(e);
    return zset_below_name(e, edge->name, after);
}

static struct stretch resolve(const struct entry *e, const struct range *r)
{
    struct stretch s = {0};
    if (r->by == BY_RANK) {
        size_t count = zset_count(e);
        s.n = container_range(r->min.index, r->max.index, count, &s.from);
        if (r->reverse)
            s.from = count - s.from - s.n;
        return s;
    }
    s.from = before(e, r->by, &r->min, r->min.exclusive);
    size_t end = before(e, r->by, &r->max, !r->max.exclusive);
    s.n = end > s.from ? end - s.from : 0;
    return s;
}

/* LIMIT counts in the direction of the walk. A negative count is no limit. A range of ranks can
 * only be given one that is none, and passes it over altogether. */
static struct stretch limit(struct stretch s, const struct range *r)
{
    if (!r->limited || r->by == BY_RANK)
        return s;
    if (r->offset < 0 || (uint64_t)r->offset >= s.n)
        return (struct stretch){0};
    size_t left = s.n - (size_t)r->offset;
    size_t n = r->count < 0 || (uint64_t)r->count > left ? left : (size_t)r->count;
    return (struct stretch){r->reverse ? s.from + left - n : s.from + (size_t)r->offset, n};
}

static void reply_range(struct call *c, const struct entry *e, const struct range *r)
{
    struct stretch s = e ? limit(resolve(e, r), r) : (struct stretch){0};
    bool nested = r->with_scores && c->resp > 2;
    reply_array(c->reply, r->with_scores && !nested ? 2 * s.n : s.n);
    if (s.n == 0)
        return;
    struct zset_walk w = zset_walk(e, r->reverse ? s.from + s.n - 1 : s.from, r->reverse);
    for (; s.n > 0 && zset_next(&w); s.n--) {
        if (nested)
            reply_array(c->reply, 2);
        reply_bulk(c->reply, w.name);
        if (r->with_scores)
            reply_real(c->reply, w.score);
    }
}

/* One option; the words that only ZRANGE knows, when `any`. False after an error. */
static bool read_option(struct call *c, size_t *i, bool any, bool *by_given, struct range *r)
{
    if (call_arg_is(c, *i, BYTES("WITHSCORES"))) {
        r->with_scores = true;
        return true;
    }
    if (call_arg_is(c, *i, BYTES("LIMIT")) && *i + 2 < c->argc) {
        r->limited = true;
        *i += 2;
        return call_int(c, *i - 1, &r->offset) && call_int(c, *i, &r->count);
    }
    if (any && call_arg_is(c, *i, BYTES("REV"))) {
        r->reverse = true;
        return true;
    }
    bool score = call_arg_is(c, *i, BYTES("BYSCORE"));
    if (any && !*by_given && (score || call_arg_is(c, *i, BYTES("BYLEX")))) {
        r->by = score ? BY_SCORE : BY_NAME;
        *by_given = true;
        return true;
    }
    call_syntax_error(c);
    return false;
}

static bool read_options(struct call *c, bool any, struct range *r)
{
    bool by_given = false;
    for (size_t i = 4; i < c->argc; i++)
        if (!read_option(c, &i, any, &by_given, r))
            return false;
    if (r->limited && r->by == BY_RANK && r->count != -1) {
        reply_error(c->reply, BYTES("ERR syntax error, LIMIT is only supported in combination with "
                                    "either BYSCORE or BYLEX"));
        return false;
    }
    if (r->with_scores && r->by == BY_NAME) {
        reply_error(c->reply,
                    BYTES("ERR syntax error, WITHSCORES not supported in combination with "
                          "BYLEX"));
        return false;
    }
    return true;
}

static void show(struct call *c, bool any, enum by by, bool reverse)
{
    struct range r = {.by = by, .reverse = reverse};
    struct entry *e;
    if (read_options(c, any, &r) && read_edges(c, &r) && call_find(c, 1, VALUE_ZSET, &e))
        reply_range(c, e, &r);
}

static void cmd_zrange(struct call *c)
{
    show(c, true, BY_RANK, false);
}

static void cmd_zrevrange(struct call *c)
{
    show(c, false, BY_RANK, true);
}

static void cmd_zrangebyscore(struct call *c)
{
    show(c, false, BY_SCORE, false);
}

static void cmd_zrevrangebyscore(struct call *c)
{
    show(c, false, BY_SCORE, true);
}

static void cmd_zcount(struct call *c)
{
    struct range r = {.by = BY_SCORE};
    struct entry *e;
    if (read_edges(c, &r) && call_find(c, 1, VALUE_ZSET, &e))
        reply_int(c->reply, e ? (int64_t)resolve(e, &r).n : 0);
}

static void remove_range(struct call *c, enum by by, enum key_event ev)
{
    struct range r = {.by = by};
    struct entry *e;
    if (!read_edges(c, &r) || !call_find(c, 1, VALUE_ZSET, &e))
        return;
    struct stretch s = e ? resolve(e, &r) : (struct stretch){0};
    if (s.n > 0 && s.n == zset_count(e)) {
        container_clear(c, e, ev);
    } else if (s.n > 0) {
        keys_edit(c->keys, e);
        zset_remove_range(c->keys, &e, s.from, s.n);
        container_commit(c, e, ev);
    }
    reply_int(c->reply, (int64_t)s.n);
}

static void cmd_zremrangebyrank(struct call *c)
{
    remove_range(c, BY_RANK, EV_ZREMRANGEBYRANK);
}

static void cmd_zremrangebyscore(struct call *c)
{
    remove_range(c, BY_SCORE, EV_ZREMRANGEBYSCORE);
}

/* clang-format off */
const struct command zrange_commands[] = {
    {.name = "zcount", .run = cmd_zcount, .arity = 4, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(log(N))", .syntax = "key min max",
     .summary = "Counts the members with a score in a range."},
    {.name = "zrange", .run = cmd_zrange, .arity = -4, .flags = CMD_READONLY,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(log(N) + M) for M members read",
     .syntax = "key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]",
     .summary = "Reads members in order: a range of ranks, scores or names."},
    {.name = "zrangebyscore", .run = cmd_zrangebyscore, .arity = -4, .flags = CMD_READONLY,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.5", .complexity = "O(log(N) + M) for M members read",
     .syntax = "key min max [WITHSCORES] [LIMIT offset count]",
     .summary = "Reads the members with a score in a range, lowest first."},
    {.name = "zremrangebyrank", .run = cmd_zremrangebyrank, .arity = 4, .flags = CMD_WRITE,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "2.0.0", .complexity = "O(log(N) + M) for M members removed",
     .syntax = "key start stop", .summary = "Removes the members in a range of ranks."},
    {.name = "zremrangebyscore", .run = cmd_zremrangebyscore, .arity = 4, .flags = CMD_WRITE,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(log(N) + M) for M members removed",
     .syntax = "key min max",
     .summary = "Removes the members with a score in a range: permits that have run out."},
    {.name = "zrevrange", .run = cmd_zrevrange, .arity = -4, .flags = CMD_READONLY,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.2.0", .complexity = "O(log(N) + M) for M members read",
     .syntax = "key start stop [WITHSCORES]",
     .summary = "Reads a range of ranks from the highest score down."},
    {.name = "zrevrangebyscore", .run = cmd_zrevrangebyscore, .arity = -4, .flags = CMD_READONLY,
     .acl = ACL_SORTEDSET, .group = GROUP_ZSET, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(log(N) + M) for M members read",
     .syntax = "key max min [WITHSCORES] [LIMIT offset count]",
     .summary = "Reads the members with a score in a range, highest first."},
    {0},
};
/* clang-format on */
