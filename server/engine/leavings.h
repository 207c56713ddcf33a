/*
 * What clients leave behind: watches, subscriptions, queued commands, places in queues. There may
 * be too much of it to be forgotten in one go, and it does not depend on its client any more. So
 * leaving something costs the same however much it is, and it is forgotten piece by piece.
 */
#ifndef SERVER_ENGINE_LEAVINGS_H
#define SERVER_ENGINE_LEAVINGS_H

#include "base/list.h"

#include <stdbool.h>

struct engine;
struct leaving;

/* Forgets a part, about one thing for each of `*budget`. True when nothing is left, `l` included.
 */
typedef bool leaving_forget_fn(struct engine *e, struct leaving *l, int *budget);

struct leaving {
    struct list link; /* on engine->leavings */
    leaving_forget_fn *forget;
};

/* From now on `l` is on its own. If it is little, it is gone afterwards. */
void leavings_add(struct engine *e, struct leaving *l, leaving_forget_fn *forget);

/* Forgets for as long as `*budget` lasts; true when there is more to do. */
bool leavings_forget(struct engine *e, int *budget);
void leavings_forget_all(struct engine *e);

/* Whoever takes one thing of the kind that is left behind first forgets two: so leavings cannot
 * pile up, however fast somebody takes and leaves. */
void leavings_make_room(struct engine *e);

#endif
