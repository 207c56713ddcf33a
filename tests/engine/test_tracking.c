#include "tests/lib/rig.h"

#include <stdio.h>

#define INVALID_K ">2 $10 invalidate *1 $1 k"

/* Client 0 speaks RESP3 and tracks as `how` says; client 1 is the current one. */
static struct rig *tracking(const char *how)
{
    struct rig *r = rig_new();
    char line[256];
    run(r, "SET k v");
    run(r, "HELLO 3");
    snprintf(line, sizeof line, "CLIENT TRACKING ON %s", how);
    expect(r, line, "+OK");
    as(r, 1);
    return r;
}

static void run_as(struct rig *r, int who, const char *line)
{
    int before = r->who;
    as(r, who);
    run(r, line);
    as(r, before);
}

#define heard(r, who, text) assert_string_equal(received((r), (who)), (text))

TEST(tracking, tells_a_reader_once_that_its_key_has_changed)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET k");
    run(r, "SET k w");
    heard(r, 0, INVALID_K);
    run(r, "SET k x");
    heard(r, 0, "");
    run_as(r, 0, "GET k");
    run(r, "DEL k");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, one_command_invalidates_once_however_many_events_it_raises)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET k");
    run(r, "SET k w PX 100");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, a_key_that_is_not_there_is_remembered_too)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET missing");
    run(r, "SET missing now");
    heard(r, 0, ">2 $10 invalidate *1 $7 missing");
    rig_free(r);
}

TEST(tracking, writing_does_not_remember)
{
    struct rig *r = tracking("");
    run_as(r, 0, "SET k mine");
    run_as(r, 0, "SET k mine GET");
    run(r, "SET k w");
    heard(r, 0, "");
    rig_free(r);
}

TEST(tracking, remembers_all_keys_of_a_command)
{
    struct rig *r = tracking("");
    char line[256] = "MGET";
    size_t n = strlen(line);
    for (int i = 10; i < 40; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, " k%d", i);
    run_as(r, 0, line);
    assert_int_equal(r->engine->tracking.live, 30);
    run(r, "SET k39 x");
    heard(r, 0, ">2 $10 invalidate *1 $3 k39");
    rig_free(r);
}

TEST(tracking, ones_own_change_is_told_after_the_reply)
{
    struct rig *r = tracking("");
    as(r, 0);
    run(r, "GET k");
    expect(r, "SET k w", "+OK " INVALID_K);
    run(r, "GET k");
    run(r, "MULTI");
    run(r, "SET k x");
    run(r, "GET other");
    expect(r, "EXEC", "*2 +OK _ " INVALID_K);
    rig_free(r);
}

TEST(tracking, noloop_spares_a_client_its_own_changes)
{
    struct rig *r = tracking("NOLOOP");
    as(r, 0);
    run(r, "GET k");
    expect(r, "SET k w", "+OK");
    run(r, "GET k");
    run_as(r, 1, "SET k x");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, remembers_what_scripts_and_transactions_read)
{
    struct rig *r = tracking("");
    run_as(r, 0, "EVAL \"return redis.call('GET', 'k')\" 0");
    run(r, "SET k w");
    heard(r, 0, INVALID_K);
    run_as(r, 0, "MULTI");
    run_as(r, 0, "GET k");
    run(r, "SET k x");
    run_as(r, 0, "EXEC");
    heard(r, 0, "");
    run(r, "SET k y");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, the_keys_of_a_script_itself_are_not_remembered)
{
    struct rig *r = tracking("");
    run_as(r, 0, "EVAL_RO 'return 1' 1 k");
    run(r, "SET k w");
    heard(r, 0, "");
    rig_free(r);
}

TEST(tracking, expiry_invalidates_even_with_noloop)
{
    struct rig *r = tracking("NOLOOP");
    run(r, "SET k v PX 100");
    run_as(r, 0, "GET k");
    later(r, 101);
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, expiry_that_is_found_by_looking_invalidates_after_the_reply)
{
    struct rig *r = tracking("NOLOOP");
    run(r, "SET k v PX 100");
    for (int i = 0; i < 200; i++) {
        char line[64];
        snprintf(line, sizeof line, "SET filler%d v PX 50", i); /* more than one command removes */
        run(r, line);
    }
    as(r, 0);
    run(r, "GET k");
    r->now += 101;
    expect(r, "GET k", "_ " INVALID_K);
    rig_free(r);
}

