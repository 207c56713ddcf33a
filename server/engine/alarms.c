#include "server/engine/alarms.h"

struct alarm {
    struct timer timer;
    alarm_fn *ring;
    void *owner;
};

void alarms_init(struct alarms *a, int64_t now)
{
    arena_init(&a->arena);
    wheel_init(&a->wheel, &a->arena, offsetof(struct alarm, timer), now);
}

void alarms_free(struct alarms *a)
{
    arena_free(&a->arena);
}

struct alarm *alarms_set(struct alarms *a, int64_t at, alarm_fn *ring, void *owner)
{
    if (at == WHEEL_NEVER)
        return NULL;
    struct alarm *alarm = arena_new(&a->arena, sizeof *alarm);
    alarm->ring = ring;
    alarm->owner = owner;
    wheel_arm(&a->wheel, alarm, at);
    return alarm;
}

void alarms_cancel(struct alarms *a, struct alarm *alarm)
{
    if (alarm == NULL)
        return;
    wheel_disarm(&a->wheel, alarm);
    arena_drop(&a->arena, alarm);
}

bool alarms_ring(struct alarms *a, struct engine *e, int64_t now, int *budget)
{
    struct alarm *alarm;
    while ((alarm = wheel_pop(&a->wheel, now, budget))) {
        alarm_fn *ring = alarm->ring;
        void *owner = alarm->owner;
        arena_drop(&a->arena, alarm);
        ring(e, owner);
    }
    return *budget <= 0;
}
