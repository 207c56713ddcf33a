/*
 * Finding the oldest locks, in small steps: there may be millions of them, and while somebody
 * looks, clients are served between two steps. What comes and goes meanwhile may be missed.
 */
#ifndef SERVER_ENGINE_LOCK_SEARCH_H
#define SERVER_ENGINE_LOCK_SEARCH_H

#include "server/engine/locks.h"

struct lock_search;

/* For those of that database (NULL: of all) whose name matches, at most `max` of them. */
struct lock_search *lock_search_new(struct engine *e, const struct keys *k, struct bytes glob,
                                    size_t max);
void lock_search_free(struct lock_search *s); /* NULL is harmless */

/* Looks at about `keys` more keys, or at all that are left. False when it has seen all. */
enum { LOCK_SEARCH_ALL = -1 };
bool lock_search_step(struct lock_search *s, int keys);

/* Was there no memory to keep all that it found? */
bool lock_search_lost(const struct lock_search *s);

/* Shows those that were found and are still there, the oldest first. Returns how many there were,
 * shown or not. */
typedef void lock_visit_fn(void *ctx, const struct lock_view *v);
size_t lock_search_tell(const struct lock_search *s, lock_visit_fn *visit, void *ctx);

#endif
