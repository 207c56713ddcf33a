#include "tests/lib/rig.h"

#include <stdio.h>
#include <string.h>

static void has(struct rig *r, const char *part)
{
    if (strstr(rig_reply(r), part) == NULL)
        fail_msg("no \"%s\" in: %s", part, rig_reply(r));
}

#define RANGE(flags, first, last)                                                                  \
    "*6 $5 flags " flags " $12 begin_search *4 $4 type $5 index $4 spec *2 $5 index :" first       \
    " $9 find_keys *4 $4 type $5 range $4 spec *6 $7 lastkey :" last " $7 keystep :1 $5 limit :0"

TEST(command, info_is_what_redis_says)
{
    struct rig *r = rig_new();
    expect(r, "COMMAND INFO ping",
           "*1 *10 $4 ping :-1 *1 +fast :0 :0 :0 *2 +@fast +@connection *2 "
           "$25 request_policy:all_shards $29 response_policy:all_succeeded *0 *0");
    expect(r, "COMMAND INFO GET",
           "*1 *10 $3 get :2 *2 +readonly +fast :1 :1 :1 *3 +@read +@string +@fast *0 *1 " RANGE(
               "*2 +RO +access", "1", "0") " *0");
    expect(r, "COMMAND INFO rename",
           "*1 *10 $6 rename :3 *1 +write :1 :2 :1 *3 +@keyspace +@write +@slow *0 *2 " RANGE(
               "*3 +RW +access +delete", "1", "0") " " RANGE("*2 +OW +update", "2", "0") " *0");
    expect(r, "COMMAND INFO nosuch client|nosuch", "*2 $-1 $-1");
    run(r, "HELLO 3");
    expect(r, "COMMAND INFO client|id",
           "*1 *10 $9 client|id :2 ~3 +noscript +loading +stale :0 :0 :0 ~2 +@slow +@connection ~0 "
           "~0 ~0");
    rig_free(r);
}

TEST(command, bare_lists_them_all)
{
    struct rig *r = rig_new();
    char count[32], head[64];
    run(r, "COMMAND COUNT");
    snprintf(count, sizeof count, "%s", rig_reply(r));
    snprintf(head, sizeof head, "*%s *10 ", count + 1);
    run(r, "COMMAND");
    assert_memory_equal(rig_reply(r), head, strlen(head));
    has(r, "*10 $6 client :-2 *0 :0 :0 :0 *1 +@slow *0 *0 *");
    rig_free(r);
}

TEST(command, list_can_be_filtered)
{
    struct rig *r = rig_new();
    run(r, "COMMAND LIST");
    has(r, "$3 get");
    has(r, "$9 client|id");
    expect(r, "COMMAND LIST FILTERBY PATTERN GETDE?", "*1 $6 getdel");
    expect(r, "COMMAND LIST FILTERBY MODULE m", "*0");
    expect(r, "COMMAND LIST FILTERBY ACLCAT nosuch", "*0");
    run(r, "COMMAND LIST FILTERBY ACLCAT connection");
    has(r, "$5 hello");
    expect(r, "COMMAND LIST FILTERBY colour red", "-ERR syntax error");
    expect(r, "COMMAND LIST FILTERBY PATTERN", "-ERR syntax error");
    expect(r, "COMMAND LIST x", "-ERR syntax error");
    rig_free(r);
}

TEST(command, getkeys_finds_them)
{
    struct rig *r = rig_new();
    expect(r, "COMMAND GETKEYS MSET a 1 b 2", "*2 $1 a $1 b");
    expect(r, "COMMAND GETKEYS OBJECT ENCODING a", "*1 $1 a");
    expect(r, "COMMAND GETKEYS EVAL x 2 a b c", "*2 $1 a $1 b");
    expect(r, "COMMAND GETKEYS EVAL x 2 a", "*0");
    expect(r, "COMMAND GETKEYS nosuch a", "-ERR Invalid command specified");
    expect(r, "COMMAND GETKEYS PING a", "-ERR The command has no key arguments");
    expect(r, "COMMAND GETKEYS GET a b", "-ERR Invalid number of arguments specified for command");
    expect(r, "COMMAND GETKEYSANDFLAGS SET a b", "*1 *2 $1 a *2 +OW +update");
    expect(r, "COMMAND GETKEYSANDFLAGS SET a b NX GET", "*1 *2 $1 a *3 +RW +access +update");
    rig_free(r);
}

TEST(command, docs_come_from_the_rows)
{
    struct rig *r = rig_new();
    run(r, "HELLO 3");
    expect(r, "COMMAND DOCS expire",
           "%1 $6 expire %5 $7 summary $31 Gives a key a lease in seconds. $5 since "
           "$5 1.0.0 $5 group $7 generic $10 complexity $4 O(1) $9 arguments *3 "
           "%4 $4 name $3 key $4 type $3 key $12 display_text $3 key $14 key_spec_index :0 "
           "%3 $4 name $7 seconds $4 type $7 integer $12 display_text $7 seconds "
           "%4 $4 name $11 nx_xx_gt_lt $4 type $5 oneof $5 flags ~1 +optional $9 arguments *4 "
           "%4 $4 name $2 nx $4 type $10 pure-token $12 display_text $2 nx $5 token $2 NX "
           "%4 $4 name $2 xx $4 type $10 pure-token $12 display_text $2 xx $5 token $2 XX "
           "%4 $4 name $2 gt $4 type $10 pure-token $12 display_text $2 gt $5 token $2 GT "
           "%4 $4 name $2 lt $4 type $10 pure-token $12 display_text $2 lt $5 token $2 LT");
    expect(r, "COMMAND DOCS nosuch", "%0");
    run(r, "COMMAND DOCS mset");
    has(r, "$9 arguments *1 %4 $4 name $9 key_value $4 type $5 block $5 flags ~1 +multiple "
           "$9 arguments *2 %4 $4 name $3 key $4 type $3 key $12 display_text $3 key "
           "$14 key_spec_index :0 %3 $4 name $5 value $4 type $6 string");
    run(r, "COMMAND DOCS");
    has(r, "$11 subcommands %");
    rig_free(r);
}
