#include "server/engine/latency.h"

#include "base/mem.h"

/* Within one second only the worst is kept. */
void latency_add(struct latency *l, enum latency_event event, int64_t wall_s, uint32_t ms)
{
    struct latency_series *s = l->series[event];
    if (s == NULL)
        s = l->series[event] = mem_alloc(sizeof *s);
    if (ms > s->max)
        s->max = ms;
    struct latency_sample *last = &s->samples[(s->next + LATENCY_SAMPLES - 1) % LATENCY_SAMPLES];
    if (s->n && last->wall_s == wall_s) {
        if (ms > last->ms)
            last->ms = ms;
        return;
    }
    s->samples[s->next] = (struct latency_sample){wall_s, ms};
    s->next = (s->next + 1) % LATENCY_SAMPLES;
    if (s->n < LATENCY_SAMPLES)
        s->n++;
}

bool latency_clear(struct latency *l, enum latency_event event)
{
    bool had = l->series[event] != NULL;
    mem_free(l->series[event]);
    l->series[event] = NULL;
    return had;
}

void latency_free(struct latency *l)
{
    for (int event = 0; event < LATENCY_EVENTS; event++)
        latency_clear(l, (enum latency_event)event);
}

const char *latency_name(enum latency_event event)
{
    return event == LATENCY_COMMAND ? "command" : "fast-command";
}

const struct latency_sample *latency_at(const struct latency_series *s, size_t i)
{
    return &s->samples[(s->next + LATENCY_SAMPLES - s->n + i) % LATENCY_SAMPLES];
}
