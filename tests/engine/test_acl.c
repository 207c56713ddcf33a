/* Users and what they may do. */
#include "tests/lib/rig.h"

#include "base/mem.h"

#include <stdio.h>

#define SECRET_HASH "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

/* Client 1 as a user with these rules; client 0 stays the administrator. */
static struct rig *with_user(const char *rules)
{
    struct rig *r = rig_new();
    char line[512];
    snprintf(line, sizeof line, "ACL SETUSER bob on >pw %s", rules);
    expect(r, line, "+OK");
    as(r, 1);
    expect(r, "AUTH bob pw", "+OK");
    return r;
}

#define ALL_BUT(what) "+@all ~* &* " what

TEST(acl, starts_with_a_default_user_who_may_do_everything)
{
    struct rig *r = rig_new();
    expect(r, "ACL WHOAMI", "$7 default");
    expect(r, "ACL LIST", "*1 $51 user default on nopass sanitize-payload ~* &* +@all");
    expect(r, "ACL USERS", "*1 $7 default");
    assert_true(r->clients[0]->user->unrestricted);
    rig_free(r);
}

TEST(acl, prints_rules_as_they_were_given)
{
    struct rig *r = rig_new();
    expect(r, "ACL SETUSER a on ~x* %R~y %W~y %R~z &c +GET -@read +config|get (~k +set)", "+OK");
    run(r, "ACL LIST");
    assert_non_null(strstr(rig_reply(r), "user a on sanitize-payload ~x* ~y %R~z resetchannels &c "
                                         "-@all +get -@read +config|get (~k resetchannels -@all "
                                         "+set)"));
    expect(r, "ACL SETUSER a reset", "+OK");
    run(r, "ACL LIST");
    assert_non_null(strstr(rig_reply(r), "user a off sanitize-payload resetchannels -@all $51"));
    rig_free(r);
}

TEST(acl, forgets_rules_that_later_ones_overrule)
{
    struct rig *r = rig_new();
    run(r, "ACL SETUSER a +get +config|set -get +config -@all +set +@read -@read");
    run(r, "ACL LIST");
    assert_non_null(strstr(rig_reply(r), " -@all +set -@read $"));
    run(r, "ACL SETUSER a +config|get +config|set -config");
    run(r, "ACL LIST");
    assert_non_null(strstr(rig_reply(r), " -@all +set -@read -config $"));
    rig_free(r);
}

TEST(acl, refuses_rules_that_mean_nothing_and_changes_nothing)
{
    static const struct {
        const char *rule, *error;
    } cases[] = {
        {"foo", "Syntax error"},
        {"%~x", "Syntax error"},
        {"%RR~x", "Syntax error"},
        {"%", "Syntax error"},
        {"+nope", "Unknown command or category name in ACL"},
        {"+@nope", "Unknown command or category name in ACL"},
        {"-select|0", "Unknown command or category name in ACL"},
        {"+config|nope", "Unknown command or category name in ACL"},
        {"+select|", "Syntax error"},
        {"+config|get|x", "Allowing first-arg of a subcommand is not supported"},
        {"#abc", "The password hash must be exactly 64 characters and contain only lowercase "
                 "hexadecimal characters"},
        {"<pw", "The password you are trying to remove from the user does not exist"},
    };
    struct rig *r = rig_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128], error[256];
        snprintf(line, sizeof line, "ACL SETUSER a on %s", cases[i].rule);
        snprintf(error, sizeof error, "-ERR Error in ACL SETUSER modifier '%s': %s", cases[i].rule,
                 cases[i].error);
        expect(r, line, error);
    }
    expect(r, "ACL GETUSER a", "$-1");
    expect(r, "ACL SETUSER a '~x y'", "-ERR Error in ACL SETUSER modifier '~x y': Syntax error");
    expect(r, "ACL SETUSER a (+get ~x",
           "-ERR Unmatched parenthesis in acl selector starting at '(+get'.");
    expect(r, "ACL SETUSER 'a b' on", "-ERR Usernames can't contain spaces or null characters");
    rig_free(r);
}

