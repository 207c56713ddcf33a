#include "tests/lib/rig.h"

#include <stdio.h>

static void speak3(struct rig *r, int who)
{
    as(r, who);
    run(r, "HELLO 3");
}

TEST(pubsub, delivers_to_subscribers_and_counts_them)
{
    struct rig *r = rig_new();
    expect(r, "SUBSCRIBE news", "*3 $9 subscribe $4 news :1");
    as(r, 1);
    expect(r, "PUBLISH news hi", ":1");
    expect(r, "PUBLISH other hi", ":0");
    assert_string_equal(received(r, 0), "*3 $7 message $4 news $2 hi");
    rig_free(r);
}

TEST(pubsub, confirms_each_channel_with_the_number_of_subscriptions)
{
    struct rig *r = rig_new();
    expect(r, "SUBSCRIBE a b a",
           "*3 $9 subscribe $1 a :1 *3 $9 subscribe $1 b :2 *3 $9 subscribe $1 a :2");
    expect(r, "PSUBSCRIBE p*", "*3 $10 psubscribe $2 p* :3");
    expect(r, "SSUBSCRIBE s", "*3 $10 ssubscribe $1 s :1");
    expect(r, "UNSUBSCRIBE b nobody", "*3 $11 unsubscribe $1 b :2 *3 $11 unsubscribe $6 nobody :2");
    expect(r, "PUNSUBSCRIBE", "*3 $12 punsubscribe $2 p* :1");
    expect(r, "SUNSUBSCRIBE s", "*3 $12 sunsubscribe $1 s :0");
    expect(r, "UNSUBSCRIBE", "*3 $11 unsubscribe $1 a :0");
    rig_free(r);
}

TEST(pubsub, unsubscribing_from_everything_goes_in_the_order_of_subscribing)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE z m a");
    expect(r, "UNSUBSCRIBE",
           "*3 $11 unsubscribe $1 z :2 *3 $11 unsubscribe $1 m :1 *3 $11 unsubscribe $1 a :0");
    rig_free(r);
}

TEST(pubsub, unsubscribing_from_nothing_is_confirmed_too)
{
    struct rig *r = rig_new();
    expect(r, "UNSUBSCRIBE", "*3 $11 unsubscribe $-1 :0");
    expect(r, "PUNSUBSCRIBE", "*3 $12 punsubscribe $-1 :0");
    expect(r, "SUNSUBSCRIBE", "*3 $12 sunsubscribe $-1 :0");
    run(r, "SUBSCRIBE a");
    expect(r, "PUNSUBSCRIBE", "*3 $12 punsubscribe $-1 :1");
    speak3(r, 1);
    expect(r, "UNSUBSCRIBE", ">3 $11 unsubscribe _ :0");
    rig_free(r);
}

TEST(pubsub, a_pattern_gets_what_its_channel_gets)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE lock:1");
    run(r, "PSUBSCRIBE lock:* *");
    as(r, 1);
    expect(r, "PUBLISH lock:1 x", ":3");
    assert_string_equal(received(r, 0), "*3 $7 message $6 lock:1 $1 x "
                                        "*4 $8 pmessage $6 lock:* $6 lock:1 $1 x "
                                        "*4 $8 pmessage $1 * $6 lock:1 $1 x");
    rig_free(r);
}

TEST(pubsub, shard_channels_are_a_world_of_their_own)
{
    struct rig *r = rig_new();
    run(r, "SSUBSCRIBE c");
    run(r, "PSUBSCRIBE *");
    as(r, 1);
    expect(r, "SPUBLISH c x", ":1");
    assert_string_equal(received(r, 0), "*3 $8 smessage $1 c $1 x");
    expect(r, "PUBLISH c x", ":1");
    assert_string_equal(received(r, 0), "*4 $8 pmessage $1 * $1 c $1 x");
    rig_free(r);
}

