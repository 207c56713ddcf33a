/* Lists: signals to waiters and queues of them. */
#include "base/num.h"
#include "server/commands/containers.h"
#include "server/commands/families.h"
#include "server/engine/waiters.h"
#include "store/deque.h"

enum end { HEAD, TAIL };

static enum key_event push_event(enum end end)
{
    return end == HEAD ? EV_LPUSH : EV_RPUSH;
}

static enum key_event pop_event(enum end end)
{
    return end == HEAD ? EV_LPOP : EV_RPOP;
}

static bool push_item(struct call *c, struct entry **e, enum end end, struct bytes item)
{
    return deque_insert(c->keys, e, end == HEAD ? 0 : deque_count(*e), item);
}

static void push(struct call *c, enum end end, bool only_old)
{
    struct entry *e;
    if (!call_find(c, 1, VALUE_LIST, &e))
        return;
    if (e == NULL && only_old) {
        reply_int(c->reply, 0);
        return;
    }
    if (!container_reserve(c, e, 2, 1) ||
        !(e = call_edit(c, 1, VALUE_LIST, e, container_room(c, 2))))
        return;
    for (size_t i = 2; i < c->argc; i++) {
        if (!push_item(c, &e, end, c->argv[i])) {
            container_out_of_memory(c, e, i > 2, push_event(end));
            return;
        }
    }
    int64_t count = (int64_t)deque_count(e);
    container_commit(c, e, push_event(end));
    reply_int(c->reply, count);
}

static void cmd_lpush(struct call *c)
{
    push(c, HEAD, false);
}

static void cmd_rpush(struct call *c)
{
    push(c, TAIL, false);
}

static void cmd_lpushx(struct call *c)
{
    push(c, HEAD, true);
}

static void cmd_rpushx(struct call *c)
{
    push(c, TAIL, true);
}

/* Takes `n` items from an end, the list being `e`; replies with each. */
static void pop_items(struct call *c, struct entry *e, enum end end, size_t n)
{
    size_t count = deque_count(e);
    struct deque_walk w = deque_walk(e, 0);
    for (size_t i = 0; i < n; i++) {
        if (end == HEAD)
            deque_next(&w);
        reply_bulk(c->reply, end == HEAD ? w.item : deque_at(e, count - 1 - i));
    }
    if (c->reply->lost)
        return;
    keys_edit(c->keys, e);
    deque_remove(c->keys, &e, end == HEAD ? 0 : count - n, n);
    container_commit(c, e, pop_event(end));
}

static void pop_several(struct call *c, struct entry *e, enum end end, int64_t most)
{
    if (e == NULL) {
        reply_null_array(c->reply);
        return;
    }
    size_t n = deque_count(e);
    if ((uint64_t)most < n)
        n = (size_t)most;
    reply_array(c->reply, n);
    if (n > 0)
        pop_items(c, e, end, n);
}

static void pop(struct call *c, enum end end)
{
    struct entry *e;
    int64_t most = 0;
    if (c->argc > 3) {
        call_wrong_arity(c);
        return;
    }
    if (c->argc == 3 && !container_read_count(c, 2, &most))
        return;
    if (!call_find(c, 1, VALUE_LIST, &e))
        return;
    if (c->argc == 3)
        pop_several(c, e, end, most);
    else if (e == NULL)
        reply_null(c->reply);
    else
        pop_items(c, e, end, 1);
}

static void cmd_lpop(struct call *c)
{
    pop(c, HEAD);
}

static void cmd_rpop(struct call *c)
{
    pop(c, TAIL);
}

static void cmd_llen(struct call *c)
{
    container_count(c, VALUE_LIST);
}

static void cmd_lrange(struct call *c)
{
    int64_t first, last;
    struct entry *e;
    if (!call_int(c, 2, &first) || !call_int(c, 3, &last) || !call_find(c, 1, VALUE_LIST, &e))
        return;
    size_t from = 0, n = e ? container_range(first, last, deque_count(e), &from) : 0;
    reply_array(c->reply, n);
    if (n == 0)
        return;
    struct deque_walk w = deque_walk(e, from);
    for (; n > 0 && deque_next(&w); n--)
        reply_bulk(c->reply, w.item);
}

/* An index that may count from the end; false when it is outside. */
static bool find_index(const struct entry *e, int64_t index, size_t *i)
{
    int64_t count = (int64_t)deque_count(e);
    if (index < 0)
        index += count;
    *i = (size_t)index;
    return index >= 0 && index < count;
}

