/* Commands that could go on for long and do not: what one of them may do before others have a turn.
 */
#include "server/commands/containers.h"
#include "tests/lib/scanned.h"

#include <stdio.h>

enum { MANY = 12000, LOOKED_AT = SCAN_WORK / SCAN_LOOK };

#define LONG_NAME "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/* `format` has two numbers, which are the same. */
static void make(struct rig *r, const char *format, int n)
{
    char line[256];
    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof line, format, i, i);
        run(r, line);
    }
}

/* Scans from the start to the end; gives the most elements that one call brought. */
static size_t scan_all(struct rig *r, const char *format, size_t *total, size_t *calls)
{
    unsigned long cursor = 0;
    size_t most = 0;
    char line[256];
    *total = *calls = 0;
    do {
        snprintf(line, sizeof line, format, cursor);
        run(r, line);
        size_t n = scanned(r, &cursor);
        *total += n;
        ++*calls;
        most = n > most ? n : most;
    } while (cursor);
    return most;
}

TEST(slices, a_scan_looks_at_so_many_keys_whatever_it_asks_for)
{
    struct rig *r = rig_new();
    size_t total, calls;
    make(r, "SET key:%d %d", MANY);
    size_t most = scan_all(r, "SCAN %lu COUNT 1000000000", &total, &calls);
    assert_in_range(most, LOOKED_AT / 2, LOOKED_AT + 100);
    assert_int_equal(total, MANY);
    assert_int_equal(calls, 2);
    scan_all(r, "SCAN %lu COUNT 1000000000 TYPE list", &total, &calls);
    assert_int_equal(calls, 2);
    rig_free(r);
}

TEST(slices, a_pattern_that_backtracks_makes_a_scan_shorter)
{
    struct rig *r = rig_new();
    size_t total, calls;
    make(r, "SET " LONG_NAME "%d %d", MANY / 10);
    scan_all(r, "SCAN %lu COUNT 1000000000 MATCH *aaaaaaaaaaaaaaaaaaaaaaaaaab", &total, &calls);
    assert_int_equal(total, 0);
    assert_true(calls > 2);
    scan_all(r, "SCAN %lu COUNT 1000000000 MATCH *7", &total, &calls);
    assert_int_equal(total, MANY / 100);
    assert_int_equal(calls, 1);
    rig_free(r);
}

TEST(slices, containers_are_scanned_in_slices_too)
{
    static const struct {
        const char *make, *scan;
        size_t per_item;
    } kinds[] = {
        {"HSET k field:%d %d", "HSCAN k %lu COUNT 1000000000", 2},
        {"SADD k member:%d:%d", "SSCAN k %lu COUNT 1000000000", 1},
        {"ZADD k %d member:%d", "ZSCAN k %lu COUNT 1000000000", 2},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct rig *r = rig_new();
        size_t total, calls;
        make(r, kinds[i].make, MANY);
        size_t most = scan_all(r, kinds[i].scan, &total, &calls);
        assert_in_range(most / kinds[i].per_item, LOOKED_AT / 2, LOOKED_AT + 100);
        assert_int_equal(total, MANY * kinds[i].per_item);
        assert_int_equal(calls, 2);
        rig_free(r);
    }
}

/* The first so many patterns take all that a message may cost; one that is meant comes after them.
 */
/* `line` takes everything out of a large container. */
static void goes_as_a_whole(const char *item, const char *line, const char *reply)
{
    struct rig *r = rig_new();
    make(r, item, MANY);
    size_t full = engine_memory(r->engine);
    expect(r, line, reply);
    expect(r, "EXISTS key", ":0");
    assert_true(engine_memory(r->engine) > full / 2);
    while (engine_advance(r->engine, r->now))
        ;
    assert_true(engine_memory(r->engine) < full / 2);
    rig_free(r);
}

TEST(slices, what_is_taken_out_altogether_is_freed_in_slices)
{
    goes_as_a_whole("RPUSH key a%d", "LTRIM key 1 0", "+OK");
    goes_as_a_whole("ZADD key %d m%d", "ZREMRANGEBYSCORE key -inf +inf", ":12000");
    goes_as_a_whole("ZADD key %d m%d", "ZREMRANGEBYRANK key 0 -1", ":12000");
}

TEST(slices, hostile_patterns_do_not_keep_a_message_from_others)
{
    enum { HOSTILE = 2000 };
    struct rig *r = rig_new();
    as(r, 1);
    make(r, "PSUBSCRIBE *aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab%d:%d", HOSTILE);
    as(r, 2);
    run(r, "PSUBSCRIBE *[0-9]end");
    run(r, "PSUBSCRIBE " LONG_NAME "*");
    as(r, 0);
    expect(r, "PUBLISH " LONG_NAME LONG_NAME "7end x", ":2");
    rig_free(r);
}
