#include "server/engine/acl_log.h"

#include "base/mem.h"
#include "server/engine/engine.h"
#include "server/engine/roster.h"

enum { TEXT_MOST = 1024, LOOK_BACK = 10, SAME_MS = 60000 };

void acl_log_init(struct acl_log *l)
{
    *l = (struct acl_log){0};
    list_init(&l->entries);
}

static void drop(struct acl_log *l, struct acl_log_entry *entry)
{
    list_unlink(&entry->link);
    l->n--;
    mem_free(entry->object);
    mem_free(entry->user);
    mem_free(entry->client);
    mem_free(entry);
}

static void shorten(struct acl_log *l, size_t most)
{
    while (l->n > most)
        drop(l, container_of(l->entries.prev, struct acl_log_entry, link));
}

void acl_log_clear(struct acl_log *l)
{
    shorten(l, 0);
}

static struct bytes cut(struct bytes text)
{
    return (struct bytes){text.p, text.n < TEXT_MOST ? text.n : TEXT_MOST};
}

static char *keep(struct bytes text)
{
    char *copy = mem_alloc(text.n + 1);
    memcpy(copy, text.p, text.n);
    return copy;
}

static bool is_same(const struct acl_log_entry *a, const struct acl_log_entry *b)
{
    return a->reason == b->reason && a->context == b->context && b->at - a->at <= SAME_MS &&
           bytes_eq((struct bytes){a->object, a->object_n},
                    (struct bytes){b->object, b->object_n}) &&
           bytes_eq((struct bytes){a->user, a->user_n}, (struct bytes){b->user, b->user_n});
}

static struct acl_log_entry *find_same(const struct acl_log *l, const struct acl_log_entry *entry)
{
    int left = LOOK_BACK;
    list_each (pos, &l->entries) {
        struct acl_log_entry *old = container_of(pos, struct acl_log_entry, link);
        if (left-- == 0)
            break;
        if (is_same(old, entry))
            return old;
    }
    return NULL;
}

static char *describe(const struct session *s)
{
    struct buf text = {0};
    roster_print(s, &text);
    char *copy = keep(buf_bytes(&text));
    buf_free(&text);
    return copy;
}

void acl_log_add(struct engine *e, const struct session *s, const char *reason, const char *context,
                 struct bytes object, struct bytes user)
{
    struct acl_log *l = &e->acl.log;
    object = cut(object);
    user = cut(user);
    struct acl_log_entry *entry = mem_alloc(sizeof *entry);
    *entry = (struct acl_log_entry){.id = l->next_id,
                                    .count = 1,
                                    .reason = reason,
                                    .context = context,
                                    .object = keep(object),
                                    .object_n = object.n,
                                    .user = keep(user),
                                    .user_n = user.n,
                                    .client = describe(s),
                                    .at = e->now,
                                    .wall = engine_wall_us(e) / 1000};
    entry->created_wall = entry->wall;
    struct acl_log_entry *same = find_same(l, entry);
    if (same) {
        entry->id = same->id;
        entry->count = same->count + 1;
        entry->created_wall = same->created_wall;
        drop(l, same);
    } else {
        l->next_id++;
    }
    list_append(l->entries.next, &entry->link); /* before the first */
    l->n++;
    shorten(l, (size_t)e->config->acllog_max_len);
}
