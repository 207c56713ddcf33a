#include "tests/lib/heard.h"
#include "tests/lib/scanned.h"

#include <stdlib.h>

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"

TEST(sets, members_are_added_and_removed)
{
    struct rig *r = rig_new();
    expect(r, "SADD s a b a c", ":3");
    expect(r, "SADD s a d", ":1");
    expect(r, "SCARD s", ":4");
    expect(r, "SISMEMBER s a", ":1");
    expect(r, "SMISMEMBER s a x d", "*3 :1 :0 :1");
    expect(r, "SMEMBERS s", "*4 $1 a $1 b $1 c $1 d");
    expect(r, "SREM s a x", ":1");
    expect(r, "SREM s b c d", ":3");
    expect(r, "EXISTS s", ":0");
    expect(r, "SMEMBERS s", "*0");
    expect(r, "SMISMEMBER s a b", "*2 :0 :0");
    run(r, "SADD s a");
    run(r, "HELLO 3");
    expect(r, "SMEMBERS s", "~1 $1 a");
    rig_free(r);
}

TEST(sets, sets_are_combined)
{
    struct rig *r = rig_new();
    run(r, "SADD a 1 2 3 4");
    run(r, "SADD b 3 4 5");
    run(r, "SADD c 4 6");
    expect(r, "SINTER a b c", "*1 $1 4");
    expect(r, "SINTER a missing", "*0");
    expect(r, "SUNION b c missing b", "*4 $1 3 $1 4 $1 5 $1 6");
    expect(r, "SDIFF a b c", "*2 $1 1 $1 2");
    expect(r, "SDIFF a a", "*0");
    expect(r, "SDIFF missing a", "*0");
    run(r, "SET s v");
    expect(r, "SINTER missing s", WRONGTYPE);
    expect(r, "SUNION a s", WRONGTYPE);
    expect(r, "SDIFF a s", WRONGTYPE);
    rig_free(r);
}

TEST(sets, large_unions_have_each_member_once)
{
    struct rig *r = rig_new();
    char line[64];
    for (int i = 0; i < 3000; i++) {
        snprintf(line, sizeof line, "SADD %c m%d", "abc"[i % 3], i / 2);
        run(r, line);
    }
    run(r, "SUNION a b c");
    assert_int_equal(strncmp(rig_reply(r), "*1500 ", 6), 0);
    rig_free(r);
}

TEST(sets, random_members_are_members)
{
    struct rig *r = rig_new();
    run(r, "SADD s a b c");
    for (int i = 0; i < 50; i++) {
        run(r, "SRANDMEMBER s");
        assert_non_null(strchr("abc", rig_reply(r)[3]));
    }
    expect(r, "SRANDMEMBER s 10", "*3 $1 a $1 b $1 c");
    expect(r, "SRANDMEMBER s 0", "*0");
    run(r, "SRANDMEMBER s -10");
    assert_int_equal(strncmp(rig_reply(r), "*10 $1 ", 7), 0);
    expect(r, "SRANDMEMBER s -10000001", "-ERR value is out of range");
    expect(r, "SRANDMEMBER missing", "$-1");
    expect(r, "SRANDMEMBER missing -3", "*0");
    expect(r, "SRANDMEMBER s -9223372036854775807", "-ERR value is out of range");
    expect(r, "SCARD s", ":3");
    rig_free(r);
}

/* Every subset of two out of four should come up; chance is fixed by the rig's seed. */
TEST(sets, samples_are_fair)
{
    struct rig *r = rig_new();
    int count[4] = {0};
    run(r, "SADD s 0 1 2 3");
    for (int i = 0; i < 1000; i++) {
        run(r, "SRANDMEMBER s 2");
        count[rig_reply(r)[6] - '0']++;
        count[rig_reply(r)[11] - '0']++;
    }
    for (int i = 0; i < 4; i++)
        assert_in_range(count[i], 420, 580);
    rig_free(r);
}

