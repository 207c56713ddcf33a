/* Lock scripts in forms that people still run, on virtual time. */
#include "tests/lib/rig.h"

#include <stdio.h>

/* Runs a script over one lock, as `owner`, with a lease in the unit that the script takes. */
static void eval(struct rig *r, const char *script, const char *owner, const char *lease)
{
    char line[512];
    snprintf(line, sizeof line, "EVAL \"%s\" 1 lock %s %s", script, owner, lease);
    run(r, line);
}

TEST(older_locks, setnx_then_expire_in_one_script_leaves_no_lock_without_a_lease)
{
    static const char *const take = "if redis.call('setnx', KEYS[1], ARGV[1]) == 1 then return "
                                    "redis.call('expire', KEYS[1], ARGV[2]) end return 0";
    struct rig *r = rig_new();
    eval(r, take, "a", "10");
    is(r, ":1");
    later(r, 10000);
    eval(r, take, "b", "10");
    is(r, ":0");
    later(r, 1);
    eval(r, take, "b", "10");
    is(r, ":1");
    rig_free(r);
}

TEST(older_locks, owner_and_lease_may_come_as_keys)
{
    static const char *const take =
        "EVAL \"if redis.call('exists', KEYS[1]) == 0 then redis.call('psetex', KEYS[1], "
        "tonumber(KEYS[3]), KEYS[2]) return 1 end return 0\" 3 lock ";
    char line[512];
    struct rig *r = rig_new();
    snprintf(line, sizeof line, "%sa 500", take);
    expect(r, line, ":1");
    expect(r, "PTTL lock", ":500");
    snprintf(line, sizeof line, "%sb 500", take);
    expect(r, line, ":0");
    later(r, 501);
    expect(r, line, ":1");
    rig_free(r);
}

TEST(older_locks, a_number_is_not_true)
{
    static const char *const take = "if redis.call('setnx', KEYS[1], ARGV[1]) == true then return "
                                    "redis.call('pexpire', KEYS[1], ARGV[2]) end return false";
    struct rig *r = rig_new();
    eval(r, take, "a", "100");
    is(r, "$-1"); /* and yet the lock is taken, for ever: the script's own mistake, as in Redis */
    expect(r, "GET lock", "$1 a");
    expect(r, "PTTL lock", ":-1");
    rig_free(r);
}

TEST(older_locks, an_equal_value_may_enter_again)
{
    static const char *const take =
        "local v = redis.call('get', KEYS[1]) if v == false or v == ARGV[1] then "
        "redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2]) return 1 end return 0";
    struct rig *r = rig_new();
    eval(r, take, "a", "100");
    is(r, ":1");
    later(r, 60);
    eval(r, take, "a", "100");
    is(r, ":1");
    expect(r, "PTTL lock", ":100");
    eval(r, take, "b", "100");
    is(r, ":0");
    rig_free(r);
}