static void cmd_lindex(struct call *c)
{
    int64_t index;
    size_t i;
    struct entry *e;
    /* The key comes first: the wrong type is answered before a wrong index. */
    if (!call_find(c, 1, VALUE_LIST, &e))
        return;
    if (e == NULL) {
        reply_null(c->reply);
        return;
    }
    if (!call_int(c, 2, &index))
        return;
    if (find_index(e, index, &i))
        reply_bulk(c->reply, deque_at(e, i));
    else
        reply_null(c->reply);
}

static void cmd_lset(struct call *c)
{
    int64_t index;
    size_t i;
    struct entry *e;
    if (!call_find(c, 1, VALUE_LIST, &e))
        return;
    if (e == NULL) {
        reply_error(c->reply, ERR_NO_SUCH_KEY);
        return;
    }
    if (!call_int(c, 2, &index))
        return;
    if (!find_index(e, index, &i)) {
        reply_error(c->reply, ERR_OUT_OF_RANGE);
        return;
    }
    keys_edit(c->keys, e);
    if (!deque_replace(c->keys, &e, i, c->argv[3])) {
        container_out_of_memory(c, e, false, EV_LSET);
        return;
    }
    container_commit(c, e, EV_LSET);
    reply_ok(c->reply);
}

static size_t count_equal(const struct entry *e, struct bytes item)
{
    size_t n = 0;
    struct deque_walk w = deque_walk(e, 0);
    while (deque_next(&w))
        n += bytes_eq(w.item, item);
    return n;
}

/* A positive count takes from the head, a negative one from the tail, 0 all. */
static void cmd_lrem(struct call *c)
{
    int64_t count;
    struct entry *e;
    if (!call_int(c, 2, &count) || !call_find(c, 1, VALUE_LIST, &e))
        return;
    size_t found = e ? count_equal(e, c->argv[3]) : 0;
    uint64_t wanted = count < 0 ? -(uint64_t)count : (uint64_t)count;
    size_t taken = count == 0 || wanted > found ? found : (size_t)wanted;
    if (taken > 0) {
        keys_edit(c->keys, e);
        deque_purge(c->keys, &e, c->argv[3], count < 0 ? found - taken : 0, taken);
        container_commit(c, e, EV_LREM);
    }
    reply_int(c->reply, (int64_t)taken);
}

/* Redis announces a trim even when nothing was cut off. */
static void cmd_ltrim(struct call *c)
{
    int64_t first, last;
    struct entry *e;
    if (!call_int(c, 2, &first) || !call_int(c, 3, &last) || !call_find(c, 1, VALUE_LIST, &e))
        return;
    size_t count = e ? deque_count(e) : 0, from = 0;
    size_t n = container_range(first, last, count, &from);
    if (n > 0) {
        keys_edit(c->keys, e);
        deque_remove(c->keys, &e, from + n, count - from - n);
        deque_remove(c->keys, &e, 0, from);
        container_commit(c, e, EV_LTRIM);
    } else if (e) {
        container_clear(c, e, EV_LTRIM);
    }
    reply_ok(c->reply);
}

static bool find_item(const struct entry *e, struct bytes item, size_t *i)
{
    struct deque_walk w = deque_walk(e, 0);
    for (*i = 0; deque_next(&w); ++*i)
        if (bytes_eq(w.item, item))
            return true;
    return false;
}

static void cmd_linsert(struct call *c)
{
    struct entry *e;
    size_t i;
    bool after = call_arg_is(c, 2, BYTES("AFTER"));
    if (!after && !call_arg_is(c, 2, BYTES("BEFORE"))) {
        call_syntax_error(c);
        return;
    }
    if (!call_find(c, 1, VALUE_LIST, &e))
        return;
    if (e == NULL || !find_item(e, c->argv[3], &i)) {
        reply_int(c->reply, e ? -1 : 0);
        return;
    }
    keys_edit(c->keys, e);
    if (!deque_insert(c->keys, &e, i + after, c->argv[4])) {
        container_out_of_memory(c, e, false, EV_LINSERT);
        return;
    }
    int64_t count = (int64_t)deque_count(e);
    container_commit(c, e, EV_LINSERT);
    reply_int(c->reply, count);
}

/* LPOS. */

struct search {
    int64_t rank;  /* the first match to give; negative: from the end */
    int64_t count; /* how many; 0: all; -1: the one, not as an array */
    int64_t most;  /* how many items to look at; 0: all */
};

