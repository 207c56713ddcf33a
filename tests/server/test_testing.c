/* TEST.* over sockets: what the engine's tests cannot show. */
#include "tests/lib/talk.h"

#include <stdio.h>
#include <time.h>

static struct launched start_testing(void)
{
    return start((const char *const[]){"--test", "yes", NULL});
}

static int64_t ms_since(const struct timespec *from)
{
    struct timespec to;
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (to.tv_sec - from->tv_sec) * 1000 + (to.tv_nsec - from->tv_nsec) / 1000000;
}

/* A lease of a day ends, and the client that waits for its event hears of it, at once. */
TEST(testing, a_day_passes_at_once)
{
    struct launched l = start_testing();
    struct client a = dial(&l), b = dial(&l);
    ask(&a, "CONFIG SET notify-keyspace-events Ex", "+OK\r\n");
    ask(&b, "SUBSCRIBE __keyevent@0__:expired",
        "*3\r\n$9\r\nsubscribe\r\n$22\r\n__keyevent@0__:expired\r\n:1\r\n");
    ask(&a, "SET k v PX 86400000", "+OK\r\n");
    ask(&a, "TEST.ADVANCE 86400001", "+OK\r\n");
    hears(&b, "*3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:expired\r\n$1\r\nk\r\n");
    ask(&a, "EXISTS k", ":0\r\n");
    client_close(&a);
    client_close(&b);
    stop(&l);
}

/* The rest of a deadline is waited for in real time, from where the clock was moved to. */
TEST(testing, the_clock_runs_on_after_it_was_moved)
{
    struct launched l = start_testing();
    struct client a = dial(&l), b = dial(&l);
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_true(client_say(&b, "BLPOP q 100"));
    ask(&a, "TEST.AWAIT WAITERS q 1 TIMEOUT 20000", "+OK\r\n");
    ask(&a, "TEST.ADVANCE 99980", "+OK\r\n");
    hears(&b, "*-1\r\n");
    assert_in_range(ms_since(&from), 10, TALK_MS);
    client_close(&a);
    client_close(&b);
    stop(&l);
}

/* While the clock stands, a timeout of TEST.AWAIT and a delay still come. */
TEST(testing, real_time_passes_while_the_clock_stands)
{
    struct launched l = start_testing();
    struct client a = dial(&l), b = dial(&l);
    ask(&a, "TEST.FREEZE", "+OK\r\n");
    ask(&a, "SET k v PX 1", "+OK\r\n");
    ask(&a, "TEST.AWAIT FREE k TIMEOUT 20", "-TIMEOUT after 20 ms: FREE k\r\n");
    ask(&a, "PTTL k", ":1\r\n");
    ask(&a, "TEST.FAULT ADD GET TIMES 1 DELAY 20", ":1\r\n");
    struct timespec from;
    clock_gettime(CLOCK_MONOTONIC, &from);
    ask(&b, "GET k", "$1\r\nv\r\n");
    assert_in_range(ms_since(&from), 19, TALK_MS);
    assert_true(client_say(&b, "BLPOP q 0.001"));
    ask(&a, "TEST.AWAIT WAITERS q 1 TIMEOUT 20000", "+OK\r\n");
    ask(&a, "TEST.THAW", "+OK\r\n");
    hears(&b, "*-1\r\n");
    ask(&a, "TEST.AWAIT FREE k TIMEOUT 20000", "+OK\r\n");
    ask(&a, "TEST.FREEZE", "+OK\r\n");
    client_close(&a);
    client_close(&b);
    stop(&l); /* also while it stands */
}

TEST(testing, a_lost_reply_leaves_the_lock_and_no_answer)
{
    struct launched l = start_testing();
    struct client a = dial(&l), b = dial(&l);
    ask(&a, "TEST.FAULT ADD SET TIMES 1 DROP-REPLY", ":1\r\n");
    assert_true(client_say(&b, "SET lock token NX PX 30000"));
    ask(&a, "TEST.AWAIT HELD lock TIMEOUT 20000", "+OK\r\n");
    assert_true(client_quiet(&b));
    assert_true(client_say(&b, "PING"));
    assert_true(client_closed(&b, TALK_MS));
    client_close(&b);
    b = dial(&l);
    ask(&b, "SET lock token NX PX 30000", "$-1\r\n");
    client_close(&a);
    client_close(&b);
    stop(&l);
}

/* What was asked before the fault is answered before the connection closes. */
TEST(testing, close_and_black_hole)
{
    struct launched l = start_testing();
    struct client a = dial(&l), b = dial(&l), c = dial(&l);
    ask(&a, "TEST.FAULT ADD SET CLOSE", ":1\r\n");
    ask(&a, "TEST.FAULT ADD GET BLACKHOLE", ":2\r\n");
    says(&b, "PING\r\nSET k v\r\nPING\r\n");
    hears(&b, "+PONG\r\n");
    assert_true(client_closed(&b, TALK_MS));
    says(&c, "PING\r\nGET k\r\nPING\r\n");
    hears(&c, "+PONG\r\n");
    ask(&a, "TEST.AWAIT CALLS PING 2 TIMEOUT 20000", "+OK\r\n");
    ask(&a, "EXISTS k", ":0\r\n");
    assert_true(client_quiet(&c));
    ask(&a, "TEST.RESET", "+OK\r\n");
    assert_true(client_closed(&c, TALK_MS));
    client_close(&a);
    client_close(&b);
    client_close(&c);
    stop(&l);
}

/* Moving time is not a slow command, and whoever does it has not been idle. */
TEST(testing, moving_time_costs_the_caller_nothing)
{
    struct launched l = start_testing();
    struct client a = dial(&l);
    ask(&a, "CONFIG SET timeout 60", "+OK\r\n");
    ask(&a, "TEST.ADVANCE 3600000", "+OK\r\n");
    ask(&a, "SLOWLOG LEN", ":0\r\n");
    ask(&a, "LATENCY HISTOGRAM test.thaw", "*0\r\n");
    client_close(&a);
    stop(&l);
}
