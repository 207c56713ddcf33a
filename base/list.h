/*
 * An intrusive, circular, doubly linked list. The head is a node like any other; an initialised
 * node that is on no list points to itself, so unlinking twice is harmless.
 */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list {
    struct list *prev, *next;
};

#define container_of(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define list_each(pos, head) for (struct list *pos = (head)->next; pos != (head); pos = pos->next)

/* The current node may be unlinked in the body; no other may. */
#define list_each_safe(pos, head)                                                                  \
    for (struct list *pos = (head)->next, *pos##_next = pos->next; pos != (head);                  \
         pos = pos##_next, pos##_next = pos->next)

static inline void list_init(struct list *l)
{
    l->prev = l->next = l;
}

static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}

static inline void list_append(struct list *head, struct list *node)
{
    node->prev = head->prev;
    node->next = head;
    head->prev->next = node;
    head->prev = node;
}

/* Moves everything to the empty list `to`, in order. */
static inline void list_take_all(struct list *from, struct list *to)
{
    list_init(to);
    if (from->next == from)
        return;
    *to = *from;
    to->next->prev = to->prev->next = to;
    list_init(from);
}

static inline void list_unlink(struct list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    list_init(node);
}

#endif
