#include "tests/lib/heard.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"

TEST(zsets, a_semaphore_of_two_permits)
{
    struct rig *r = rig_new();
    expect(r, "ZREMRANGEBYSCORE sem -inf 900", ":0");
    expect(r, "ZADD sem 1000 a", ":1");
    expect(r, "ZADD sem 1001 b", ":1");
    expect(r, "ZADD sem 1002 c", ":1");
    expect(r, "ZRANK sem b", ":1");
    expect(r, "ZRANK sem c", ":2"); /* too late */
    expect(r, "ZREM sem c", ":1");
    expect(r, "ZADD sem XX CH 2000 a", ":1");
    expect(r, "ZREMRANGEBYSCORE sem -inf (2000", ":1");
    expect(r, "ZRANGE sem 0 -1 WITHSCORES", "*2 $1 a $4 2000");
    rig_free(r);
}

TEST(zsets, conditions_decide_what_is_written)
{
    struct rig *r = rig_new();
    expect(r, "ZADD z 1 a 2 b", ":2");
    expect(r, "ZADD z NX 9 a 3 c", ":1");
    expect(r, "ZADD z XX 5 a 9 new", ":0");
    expect(r, "ZADD z XX CH 6 a 9 new", ":1");
    expect(r, "ZADD z GT CH 5 a 3 b", ":1");
    expect(r, "ZADD z LT CH 7 a 1 b", ":1");
    expect(r, "ZADD z GT 1 added", ":1");
    expect(r, "ZMSCORE z a b c new added", "*5 $1 6 $1 1 $1 3 $-1 $1 1");
    expect(r, "ZADD z INCR 2 a", "$1 8");
    expect(r, "ZADD z NX INCR 2 a", "$-1");
    expect(r, "ZADD z XX INCR 2 new", "$-1");
    expect(r, "ZADD z GT INCR -1 a", "$-1");
    expect(r, "ZADD z INCR 0 a", "$1 8");
    expect(r, "ZINCRBY z -3.5 a", "$3 4.5");
    expect(r, "ZINCRBY z 1 fresh", "$1 1");
    rig_free(r);
}

TEST(zsets, arguments_are_checked_before_anything_changes)
{
    struct rig *r = rig_new();
    expect(r, "ZADD z NX XX 1 a", "-ERR XX and NX options at the same time are not compatible");
    expect(r, "ZADD z GT LT 1 a",
           "-ERR GT, LT, and/or NX options at the same time are not compatible");
    expect(r, "ZADD z INCR 1 a 2 b", "-ERR INCR option supports a single increment-element pair");
    expect(r, "ZADD z 1 a 2", "-ERR syntax error");
    expect(r, "ZADD z 1 a x b", "-ERR value is not a valid float");
    expect(r, "ZADD z nan a", "-ERR value is not a valid float");
    expect(r, "EXISTS z", ":0");
    run(r, "ZADD z inf a");
    expect(r, "ZINCRBY z -inf a", "-ERR resulting score is not a number (NaN)");
    expect(r, "ZSCORE z a", "$3 inf");
    rig_free(r);
}

TEST(zsets, ranges_by_rank)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 1 a 2 b 3 c 4 d");
    expect(r, "ZRANGE z 1 2", "*2 $1 b $1 c");
    expect(r, "ZRANGE z -2 -1 REV", "*2 $1 b $1 a");
    expect(r, "ZREVRANGE z 0 1 WITHSCORES", "*4 $1 d $1 4 $1 c $1 3");
    expect(r, "ZRANGE z 4 9", "*0");
    expect(r, "ZREVRANK z a", ":3");
    expect(r, "ZRANK z b WITHSCORE", "*2 :1 $1 2");
    expect(r, "ZRANK z x", "$-1");
    expect(r, "ZRANK z x WITHSCORE", "*-1");
    expect(r, "ZREMRANGEBYRANK z 1 -2", ":2");
    expect(r, "ZRANGE z 0 -1", "*2 $1 a $1 d");
    expect(
        r, "ZRANGE z 0 -1 LIMIT 0 1",
        "-ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    rig_free(r);
}

