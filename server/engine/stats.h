/*
 * What is counted. INFO and /metrics read it. Counting costs a few instructions per
 * command; nothing here allocates but the first use of a command's histogram.
 */
#ifndef SERVER_ENGINE_STATS_H
#define SERVER_ENGINE_STATS_H

#include "resp/reply.h"
#include "server/engine/histogram.h"

#include <stddef.h>

enum { STATS_CODES = 64, STATS_SAMPLES = 16, STATS_SAMPLE_MS = 100 };

struct command_stats {
    uint64_t calls;
    uint64_t rejected; /* refused before they ran */
    uint64_t failed;   /* ran, and answered with an error */
    uint64_t usec;
    struct histogram *times; /* NULL until first needed */
};

struct error_stats {
    char code[REPLY_CODE_MAX];
    uint64_t n;
};

/* How far the counters were at some moment; what lies between two of them is a rate. */
struct stats_sample {
    int64_t at; /* ms */
    uint64_t commands, in, out;
};

struct stats {
    uint64_t commands; /* executed, those inside scripts and transactions included */
    uint64_t connections;
    uint64_t rejected_connections;
    uint64_t hits, misses;
    uint64_t expired;
    struct histogram lateness; /* of what expired, in us */
    uint64_t hold_warnings;
    uint64_t scripts; /* runs */
    uint64_t errors;  /* error replies */
    uint64_t in, out; /* bytes, of clients */
    uint64_t reads, writes;
    uint64_t query_limit_closed, output_limit_closed, evicted_clients;
    uint64_t denied_logins, denied_commands, denied_keys, denied_channels;
    size_t peak_memory;
    struct command_stats *by_command; /* by registry_id */
    size_t ncommands;
    struct error_stats by_code[STATS_CODES]; /* in the order in which they first came */
    size_t ncodes;
    struct stats_sample samples[STATS_SAMPLES];
    size_t next_sample;
};

struct stats_rates {
    double commands, in, out; /* per second */
};

void stats_init(struct stats *s, size_t ncommands);
void stats_free(struct stats *s);
void stats_reset(struct stats *s); /* CONFIG RESETSTAT */

/* An error reply was given. */
void stats_error(struct stats *s, const char *code);

/* A key was removed that long after its deadline. */
static inline void stats_expired(struct stats *s, uint64_t late_ms)
{
    s->expired++;
    histogram_add(&s->lateness, late_ms * 1000);
}

/* A command took that long. */
void stats_took(struct command_stats *c, uint64_t us, bool tracked);

/* Over the last second and a half or so. */
struct stats_rates stats_rates(struct stats *s, int64_t now);

/* To be called often: takes a sample when it is time for one. */
void stats_take_sample(struct stats *s, int64_t now);
static inline void stats_tick(struct stats *s, int64_t now)
{
    size_t last = (s->next_sample + STATS_SAMPLES - 1) % STATS_SAMPLES;
    if (now - s->samples[last].at >= STATS_SAMPLE_MS)
        stats_take_sample(s, now);
}

#endif
