#include "tests/lib/rig.h"

#include <stdlib.h>

#define HELLO_TAIL "$2 id :1 $4 mode $10 standalone $4 role $6 master $7 modules *0 "
#define OURS       "$14 latchd_version $5 " LATCHD_VERSION

static struct rig *with_password(void)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET requirepass sesame");
    disconnect(r, 0);
    as(r, 1);
    return r;
}

TEST(hello, tells_what_the_server_is)
{
    struct rig *r = rig_new();
    expect(r, "HELLO", "*16 $6 server $5 redis $7 version $5 7.4.2 $5 proto :2 " HELLO_TAIL OURS);
    expect(r, "HELLO 3", "%8 $6 server $5 redis $7 version $5 7.4.2 $5 proto :3 " HELLO_TAIL OURS);
    expect(r, "GET missing", "_");
    expect(r, "HELLO 2", "*16 $6 server $5 redis $7 version $5 7.4.2 $5 proto :2 " HELLO_TAIL OURS);
    expect(r, "GET missing", "$-1");
    rig_free(r);
}

TEST(hello, refuses_what_it_does_not_know)
{
    struct rig *r = rig_new();
    expect(r, "HELLO 4", "-NOPROTO unsupported protocol version");
    expect(r, "HELLO 1", "-NOPROTO unsupported protocol version");
    expect(r, "HELLO x", "-ERR Protocol version is not an integer or out of range");
    expect(r, "HELLO 3 NAME", "-ERR Syntax error in HELLO option 'NAME'");
    expect(r, "HELLO 3 AUTH default", "-ERR Syntax error in HELLO option 'AUTH'");
    expect(r, "HELLO 3 SETNAME 'a b'",
           "-ERR Client names cannot contain spaces, newlines or special characters.");
    expect(r, "GET missing", "$-1");
    rig_free(r);
}

TEST(hello, authenticates_and_names)
{
    struct rig *r = with_password();
    expect(r, "HELLO 3",
           "-NOAUTH HELLO must be called with the client already authenticated, otherwise the "
           "HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and "
           "select the RESP protocol version at the same time");
    expect(r, "HELLO 3 AUTH default wrong SETNAME worker",
           "-WRONGPASS invalid username-password pair or user is disabled.");
    expect(r, "GET k", "-NOAUTH Authentication required.");
    run(r, "HELLO 3 AUTH default sesame SETNAME worker");
    assert_int_equal(rig_reply(r)[0], '%');
    expect(r, "CLIENT GETNAME", "$6 worker");
    rig_free(r);
}

TEST(auth, wants_the_right_password)
{
    struct rig *r = with_password();
    static const char wrong[] = "-WRONGPASS invalid username-password pair or user is disabled.";
    expect(r, "PING", "-NOAUTH Authentication required.");
    expect(r, "AUTH wrong", wrong);
    expect(r, "AUTH sesam", wrong);
    expect(r, "AUTH sesamesesame", wrong);
    expect(r, "AUTH ''", wrong);
    expect(r, "AUTH bob sesame", wrong);
    expect(r, "AUTH a b c", "-ERR syntax error");
    expect(r, "AUTH", "-ERR wrong number of arguments for 'auth' command");
    expect(r, "AUTH sesame", "+OK");
    expect(r, "PING", "+PONG");
    as(r, 2);
    expect(r, "AUTH default sesame", "+OK");
    expect(r, "PING", "+PONG");
    rig_free(r);
}

TEST(auth, without_a_password_there_is_nothing_to_say)
{
    struct rig *r = rig_new();
    expect(r, "AUTH x",
           "-ERR AUTH <password> called without any password configured for the default user. Are "
           "you sure your configuration is correct?");
    expect(r, "AUTH default whatever", "+OK");
    expect(r, "AUTH bob x", "-WRONGPASS invalid username-password pair or user is disabled.");
    rig_free(r);
}

TEST(select, chooses_one_of_the_databases)
{
    struct rig *r = rig_new();
    run(r, "SET k zero");
    expect(r, "SELECT 15", "+OK");
    expect(r, "GET k", "$-1");
    expect(r, "SELECT 16", "-ERR DB index is out of range");
    expect(r, "SELECT -1", "-ERR DB index is out of range");
    expect(r, "SELECT x", "-ERR value is not an integer or out of range");
    expect(r, "SELECT 2147483648",
           "-ERR value is out of range, value must between -2147483648 and 2147483647");
    expect(r, "SELECT 0", "+OK");
    expect(r, "GET k", "$4 zero");
    rig_free(r);
}

TEST(ping, has_a_form_for_subscribers)
{
    struct rig *r = rig_new();
    expect(r, "PING", "+PONG");
    expect(r, "PING hi", "$2 hi");
    expect(r, "PING a b", "-ERR wrong number of arguments for 'ping' command");
    r->clients[0]->flags |= SESSION_PUBSUB;
    expect(r, "PING", "*2 $4 pong $0 ");
    expect(r, "PING hi", "*2 $4 pong $2 hi");
    r->clients[0]->resp = 3;
    expect(r, "PING", "+PONG");
    r->clients[0]->flags &= ~(uint32_t)SESSION_PUBSUB;
    rig_free(r);
}

TEST(quit, closes_after_its_answer)
{
    struct rig *r = rig_new();
    expect(r, "QUIT whatever", "+OK");
    assert_true(r->clients[0]->flags & SESSION_CLOSING);
    assert_false(r->clients[0]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(reset, is_as_a_new_connection)
{
    struct rig *r = rig_new();
    run(r, "HELLO 3 SETNAME worker");
    run(r, "CLIENT SETINFO LIB-NAME lib");
    run(r, "SELECT 3");
    run(r, "CLIENT NO-TOUCH ON");
    run(r, "WATCH k");
    run(r, "MULTI");
    expect(r, "RESET", "+RESET");
    expect(r, "EXEC", "-ERR EXEC without MULTI");
    expect(r, "GET missing", "$-1");
    expect(r, "CLIENT GETNAME", "$-1");
    run(r, "CLIENT INFO");
    assert_non_null(strstr(rig_reply(r), " flags=N db=0 "));
    assert_non_null(strstr(rig_reply(r), " lib-name=lib "));
    rig_free(r);
}

TEST(reset, asks_for_the_password_again)
{
    struct rig *r = with_password();
    run(r, "AUTH sesame");
    expect(r, "RESET", "+RESET");
    expect(r, "PING", "-NOAUTH Authentication required.");
    rig_free(r);
}
