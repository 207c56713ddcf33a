/* Messages on sockets: in order, to many, and never at the cost of others. */
#include "tests/lib/talk.h"

#include "base/mem.h"

#include <stdio.h>

TEST(messages, of_one_publisher_reach_every_subscriber_in_order)
{
    enum { SUBSCRIBERS = 50, MESSAGES = 500 };
    struct launched l = start(NULL);
    struct client publisher = dial(&l), subscribers[SUBSCRIBERS];
    struct buf pipeline = {0};
    for (int i = 0; i < SUBSCRIBERS; i++) {
        subscribers[i] = dial(&l);
        ask(&subscribers[i], "SUBSCRIBE c", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    }
    for (int i = 0; i < MESSAGES; i++)
        buf_printf(&pipeline, "PUBLISH c %06d\r\n", i);
    assert_true(client_send(&publisher, buf_bytes(&pipeline)));
    for (int i = 0; i < MESSAGES; i++)
        hears(&publisher, ":50\r\n");
    for (int s = 0; s < SUBSCRIBERS; s++) {
        for (int i = 0; i < MESSAGES; i++) {
            char expected[64];
            snprintf(expected, sizeof expected, "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$6\r\n%06d\r\n",
                     i);
            hears(&subscribers[s], expected);
        }
        assert_true(client_quiet(&subscribers[s]));
        client_close(&subscribers[s]);
    }
    buf_free(&pipeline);
    client_close(&publisher);
    stop(&l);
}

TEST(messages, a_subscriber_that_does_not_read_is_closed_and_the_others_miss_nothing)
{
    enum { SIZE = 65536, MESSAGES = 200 };
    static const char *const flags[] = {
        "--client-output-buffer-limit", "pubsub", "1mb", "0", "0", NULL};
    struct launched l = start(flags);
    struct client publisher = dial(&l), slow = dial(&l), brisk = dial(&l);
    char *text = mem_alloc(SIZE);
    struct bytes publish[] = {BYTES("PUBLISH"), BYTES("c"), {memset(text, 'x', SIZE), SIZE}};
    struct buf got = {0};
    ask(&slow, "SUBSCRIBE c", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    ask(&brisk, "SUBSCRIBE c", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    for (int i = 0; i < MESSAGES; i++) {
        assert_true(client_command(&publisher, publish, 3));
        buf_clear(&got);
        assert_int_equal(client_read(&publisher, TALK_MS, &got), CLIENT_REPLY);
        buf_clear(&got);
        assert_int_equal(client_read(&brisk, TALK_MS, &got), CLIENT_REPLY);
        assert_true(buf_len(&got) > SIZE);
    }
    ask(&publisher, "PUBSUB NUMSUB c", "*2\r\n$1\r\nc\r\n:1\r\n");
    int read = 0;
    enum client_got last;
    while ((last = client_read(&slow, TALK_MS, &got)) == CLIENT_REPLY)
        read++;
    assert_int_not_equal(last, CLIENT_TIMEOUT);
    assert_true(read < MESSAGES);
    mem_free(text);
    buf_free(&got);
    client_close(&slow);
    client_close(&brisk);
    client_close(&publisher);
    stop(&l);
}

TEST(messages, of_a_script_come_when_its_effects_can_be_seen)
{
    struct launched l = start(NULL);
    struct client waiter = dial(&l), holder = dial(&l), other = dial(&l);
    ask(&waiter, "SUBSCRIBE free", "*3\r\n$9\r\nsubscribe\r\n$4\r\nfree\r\n:1\r\n");
    for (int i = 0; i < 200; i++) {
        ask(&holder, "SET lock me", "+OK\r\n");
        assert_true(client_say(&holder, "EVAL \"redis.call('PUBLISH', 'free', '0') "
                                        "return redis.call('DEL', 'lock')\" 0"));
        hears(&waiter, "*3\r\n$7\r\nmessage\r\n$4\r\nfree\r\n$1\r\n0\r\n");
        ask(&other, "EXISTS lock", ":0\r\n");
        hears(&holder, ":1\r\n");
    }
    client_close(&waiter);
    client_close(&holder);
    client_close(&other);
    stop(&l);
}

TEST(messages, end_with_the_connection)
{
    struct launched l = start(NULL);
    struct client publisher = dial(&l), subscriber = dial(&l);
    struct buf got = {0};
    ask(&subscriber, "SUBSCRIBE c", "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    ask(&publisher, "PUBLISH c x", ":1\r\n");
    client_close(&subscriber);
    do { /* until the server has noticed */
        buf_clear(&got);
        assert_true(client_say(&publisher, "PUBLISH c x"));
        assert_int_equal(client_read(&publisher, TALK_MS, &got), CLIENT_REPLY);
    } while (bytes_eq(buf_bytes(&got), BYTES(":1\r\n")));
    assert_true(bytes_eq(buf_bytes(&got), BYTES(":0\r\n")));
    ask(&publisher, "PUBSUB CHANNELS", "*0\r\n");
    buf_free(&got);
    client_close(&publisher);
    stop(&l);
}

TEST(messages, replies_and_pushes_do_not_mix)
{
    enum { N = 300 };
    struct launched l = start(NULL);
    struct client c = dial(&l);
    struct buf pipeline = {0}, hello = {0};
    assert_true(client_say(&c, "HELLO 3"));
    assert_int_equal(client_read(&c, TALK_MS, &hello), CLIENT_REPLY);
    ask(&c, "SUBSCRIBE c", ">3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n");
    ask(&c, "CLIENT TRACKING ON", "+OK\r\n");
    for (int i = 0; i < N; i++)
        buf_put(&pipeline, BYTES("GET k\r\nMULTI\r\nSET k v\r\nPUBLISH c x\r\nEXEC\r\n"));
    assert_true(client_send(&c, buf_bytes(&pipeline)));
    for (int i = 0; i < N; i++) {
        hears(&c, i ? "$1\r\nv\r\n" : "_\r\n");
        hears(&c, "+OK\r\n");
        hears(&c, "+QUEUED\r\n");
        hears(&c, "+QUEUED\r\n");
        hears(&c, "*2\r\n+OK\r\n:1\r\n");
        hears(&c, ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n");
        hears(&c, ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n");
    }
    buf_free(&pipeline);
    buf_free(&hello);
    client_close(&c);
    stop(&l);
}

TEST(messages, of_expiry_come_by_themselves)
{
    static const char *const flags[] = {"--notify-keyspace-events", "Ex", NULL};
    struct launched l = start(flags);
    struct client listener = dial(&l), other = dial(&l);
    ask(&listener, "SUBSCRIBE __keyevent@0__:expired",
        "*3\r\n$9\r\nsubscribe\r\n$22\r\n__keyevent@0__:expired\r\n:1\r\n");
    ask(&other, "SET k v PX 30", "+OK\r\n");
    hears(&listener, "*3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:expired\r\n$1\r\nk\r\n");
    client_close(&listener);
    client_close(&other);
    stop(&l);
}

/* It takes several turns of the loop, and what was sent behind it is answered behind it. */
TEST(messages, many_channels_are_left_before_the_next_command)
{
    enum { CHANNELS = 5000 };
    struct launched l = start(NULL);
    struct client c = dial(&l), other = dial(&l);
    char text[64];
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(text, sizeof text, "SUBSCRIBE %d", 10000 + i);
        assert_true(client_say(&c, text));
        snprintf(text, sizeof text, "*3\r\n$9\r\nsubscribe\r\n$5\r\n%d\r\n:%d\r\n", 10000 + i,
                 i + 1);
        hears(&c, text);
    }
    says(&c, "UNSUBSCRIBE\r\nPING\r\n");
    ask(&other, "PING", "+PONG\r\n");
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(text, sizeof text, "*3\r\n$11\r\nunsubscribe\r\n$5\r\n%d\r\n:%d\r\n", 10000 + i,
                 CHANNELS - 1 - i);
        hears(&c, text);
    }
    hears(&c, "+PONG\r\n");
    client_close(&c);
    client_close(&other);
    stop(&l);
}
