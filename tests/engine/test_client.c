#include "tests/lib/rig.h"

#include <string.h>

#define FIELDS " sub=0 psub=0 ssub=0 multi=-1 watch=0 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 "

static void has(struct rig *r, const char *part)
{
    if (strstr(rig_reply(r), part) == NULL)
        fail_msg("no \"%s\" in: %s", part, rig_reply(r));
}

static void lacks(struct rig *r, const char *part)
{
    if (strstr(rig_reply(r), part))
        fail_msg("\"%s\" in: %s", part, rig_reply(r));
}

TEST(client, names_are_plain_words)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT GETNAME", "$-1");
    expect(r, "CLIENT SETNAME worker:1", "+OK");
    expect(r, "CLIENT GETNAME", "$8 worker:1");
    expect(r, "CLIENT SETNAME 'a b'",
           "-ERR Client names cannot contain spaces, newlines or special characters.");
    expect(r, "CLIENT GETNAME", "$8 worker:1");
    expect(r, "CLIENT SETNAME ''", "+OK");
    expect(r, "CLIENT GETNAME", "$-1");
    rig_free(r);
}

TEST(client, what_it_says_of_itself_is_short)
{
    char text[SESSION_TEXT_MAX + 2] = "";
    memset(text, 'x', SESSION_TEXT_MAX + 1);
    struct bytes longest = {text, SESSION_TEXT_MAX}, longer = bytes_of(text);
    struct rig *r = rig_new();
    run_argv(r, (struct bytes[]){BYTES("CLIENT"), BYTES("SETNAME"), longest}, 3);
    is(r, "+OK");
    run_argv(r, (struct bytes[]){BYTES("CLIENT"), BYTES("SETNAME"), longer}, 3);
    is(r, "-ERR Client names cannot be longer than 1024 bytes.");
    run_argv(r, (struct bytes[]){BYTES("HELLO"), BYTES("2"), BYTES("SETNAME"), longer}, 4);
    is(r, "-ERR Client names cannot be longer than 1024 bytes.");
    run_argv(r, (struct bytes[]){BYTES("CLIENT"), BYTES("SETINFO"), BYTES("LIB-VER"), longer}, 4);
    is(r, "-ERR LIB-VER cannot be longer than 1024 bytes.");
    rig_free(r);
}

TEST(client, setinfo_keeps_the_library)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT SETINFO lib-name redis-py(7)", "+OK");
    expect(r, "CLIENT SETINFO LIB-VER 7.0", "+OK");
    expect(r, "CLIENT SETINFO lib-name 'a b'",
           "-ERR lib-name cannot contain spaces, newlines or special characters.");
    expect(r, "CLIENT SETINFO badger x", "-ERR Unrecognized option 'badger'");
    expect(r, "CLIENT SETINFO lib-name",
           "-ERR wrong number of arguments for 'client|setinfo' command");
    run(r, "CLIENT INFO");
    has(r, " lib-name=redis-py(7) lib-ver=7.0\n");
    rig_free(r);
}

TEST(client, info_has_every_field_in_order)
{
    struct rig *r = rig_new();
    later(r, 2500);
    run(r, "CLIENT INFO");
    has(r, "id=1 addr=127.0.0.1:5000 laddr=127.0.0.1:6379 fd=8 name= age=2 idle=0 flags=N "
           "db=0" FIELDS);
    has(r, " events=r cmd=client|info user=default redir=-1 resp=2 lib-name= lib-ver=\n");
    rig_free(r);
}

TEST(client, list_shows_a_transaction)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "WATCH a b");
    run(r, "MULTI");
    run(r, "SET k v");
    as(r, 0);
    run(r, "CLIENT LIST ID 2");
    has(r, " flags=x ");
    has(r, " multi=1 watch=2 ");
    has(r, " cmd=set ");
    as(r, 1);
    run(r, "nosuch");
    as(r, 0);
    run(r, "CLIENT LIST ID 2");
    has(r, " cmd=NULL ");
    rig_free(r);
}

TEST(client, list_can_be_narrowed)
{
    struct rig *r = rig_new();
    as(r, 1);
    as(r, 2);
    run(r, "CLIENT LIST");
    has(r, "id=1 "), has(r, "id=2 "), has(r, "id=3 ");
    run(r, "CLIENT LIST ID 3 99 1");
    has(r, "id=3 "), has(r, "id=1 "), lacks(r, "id=2 ");
    assert_true(strstr(rig_reply(r), "id=3 ") < strstr(rig_reply(r), "id=1 "));
    expect(r, "CLIENT LIST TYPE pubsub", "$0 ");
    run(r, "CLIENT LIST TYPE NORMAL");
    has(r, "id=2 ");
    expect(r, "CLIENT LIST TYPE x", "-ERR Unknown client type 'x'");
    expect(r, "CLIENT LIST ID x", "-ERR Invalid client ID");
    expect(r, "CLIENT LIST ID", "-ERR syntax error");
    expect(r, "CLIENT LIST x", "-ERR syntax error");
    rig_free(r);
}

