#include "tests/lib/heard.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"

TEST(lists, items_are_pushed_and_popped_at_both_ends)
{
    struct rig *r = rig_new();
    expect(r, "RPUSH l a b", ":2");
    expect(r, "LPUSH l x y", ":4");
    expect(r, "LRANGE l 0 -1", "*4 $1 y $1 x $1 a $1 b");
    expect(r, "LPOP l", "$1 y");
    expect(r, "RPOP l 2", "*2 $1 b $1 a");
    expect(r, "LPOP l 0", "*0");
    expect(r, "LLEN l", ":1");
    expect(r, "LPOP l 10", "*1 $1 x");
    expect(r, "EXISTS l", ":0");
    expect(r, "LPOP l", "$-1");
    expect(r, "LPOP l 2", "*-1");
    expect(r, "LPUSHX l a", ":0");
    expect(r, "LPOP l -1", "-ERR value is out of range, must be positive");
    expect(r, "LPOP l 1 2", "-ERR wrong number of arguments for 'lpop' command");
    rig_free(r);
}

TEST(lists, ranges_are_cut_to_the_list)
{
    struct rig *r = rig_new();
    run(r, "RPUSH l a b c");
    expect(r, "LRANGE l -100 100", "*3 $1 a $1 b $1 c");
    expect(r, "LRANGE l -2 -2", "*1 $1 b");
    expect(r, "LRANGE l 2 1", "*0");
    expect(r, "LRANGE l 3 9", "*0");
    expect(r, "LRANGE l 0 -4", "*0");
    expect(r, "LRANGE l -9223372036854775808 9223372036854775807", "*3 $1 a $1 b $1 c");
    expect(r, "LINDEX l -1", "$1 c");
    expect(r, "LINDEX l 3", "$-1");
    expect(r, "LINDEX l -4", "$-1");
    rig_free(r);
}

TEST(lists, items_are_changed_in_place)
{
    struct rig *r = rig_new();
    run(r, "RPUSH l a b c b");
    expect(r, "LSET l -1 d", "+OK");
    expect(r, "LSET l 4 x", "-ERR index out of range");
    expect(r, "LSET missing 0 x", "-ERR no such key");
    expect(r, "LINSERT l BEFORE b 1", ":5");
    expect(r, "LINSERT l after b 2", ":6");
    expect(r, "LINSERT l AFTER none x", ":-1");
    expect(r, "LINSERT missing AFTER none x", ":0");
    expect(r, "LRANGE l 0 -1", "*6 $1 a $1 1 $1 b $1 2 $1 c $1 d");
    expect(r, "LTRIM l 1 -2", "+OK");
    expect(r, "LRANGE l 0 -1", "*4 $1 1 $1 b $1 2 $1 c");
    expect(r, "LTRIM l 5 9", "+OK");
    expect(r, "EXISTS l", ":0");
    rig_free(r);
}

TEST(lists, equal_items_are_removed_from_either_side)
{
    struct rig *r = rig_new();
    run(r, "RPUSH l a x a y a z a");
    expect(r, "LREM l 1 a", ":1");
    expect(r, "LRANGE l 0 -1", "*6 $1 x $1 a $1 y $1 a $1 z $1 a");
    expect(r, "LREM l -2 a", ":2");
    expect(r, "LRANGE l 0 -1", "*4 $1 x $1 a $1 y $1 z");
    expect(r, "LREM l 0 none", ":0");
    expect(r, "LREM l -9223372036854775808 a", ":1");
    expect(r, "LRANGE l 0 -1", "*3 $1 x $1 y $1 z");
    rig_free(r);
}

TEST(lists, the_place_in_a_queue_is_found)
{
    struct rig *r = rig_new();
    run(r, "RPUSH l a b c 1 2 3 c c");
    expect(r, "LPOS l c", ":2");
    expect(r, "LPOS l c RANK 2", ":6");
    expect(r, "LPOS l c RANK -1", ":7");
    expect(r, "LPOS l c COUNT 0", "*3 :2 :6 :7");
    expect(r, "LPOS l c RANK -1 COUNT 2", "*2 :7 :6");
    expect(r, "LPOS l c MAXLEN 2", "$-1");
    expect(r, "LPOS l c MAXLEN 3 COUNT 5", "*1 :2");
    expect(r, "LPOS l c RANK 4", "$-1");
    expect(r, "LPOS l c RANK -9223372036854775807 COUNT 0", "*0");
    expect(r, "LPOS missing c", "$-1");
    expect(r, "LPOS missing c COUNT 0", "*0");
    rig_free(r);
}