TEST(acl, refuses_a_rule_of_monstrous_length)
{
    struct rig *r = rig_new();
    size_t n = ACL_TEXT_MAX + 1;
    char *rule = mem_alloc(n);
    memset(rule, 'x', n);
    rule[0] = '~';
    struct bytes argv[] = {BYTES("ACL"), BYTES("SETUSER"), BYTES("a"), {rule, n}};
    run_argv(r, argv, 4);
    assert_non_null(strstr(rig_reply(r), "Rule is too long"));
    argv[3].n--;
    run_argv(r, argv, 4);
    is(r, "+OK");
    mem_free(rule);
    rig_free(r);
}

TEST(acl, keeps_passwords_as_hashes_only)
{
    struct rig *r = rig_new();
    expect(r, "ACL SETUSER a on >secret >secret #" SECRET_HASH, "+OK");
    run(r, "ACL GETUSER a");
    assert_non_null(strstr(rig_reply(r), "$9 passwords *1 $64 " SECRET_HASH));
    as(r, 1);
    expect(r, "AUTH a " SECRET_HASH,
           "-WRONGPASS invalid username-password pair or user is disabled.");
    expect(r, "AUTH a secret", "+OK");
    expect(r, "ACL WHOAMI", "-NOPERM User a has no permissions to run the 'acl|whoami' command");
    as(r, 0);
    expect(r, "ACL SETUSER a <secret", "+OK");
    as(r, 2);
    expect(r, "AUTH a secret", "-WRONGPASS invalid username-password pair or user is disabled.");
    rig_free(r);
}

TEST(acl, lets_nobody_log_in_who_is_off)
{
    struct rig *r = rig_new();
    run(r, "ACL SETUSER a nopass +@all");
    expect(r, "AUTH a x", "-WRONGPASS invalid username-password pair or user is disabled.");
    run(r, "ACL SETUSER a on");
    expect(r, "AUTH a whatever", "+OK");
    expect(r, "ACL SETUSER default off", "+OK");
    as(r, 1);
    expect(r, "PING", "-NOAUTH Authentication required.");
    expect(r, "AUTH a whatever", "+OK");
    expect(r, "PING", "+PONG");
    rig_free(r);
}

TEST(acl, follows_requirepass)
{
    struct rig *r = rig_new();
    expect(r, "CONFIG SET requirepass secret", "+OK");
    expect(r, "ACL LIST", "*1 $110 user default on sanitize-payload #" SECRET_HASH " ~* &* +@all");
    as(r, 1);
    expect(r, "PING", "-NOAUTH Authentication required.");
    expect(r, "AUTH secret", "+OK");
    expect(r, "CONFIG SET requirepass ''", "+OK");
    as(r, 2);
    expect(r, "PING", "+PONG");
    expect(r, "AUTH x",
           "-ERR AUTH <password> called without any password configured for the default user. Are "
           "you sure your configuration is correct?");
    rig_free(r);
}

TEST(acl, denies_commands)
{
    struct rig *r =
        with_user(ALL_BUT("-@dangerous -get -config|set +config|get +select|1 -select"));
    expect(r, "GET k", "-NOPERM User bob has no permissions to run the 'get' command");
    expect(r, "KEYS *", "-NOPERM User bob has no permissions to run the 'keys' command");
    expect(r, "CONFIG SET port 1",
           "-NOPERM User bob has no permissions to run the 'config|set' command");
    expect(r, "CONFIG GET port", "*2 $4 port $4 6379");
    expect(r, "SELECT 1", "-NOPERM User bob has no permissions to run the 'select' command");
    expect(r, "SET k v", "+OK");
    as(r, 0);
    expect(r, "ACL SETUSER bob +select|1", "+OK");
    as(r, 1);
    expect(r, "SELECT 1", "+OK");
    expect(r, "SELECT 0", "-NOPERM User bob has no permissions to run the 'select' command");
    rig_free(r);
}

