#include "server/stopwatch.h"

#include <stddef.h>

/* Between two comparisons: a millisecond, within a factor of two or so on any processor there is.
 */
enum { TICKS_MOST = 3000000 };

#if defined(__x86_64__)
static uint64_t processor_ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#define PROCESSOR_TICKS processor_ticks
#else
#define PROCESSOR_TICKS NULL
#endif

void stopwatch_init(struct stopwatch *w)
{
    *w = (struct stopwatch){.ticks = PROCESSOR_TICKS};
}

static int64_t compare(struct stopwatch *w, const struct clock *c, uint64_t ticks)
{
    int64_t us = clock_real_us(c);
    if (w->first_ticks == 0 || ticks <= w->first_ticks || us <= w->first_us) {
        w->first_ticks = ticks;
        w->first_us = us;
        w->us_per_tick = 0;
    } else {
        w->us_per_tick = (double)(us - w->first_us) / (double)(ticks - w->first_ticks);
    }
    w->last_ticks = ticks;
    w->last_us = us;
    return us;
}

int64_t stopwatch_us(struct stopwatch *w, const struct clock *c)
{
    if (w->ticks == NULL)
        return clock_real_us(c);
    uint64_t ticks = w->ticks(), passed = ticks - w->last_ticks;
    if (w->us_per_tick == 0 || passed > TICKS_MOST)
        return compare(w, c, ticks);
    return w->last_us + (int64_t)((double)passed * w->us_per_tick);
}