TEST(client, kill_by_address_answers_ok)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "CLIENT KILL 127.0.0.1:1", "-ERR No such client");
    expect(r, "CLIENT KILL 127.0.0.1:5000", "+OK");
    assert_true(r->clients[0]->flags & SESSION_KILLED);
    expect(r, "CLIENT KILL 127.0.0.1:5001", "+OK");
    assert_true(r->clients[1]->flags & SESSION_CLOSING);
    assert_false(r->clients[1]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(client, kill_by_filters_counts)
{
    struct rig *r = rig_new();
    later(r, 10000);
    as(r, 1);
    as(r, 2);
    expect(r, "CLIENT KILL ID 77", ":0");
    expect(r, "CLIENT KILL ID 2 USER default", ":1");
    expect(r, "CLIENT KILL ID 2 USER default", ":0");
    expect(r, "CLIENT KILL MAXAGE 11", ":0");
    expect(r, "CLIENT KILL MAXAGE 10", ":1");
    assert_true(r->clients[0]->flags & SESSION_KILLED);
    expect(r, "CLIENT KILL ID 3", ":0");
    expect(r, "CLIENT KILL ID 3 SKIPME no", ":1");
    rig_free(r);
}

TEST(client, kill_takes_a_client_out_of_its_queues)
{
    struct rig *r = rig_new();
    as(r, 1);
    expect(r, "BLPOP q 0", "");
    as(r, 2);
    run(r, "SUBSCRIBE news");
    as(r, 0);
    expect(r, "CLIENT KILL ID 2", ":1");
    expect(r, "CLIENT KILL TYPE pubsub", ":1");
    expect(r, "RPUSH q x", ":1");
    expect(r, "LLEN q", ":1");
    expect(r, "PUBLISH news x", ":0");
    expect(r, "CLIENT LIST ID 2 3", "$0 ");
    expect(r, "CLIENT UNBLOCK 2", ":0");
    rig_free(r);
}

TEST(client, kill_says_what_is_wrong)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT KILL", "-ERR wrong number of arguments for 'client|kill' command");
    expect(r, "CLIENT KILL a b", "-ERR syntax error");
    expect(r, "CLIENT KILL ID 1 SKIPME", "-ERR syntax error");
    expect(r, "CLIENT KILL ID 0", "-ERR client-id should be greater than 0");
    expect(r, "CLIENT KILL ID x", "-ERR client-id should be greater than 0");
    expect(r, "CLIENT KILL TYPE x", "-ERR Unknown client type 'x'");
    expect(r, "CLIENT KILL USER bob", "-ERR No such user 'bob'");
    expect(r, "CLIENT KILL SKIPME maybe", "-ERR syntax error");
    expect(r, "CLIENT KILL MAXAGE x", "-ERR maxage is not an integer or out of range");
    expect(r, "CLIENT KILL MAXAGE 0", "-ERR maxage should be greater than 0");
    rig_free(r);
}

TEST(client, reply_off_and_skip_are_silent)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT REPLY SKIP", "");
    expect(r, "PING", "");
    expect(r, "PING", "+PONG");
    expect(r, "CLIENT REPLY OFF", "");
    expect(r, "PING", "");
    expect(r, "CLIENT REPLY x", "");
    expect(r, "CLIENT REPLY ON", "+OK");
    expect(r, "PING", "+PONG");
    expect(r, "CLIENT REPLY x", "-ERR syntax error");
    rig_free(r);
}

TEST(client, no_touch_leaves_keys_unused)
{
    struct rig *r = rig_new();
    run(r, "SET k v");
    later(r, 5000);
    expect(r, "CLIENT NO-TOUCH ON", "+OK");
    run(r, "GET k");
    expect(r, "OBJECT IDLETIME k", ":5");
    expect(r, "TOUCH k", ":1");
    expect(r, "OBJECT IDLETIME k", ":0");
    later(r, 5000);
    expect(r, "CLIENT NO-TOUCH OFF", "+OK");
    run(r, "GET k");
    expect(r, "OBJECT IDLETIME k", ":0");
    expect(r, "CLIENT NO-TOUCH x", "-ERR syntax error");
    expect(r, "CLIENT NO-EVICT ON", "+OK");
    run(r, "CLIENT INFO");
    has(r, " flags=e ");
    rig_free(r);
}

TEST(client, unblock_says_what_is_wrong)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT UNBLOCK 1", ":0");
    expect(r, "CLIENT UNBLOCK 99 ERROR", ":0");
    expect(r, "CLIENT UNBLOCK x", "-ERR value is not an integer or out of range");
    expect(r, "CLIENT UNBLOCK 1 x", "-ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
    expect(r, "CLIENT UNBLOCK 1 ERROR x",
           "-ERR unknown subcommand or wrong number of arguments for 'UNBLOCK'. Try CLIENT HELP.");
    rig_free(r);
}

TEST(client, unknown_subcommands_are_named)
{
    struct rig *r = rig_new();
    expect(r, "CLIENT badger", "-ERR unknown subcommand 'badger'. Try CLIENT HELP.");
    expect(r, "CLIENT", "-ERR wrong number of arguments for 'client' command");
    run(r, "CLIENT HELP");
    has(r, "+CLIENT <subcommand> [<argument> ...]. Subcommands are: ");
    rig_free(r);
}