TEST(acl, denies_keys_by_what_is_done_to_them)
{
    struct rig *r = with_user("+@all ~own:* %R~read:* %W~write:*");
    expect(r, "SET own:1 v", "+OK");
    expect(r, "SET other v", "-NOPERM No permissions to access a key");
    expect(r, "GET read:1", "$-1");
    expect(r, "SET read:1 v", "-NOPERM No permissions to access a key");
    expect(r, "SET write:1 v", "+OK");
    expect(r, "SET write:1 v GET", "-NOPERM No permissions to access a key");
    expect(r, "GET write:1", "-NOPERM No permissions to access a key");
    expect(r, "MGET own:1 read:1", "*2 $1 v $-1");
    expect(r, "MGET own:1 read:1 other", "-NOPERM No permissions to access a key");
    expect(r, "LMOVE own:list write:1 LEFT LEFT", "$-1");
    expect(r, "LMOVE own:list read:1 LEFT LEFT", "-NOPERM No permissions to access a key");
    expect(r, "EVAL 'return 1' 1 other", "-NOPERM No permissions to access a key");
    expect(r, "EVAL 'return 1' 1 own:1", ":1");
    rig_free(r);
}

TEST(acl, denies_channels)
{
    struct rig *r = with_user("+@all ~* &news:* &exact");
    expect(r, "PUBLISH news:1 x", ":0");
    expect(r, "PUBLISH other x", "-NOPERM No permissions to access a channel");
    expect(r, "SPUBLISH other x", "-NOPERM No permissions to access a channel");
    expect(r, "SUBSCRIBE news:1 other", "-NOPERM No permissions to access a channel");
    expect(r, "SSUBSCRIBE other", "-NOPERM No permissions to access a channel");
    expect(r, "PSUBSCRIBE news:1*", "-NOPERM No permissions to access a channel");
    expect(r, "PUBSUB CHANNELS other", "*0");
    expect(r, "PSUBSCRIBE news:*", "*3 $10 psubscribe $6 news:* :1");
    expect(r, "SUBSCRIBE exact", "*3 $9 subscribe $5 exact :2");
    expect(r, "UNSUBSCRIBE other", "*3 $11 unsubscribe $5 other :2");
    rig_free(r);
}

TEST(acl, gives_new_users_the_channels_that_the_option_says)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET acl-pubsub-default allchannels");
    run(r, "ACL SETUSER a");
    expect(r, "ACL GETUSER a",
           "*12 $5 flags *2 $3 off $16 sanitize-payload $9 passwords *0 $8 commands $5 -@all $4 "
           "keys $0  $8 channels $2 &* $9 selectors *0");
    expect(r, "ACL SETUSER a &x",
           "-ERR Error in ACL SETUSER modifier '&x': Adding a pattern after the * pattern (or the "
           "'allchannels' flag) is not valid and does not have any effect. Try 'resetchannels' to "
           "start with an empty list of channels");
    rig_free(r);
}

TEST(acl, allows_what_any_one_selector_allows)
{
    struct rig *r = with_user("+get ~a (+set ~b) (+del ~c)");
    expect(r, "GET a", "$-1");
    expect(r, "SET b 1", "+OK");
    expect(r, "SET a 1", "-NOPERM No permissions to access a key");
    expect(r, "GET b", "-NOPERM No permissions to access a key");
    expect(r, "DEL c", ":0");
    expect(r, "INCR c", "-NOPERM User bob has no permissions to run the 'incr' command");
    rig_free(r);
}

TEST(acl, is_enforced_in_transactions_when_queued_and_when_run)
{
    struct rig *r = with_user(ALL_BUT("-get"));
    run(r, "MULTI");
    expect(r, "GET k", "-NOPERM User bob has no permissions to run the 'get' command");
    expect(r, "EXEC", "-EXECABORT Transaction discarded because of previous errors.");
    run(r, "MULTI");
    expect(r, "SET k v", "+QUEUED");
    expect(r, "INCR n", "+QUEUED");
    as(r, 0);
    run(r, "ACL SETUSER bob -set");
    as(r, 1);
    expect(r, "EXEC",
           "*2 -NOPERM ACLs rules changed between the moment the transaction was accumulated and "
           "the EXEC call. This command is no longer allowed for the following reason: no "
           "permission to execute the command or subcommand :1");
    rig_free(r);
}

