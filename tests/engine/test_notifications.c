#include "tests/lib/rig.h"

/* Client 0 listens to everything; `notify` is what CONFIG SET notify-keyspace-events would set. */
static struct rig *listening(unsigned notify)
{
    struct rig *r = rig_new();
    r->config.notify = notify;
    run(r, "PSUBSCRIBE __key*");
    as(r, 1);
    return r;
}

#define KEYSPACE(n, key, m, event)                                                                 \
    "*4 $8 pmessage $6 __key* $" #n " __keyspace@0__:" key " $" #m " " event
#define KEYEVENT(n, event, m, key)                                                                 \
    "*4 $8 pmessage $6 __key* $" #n " __keyevent@0__:" event " $" #m " " key

TEST(notifications, are_off_until_asked_for)
{
    struct rig *r = listening(0);
    run(r, "SET k v");
    assert_string_equal(received(r, 0), "");
    rig_free(r);
}

TEST(notifications, tell_of_the_key_first_and_of_the_event_then)
{
    struct rig *r = listening(NOTIFY_KEYSPACE | NOTIFY_KEYEVENT | NOTIFY_ALL);
    run(r, "SET k v");
    assert_string_equal(received(r, 0),
                        KEYSPACE(16, "k", 3, "set") " " KEYEVENT(18, "set", 1, "k"));
    rig_free(r);
}

TEST(notifications, come_in_the_order_of_what_happened)
{
    struct rig *r = listening(NOTIFY_KEYEVENT | NOTIFY_ALL);
    run(r, "SET k v PX 100");
    assert_string_equal(received(r, 0),
                        KEYEVENT(18, "set", 1, "k") " " KEYEVENT(21, "expire", 1, "k"));
    run(r, "DEL k missing");
    assert_string_equal(received(r, 0), KEYEVENT(18, "del", 1, "k"));
    rig_free(r);
}

TEST(notifications, expired_comes_at_the_deadline)
{
    struct rig *r = listening(NOTIFY_KEYEVENT | NOTIFY_EXPIRED);
    run(r, "SET k v PX 100");
    later(r, 100);
    assert_string_equal(received(r, 0), "");
    later(r, 1);
    assert_string_equal(received(r, 0), KEYEVENT(22, "expired", 1, "k"));
    rig_free(r);
}

TEST(notifications, only_the_chosen_classes_are_told)
{
    struct rig *r = listening(NOTIFY_KEYEVENT | NOTIFY_GENERIC);
    run(r, "SET k v");
    assert_string_equal(received(r, 0), "");
    run(r, "DEL k");
    assert_string_equal(received(r, 0), KEYEVENT(18, "del", 1, "k"));
    r->config.notify = NOTIFY_KEYEVENT | NOTIFY_NEW | NOTIFY_KEYMISS;
    run(r, "GET k");
    assert_string_equal(received(r, 0), KEYEVENT(22, "keymiss", 1, "k"));
    run(r, "SET k v");
    assert_string_equal(received(r, 0), KEYEVENT(18, "new", 1, "k"));
    rig_free(r);
}

TEST(notifications, a_class_without_a_channel_tells_nothing)
{
    struct rig *r = listening(NOTIFY_ALL);
    run(r, "SET k v");
    assert_string_equal(received(r, 0), "");
    rig_free(r);
}

TEST(notifications, name_the_database)
{
    struct rig *r = listening(NOTIFY_KEYSPACE | NOTIFY_STRING);
    run(r, "SELECT 7");
    run(r, "SET k v");
    assert_string_equal(received(r, 0), "*4 $8 pmessage $6 __key* $16 __keyspace@7__:k $3 set");
    rig_free(r);
}

TEST(notifications, the_client_that_changes_a_key_hears_of_it_after_the_reply)
{
    struct rig *r = rig_new();
    r->config.notify = NOTIFY_KEYEVENT | NOTIFY_STRING;
    run(r, "HELLO 3");
    run(r, "SUBSCRIBE __keyevent@0__:set");
    expect(r, "SET k v", "+OK >3 $7 message $18 __keyevent@0__:set $1 k");
    rig_free(r);
}