TEST(zsets, ranges_by_score)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 1 a 2 b 2 bb 3 c 4 d");
    expect(r, "ZRANGEBYSCORE z 2 3", "*3 $1 b $2 bb $1 c");
    expect(r, "ZRANGEBYSCORE z (2 +inf", "*2 $1 c $1 d");
    expect(r, "ZRANGEBYSCORE z -inf (2", "*1 $1 a");
    expect(r, "ZREVRANGEBYSCORE z 3 2 LIMIT 1 1", "*1 $2 bb");
    expect(r, "ZRANGE z (4 1 BYSCORE REV LIMIT 0 2 WITHSCORES", "*4 $1 c $1 3 $2 bb $1 2");
    expect(r, "ZRANGEBYSCORE z 1 4 LIMIT 3 -1", "*2 $1 c $1 d");
    expect(r, "ZRANGEBYSCORE z 1 4 LIMIT -1 5", "*0");
    expect(r, "ZRANGEBYSCORE z 1 4 LIMIT 9 1", "*0");
    expect(r, "ZRANGEBYSCORE z 4 1", "*0");
    expect(r, "ZCOUNT z 2 (4", ":3");
    expect(r, "ZCOUNT z 9 1", ":0");
    expect(r, "ZCOUNT z a 1", "-ERR min or max is not a float");
    expect(r, "ZCOUNT missing 1 2", ":0");
    expect(r, "ZCOUNT z ( 1e400", ":5"); /* read as strtod does */
    expect(r, "ZCOUNT z ' 2' 2", ":2");
    expect(r, "ZCOUNT z nan 2", "-ERR min or max is not a float");
    rig_free(r);
}

TEST(zsets, ranges_by_name)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 0 a 0 b 0 c 0 d");
    expect(r, "ZRANGE z [b + BYLEX", "*3 $1 b $1 c $1 d");
    expect(r, "ZRANGE z - (c BYLEX", "*2 $1 a $1 b");
    expect(r, "ZRANGE z (d [b BYLEX REV LIMIT 1 5", "*1 $1 b");
    expect(r, "ZRANGE z + - BYLEX", "*0");
    expect(r, "ZRANGE z b c BYLEX", "-ERR min or max not valid string range item");
    rig_free(r);
}

TEST(zsets, replies_have_pairs_in_resp3)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 1 a 2.5 b 3 c");
    run(r, "HELLO 3");
    expect(r, "ZRANGE z 0 0 WITHSCORES", "*1 *2 $1 a ,1");
    expect(r, "ZPOPMIN z", "*2 $1 a ,1");
    expect(r, "ZPOPMIN z 1", "*1 *2 $1 b ,2.5");
    expect(r, "ZSCORE z c", ",3");
    expect(r, "ZRANK z x WITHSCORE", "_");
    expect(r, "BZPOPMAX z 0", "*3 $1 z $1 c ,3");
    rig_free(r);
}

TEST(zsets, the_ends_are_popped)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 1 a 2 b 3 c 4 d 5 e");
    expect(r, "ZPOPMIN z", "*2 $1 a $1 1");
    expect(r, "ZPOPMAX z 2", "*4 $1 e $1 5 $1 d $1 4");
    expect(r, "ZPOPMIN z 0", "*0");
    expect(r, "ZPOPMIN z -1", "-ERR value is out of range, must be positive");
    expect(r, "ZPOPMIN z 9", "*4 $1 b $1 2 $1 c $1 3");
    expect(r, "EXISTS z", ":0");
    expect(r, "ZPOPMIN z", "*0");
    rig_free(r);
}

TEST(zsets, a_waiter_gets_the_lowest)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "BZPOPMIN y z 0", "");
    as(r, 2);
    expect(r, "BZPOPMAX z 0.01", "");
    as(r, 0);
    run(r, "ZADD z 2 b 1 a");
    assert_string_equal(received(r, 1), "*3 $1 z $1 a $1 1");
    assert_string_equal(received(r, 2), "*3 $1 z $1 b $1 2");
    as(r, 2);
    expect(r, "BZPOPMAX z 0.01", "");
    later(r, 11);
    assert_string_equal(received(r, 2), "*-1");
    rig_free(r);
}