TEST(pubsub, each_subscriber_is_written_to_in_its_own_protocol)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE c");
    speak3(r, 1);
    expect(r, "SUBSCRIBE c", ">3 $9 subscribe $1 c :1");
    as(r, 2);
    expect(r, "PUBLISH c x", ":2");
    assert_string_equal(received(r, 0), "*3 $7 message $1 c $1 x");
    assert_string_equal(received(r, 1), ">3 $7 message $1 c $1 x");
    rig_free(r);
}

TEST(pubsub, a_subscribed_resp2_client_may_do_little_else)
{
    struct rig *r = rig_new();
    run(r, "SSUBSCRIBE c");
    expect(r, "GET k",
           "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET "
           "are allowed in this context");
    expect(r, "PUBSUB NUMPAT",
           "-ERR Can't execute 'pubsub|numpat': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / "
           "QUIT / RESET are allowed in this context");
    run(r, "SUNSUBSCRIBE");
    expect(r, "GET k", "$-1");
    speak3(r, 1);
    run(r, "SUBSCRIBE c");
    expect(r, "GET k", "_");
    rig_free(r);
}

TEST(pubsub, a_subscribed_resp2_client_may_ping_and_reset)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE c");
    expect(r, "PING", "*2 $4 pong $0 ");
    expect(r, "PING x", "*2 $4 pong $1 x");
    expect(r, "RESET", "+RESET");
    expect(r, "GET k", "$-1");
    expect(r, "PUBLISH c x", ":0");
    rig_free(r);
}

TEST(pubsub, a_message_to_oneself_follows_the_reply)
{
    struct rig *r = rig_new();
    speak3(r, 0);
    run(r, "SUBSCRIBE c");
    expect(r, "PUBLISH c x", ":1 >3 $7 message $1 c $1 x");
    run(r, "MULTI");
    run(r, "PUBLISH c 1");
    run(r, "PUBLISH c 2");
    expect(r, "EXEC", "*2 :1 :1 >3 $7 message $1 c $1 1 >3 $7 message $1 c $1 2");
    rig_free(r);
}

TEST(pubsub, subscribing_in_a_transaction)
{
    struct rig *r = rig_new();
    run(r, "MULTI");
    expect(r, "SUBSCRIBE c", "+QUEUED");
    expect(r, "SSUBSCRIBE s", "+QUEUED");
    expect(r, "GET k", "+QUEUED");
    expect(r, "EXEC",
           "*3 *3 $9 subscribe $1 c :1 "
           "-ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client $-1");
    rig_free(r);
}

TEST(pubsub, confirmations_and_messages_come_through_client_reply_off)
{
    struct rig *r = rig_new();
    speak3(r, 0);
    run(r, "CLIENT REPLY OFF");
    expect(r, "SUBSCRIBE c d", ">3 $9 subscribe $1 c :1 >3 $9 subscribe $1 d :2");
    expect(r, "PUBLISH c x", ">3 $7 message $1 c $1 x");
    rig_free(r);
}

TEST(pubsub, tells_what_is_subscribed_to)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE b a");
    run(r, "PSUBSCRIBE x* y*");
    run(r, "SSUBSCRIBE s1 s2");
    as(r, 1);
    run(r, "SUBSCRIBE b");
    run(r, "PSUBSCRIBE x*");
    as(r, 2);
    expect(r, "PUBSUB CHANNELS", "*2 $1 b $1 a");
    expect(r, "PUBSUB CHANNELS [a]", "*1 $1 a");
    expect(r, "PUBSUB NUMSUB a b c", "*6 $1 a :1 $1 b :2 $1 c :0");
    expect(r, "PUBSUB NUMSUB", "*0");
    expect(r, "PUBSUB NUMPAT", ":2");
    expect(r, "PUBSUB SHARDCHANNELS", "*2 $2 s1 $2 s2");
    expect(r, "PUBSUB SHARDNUMSUB s1 b", "*4 $2 s1 :1 $1 b :0");
    expect(r, "PUBSUB CHANNELS a b",
           "-ERR unknown subcommand or wrong number of arguments for 'CHANNELS'. Try PUBSUB HELP.");
    expect(r, "PUBSUB", "-ERR wrong number of arguments for 'pubsub' command");
    rig_free(r);
}

