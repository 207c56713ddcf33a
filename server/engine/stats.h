/*
 * What is counted. INFO, and later /metrics, read it.
 */
#ifndef SERVER_ENGINE_STATS_H
#define SERVER_ENGINE_STATS_H

#include <stdint.h>

struct stats {
    uint64_t commands; /* executed, those inside scripts and transactions included */
    uint64_t connections;
    uint64_t rejected_connections;
    uint64_t hits, misses;
    uint64_t expired;
    uint64_t errors; /* error replies */
};

#endif