TEST(zsets, events_say_what_changed_and_nothing_else)
{
    struct rig *r = rig_new();
    listen(r);
    run(r, "ZADD z 1 a 2 b 3 c 4 d 5 e 6 f");
    heard(r, "zadd z");
    run(r, "ZADD z 1 a");
    run(r, "ZADD z NX 9 a");
    run(r, "ZADD z XX 9 new");
    run(r, "ZADD missing XX 9 new");
    run(r, "ZADD z INCR 0 a");
    run(r, "ZINCRBY z 0 a");
    run(r, "ZREM z none");
    run(r, "ZREMRANGEBYSCORE z 100 200");
    run(r, "ZREMRANGEBYRANK z 100 200");
    run(r, "ZPOPMIN z 0");
    heard(r, "");
    run(r, "ZADD z 1.5 a");
    run(r, "ZINCRBY z 1 a");
    run(r, "ZADD z INCR -1 a");
    heard(r, "zadd z, zincr z, zincr z");
    run(r, "ZREM z a");
    run(r, "ZREMRANGEBYSCORE z 2 2");
    run(r, "ZREMRANGEBYRANK z 0 0");
    run(r, "ZPOPMAX z");
    run(r, "ZPOPMIN z 5");
    heard(r, "zrem z, zremrangebyscore z, zremrangebyrank z, zpopmax z, zpopmin z, del z");
    rig_free(r);
}

TEST(zsets, growing_changes_no_answer)
{
    struct rig *r = rig_new();
    char line[64], name[32];
    for (int i = 0; i < 1000; i++) {
        snprintf(line, sizeof line, "ZADD z %d m%04d", (i * 7) % 1000, (i * 7) % 1000);
        run(r, line);
        if (i % 100 == 0) {
            run(r, "ZRANGE z 0 0 WITHSCORES");
            is(r, "*2 $5 m0000 $1 0");
        }
    }
    for (int i = 0; i < 1000; i += 37) {
        snprintf(line, sizeof line, "ZRANGE z %d %d", i, i);
        snprintf(name, sizeof name, "*1 $5 m%04d", i);
        expect(r, line, name);
    }
    expect(r, "ZCOUNT z 100 (200", ":100");
    expect(r, "OBJECT ENCODING z", "$8 skiplist");
    expect(r, "ZREMRANGEBYRANK z 10 -11", ":980");
    expect(r, "ZCARD z", ":20");
    rig_free(r);
}

TEST(zsets, a_held_permit_can_be_renewed_past_the_memory_limit)
{
    struct rig *r = rig_new();
    run(r, "ZADD sem 1 me");
    run(r, "CONFIG SET maxmemory 1");
    expect(r, "ZADD sem XX CH 2 me", ":1");
    expect(r, "ZINCRBY sem 1 me", "$1 3");
    expect(r, "ZADD sem 2 you", "-OOM command not allowed when used memory > 'maxmemory'.");
    expect(r, "ZREM sem me", ":1");
    rig_free(r);
}

TEST(zsets, scans_show_every_member_with_its_score)
{
    struct rig *r = rig_new();
    run(r, "ZADD z 2.5 b 1 a");
    expect(r, "ZSCAN z 0", "*2 $1 0 *4 $1 a $1 1 $1 b $3 2.5");
    run(r, "HELLO 3");
    expect(r, "ZSCAN z 0 MATCH b", "*2 $1 0 *2 $1 b $3 2.5");
    rig_free(r);
}

TEST(zsets, other_types_are_refused)
{
    struct rig *r = rig_new();
    run(r, "SET s v");
    const char *lines[] = {"ZADD s 1 a",
                           "ZINCRBY s 1 a",
                           "ZREM s a",
                           "ZSCORE s a",
                           "ZCARD s",
                           "ZCOUNT s 0 1",
                           "ZRANK s a",
                           "ZRANGE s 0 1",
                           "ZPOPMIN s",
                           "BZPOPMIN x s 0",
                           "ZSCAN s 0",
                           "ZMSCORE s a",
                           "ZREMRANGEBYRANK s 0 1",
                           "ZREMRANGEBYSCORE s 0 1"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect(r, lines[i], WRONGTYPE);
    rig_free(r);
}