TEST(pubsub, a_client_that_goes_leaves_its_channels)
{
    struct rig *r = rig_new();
    size_t before = r->engine->space.arena.bytes;
    run(r, "SUBSCRIBE a b");
    run(r, "PSUBSCRIBE *");
    run(r, "SSUBSCRIBE s");
    as(r, 1);
    run(r, "SUBSCRIBE b");
    disconnect(r, 0);
    as(r, 2);
    expect(r, "PUBSUB CHANNELS", "*1 $1 b");
    expect(r, "PUBLISH a x", ":0");
    expect(r, "PUBLISH b x", ":1");
    disconnect(r, 1);
    expect(r, "PUBSUB SHARDCHANNELS", "*0");
    struct pubsub *p = &r->engine->pubsub;
    size_t tables = dict_memory(&p->subscriptions);
    for (int kind = 0; kind < TOPIC_KINDS; kind++)
        tables += dict_memory(&p->topics[kind]);
    assert_in_range(r->engine->space.arena.bytes, before, before + tables + 64);
    rig_free(r);
}

TEST(pubsub, a_subscriber_that_does_not_read_is_cut_off)
{
    struct rig *r = rig_new();
    r->config.output_limit[CLIENT_CLASS_PUBSUB].hard = 1000;
    run(r, "SUBSCRIBE c");
    as(r, 1);
    run(r, "SUBSCRIBE c");
    as(r, 2);
    struct session *slow = r->clients[0];
    while (!(slow->flags & SESSION_KILLED)) {
        assert_true(buf_len(&slow->out) <= 1000);
        run(r, "PUBLISH c 0123456789");
        received(r, 1);
    }
    size_t grown = buf_len(&slow->out);
    expect(r, "PUBLISH c 0123456789", ":2");
    assert_int_equal(buf_len(&slow->out), grown);
    assert_true(grown <= 1000);
    assert_string_equal(received(r, 1), "*3 $7 message $1 c $10 0123456789");
    rig_free(r);
}