TEST(acl, is_enforced_in_scripts)
{
    struct rig *r = with_user("+@all -incr ~a &c");
    expect(r, "EVAL \"return redis.pcall('get', 'a')\" 0", "$-1");
    expect(r, "EVAL \"return redis.pcall('get', 'b')\" 0",
           "-NOPERM ACL failure in script: No permissions to access a key");
    expect(r, "EVAL \"return redis.pcall('incr', 'a')\" 0",
           "-NOPERM ACL failure in script: User bob has no permissions to run the 'incr' command");
    expect(r, "EVAL \"return redis.pcall('publish', 'd', 'x')\" 0",
           "-NOPERM ACL failure in script: No permissions to access a channel");
    expect(r,
           "EVAL \"return {redis.acl_check_cmd('get', 'a'), redis.acl_check_cmd('get', 'b'), "
           "redis.acl_check_cmd('incr', 'a')}\" 0",
           "*3 :1 $-1 $-1");
    rig_free(r);
}

TEST(acl, is_asked_again_when_a_blocked_command_goes_on)
{
    struct rig *r = with_user(ALL_BUT(""));
    run(r, "BLPOP l 0");
    as(r, 0);
    run(r, "ACL SETUSER bob -blpop");
    run(r, "RPUSH l x");
    assert_string_equal(received(r, 1),
                        "-NOPERM User bob has no permissions to run the 'blpop' command");
    expect(r, "LLEN l", ":1");
    rig_free(r);
}

