#include "server/commands/containers.h"

#include "base/glob.h"
#include "base/mem.h"
#include "base/num.h"
#include "server/engine/waiters.h"
#include "store/deque.h"
#include "store/hash.h"
#include "store/set.h"
#include "store/values.h"
#include "store/zset.h"

static struct value_limits limits_of(const struct config *cfg)
{
    return (struct value_limits){
        .hash_entries = (size_t)cfg->hash_max_listpack_entries,
        .hash_value = (size_t)cfg->hash_max_listpack_value,
        .zset_entries = (size_t)cfg->zset_max_listpack_entries,
        .zset_value = (size_t)cfg->zset_max_listpack_value,
        .set_entries = (size_t)cfg->set_max_listpack_entries,
        .set_value = (size_t)cfg->set_max_listpack_value,
        .set_integers = (size_t)cfg->set_max_intset_entries,
        .list_size = cfg->list_max_listpack_size,
    };
}

static void grade(const struct call *c, struct entry *e)
{
    struct value_limits limits = limits_of(c->engine->config);
    switch (e->type) {
    case VALUE_HASH: hash_grade(e, &limits); break;
    case VALUE_LIST: deque_grade(e, &limits); break;
    case VALUE_SET: set_grade(e, &limits); break;
    case VALUE_ZSET: zset_grade(e, &limits); break;
    default: break;
    }
}

size_t container_room(const struct call *c, size_t i)
{
    size_t room = 0;
    for (; i < c->argc && room <= ENTRY_INLINE_MAX; i++)
        room += 1 + c->argv[i].n;
    return room;
}

bool container_reserve(struct call *c, const struct entry *e, size_t i, size_t per)
{
    size_t n = (c->argc - i) / per;
    return n <= 1 || call_reserve(c, i, keys_growth(e, n));
}

void container_commit(struct call *c, struct entry *e, enum key_event ev)
{
    grade(c, e);
    keys_commit(c->keys, e, ev);
}

void container_clear(struct call *c, struct entry *e, enum key_event ev)
{
    keys_edit(c->keys, e);
    keys_commit(c->keys, e, ev);
    keys_delete(c->keys, e, EV_DEL);
}

void container_count(struct call *c, enum value_type type)
{
    struct entry *e;
    if (call_find(c, 1, type, &e))
        reply_int(c->reply, e ? (int64_t)value_ops[type]->count(e) : 0);
}

void container_pop_or_wait(struct call *c, enum value_type type, container_pop_fn *pop, bool last)
{
    int64_t deadline;
    size_t nkeys = c->argc - 2;
    struct entry *e;
    if (!call_timeout_s(c, c->argc - 1, &deadline))
        return;
    for (size_t i = 1; i <= nkeys; i++) {
        if (!call_find(c, i, type, &e))
            return;
        if (e) {
            pop(c, i, e, last);
            return;
        }
    }
    if (!call_wait(c, 1, nkeys, type, deadline))
        reply_null_array(c->reply);
}

void container_remove(struct call *c, enum value_type type, container_remove_fn *remove,
                      enum key_event ev)
{
    struct entry *e;
    int64_t removed = 0;
    if (!call_find(c, 1, type, &e))
        return;
    if (e) {
        keys_edit(c->keys, e);
        for (size_t i = 2; i < c->argc; i++)
            removed += remove(c->keys, &e, c->argv[i]);
        if (removed)
            container_commit(c, e, ev);
        else
            keys_abandon(c->keys, e);
    }
    reply_int(c->reply, removed);
}

void container_out_of_memory(struct call *c, struct entry *e, bool changed, enum key_event ev)
{
    if (changed && !(e->flags & ENTRY_FRESH))
        container_commit(c, e, ev);
    else
        keys_abandon(c->keys, e);
    call_out_of_memory(c);
}

bool container_read_count(struct call *c, size_t i, int64_t *count)
{
    if (num_parse_i64(c->argv[i], count) && *count >= 0)
        return true;
    reply_error(c->reply, ERR_NOT_POSITIVE);
    return false;
}

size_t container_range(int64_t first, int64_t last, size_t n, size_t *from)
{
    int64_t count = (int64_t)n;
    if (first < 0)
        first = first + count > 0 ? first + count : 0;
    if (last < 0)
        last += count;
    else if (last >= count)
        last = count - 1;
    if (first > last)
        return 0;
    *from = (size_t)first;
    return (size_t)(last - first + 1);
}

bool scan_wants(const struct bytes *pattern, struct bytes name, size_t *work)
{
    size_t may = glob_steps(name), left = may;
    bool wanted =
        pattern == NULL || bytes_is(*pattern, "*") || glob_match_within(*pattern, name, &left);
    *work += (may - left) + (wanted ? name.n / SCAN_BYTES : 0);
    return wanted;
}

static bool read_scan_option(struct call *c, size_t *i, struct scan *s)
{
    bool last = *i + 1 >= c->argc;
    if (!last && call_arg_is(c, *i, BYTES("COUNT"))) {
        if (!call_int(c, ++*i, &s->count))
            return false;
        if (s->count >= 1)
            return true;
    } else if (!last && call_arg_is(c, *i, BYTES("MATCH"))) {
        s->pattern = &c->argv[++*i];
        return true;
    } else if (call_arg_is(c, *i, BYTES("NOVALUES"))) {
        s->novalues = true;
        if (bytes_is(bytes_of(c->cmd->name), "hscan"))
            return true;
        reply_error(c->reply, ERR_NOVALUES);
        return false;
    }
    call_syntax_error(c);
    return false;
}

bool scan_begin(struct call *c, enum value_type type, struct scan *s, struct entry **e)
{
    *s = (struct scan){.count = 10};
    if (!call_cursor(c, 2, &s->cursor) || !call_find(c, 1, type, e))
        return false;
    if (*e == NULL) {
        reply_array(c->reply, 2);
        reply_bulk_i64(c->reply, 0);
        reply_array(c->reply, 0);
        return false;
    }
    for (size_t i = 3; i < c->argc; i++)
        if (!read_scan_option(c, &i, s))
            return false;
    return true;
}

static bool grow_scan(struct scan *s)
{
    struct scan_item *items = mem_try_double(s->items, &s->cap, 16, sizeof *items);
    if (items)
        s->items = items;
    return items != NULL;
}

void scan_add(struct scan *s, struct scan_item item)
{
    s->seen++;
    s->work += SCAN_LOOK;
    if (!scan_wants(s->pattern, item.name, &s->work))
        return;
    s->work += item.value.n / SCAN_BYTES;
    if (s->n == s->cap && !grow_scan(s))
        s->lost = true;
    else
        s->items[s->n++] = item;
}

bool scan_goes_on(const struct scan *s)
{
    return s->cursor != 0 && s->seen < (size_t)s->count && s->work < SCAN_WORK;
}

void scan_reply(struct call *c, struct scan *s, size_t per_item, scan_put_fn *put)
{
    if (s->lost) {
        call_out_of_memory(c);
    } else {
        reply_array(c->reply, 2);
        reply_bulk_i64(c->reply, s->cursor);
        reply_array(c->reply, s->n * per_item);
        for (size_t i = 0; i < s->n; i++)
            put(c, &s->items[i]);
    }
    mem_free(s->items);
}
