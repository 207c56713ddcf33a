#include "tests/lib/rig.h"

TEST(pause, puts_writes_off_until_its_end)
{
    struct rig *r = rig_new();
    as(r, 1);
    as(r, 2);
    as(r, 0);
    expect(r, "CLIENT PAUSE 100 WRITE", "+OK");
    as(r, 1);
    expect(r, "SET k 1", "");
    assert_true(r->clients[1]->flags & SESSION_BLOCKED);
    as(r, 2);
    expect(r, "GET k", "$-1");
    expect(r, "APPEND k 2", "");
    later(r, 99);
    assert_string_equal(received(r, 1), "");
    later(r, 2);
    assert_string_equal(received(r, 1), "+OK");
    assert_string_equal(received(r, 2), ":2");
    assert_false(r->clients[1]->flags & SESSION_BLOCKED);
    rig_free(r);
}

TEST(pause, of_all_stops_reads_too)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "CLIENT PAUSE 100", "+OK");
    expect(r, "PING", "");
    later(r, 101);
    assert_string_equal(received(r, 1), "+PONG");
    rig_free(r);
}

TEST(pause, ends_when_told)
{
    struct rig *r = rig_new();
    as(r, 1);
    as(r, 0);
    expect(r, "CLIENT PAUSE 100000 WRITE", "+OK");
    as(r, 1);
    expect(r, "SET k v", "");
    as(r, 0);
    expect(r, "CLIENT UNPAUSE", "+OK");
    assert_string_equal(received(r, 1), "+OK");
    expect(r, "GET k", "$1 v");
    rig_free(r);
}

TEST(pause, only_gets_longer_and_stricter)
{
    struct rig *r = rig_new();
    run(r, "CLIENT PAUSE 100 WRITE");
    run(r, "CLIENT PAUSE 10 WRITE");
    as(r, 1);
    run(r, "SET k v");
    later(r, 50);
    assert_string_equal(received(r, 1), "");
    later(r, 51);
    assert_string_equal(received(r, 1), "+OK");
    rig_free(r);
}

TEST(pause, holds_transactions_that_write)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "MULTI");
    run(r, "SET k v");
    as(r, 2);
    run(r, "MULTI");
    run(r, "GET k");
    run(r, "CLIENT PAUSE 100 WRITE");
    is(r, "+QUEUED");
    expect(r, "EXEC", "*2 $-1 +OK");
    as(r, 1);
    expect(r, "EXEC", "");
    later(r, 101);
    assert_string_equal(received(r, 1), "*1 +OK");
    rig_free(r);
}

TEST(pause, says_what_is_wrong)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT PAUSE x", "-ERR timeout is not an integer or out of range");
    expect(r, "CLIENT PAUSE -1", "-ERR timeout is negative");
    expect(r, "CLIENT PAUSE x y", "-ERR CLIENT PAUSE mode must be WRITE or ALL");
    expect(r, "CLIENT PAUSE 1 ALL x",
           "-ERR unknown subcommand or wrong number of arguments for 'PAUSE'. Try CLIENT HELP.");
    expect(r, "CLIENT PAUSE 0", "+OK");
    expect(r, "SET k v", "+OK");
    expect(r, "CLIENT UNPAUSE", "+OK");
    rig_free(r);
}