static bool read_search(struct call *c, struct search *s)
{
    *s = (struct search){.rank = 1, .count = -1};
    for (size_t i = 3; i < c->argc; i += 2) {
        bool last = i + 1 == c->argc;
        if (!last && call_arg_is(c, i, BYTES("RANK"))) {
            if (!call_int_in(c, i + 1, -INT64_MAX, INT64_MAX,
                             "ERR value is out of range, value must between -9223372036854775807 "
                             "and 9223372036854775807",
                             &s->rank))
                return false;
            if (s->rank == 0) {
                reply_error(c->reply, BYTES("ERR RANK can't be zero: use 1 to start from the first "
                                            "match, 2 from the second ... or use negative to start "
                                            "from the end of the list"));
                return false;
            }
        } else if (!last && call_arg_is(c, i, BYTES("COUNT"))) {
            if (!num_parse_i64(c->argv[i + 1], &s->count) || s->count < 0) {
                reply_error(c->reply, BYTES("ERR COUNT can't be negative"));
                return false;
            }
        } else if (!last && call_arg_is(c, i, BYTES("MAXLEN"))) {
            if (!num_parse_i64(c->argv[i + 1], &s->most) || s->most < 0) {
                reply_error(c->reply, BYTES("ERR MAXLEN can't be negative"));
                return false;
            }
        } else {
            call_syntax_error(c);
            return false;
        }
    }
    return true;
}

/* The next match at step `*step` or later, `*step` moving past it; false when there is none. */
static bool next_match(const struct entry *e, const struct search *s, struct bytes item,
                       size_t *step, size_t *i)
{
    size_t count = deque_count(e);
    size_t end = s->most && (uint64_t)s->most < count ? (size_t)s->most : count;
    struct deque_walk w = deque_walk(e, *step);
    while (*step < end) {
        bool down = s->rank < 0;
        *i = down ? count - 1 - *step : *step;
        ++*step;
        if (!down)
            deque_next(&w);
        if (bytes_eq(down ? deque_at(e, *i) : w.item, item))
            return true;
    }
    return false;
}

/* Passes over the matches before the wanted rank; false when there are not as many. */
static bool skip_matches(const struct entry *e, const struct search *s, struct bytes item,
                         size_t *step)
{
    size_t i;
    for (int64_t skip = s->rank < 0 ? -s->rank : s->rank; skip > 1; skip--)
        if (!next_match(e, s, item, step, &i))
            return false;
    return true;
}

static void cmd_lpos(struct call *c)
{
    struct search s;
    struct entry *e;
    if (!read_search(c, &s) || !call_find(c, 1, VALUE_LIST, &e))
        return;
    size_t first = 0, i = 0;
    bool any = e && skip_matches(e, &s, c->argv[2], &first);
    if (s.count < 0) {
        if (any && next_match(e, &s, c->argv[2], &first, &i))
            reply_int(c->reply, (int64_t)i);
        else
            reply_null(c->reply);
        return;
    }
    size_t n = 0, most = s.count ? (size_t)s.count : SIZE_MAX;
    for (size_t step = first; any && n < most && next_match(e, &s, c->argv[2], &step, &i);)
        n++;
    reply_array(c->reply, n);
    for (size_t step = first; n > 0; n--) {
        next_match(e, &s, c->argv[2], &step, &i);
        reply_int(c->reply, (int64_t)i);
    }
}

/* Moving between lists. */

static bool read_end(struct call *c, size_t i, enum end *end)
{
    *end = call_arg_is(c, i, BYTES("LEFT")) ? HEAD : TAIL;
    if (*end == HEAD || call_arg_is(c, i, BYTES("RIGHT")))
        return true;
    call_syntax_error(c);
    return false;
}

/* An item that stays where it is while its list is edited: only a short one can lie in the entry.
 */
static struct bytes hold(struct bytes item, char room[ENTRY_INLINE_MAX])
{
    if (item.n > ENTRY_INLINE_MAX)
        return item;
    bytes_copy(room, item);
    return (struct bytes){room, item.n};
}

/* On one list, the item goes in before it is taken out, so that memory is asked for first. */
static void rotate(struct call *c, struct entry *e, struct bytes item, enum end from, enum end to)
{
    keys_edit(c->keys, e);
    if (!push_item(c, &e, to, item)) {
        container_out_of_memory(c, e, false, push_event(to));
        return;
    }
    size_t i = from == HEAD ? (to == HEAD) : deque_count(e) - 1 - (to == TAIL);
    deque_remove(c->keys, &e, i, 1);
    container_commit(c, e, push_event(to));
    keys_notify(c->keys, c->argv[1], pop_event(from));
}

