#include "server/engine/leavings.h"

#include "server/engine/engine.h"

#include <limits.h>

enum { AT_ONCE = 512 };

void leavings_add(struct engine *e, struct leaving *l, leaving_forget_fn *forget)
{
    int budget = AT_ONCE;
    l->forget = forget;
    if (!forget(e, l, &budget))
        list_append(&e->leavings, &l->link);
}

bool leavings_forget(struct engine *e, int *budget)
{
    while (*budget > 0 && !list_empty(&e->leavings)) {
        struct leaving *l = container_of(e->leavings.next, struct leaving, link);
        list_unlink(&l->link);
        if (!l->forget(e, l, budget))
            list_append(&e->leavings, &l->link);
    }
    return !list_empty(&e->leavings);
}

void leavings_make_room(struct engine *e)
{
    int budget = 2;
    leavings_forget(e, &budget);
}

void leavings_forget_all(struct engine *e)
{
    for (int budget = INT_MAX; leavings_forget(e, &budget);)
        budget = INT_MAX;
}
