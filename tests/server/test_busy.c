/* A script that does not end, in the real program. */
#include "tests/lib/talk.h"

static const char *const IMPATIENT[] = {"--busy-reply-threshold", "20", NULL};

/* Asks until it is told that a script runs. */
static void await_busy(struct client *c)
{
    struct buf got = {0};
    do {
        buf_clear(&got);
        says(c, "PING\r\n");
        assert_int_equal(client_read(c, TALK_MS, &got), CLIENT_REPLY);
    } while (got.p[0] == '+');
    assert_memory_equal(got.p, "-BUSY ", 6);
    buf_free(&got);
}

TEST(busy, a_script_without_end_is_reported_and_killed)
{
    struct launched l = start(IMPATIENT);
    struct client caller = dial(&l), other = dial(&l);
    says(&caller, "EVAL \"while true do pcall(function() while true do end end) end\" 0\r\n");
    await_busy(&other);
    struct client late = dial(&l);
    await_busy(&late);
    ask(&late, "SCRIPT KILL", "+OK\r\n");
    struct buf got = {0};
    assert_int_equal(client_read(&caller, TALK_MS, &got), CLIENT_REPLY);
    assert_memory_equal(got.p, "-ERR Script killed by user", 26);
    ask(&caller, "PING", "+PONG\r\n");
    ask(&other, "PING", "+PONG\r\n");
    buf_free(&got);
    client_close(&caller);
    client_close(&other);
    client_close(&late);
    stop(&l);
}

TEST(busy, a_signal_ends_the_program_and_the_script_with_it)
{
    struct launched l = start(IMPATIENT);
    struct client caller = dial(&l), other = dial(&l);
    says(&caller, "EVAL \"while true do end\" 0\r\n");
    await_busy(&other);
    stop(&l);
    assert_true(client_closed(&other, TALK_MS));
    client_close(&caller);
    client_close(&other);
}

TEST(busy, shutdown_ends_the_program_and_the_script_with_it)
{
    struct launched l = start(IMPATIENT);
    struct client caller = dial(&l), other = dial(&l);
    says(&caller, "EVAL \"while true do end\" 0\r\n");
    await_busy(&other);
    assert_true(client_say(&other, "SHUTDOWN NOSAVE"));
    assert_true(client_closed(&other, TALK_MS));
    client_close(&caller);
    client_close(&other);
    stop(&l);
}