TEST(lists, items_move_between_lists_and_round_one)
{
    struct rig *r = rig_new();
    run(r, "RPUSH a 1 2 3");
    expect(r, "LMOVE a b LEFT RIGHT", "$1 1");
    expect(r, "RPOPLPUSH a b", "$1 3");
    expect(r, "LRANGE b 0 -1", "*2 $1 3 $1 1");
    expect(r, "RPOPLPUSH a b", "$1 2");
    expect(r, "EXISTS a", ":0");
    expect(r, "LMOVE b b LEFT RIGHT", "$1 2");
    expect(r, "LRANGE b 0 -1", "*3 $1 3 $1 1 $1 2");
    expect(r, "LMOVE b b RIGHT RIGHT", "$1 2");
    expect(r, "LMOVE b b LEFT LEFT", "$1 3");
    expect(r, "LRANGE b 0 -1", "*3 $1 3 $1 1 $1 2");
    run(r, "RPUSH one x");
    expect(r, "RPOPLPUSH one one", "$1 x");
    expect(r, "LRANGE one 0 -1", "*1 $1 x");
    expect(r, "LMOVE missing b LEFT LEFT", "$-1");
    expect(r, "LMOVE b b UP LEFT", "-ERR syntax error");
    run(r, "SET s v");
    expect(r, "RPOPLPUSH b s", WRONGTYPE);
    expect(r, "RPOPLPUSH s b", WRONGTYPE);
    expect(r, "LLEN b", ":3");
    rig_free(r);
}

TEST(lists, long_items_move_as_well)
{
    struct rig *r = rig_new();
    struct buf line = {0};
    buf_put(&line, BYTES("RPUSH a "));
    for (int i = 0; i < 2000; i++)
        buf_putc(&line, 'x');
    buf_putc(&line, 0);
    run(r, line.p);
    for (int i = 0; i < 20; i++)
        run(r, "RPOPLPUSH a a");
    run(r, "RPOPLPUSH a b");
    assert_int_equal(strncmp(rig_reply(r), "$2000 xxx", 9), 0);
    expect(r, "EXISTS a", ":0");
    expect(r, "LLEN b", ":1");
    buf_free(&line);
    rig_free(r);
}

TEST(lists, events_say_what_changed_and_nothing_else)
{
    struct rig *r = rig_new();
    listen(r);
    run(r, "RPUSH l a b c");
    run(r, "LPUSH l x");
    heard(r, "rpush l, lpush l");
    run(r, "LPUSHX missing a");
    run(r, "LREM l 0 none");
    run(r, "LINSERT l BEFORE none x");
    run(r, "LSET l 99 x");
    run(r, "LPOP l 0");
    run(r, "RPOP missing");
    heard(r, "");
    run(r, "LSET l 0 y");
    run(r, "LINSERT l AFTER y z");
    run(r, "LREM l 0 z");
    run(r, "LTRIM l 0 -1"); /* Redis says so although nothing was cut */
    heard(r, "lset l, linsert l, lrem l, ltrim l");
    run(r, "LMOVE l m LEFT RIGHT");
    heard(r, "rpush m, lpop l");
    run(r, "RPOPLPUSH l l");
    heard(r, "lpush l, rpop l");
    run(r, "RPOPLPUSH m l");
    heard(r, "lpush l, rpop m, del m");
    run(r, "LPOP l 100");
    heard(r, "lpop l, del l");
    rig_free(r);
}

TEST(lists, a_waiter_gets_what_is_pushed)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "BLPOP a b 0", "");
    as(r, 2);
    expect(r, "BRPOP b 0", "");
    as(r, 0);
    expect(r, "RPUSH b x y z", ":3");
    assert_string_equal(received(r, 1), "*2 $1 b $1 x");
    assert_string_equal(received(r, 2), "*2 $1 b $1 z");
    expect(r, "LRANGE b 0 -1", "*1 $1 y");
    rig_free(r);
}

TEST(lists, a_waiter_for_a_move_gets_it_too)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "BLMOVE a b LEFT RIGHT 0", "");
    as(r, 2);
    expect(r, "BLPOP b 0", "");
    as(r, 0);
    expect(r, "RPUSH a x", ":1");
    assert_string_equal(received(r, 1), "$1 x");
    assert_string_equal(received(r, 2), "*2 $1 b $1 x");
    expect(r, "EXISTS a b", ":0");
    rig_free(r);
}

TEST(lists, waits_end_in_time)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "BLPOP a 0.05", "");
    as(r, 2);
    expect(r, "BRPOPLPUSH a b 0.1", "");
    later(r, 49);
    assert_string_equal(received(r, 1), "");
    later(r, 2);
    assert_string_equal(received(r, 1), "*-1");
    assert_string_equal(received(r, 2), "");
    later(r, 50);
    assert_string_equal(received(r, 2), "*-1");
    rig_free(r);
}

TEST(lists, nobody_waits_in_a_transaction)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    run(r, "BLPOP a 0");
    run(r, "BLMOVE a b LEFT LEFT 0");
    expect(r, "EXEC", "*2 *-1 $-1");
    rig_free(r);
}

TEST(lists, other_types_are_refused)
{
    struct rig *r = rig_new();
    run(r, "SET s v");
    const char *lines[] = {"LPUSH s a",
                           "RPUSHX s a",
                           "LPOP s",
                           "LLEN s",
                           "LRANGE s 0 1",
                           "LINDEX s 0",
                           "LSET s 0 a",
                           "LREM s 0 a",
                           "LPOS s a",
                           "LTRIM s 0 1",
                           "BLPOP x s 0",
                           "LINSERT s BEFORE a b",
                           "BLMOVE s x LEFT LEFT 0"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        expect(r, lines[i], WRONGTYPE);
    rig_free(r);
}