TEST(pubsub, what_the_socket_has_not_taken_counts_towards_the_limit)
{
    struct rig *r = rig_new();
    r->config.output_limit[CLIENT_CLASS_PUBSUB].hard = 1000;
    run(r, "SUBSCRIBE c");
    as(r, 1);
    r->clients[0]->unsent = 990;
    run(r, "PUBLISH c 0123456789");
    assert_true(r->clients[0]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(pubsub, a_closing_client_gets_no_more_messages)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE c");
    session_close(r->clients[0], false);
    as(r, 1);
    expect(r, "PUBLISH c x", ":1");
    assert_string_equal(received(r, 0), "");
    rig_free(r);
}

TEST(pubsub, names_and_messages_are_bytes)
{
    struct rig *r = rig_new();
    run(r, "SUBSCRIBE \"\" \"a\\x00b\"");
    as(r, 1);
    expect(r, "PUBLISH \"\" \"\"", ":1");
    assert_string_equal(received(r, 0), "*3 $7 message $0  $0 ");
    expect(r, "PUBLISH \"a\\x00c\" x", ":0");
    expect(r, "PUBLISH \"a\\x00b\" x", ":1");
    rig_free(r);
}

enum { MANY = 2000, SLICE = 512 };

static void subscribe_to_many(struct rig *r)
{
    char line[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(line, sizeof line, "SUBSCRIBE c:%d", i);
        run(r, line);
    }
}

/* Confirmations in this text, which must be of one channel after the other from `*next` on. */
static int confirmed(const char *text, int *next)
{
    char expected[64];
    int n = 0;
    for (; *text; n++, ++*next) {
        int len = snprintf(expected, sizeof expected, "*3 $11 unsubscribe $%d c:%d :%d",
                           2 + snprintf(NULL, 0, "%d", *next), *next, MANY - 1 - *next);
        assert_int_equal(strncmp(text, expected, (size_t)len), 0);
        text += len + (text[len] == ' ');
    }
    return n;
}

TEST(pubsub, many_channels_are_left_in_slices_and_others_come_between)
{
    struct rig *r = rig_new();
    int next = 0;
    subscribe_to_many(r);
    run(r, "UNSUBSCRIBE");
    assert_int_equal(confirmed(rig_reply(r), &next), SLICE);
    assert_true(r->clients[0]->flags & SESSION_BLOCKED); /* its next command has to wait */
    as(r, 1);
    expect(r, "PUBLISH c:0 gone", ":0");
    expect(r, "PUBLISH c:1999 there", ":1");
    assert_string_equal(received(r, 0), "*3 $7 message $6 c:1999 $5 there");
    expect(r, "CLIENT UNBLOCK 1", ":0");
    for (bool more = true; more;) {
        assert_true(engine_deadline(r->engine) <= r->now);
        more = engine_advance(r->engine, r->now);
        assert_in_range(confirmed(received(r, 0), &next), 1, SLICE);
    }
    assert_int_equal(next, MANY);
    assert_false(r->clients[0]->flags & SESSION_BLOCKED);
    assert_int_equal(r->engine->waiters.blocked, 0);
    as(r, 0);
    expect(r, "PING", "+PONG");
    run(r, "INFO commandstats");
    assert_non_null(strstr(rig_reply(r), "cmdstat_unsubscribe:calls=1,"));
    rig_free(r);
}

TEST(pubsub, those_who_leave_many_channels_take_turns)
{
    struct rig *r = rig_new();
    for (int who = 0; who < 2; who++) {
        as(r, who);
        subscribe_to_many(r);
        run(r, "UNSUBSCRIBE");
    }
    for (int turn = 0; turn < 4; turn++) {
        engine_advance(r->engine, r->now);
        assert_int_equal(received(r, turn % 2)[0], '*');
        assert_string_equal(received(r, !(turn % 2)), "");
    }
    disconnect(r, 0); /* in the middle of it */
    later(r, 1);
    assert_int_equal(r->engine->pubsub.subscriptions.count, 0);
    rig_free(r);
}

TEST(pubsub, in_a_transaction_many_channels_are_left_at_once)
{
    struct rig *r = rig_new();
    run(r, "HELLO 3");
    subscribe_to_many(r);
    run(r, "MULTI");
    run(r, "UNSUBSCRIBE");
    run(r, "EXEC");
    assert_int_equal(strncmp(rig_reply(r), "*1 >3 ", 6), 0);
    assert_int_equal(pubsub_count(r->clients[0], TOPIC_CHANNEL), 0);
    rig_free(r);
}

/* Against a plain matrix of who is subscribed to what. */
TEST(pubsub, agrees_with_a_model)
{
    enum { CHANNELS = 40, CLIENTS = RIG_CLIENTS - 1 };
    struct rig *r = rig_new();
    bool model[CLIENTS][CHANNELS] = {{false}};
    char line[64], reply[64];
    uint32_t random = 1;
    for (int step = 0; step < 5000; step++) {
        random = random * 1664525u + 1013904223u;
        int who = (int)(random >> 8) % CLIENTS, channel = (int)(random >> 16) % CHANNELS;
        speak3(r, who);
        bool leave = random >> 31;
        snprintf(line, sizeof line, "%s c%d", leave ? "UNSUBSCRIBE" : "SUBSCRIBE", channel);
        run(r, line);
        model[who][channel] = !leave;
        if (step % 500 == 250) {
            disconnect(r, who);
            memset(model[who], 0, sizeof model[who]);
        }
        int n = 0;
        for (int i = 0; i < CLIENTS; i++)
            n += model[i][channel];
        as(r, RIG_CLIENTS - 1);
        snprintf(line, sizeof line, "PUBLISH c%d x", channel);
        snprintf(reply, sizeof reply, ":%d", n);
        expect(r, line, reply);
        for (int i = 0; i < CLIENTS; i++)
            if (r->clients[i])
                assert_int_equal(strlen(received(r, i)) > 0, model[i][channel]);
    }
    rig_free(r);
}