TEST(tracking, flushing_invalidates_everything)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET k");
    run(r, "FLUSHDB");
    heard(r, 0, ">2 $10 invalidate _");
    run(r, "SET k w");
    heard(r, 0, "");
    run_as(r, 0, "GET k");
    run(r, "SET k x");
    heard(r, 0, INVALID_K);
    as(r, 0);
    expect(r, "FLUSHALL", "+OK >2 $10 invalidate _");
    rig_free(r);
}

TEST(tracking, what_a_flush_left_behind_is_swept_away)
{
    struct rig *r = tracking("");
    for (int i = 0; i < 300; i++) {
        char line[32];
        snprintf(line, sizeof line, "GET k%d", i);
        run_as(r, 0, line);
    }
    run(r, "FLUSHALL");
    assert_true(r->engine->tracking.keys.count > 0);
    run_as(r, 0, "GET k299");
    for (int i = 0; i < 5; i++)
        run(r, "PING");
    assert_int_equal(r->engine->tracking.keys.count, 1);
    assert_int_equal(r->engine->tracking.readers.count, 1);
    assert_int_equal(r->engine->tracking.live, 1);
    rig_free(r);
}

TEST(tracking, optin_remembers_only_the_command_after_caching_yes)
{
    struct rig *r = tracking("OPTIN");
    run_as(r, 0, "GET k");
    run(r, "SET k w");
    heard(r, 0, "");
    run_as(r, 0, "CLIENT CACHING YES");
    run_as(r, 0, "GET k");
    run_as(r, 0, "GET other");
    run(r, "SET other w");
    heard(r, 0, "");
    run(r, "SET k x");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, an_unknown_command_ends_caching_like_any_other)
{
    struct rig *r = tracking("OPTIN");
    run_as(r, 0, "CLIENT CACHING YES");
    run_as(r, 0, "BOGUS");
    run_as(r, 0, "GET k");
    run_as(r, 0, "CLIENT CACHING YES");
    run_as(r, 0, "CLIENT BOGUS");
    run_as(r, 0, "GET other");
    run(r, "MSET k w other x");
    heard(r, 0, "");
    rig_free(r);
}

TEST(tracking, optin_covers_a_whole_transaction)
{
    struct rig *r = tracking("OPTIN");
    run_as(r, 0, "CLIENT CACHING YES");
    run_as(r, 0, "MULTI");
    run_as(r, 0, "GET a");
    run_as(r, 0, "GET b");
    run_as(r, 0, "EXEC");
    run_as(r, 0, "GET c");
    run(r, "MSET a 1 b 2 c 3");
    heard(r, 0, ">2 $10 invalidate *1 $1 a >2 $10 invalidate *1 $1 b");
    rig_free(r);
}

TEST(tracking, optout_remembers_all_but_the_command_after_caching_no)
{
    struct rig *r = tracking("OPTOUT");
    run_as(r, 0, "CLIENT CACHING NO");
    run_as(r, 0, "GET k");
    run_as(r, 0, "GET other");
    run(r, "MSET k w other x");
    heard(r, 0, ">2 $10 invalidate *1 $5 other");
    rig_free(r);
}

TEST(tracking, a_resp2_client_redirects_to_a_subscriber)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "SUBSCRIBE __redis__:invalidate");
    as(r, 0);
    expect(r, "CLIENT TRACKING ON REDIRECT 2", "+OK");
    expect(r, "CLIENT GETREDIR", ":2");
    run(r, "GET k");
    expect(r, "SET k w", "+OK");
    heard(r, 1, "*3 $7 message $20 __redis__:invalidate *1 $1 k");
    run(r, "FLUSHALL");
    heard(r, 1, "*3 $7 message $20 __redis__:invalidate $-1");
    run_as(r, 1, "UNSUBSCRIBE");
    run(r, "GET k");
    run(r, "SET k w");
    heard(r, 1, "");
    rig_free(r);
}

