#include "tests/lib/rig.h"

TEST(locks, a_lease_ends_on_time)
{
    struct rig *r = rig_new();
    expect(r, "SET job:7 alice NX PX 100", "+OK");
    later(r, 100);
    expect(r, "SET job:7 bob NX PX 100", "$-1"); /* alive at its deadline */
    expect(r, "PTTL job:7", ":0");
    later(r, 1);
    expect(r, "SET job:7 bob NX PX 100", "+OK");
    expect(r, "GET job:7", "$3 bob");
    rig_free(r);
}

TEST(locks, setting_the_wall_clock_changes_no_lease)
{
    struct rig *r = rig_new();
    run(r, "SET k v PX 1000");
    r->wall += INT64_C(3600000);
    expect(r, "PTTL k", ":1000");
    r->wall -= INT64_C(7200000);
    later(r, 999);
    expect(r, "PTTL k", ":1");
    rig_free(r);
}

TEST(locks, absolute_times_use_the_wall_clock_of_that_command)
{
    struct rig *r = rig_new();
    expect(r, "SET k v PXAT 1700000002000", "+OK");
    expect(r, "PTTL k", ":1000");
    r->wall += 500;
    expect(r, "PEXPIRETIME k", ":1700000002500");
    rig_free(r);
}

TEST(locks, a_failed_transaction_leaves_no_trace)
{
    struct rig *r = rig_new();
    run(r, "SET k 1");
    run(r, "WATCH k");
    as(r, 1);
    run(r, "SET k 2");
    as(r, 0);
    expect(r, "MULTI", "+OK");
    expect(r, "DEL k", "+QUEUED");
    expect(r, "EXEC", "*-1");
    expect(r, "GET k", "$1 2");
    rig_free(r);
}

TEST(locks, an_expired_key_breaks_a_watch)
{
    struct rig *r = rig_new();
    run(r, "SET k 1 PX 10");
    run(r, "WATCH k");
    r->now += 11; /* due, but nobody has removed it yet */
    run(r, "MULTI");
    run(r, "PING");
    expect(r, "EXEC", "*-1");
    rig_free(r);
}