TEST(sets, what_is_popped_is_drawn_fairly)
{
    struct rig *r = rig_new();
    int one[4] = {0}, three[4] = {0};
    for (int i = 0; i < 1000; i++) {
        run(r, "SADD s 0 1 2 3");
        run(r, "SPOP s 1");
        one[rig_reply(r)[6] - '0']++;
        run(r, "SADD s 0 1 2 3");
        run(r, "SPOP s 3");
        run(r, "SMEMBERS s");
        three[rig_reply(r)[6] - '0']++;
    }
    for (int i = 0; i < 4; i++) {
        assert_in_range(one[i], 200, 300);
        assert_in_range(three[i], 200, 300);
    }
    rig_free(r);
}

/* Numbers from 100 on, so that a reply has each at a place of its own. */
TEST(sets, several_are_popped_once_each_and_the_others_stay)
{
    enum { ALL = 200 };
    static const int counts[] = {1, 2, 63, 64, 65, 5};
    struct rig *r = rig_new();
    bool there[ALL] = {0};
    char line[32];
    for (int i = 0; i < ALL; i++) {
        snprintf(line, sizeof line, "SADD s %d", 100 + i);
        run(r, line);
        there[i] = true;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(line, sizeof line, "SPOP s %d", counts[i]);
        run(r, line);
        const char *at = rig_reply(r);
        for (int n = 0; n < counts[i]; n++) {
            at = strchr(at, '$') + 3;
            assert_true(there[atoi(at) - 100]);
            there[atoi(at) - 100] = false;
        }
        assert_null(strchr(at, '$'));
    }
    expect(r, "EXISTS s", ":0");
    rig_free(r);
}

TEST(sets, popping_empties_a_set)
{
    struct rig *r = rig_new();
    run(r, "SADD s a b c d e");
    run(r, "SPOP s 2");
    assert_int_equal(strncmp(rig_reply(r), "*2 ", 3), 0);
    expect(r, "SCARD s", ":3");
    expect(r, "SPOP s 0", "*0");
    run(r, "SPOP s");
    run(r, "SPOP s 100");
    expect(r, "EXISTS s", ":0");
    expect(r, "SPOP s", "$-1");
    expect(r, "SPOP s 3", "*0");
    expect(r, "SPOP s -1", "-ERR value is out of range, must be positive");
    expect(r, "SPOP s 1 2", "-ERR syntax error");
    rig_free(r);
}

TEST(sets, events_say_what_changed_and_nothing_else)
{
    struct rig *r = rig_new();
    listen(r);
    run(r, "SADD s a b c");
    heard(r, "sadd s");
    run(r, "SADD s a");
    run(r, "SREM s x");
    run(r, "SPOP missing");
    run(r, "SPOP s 0");
    run(r, "SRANDMEMBER s");
    heard(r, "");
    run(r, "SREM s a");
    run(r, "SPOP s 5");
    heard(r, "srem s, spop s, del s");
    rig_free(r);
}

TEST(sets, the_encoding_changes_where_redis_changes_it)
{
    struct rig *r = rig_new();
    char line[64];
    for (int i = 0; i < 512; i++) {
        snprintf(line, sizeof line, "SADD s %d", i);
        run(r, line);
    }
    expect(r, "OBJECT ENCODING s", "$6 intset");
    run(r, "SADD s 512");
    expect(r, "OBJECT ENCODING s", "$9 hashtable");
    run(r, "SADD t 1 2 x");
    expect(r, "OBJECT ENCODING t", "$8 listpack");
    run(r, "SREM t x");
    expect(r, "OBJECT ENCODING t", "$8 listpack");
    rig_free(r);
}

TEST(sets, scans_show_every_member)
{
    struct rig *r = rig_new();
    char line[64];
    size_t seen = 0;
    run(r, "SADD s b a");
    expect(r, "SSCAN s 0", "*2 $1 0 *2 $1 b $1 a");
    expect(r, "SSCAN s 0 NOVALUES", "-ERR NOVALUES option can only be used in HSCAN");
    for (int i = 0; i < 600; i++) {
        snprintf(line, sizeof line, "SADD s member:%d", i);
        run(r, line);
    }
    unsigned long cursor = 0;
    do {
        snprintf(line, sizeof line, "SSCAN s %lu MATCH member:*", cursor);
        run(r, line);
        seen += scanned(r, &cursor);
    } while (cursor);
    assert_int_equal(seen, 600);
    rig_free(r);
}