TEST(tracking, a_resp2_client_that_does_not_redirect_hears_nothing)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT TRACKING ON", "+OK");
    run(r, "GET k");
    expect(r, "SET k w", "+OK");
    rig_free(r);
}

TEST(tracking, is_told_when_the_client_it_redirects_to_has_gone)
{
    struct rig *r = rig_new();
    run(r, "HELLO 3");
    as(r, 1);
    run(r, "HELLO 3");
    as(r, 0);
    run(r, "CLIENT TRACKING ON REDIRECT 2");
    run(r, "GET k");
    run(r, "SET k w");
    heard(r, 1, INVALID_K);
    run(r, "GET k");
    disconnect(r, 1);
    expect(r, "SET k w", "+OK >2 $21 tracking-redir-broken :2");
    expect(r, "CLIENT TRACKINGINFO",
           "%3 $5 flags ~2 $2 on $15 broken_redirect $8 redirect :2 "
           "$8 prefixes *0");
    rig_free(r);
}

TEST(tracking, clients_that_redirect_to_each_other_may_go_in_any_order)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "CLIENT TRACKING ON REDIRECT 1");
    as(r, 0);
    run(r, "CLIENT TRACKING ON REDIRECT 2");
    as(r, 2);
    expect(r, "CLIENT TRACKING ON REDIRECT 3", "+OK");
    disconnect(r, 0);
    disconnect(r, 1);
    disconnect(r, 2);
    assert_int_equal(r->engine->tracking.clients, 0);
    rig_free(r);
}

TEST(tracking, a_reader_that_has_gone_is_forgotten_with_its_keys)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET k");
    disconnect(r, 0);
    run(r, "SET k w");
    assert_int_equal(r->engine->tracking.keys.count, 0);
    assert_int_equal(r->engine->tracking.readers.count, 0);
    rig_free(r);
}

TEST(tracking, turned_off_and_on_again_old_keys_still_count)
{
    struct rig *r = tracking("");
    run_as(r, 0, "GET k");
    run_as(r, 0, "GET l");
    run_as(r, 0, "CLIENT TRACKING OFF");
    run(r, "SET l w");
    heard(r, 0, "");
    run_as(r, 0, "CLIENT TRACKING ON");
    run(r, "SET k w");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, reset_ends_it)
{
    struct rig *r = tracking("BCAST");
    as(r, 0);
    run(r, "RESET");
    run(r, "HELLO 3");
    expect(r, "CLIENT TRACKINGINFO", "%3 $5 flags ~1 $3 off $8 redirect :-1 $8 prefixes *0");
    run_as(r, 1, "SET k w");
    heard(r, 0, "");
    rig_free(r);
}

TEST(tracking, past_the_limit_the_key_least_recently_read_is_given_up)
{
    struct rig *r = tracking("NOLOOP");
    r->config.tracking_table_max_keys = 2;
    as(r, 0);
    run(r, "GET a");
    run(r, "GET b");
    run(r, "GET a");
    expect(r, "GET c", "_ >2 $10 invalidate *1 $1 b");
    assert_int_equal(r->engine->tracking.keys.count, 2);
    r->config.tracking_table_max_keys = 1;
    expect(r, "PING", "+PONG >2 $10 invalidate *1 $1 a");
    as(r, 1);
    run(r, "SET c x");
    heard(r, 0, ">2 $10 invalidate *1 $1 c");
    rig_free(r);
}

/* One who only reads could otherwise keep all the others from taking locks. */
TEST(tracking, past_maxmemory_names_are_given_up_and_locks_can_be_taken)
{
    enum { LONG = 100000 };
    struct rig *r = tracking("");
    static char name[LONG];
    struct bytes get[] = {BYTES("GET"), {memset(name, 'x', LONG), LONG}};
    as(r, 0);
    run(r, "GET old");
    size_t limit = engine_memory(r->engine) + LONG / 2;
    r->config.maxmemory = (int64_t)limit;
    run_argv(r, get, 2);
    assert_non_null(strstr(rig_reply(r), "_ >2 $10 invalidate *1 $100000 xxx"));
    assert_true(engine_memory(r->engine) <= limit);

    as(r, 1);
    expect(r, "SET lock token NX PX 1000", "+OK");
    heard(r, 0, "");
    run_argv(r, (struct bytes[]){BYTES("SET"), BYTES("k"), get[1]}, 3);
    is(r, "+OK");
    heard(r, 0, ">2 $10 invalidate *1 $3 old");
    rig_free(r);
}

