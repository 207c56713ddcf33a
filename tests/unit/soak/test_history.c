/* The lock checker itself: does it notice? */
#include "tests/lib/test.h"
#include "tests/soak/history.h"

#define MS INT64_C(1000000)

struct desk {
    struct history h;
    struct buf report;
};

static void open_desk(struct desk *d)
{
    *d = (struct desk){0};
    assert_true(history_init(&d->h, 2, 16));
}

/* What client `who` noted: asked at one moment, answered a millisecond later. */
static struct record *note(struct desk *d, int who, enum lock_kind kind, int64_t ms,
                           enum outcome outcome)
{
    const int64_t lease = 100;
    struct record *r = history_next(&d->h.notes[who]);
    *r = (struct record){.asked = ms * MS,
                         .answered = (ms + 1) * MS,
                         .certain = (ms + lease) * MS,
                         .latest = (ms + 1 + lease) * MS,
                         .kind = (uint8_t)kind,
                         .outcome = (uint8_t)outcome};
    return r;
}

static void check(struct desk *d, size_t broken)
{
    assert_int_equal(history_check(&d->h, &d->report), broken);
    buf_free(&d->report);
    history_free(&d->h);
}

TEST(history, one_after_the_other_is_well)
{
    struct desk d;
    open_desk(&d);
    note(&d, 0, LOCK_STRING, 1000, GRANTED);
    note(&d, 1, LOCK_STRING, 1050, REFUSED);
    note(&d, 1, LOCK_STRING, 1103, GRANTED);
    check(&d, 0);
}

TEST(history, two_holders_at_once_are_noticed)
{
    struct desk d;
    open_desk(&d);
    note(&d, 0, LOCK_STRING, 1000, GRANTED);
    note(&d, 1, LOCK_STRING, 1090, GRANTED);
    check(&d, 1);
}

TEST(history, what_was_given_back_may_be_taken)
{
    struct desk d;
    open_desk(&d);
    struct record *r = note(&d, 0, LOCK_STRING, 1000, GRANTED);
    r->returned = 1020 * MS;
    r->gone = 1021 * MS;
    note(&d, 1, LOCK_STRING, 1021, GRANTED);
    check(&d, 0);
}

TEST(history, a_lock_that_hangs_is_noticed)
{
    struct desk d;
    open_desk(&d);
    note(&d, 0, LOCK_REENTRANT, 1000, GRANTED);
    note(&d, 1, LOCK_REENTRANT, 1120, REFUSED);
    check(&d, 1);
}

TEST(history, a_lease_that_ends_early_is_noticed)
{
    struct desk d;
    open_desk(&d);
    struct record *r = note(&d, 0, LOCK_FAIR, 1000, GRANTED);
    r->returned = 1050 * MS;
    r->gone = 1051 * MS;
    r->refused_return = true;
    check(&d, 1);
}

TEST(history, a_semaphore_has_so_many_permits_and_no_more)
{
    struct desk d;
    open_desk(&d);
    for (int i = 0; i < PERMITS; i++)
        note(&d, 0, LOCK_SEMAPHORE, 1000 + 2 * i, GRANTED);
    struct record *one_more = note(&d, 1, LOCK_SEMAPHORE, 1050, GRANTED);
    assert_int_equal(history_check(&d.h, &d.report), 1);
    one_more->outcome = REFUSED;
    buf_clear(&d.report);
    check(&d, 0);
}

TEST(history, a_question_without_an_answer_may_have_been_heard)
{
    struct desk d;
    open_desk(&d);
    note(&d, 0, LOCK_STRING, 1000, ASKED);
    note(&d, 1, LOCK_STRING, 1500, REFUSED);
    note(&d, 1, LOCK_STRING, 1550, GRANTED);
    check(&d, 0);
}
