#include "server/engine/stats.h"

#include "base/mem.h"

#include <string.h>

void stats_init(struct stats *s, size_t ncommands)
{
    *s = (struct stats){.ncommands = ncommands};
    s->by_command = mem_alloc(ncommands * sizeof *s->by_command);
}

static void drop_histograms(struct stats *s)
{
    for (size_t i = 0; i < s->ncommands; i++)
        mem_free(s->by_command[i].times);
}

void stats_free(struct stats *s)
{
    drop_histograms(s);
    mem_free(s->by_command);
}

/* The counters of commands stay where they are: one of them belongs to the very command that asks.
 */
void stats_reset(struct stats *s)
{
    drop_histograms(s);
    memset(s->by_command, 0, s->ncommands * sizeof *s->by_command);
    *s = (struct stats){.by_command = s->by_command, .ncommands = s->ncommands};
}

/* Codes beyond those there is room for are counted in all only: a script may invent any number. */
void stats_error(struct stats *s, const char *code)
{
    size_t i = 0;
    s->errors++;
    while (i < s->ncodes && strcmp(s->by_code[i].code, code) != 0)
        i++;
    if (i == STATS_CODES)
        return;
    if (i == s->ncodes) {
        s->ncodes++;
        memcpy(s->by_code[i].code, code, strlen(code) + 1);
    }
    s->by_code[i].n++;
}

void stats_took(struct command_stats *c, uint64_t us, bool tracked)
{
    c->usec += us;
    if (!tracked)
        return;
    if (c->times == NULL)
        c->times = mem_alloc(sizeof *c->times);
    histogram_add(c->times, us);
}

void stats_take_sample(struct stats *s, int64_t now)
{
    s->samples[s->next_sample] = (struct stats_sample){now, s->commands, s->in, s->out};
    s->next_sample = (s->next_sample + 1) % STATS_SAMPLES;
}

/* The oldest sample is where the count begins. After a silence it is old, and the rate then is what
 * came since divided by all that time: next to nothing, as it should be. */
struct stats_rates stats_rates(struct stats *s, int64_t now)
{
    stats_tick(s, now);
    const struct stats_sample *from = &s->samples[s->next_sample];
    double seconds = (double)(now - from->at) / 1000;
    if (seconds <= 0)
        return (struct stats_rates){0};
    return (struct stats_rates){
        .commands = (double)(s->commands - from->commands) / seconds,
        .in = (double)(s->in - from->in) / seconds,
        .out = (double)(s->out - from->out) / seconds,
    };
}
