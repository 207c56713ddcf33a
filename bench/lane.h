/*
 * Lanes: each is one connection that goes through a workload's cycle again and again, in batches of
 * so many commands at a time, and the listeners that hear of what it does. Every reply is compared
 * with what it has to be; the first wrong one ends the program.
 */
#ifndef BENCH_LANE_H
#define BENCH_LANE_H

#include "bench/peer.h"
#include "bench/workload.h"

struct traffic_options {
    struct peer peer;
    const struct workload *workload;
    const struct workload_scripts *scripts;
    unsigned lanes;
    int listeners;     /* of each lane */
    unsigned pipeline; /* commands in a batch */
    uint64_t keys;     /* how many different ones %k can be */
    uint64_t seed;
    bool echo; /* the server is an echo: every request is its own answer */
};

struct traffic;

/* Connects all lanes and listeners, and has them say what comes before the cycle. */
struct traffic *traffic_new(const struct traffic_options *o);
void traffic_free(struct traffic *t);

/* Goes on until `ns` have passed or, when that is not 0, `operations` are done; then waits until
 * all is answered. The number of operations done. */
uint64_t traffic_run(struct traffic *t, uint64_t ns, uint64_t operations);

/* How long batches took, in nanoseconds, sorted; forgets them. */
struct durations {
    uint32_t *ns;
    size_t n, cap;
};

void traffic_take_durations(struct traffic *t, struct durations *out);
void durations_free(struct durations *d);

/* The duration that `share` of all do not exceed, in microseconds. */
double durations_us(const struct durations *d, double share);

#endif
