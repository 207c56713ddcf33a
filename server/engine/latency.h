/*
 * The latency monitor: when did something take longer than `latency-monitor-threshold`, and how
 * long. Two kinds of things are watched, as Redis names them: "command" and "fast-command".
 */
#ifndef SERVER_ENGINE_LATENCY_H
#define SERVER_ENGINE_LATENCY_H

#include "base/bytes.h"

#include <stdint.h>

enum latency_event { LATENCY_COMMAND, LATENCY_FAST_COMMAND, LATENCY_EVENTS };
enum { LATENCY_SAMPLES = 160 };

struct latency_sample {
    int64_t wall_s;
    uint32_t ms;
};

struct latency_series {
    size_t n, next; /* samples kept, and where the next one goes */
    uint32_t max;   /* of all ever seen */
    struct latency_sample samples[LATENCY_SAMPLES];
};

struct latency {
    struct latency_series *series[LATENCY_EVENTS]; /* NULL: nothing yet */
};

void latency_add(struct latency *l, enum latency_event event, int64_t wall_s, uint32_t ms);

/* Forgets one kind; false when there was nothing. */
bool latency_clear(struct latency *l, enum latency_event event);
void latency_free(struct latency *l);

const char *latency_name(enum latency_event event);

/* The i-th oldest sample. */
const struct latency_sample *latency_at(const struct latency_series *s, size_t i);

#endif
