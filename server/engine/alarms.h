/*
 * The engine's own deadlines: timeouts of waiting clients, the end of a pause. Keys have a wheel of
 * their own; this is the other one.
 */
#ifndef SERVER_ENGINE_ALARMS_H
#define SERVER_ENGINE_ALARMS_H

#include "store/wheel.h"

struct engine;
struct alarm;

typedef void alarm_fn(struct engine *e, void *owner);

struct alarms {
    struct arena arena;
    struct wheel wheel;
};

void alarms_init(struct alarms *a, int64_t now);
void alarms_free(struct alarms *a);

/* `ring` is called once, at or soon after `at` (ms); the alarm is gone by then. WHEEL_NEVER gives
 * NULL: no alarm. */
struct alarm *alarms_set(struct alarms *a, int64_t at, alarm_fn *ring, void *owner);
void alarms_cancel(struct alarms *a, struct alarm *alarm); /* NULL is harmless */

/* Rings what is due, within the budget; true when there is more. */
bool alarms_ring(struct alarms *a, struct engine *e, int64_t now, int *budget);

#endif