TEST(acl, closes_the_connections_of_a_user_that_goes)
{
    struct rig *r = with_user(ALL_BUT(""));
    as(r, 0);
    expect(r, "ACL DELUSER default", "-ERR The 'default' user cannot be removed");
    expect(r, "ACL DELUSER nobody bob nobody", ":1");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    assert_false(r->clients[1]->flags & SESSION_AUTHENTICATED);
    assert_false(r->clients[0]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(acl, answers_a_user_that_removes_itself)
{
    struct rig *r = with_user(ALL_BUT(""));
    expect(r, "ACL DELUSER bob", ":1");
    assert_true(r->clients[1]->flags & SESSION_CLOSING);
    assert_false(r->clients[1]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(acl, cuts_off_subscribers_whose_channels_are_taken)
{
    struct rig *r = with_user("+@all ~* &a &b");
    run(r, "SUBSCRIBE a");
    as(r, 2);
    run(r, "AUTH bob pw");
    run(r, "SUBSCRIBE b");
    as(r, 0);
    expect(r, "ACL SETUSER bob resetchannels &b &c", "+OK");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    assert_false(r->clients[2]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(acl, kills_by_user)
{
    struct rig *r = with_user(ALL_BUT(""));
    as(r, 0);
    expect(r, "CLIENT KILL USER nobody", "-ERR No such user 'nobody'");
    run(r, "CLIENT LIST");
    assert_non_null(strstr(rig_reply(r), " user=bob "));
    expect(r, "CLIENT KILL USER bob", ":1");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    rig_free(r);
}

TEST(acl_log, keeps_refusals_and_counts_equal_ones)
{
    struct rig *r = with_user("+@all -get ~a");
    run(r, "GET a");
    run(r, "GET a");
    run(r, "SET b 1");
    run(r, "EVAL \"return redis.pcall('set', 'b', 1)\" 0");
    later(r, 1500);
    run(r, "AUTH bob wrong");
    as(r, 0);
    run(r, "ACL LOG 1");
    assert_non_null(strstr(rig_reply(r), "*1 *20 $5 count :1 $6 reason $4 auth $7 context $8 "
                                         "toplevel $6 object $4 AUTH $8 username $3 bob"));
    run(r, "ACL LOG");
    assert_non_null(strstr(rig_reply(r), "reason $3 key $7 context $3 lua $6 object $1 b"));
    assert_non_null(strstr(rig_reply(r), "count :2 $6 reason $7 command $7 context $8 toplevel $6 "
                                         "object $3 get $8 username $3 bob $11 age-seconds $3 "
                                         "1.5"));
    assert_non_null(strstr(rig_reply(r), " cmd=get user=bob ")); /* what was refused */
    run(r, "INFO stats");
    assert_non_null(strstr(rig_reply(r), "acl_access_denied_auth:1"));
    assert_non_null(strstr(rig_reply(r), "acl_access_denied_cmd:2"));
    expect(r, "ACL LOG RESET", "+OK");
    expect(r, "ACL LOG", "*0");
    rig_free(r);
}

TEST(acl_log, is_as_long_as_the_option_says)
{
    struct rig *r = with_user("+@all ~a");
    as(r, 0);
    run(r, "CONFIG SET acllog-max-len 2");
    as(r, 1);
    run(r, "GET x");
    run(r, "GET y");
    run(r, "GET z");
    as(r, 0);
    run(r, "ACL LOG");
    assert_int_equal(strncmp(rig_reply(r), "*2 ", 3), 0);
    assert_null(strstr(rig_reply(r), "object $1 x"));
    rig_free(r);
}

TEST(acl, tells_what_would_be_refused)
{
    struct rig *r = with_user("+@all -get ~a &c");
    as(r, 0);
    expect(r, "ACL DRYRUN bob get a", "$52 User bob has no permissions to run the 'get' command");
    expect(r, "ACL DRYRUN bob set b 1", "$49 User bob has no permissions to access the 'b' key");
    expect(r, "ACL DRYRUN bob publish d 1",
           "$53 User bob has no permissions to access the 'd' channel");
    expect(r, "ACL DRYRUN bob set a 1", "+OK");
    expect(r, "ACL DRYRUN nobody get a", "-ERR User 'nobody' not found");
    expect(r, "ACL DRYRUN bob nope", "-ERR Command 'nope' not found");
    expect(r, "ACL DRYRUN bob set a", "-ERR wrong number of arguments for 'set' command");
    rig_free(r);
}

TEST(acl, makes_up_passwords)
{
    struct rig *r = rig_new();
    run(r, "ACL GENPASS");
    assert_int_equal(strncmp(rig_reply(r), "$64 ", 4), 0);
    expect(r, "ACL GENPASS 5", "$2 00");
    expect(r, "ACL GENPASS 0",
           "-ERR ACL GENPASS argument must be the number of bits for the output password, a "
           "positive number up to 4096");
    rig_free(r);
}

/* Files. */

static struct rig *with_file(const char *text)
{
    struct rig *r = rig_new();
    mem_free(r->config.aclfile);
    r->config.aclfile = mem_strdup("users.acl");
    r->file = text;
    return r;
}

TEST(acl_file, is_loaded_as_a_whole)
{
    struct rig *r =
        with_file("user bob on >pw +@all ~* &*\n\n  user carol on nopass +get (+set ~b)\n");
    expect(r, "ACL LOAD", "+OK");
    expect(r, "ACL USERS", "*3 $3 bob $5 carol $7 default");
    as(r, 1);
    expect(r, "AUTH bob pw", "+OK");
    as(r, 0);
    r->file = "user carol on nopass\nuser default on nopass ~* +@all";
    expect(r, "ACL LOAD", "+OK");
    expect(r, "ACL USERS", "*2 $5 carol $7 default");
    assert_true(r->clients[1]->flags & SESSION_KILLED);
    expect(r, "PUBLISH c x", "-NOPERM No permissions to access a channel");
    rig_free(r);
}

TEST(acl_file, changes_nothing_when_a_line_is_wrong)
{
    struct rig *r = with_file("user bob on\nbob on\nuser bob off\nuser dan +nope -@nope foo bar\n"
                              "user eve (+get");
    expect(
        r, "ACL LOAD",
        "-ERR users.acl:2 should start with user keyword followed by the username. WARNING: "
        "Duplicate user 'bob' found on line 3. users.acl:4: Error in applying operation '+nope': "
        "Unknown command or category name in ACL. users.acl:4: Error in applying operation "
        "'-@nope': Unknown command or category name in ACL. users.acl:4: Syntax error. "
        "users.acl:5: Unmatched parenthesis in selector definition.WARNING: ACL errors detected, "
        "no change to the previously active ACL rules was performed");
    expect(r, "ACL USERS", "*1 $7 default");
    r->file = NULL;
    expect(r, "ACL LOAD",
           "-ERR Error loading ACLs, opening file 'users.acl': No such file or directory");
    rig_free(r);
}

TEST(acl_file, is_written_so_that_it_loads_again)
{
    struct rig *r = with_file("");
    run(r, "ACL SETUSER bob on >pw %R~a &b +@all -get (+get ~z)");
    expect(r, "ACL SAVE", "+OK");
    r->file = buf_bytes(&r->written).p;
    run(r, "ACL LIST");
    char *before = mem_strdup(rig_reply(r));
    expect(r, "ACL LOAD", "+OK");
    expect(r, "ACL LIST", before);
    mem_free(before);
    r->disk_full = true;
    expect(r, "ACL SAVE",
           "-ERR There was an error trying to save the ACLs. Please check the server logs for more "
           "information");
    rig_free(r);
}

TEST(acl_file, is_missed)
{
    struct rig *r = rig_new();
    run(r, "ACL LOAD");
    assert_non_null(strstr(rig_reply(r), "not configured to use an ACL file"));
    run(r, "ACL SAVE");
    assert_non_null(strstr(rig_reply(r), "not configured to use an ACL file"));
    rig_free(r);
}

/* The configuration. */

static void load(struct rig *r, const char *name, const struct bytes *values, size_t n)
{
    char why[CONFIG_ERROR_MAX];
    assert_true(config_load(&r->config, bytes_of(name), values, n, why));
}

TEST(acl_config, has_users)
{
    struct rig *r = rig_new();
    struct bytes bob[] = {BYTES("bob"), BYTES("on"), BYTES(">two words"), BYTES("+@all")};
    struct bytes deflt[] = {BYTES("default"), BYTES("on"), BYTES("nopass"), BYTES("+@all")};
    load(r, "user", bob, 4);
    load(r, "user", deflt, 4);
    assert_true(acl_load_configured(r->engine));
    expect(r, "GET k", "-NOPERM No permissions to access a key");
    expect(r, "AUTH bob 'two words'", "+OK");
    rig_free(r);
}

TEST(acl_config, stops_at_a_wrong_user)
{
    struct rig *r = rig_new();
    struct bytes bob[] = {BYTES("bob"), BYTES("+nope")};
    load(r, "user", bob, 2);
    assert_false(acl_load_configured(r->engine));
    rig_free(r);
}

TEST(acl_config, takes_users_from_one_place_only)
{
    struct rig *r = with_file("user carol on");
    assert_true(acl_load_configured(r->engine));
    struct bytes bob[] = {BYTES("bob"), BYTES("on")};
    load(r, "user", bob, 2);
    assert_false(acl_load_configured(r->engine));
    rig_free(r);
}

TEST(acl_config, is_rewritten_with_the_users)
{
    struct rig *r = rig_new();
    struct buf out = {0};
    run(r, "ACL SETUSER bob on nopass +get");
    run(r, "ACL SETUSER carol");
    acl_to_config(r->engine);
    config_rewrite(&r->config, BYTES("# mine\nuser old on\nport 6379\n"), &out);
    buf_putc(&out, '\0');
    assert_string_equal(buf_bytes(&out).p,
                        "# mine\nuser bob on nopass sanitize-payload resetchannels -@all +get\n"
                        "port 6379\n\n# Generated by CONFIG REWRITE\n"
                        "user carol off sanitize-payload resetchannels -@all\n");
    buf_free(&out);
    rig_free(r);
}

TEST(acl, shows_no_password_in_the_slow_log)
{
    struct rig *r = rig_new();
    run(r, "CONFIG SET slowlog-log-slower-than 0");
    run(r, "CONFIG SET maxclients 5 requirepass sesame");
    run(r, "ACL SETUSER bob >sesame");
    run(r, "AUTH bob sesame");
    run(r, "HELLO 2 AUTH bob sesame");
    run(r, "SLOWLOG GET");
    assert_null(strstr(rig_reply(r), "sesame"));
    assert_non_null(strstr(rig_reply(r), "(redacted)"));
    rig_free(r);
}