TEST(tracking, bcast_tells_of_every_change_below_its_prefixes)
{
    struct rig *r = tracking("BCAST PREFIX lock: PREFIX job:");
    run(r, "SET lock:1 x");
    heard(r, 0, ">2 $10 invalidate *1 $6 lock:1");
    run(r, "SET lock:1 x");
    heard(r, 0, ">2 $10 invalidate *1 $6 lock:1");
    run(r, "SET loc x");
    run(r, "SET other x");
    heard(r, 0, "");
    run_as(r, 0, "GET other");
    run(r, "SET other y");
    heard(r, 0, "");
    run(r, "MSET lock:9 1 job:2 1 lock:10 1 lock:9 2 x 1");
    heard(r, 0, ">2 $10 invalidate *1 $5 job:2 >2 $10 invalidate *2 $7 lock:10 $6 lock:9");
    rig_free(r);
}

/* The client follows `n` prefixes that nobody else does. */
static void follow(struct rig *r, int who, int n)
{
    static char texts[TRACKING_PREFIXES + 1][16];
    struct bytes argv[4 + 2 * (TRACKING_PREFIXES + 1)] = {BYTES("CLIENT"), BYTES("TRACKING"),
                                                          BYTES("ON"), BYTES("BCAST")};
    for (int i = 0; i < n; i++) {
        snprintf(texts[i], sizeof texts[i], "%d-%d:", who, i);
        argv[4 + 2 * i] = BYTES("PREFIX");
        argv[5 + 2 * i] = bytes_of(texts[i]);
    }
    as(r, who);
    run_argv(r, argv, 4 + 2 * (size_t)n);
}

TEST(tracking, prefixes_are_few_for_a_client)
{
    struct rig *r = rig_new();
    follow(r, 0, TRACKING_PREFIXES + 1);
    is(r, "-ERR Too many prefixes");
    follow(r, 0, TRACKING_PREFIXES);
    is(r, "+OK");
    expect(r, "CLIENT TRACKING ON BCAST PREFIX one-more", "-ERR Too many prefixes");
    expect(r, "CLIENT TRACKING OFF", "+OK");
    expect(r, "CLIENT TRACKING ON BCAST PREFIX one-more", "+OK");
    rig_free(r);
}

TEST(tracking, prefixes_are_few_for_all_clients_together)
{
    enum { ENOUGH = TRACKING_PREFIXES_ALL / TRACKING_PREFIXES };
    struct rig *r = rig_new();
    for (int who = 1; who <= ENOUGH; who++) {
        follow(r, who, TRACKING_PREFIXES);
        is(r, "+OK");
    }
    follow(r, 0, 1);
    is(r, "-ERR Too many prefixes");
    expect(r, "CLIENT TRACKING ON BCAST", "+OK"); /* there are always those who follow all */
    expect(r, "CLIENT TRACKING OFF", "+OK");
    as(r, 1);
    expect(r, "CLIENT TRACKING OFF", "+OK");
    follow(r, 0, TRACKING_PREFIXES);
    is(r, "+OK");
    rig_free(r);
}

TEST(tracking, prefixes_are_short)
{
    char text[TRACKING_PREFIX_MAX + 1];
    memset(text, 'x', sizeof text);
    struct bytes argv[] = {BYTES("CLIENT"), BYTES("TRACKING"), BYTES("ON"),
                           BYTES("BCAST"),  BYTES("PREFIX"),   {text, sizeof text}};
    struct rig *r = rig_new();
    run_argv(r, argv, 6);
    is(r, "-ERR Prefix is too long");
    argv[5].n--;
    run_argv(r, argv, 6);
    is(r, "+OK");
    rig_free(r);
}