/* The events come in Redis's order: first the push, then the pop. */
static void move_between(struct call *c, struct entry *source, struct entry *target,
                         struct bytes item, enum end from, enum end to)
{
    if (!(target = call_edit(c, 2, VALUE_LIST, target, 1 + item.n)))
        return;
    if (!push_item(c, &target, to, item)) {
        container_out_of_memory(c, target, false, push_event(to));
        return;
    }
    container_commit(c, target, push_event(to));
    keys_edit(c->keys, source);
    deque_remove(c->keys, &source, from == HEAD ? 0 : deque_count(source) - 1, 1);
    container_commit(c, source, pop_event(from));
}

static void move(struct call *c, enum end from, enum end to)
{
    struct entry *source, *target;
    char room[ENTRY_INLINE_MAX];
    if (!call_find(c, 1, VALUE_LIST, &source))
        return;
    if (source == NULL) {
        reply_null(c->reply);
        return;
    }
    if (!call_find(c, 2, VALUE_LIST, &target))
        return;
    struct bytes item = deque_at(source, from == HEAD ? 0 : deque_count(source) - 1);
    item = hold(item, room);
    if (!call_reserve(c, 2, arena_cost(item.n) + keys_growth(target, 1)))
        return;
    reply_bulk(c->reply, item); /* after which nothing may fail any more */
    if (c->reply->lost)
        return;
    if (source == target)
        rotate(c, source, item, from, to);
    else
        move_between(c, source, target, item, from, to);
}

static void cmd_lmove(struct call *c)
{
    enum end from, to;
    if (read_end(c, 3, &from) && read_end(c, 4, &to))
        move(c, from, to);
}

static void cmd_rpoplpush(struct call *c)
{
    move(c, TAIL, HEAD);
}

/* Waiting. A handler is simply run again when a key has come. */

static void pop_named(struct call *c, size_t i, struct entry *e, bool last)
{
    reply_array(c->reply, 2);
    reply_bulk(c->reply, c->argv[i]);
    pop_items(c, e, last ? TAIL : HEAD, 1);
}

static void cmd_blpop(struct call *c)
{
    container_pop_or_wait(c, VALUE_LIST, pop_named, false);
}

static void cmd_brpop(struct call *c)
{
    container_pop_or_wait(c, VALUE_LIST, pop_named, true);
}

/* A wait that ends without an item gives another kind of nothing than a transaction, which does not
 * wait at all. */
static void move_or_wait(struct call *c, size_t timeout, enum end from, enum end to)
{
    int64_t deadline;
    struct entry *source;
    if (!call_timeout_s(c, timeout, &deadline) || !call_find(c, 1, VALUE_LIST, &source))
        return;
    if (source)
        move(c, from, to);
    else if (call_wait(c, 1, 1, VALUE_LIST, deadline))
        return;
    else if (c->flags & CALL_TIMED_OUT)
        reply_null_array(c->reply);
    else
        reply_null(c->reply);
}

static void cmd_blmove(struct call *c)
{
    enum end from, to;
    if (read_end(c, 3, &from) && read_end(c, 4, &to))
        move_or_wait(c, 5, from, to);
}

static void cmd_brpoplpush(struct call *c)
{
    move_or_wait(c, 3, TAIL, HEAD);
}

