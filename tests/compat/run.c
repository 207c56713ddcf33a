#include "tests/compat/run.h"

#include "base/quote.h"
#include "tests/compat/compare.h"
#include "tests/lib/words.h"

#include <time.h>

static int64_t wall_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static bool has_expectations(const struct script_case *c, int protocol)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->steps[i].expect[protocol - 2].p)
            return true;
    return false;
}

static void report_answer(struct buf *report, const char *who, struct bytes reply)
{
    buf_printf(report, "#     %-8s ", who);
    quote_put(report, reply);
    buf_putc(report, '\n');
}

/* Compares what `who` answered with the bytes written in the case. */
static bool as_written(const struct step *step, int protocol, const struct side *who,
                       struct bytes reply, struct buf *report)
{
    struct bytes written = step->expect[protocol - 2];
    struct words w;
    if (written.p == NULL)
        return true;
    bool same = words_split(&w, written) && compare(&step->check, reply, buf_bytes(&w.text));
    if (!same) {
        report_answer(report, who->name, reply);
        report_answer(report, "written", buf_bytes(&w.text));
    }
    words_free(&w);
    return same;
}

/* A case that waits for what never comes is wrong, even if both servers keep it waiting. */
static bool came(const struct side *who, struct bytes reply, struct buf *report)
{
    if (!bytes_eq(reply, BYTES(SIDE_NOTHING)))
        return true;
    report_answer(report, who->name, reply);
    return false;
}

/* `stuck` when a reply did not come: what follows would only be out of step. */
static bool run_step(struct side *subject, struct side *oracle, const struct step *step,
                     struct buf *report, bool *stuck)
{
    struct buf got = {0}, want = {0};
    int64_t now = wall_ms();
    buf_printf(report, "#   %4d  %.*s\n", step->line, BYTES_FMT(step->source));
    side_do(subject, step, now, &got);
    *stuck = !came(subject, buf_bytes(&got), report);
    bool good = as_written(step, subject->protocol, subject, buf_bytes(&got), report);
    if (oracle) {
        side_do(oracle, step, now, &want);
        *stuck |= !came(oracle, buf_bytes(&want), report);
        good &= as_written(step, oracle->protocol, oracle, buf_bytes(&want), report);
        if (!compare(&step->check, buf_bytes(&got), buf_bytes(&want))) {
            report_answer(report, subject->name, buf_bytes(&got));
            report_answer(report, oracle->name, buf_bytes(&want));
            good = false;
        }
    }
    buf_free(&got);
    buf_free(&want);
    return good && !*stuck;
}

static enum run_result skip(struct buf *report, const char *why)
{
    buf_put(report, bytes_of(why));
    return RUN_SKIPPED;
}

enum run_result run_case(struct side *subject, struct side *oracle, const struct script_case *c,
                         int protocol, struct buf *report)
{
    if (oracle && !version_holds(&c->holds, &oracle->version))
        oracle = NULL;
    if (!oracle && !has_expectations(c, protocol))
        return skip(report, "nothing to compare with");
    if (!subject->version.latchd && !version_holds(&c->holds, &subject->version))
        return skip(report, "not for this version");

    if (!side_begin(subject, c, protocol) || (oracle && !side_begin(oracle, c, protocol))) {
        buf_put(report, BYTES("#   a server does not answer any more\n"));
        return RUN_FAILED;
    }
    bool good = true, stuck = false;
    for (size_t i = 0; !stuck && i < c->n; i++)
        good &= run_step(subject, oracle, &c->steps[i], report, &stuck);
    side_end(subject);
    if (oracle)
        side_end(oracle);
    return good ? RUN_OK : RUN_FAILED;
}
