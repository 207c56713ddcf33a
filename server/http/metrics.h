/*
 * The statistics as a page for Prometheus: OpenMetrics, or its older text format for those who ask
 * for that. Both say the same; they differ in how counters are announced.
 */
#ifndef SERVER_HTTP_METRICS_H
#define SERVER_HTTP_METRICS_H

#include "server/engine/engine.h"

struct metrics_options {
    struct engine *engine;
    const struct histogram *lag; /* us that turns of the loop took */
    bool old_format;             /* text/plain, version 0.0.4 */
};

void metrics_print(const struct metrics_options *o, struct buf *out);

#endif