/* clang-format off */
const struct command list_commands[] = {
    {.name = "blmove", .run = cmd_blmove, .arity = 6,
     .flags = CMD_WRITE | CMD_DENYOOM | CMD_BLOCKING, .acl = ACL_LIST, .group = GROUP_LIST,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_RW | KEY_INSERT, 2, 0, 1}},
     .since = "6.2.0", .complexity = "O(1)",
     .syntax = "source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout",
     .summary = "Moves an item from list to list; waits for one when there is none."},
    {.name = "blpop", .run = cmd_blpop, .arity = -3, .flags = CMD_WRITE | CMD_BLOCKING,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, -2, 1}},
     .since = "2.0.0", .complexity = "O(N) in the keys given", .syntax = "key [key ...] timeout",
     .summary = "Takes the first item of the first list that has any; waits for one."},
    {.name = "brpop", .run = cmd_brpop, .arity = -3, .flags = CMD_WRITE | CMD_BLOCKING,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, -2, 1}},
     .since = "2.0.0", .complexity = "O(N) in the keys given", .syntax = "key [key ...] timeout",
     .summary = "Takes the last item of the first list that has any; waits for one."},
    {.name = "brpoplpush", .run = cmd_brpoplpush, .arity = 4,
     .flags = CMD_WRITE | CMD_DENYOOM | CMD_BLOCKING, .acl = ACL_LIST, .group = GROUP_LIST,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_RW | KEY_INSERT, 2, 0, 1}},
     .since = "2.2.0", .complexity = "O(1)", .syntax = "source destination timeout",
     .summary = "Moves the last item of one list to the head of another; waits for one."},
    {.name = "lindex", .run = cmd_lindex, .arity = 3, .flags = CMD_READONLY,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key index",
     .summary = "Reads the item at an index; -1 is the last."},
    {.name = "linsert", .run = cmd_linsert, .arity = 5, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(N)", .syntax = "key <BEFORE | AFTER> pivot element",
     .summary = "Puts an item beside the first one that equals the pivot."},
    {.name = "llen", .run = cmd_llen, .arity = 2, .flags = CMD_READONLY | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RO, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key", .summary = "Counts the items."},
    {.name = "lmove", .run = cmd_lmove, .arity = 5, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_LIST, .group = GROUP_LIST,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_RW | KEY_INSERT, 2, 0, 1}},
     .since = "6.2.0", .complexity = "O(1)",
     .syntax = "source destination <LEFT | RIGHT> <LEFT | RIGHT>",
     .summary = "Takes an item from an end of one list and puts it at an end of another."},
    {.name = "lpop", .run = cmd_lpop, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items taken", .syntax = "key [count]",
     .summary = "Takes items from the head; a list without items is gone."},
    {.name = "lpos", .run = cmd_lpos, .arity = -3, .flags = CMD_READONLY,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "6.0.6", .complexity = "O(N)",
     .syntax = "key element [RANK rank] [COUNT num-matches] [MAXLEN len]",
     .summary = "Tells the index of an item: the place in the queue."},
    {.name = "lpush", .run = cmd_lpush, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items put", .syntax = "key element [element ...]",
     .summary = "Puts items at the head, one after the other."},
    {.name = "lpushx", .run = cmd_lpushx, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(N) in the items put", .syntax = "key element [element ...]",
     .summary = "Puts items at the head of a list that is already there."},
    {.name = "lrange", .run = cmd_lrange, .arity = 4, .flags = CMD_READONLY,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RO | KEY_ACCESS, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items read", .syntax = "key start stop",
     .summary = "Reads the items from one index to another, both included."},
    {.name = "lrem", .run = cmd_lrem, .arity = 4, .flags = CMD_WRITE,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N)", .syntax = "key count element",
     .summary = "Takes out items of one value: leaves the queue."},
    {.name = "lset", .run = cmd_lset, .arity = 4, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_UPDATE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(1)", .syntax = "key index element",
     .summary = "Replaces the item at an index."},
    {.name = "ltrim", .run = cmd_ltrim, .arity = 4, .flags = CMD_WRITE,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items cut off", .syntax = "key start stop",
     .summary = "Keeps only the items from one index to another."},
    {.name = "rpop", .run = cmd_rpop, .arity = -2, .flags = CMD_WRITE | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items taken", .syntax = "key [count]",
     .summary = "Takes items from the tail; a list without items is gone."},
    {.name = "rpoplpush", .run = cmd_rpoplpush, .arity = 3, .flags = CMD_WRITE | CMD_DENYOOM,
     .acl = ACL_LIST, .group = GROUP_LIST,
     .keys = {{KEY_RW | KEY_ACCESS | KEY_DELETE, 1, 0, 1}, {KEY_RW | KEY_INSERT, 2, 0, 1}},
     .since = "1.2.0", .complexity = "O(1)", .syntax = "source destination",
     .summary = "Takes the last item of one list and puts it first in another."},
    {.name = "rpush", .run = cmd_rpush, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "1.0.0", .complexity = "O(N) in the items put", .syntax = "key element [element ...]",
     .summary = "Puts items at the tail: wakes a waiter, or joins the queue."},
    {.name = "rpushx", .run = cmd_rpushx, .arity = -3, .flags = CMD_WRITE | CMD_DENYOOM | CMD_FAST,
     .acl = ACL_LIST, .group = GROUP_LIST, .keys = {{KEY_RW | KEY_INSERT, 1, 0, 1}},
     .since = "2.2.0", .complexity = "O(N) in the items put", .syntax = "key element [element ...]",
     .summary = "Puts items at the tail of a list that is already there."},
    {0},
};
/* clang-format on */