TEST(tracking, bcast_without_a_prefix_tells_of_everything)
{
    struct rig *r = tracking("BCAST");
    run(r, "SET lock:1 x PX 10");
    heard(r, 0, ">2 $10 invalidate *1 $6 lock:1");
    later(r, 11);
    heard(r, 0, ">2 $10 invalidate *1 $6 lock:1");
    run(r, "FLUSHALL");
    heard(r, 0, ">2 $10 invalidate _");
    rig_free(r);
}

TEST(tracking, bcast_with_noloop_leaves_out_ones_own_changes)
{
    struct rig *r = tracking("BCAST NOLOOP");
    run_as(r, 1, "HELLO 3");
    run_as(r, 1, "CLIENT TRACKING ON BCAST");
    received(r, 1);
    as(r, 0);
    expect(r, "SET k w", "+OK");
    heard(r, 1, INVALID_K);
    run_as(r, 2, "SET k x");
    heard(r, 0, INVALID_K);
    rig_free(r);
}

TEST(tracking, options_that_do_not_go_together_are_refused)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT TRACKING ON OPTIN OPTOUT",
           "-ERR You can't specify both OPTIN mode and OPTOUT mode");
    expect(r, "CLIENT TRACKING ON BCAST OPTIN",
           "-ERR OPTIN and OPTOUT are not compatible with BCAST");
    expect(r, "CLIENT TRACKING ON PREFIX a",
           "-ERR PREFIX option requires BCAST mode to be enabled");
    expect(r, "CLIENT TRACKING ON REDIRECT 1 REDIRECT 1",
           "-ERR A client can only redirect to a single other client");
    expect(r, "CLIENT TRACKING ON REDIRECT 99",
           "-ERR The client ID you want redirect to does not exist");
    expect(r, "CLIENT TRACKING ON BCAST PREFIX ab PREFIX a",
           "-ERR Prefix 'ab' overlaps with another provided prefix 'a'. Prefixes for a single "
           "client must not overlap.");
    expect(r, "CLIENT TRACKING ON REDIRECT", "-ERR syntax error");
    expect(r, "CLIENT TRACKING MAYBE", "-ERR syntax error");
    run(r, "CLIENT TRACKING ON BCAST PREFIX a");
    expect(r, "CLIENT TRACKING ON BCAST PREFIX ab",
           "-ERR Prefix 'ab' overlaps with an existing prefix 'a'. Prefixes for a single client "
           "must not overlap.");
    expect(r, "CLIENT TRACKING ON",
           "-ERR You can't switch BCAST mode on/off before disabling "
           "tracking for this client, and then re-enabling it with a "
           "different mode.");
    rig_free(r);
}

TEST(tracking, trackinginfo_tells_flags_redirection_and_prefixes)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT TRACKINGINFO", "*6 $5 flags *1 $3 off $8 redirect :-1 $8 prefixes *0");
    run(r, "CLIENT TRACKING ON BCAST PREFIX z PREFIX a NOLOOP");
    expect(r, "CLIENT TRACKINGINFO",
           "*6 $5 flags *3 $2 on $5 bcast $6 noloop $8 redirect :0 "
           "$8 prefixes *2 $1 a $1 z");
    run(r, "CLIENT TRACKING OFF");
    run(r, "CLIENT TRACKING ON OPTIN");
    run(r, "CLIENT CACHING YES");
    expect(r, "CLIENT TRACKINGINFO",
           "*6 $5 flags *3 $2 on $5 optin $11 caching-yes $8 redirect :0 $8 prefixes *0");
    rig_free(r);
}

TEST(tracking, many_readers_of_one_key_are_each_told_once)
{
    struct rig *r = rig_new();
    for (int i = 0; i < RIG_CLIENTS - 1; i++) {
        run_as(r, i, "HELLO 3");
        run_as(r, i, "CLIENT TRACKING ON");
        run_as(r, i, "GET k");
        run_as(r, i, "GET k");
    }
    disconnect(r, 3);
    as(r, RIG_CLIENTS - 1);
    for (int i = 0; i < RIG_CLIENTS - 1; i++)
        if (i != 3)
            received(r, i);
    run(r, "SET k v");
    for (int i = 0; i < RIG_CLIENTS - 1; i++)
        if (i != 3)
            heard(r, i, INVALID_K);
    rig_free(r);
}
