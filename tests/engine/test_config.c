/* Options: reading, refusing, taking back, printing and rewriting. The texts are Redis's. */
#include "base/mem.h"
#include "server/engine/config.h"
#include "store/event.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A configuration, and the text that the last call answered. */
struct fixture {
    struct config cfg;
    char why[CONFIG_ERROR_MAX];
};

static void begin(struct fixture *f)
{
    config_init(&f->cfg);
    f->why[0] = '\0';
}

static void end(struct fixture *f)
{
    config_free(&f->cfg);
}

static bool set(struct fixture *f, const char *name, const char *value)
{
    struct bytes pair[] = {bytes_of(name), bytes_of(value)};
    return config_set(&f->cfg, pair, 1, false, f->why);
}

static bool load(struct fixture *f, const char *name, size_t n, const char *const *values)
{
    struct bytes v[8];
    for (size_t i = 0; i < n; i++)
        v[i] = bytes_of(values[i]);
    return config_load(&f->cfg, bytes_of(name), v, n, f->why);
}

#define LOAD(f, name, ...)                                                                         \
    load((f), (name), sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                      \
         (const char *[]){__VA_ARGS__})

static void assert_value(const struct fixture *f, const char *name, const char *expected)
{
    struct buf out = {0};
    option_print(option_find(bytes_of(name)), &f->cfg, &out);
    buf_putc(&out, '\0');
    assert_string_equal(buf_bytes(&out).p, expected);
    buf_free(&out);
}

static void assert_refused(const char *name, const char *value, const char *reason)
{
    struct fixture f;
    char expected[CONFIG_ERROR_MAX];
    begin(&f);
    snprintf(expected, sizeof expected,
             "ERR CONFIG SET failed (possibly related to argument '%s') - %s", name, reason);
    assert_false(set(&f, name, value));
    assert_string_equal(f.why, expected);
    end(&f);
}

static void assert_set(const char *name, const char *value, const char *printed)
{
    struct fixture f;
    begin(&f);
    assert_true(set(&f, name, value));
    assert_value(&f, name, printed);
    end(&f);
}

TEST(config, every_default_prints_as_the_table_has_it_or_as_its_unit)
{
    struct fixture f;
    begin(&f);
    for (size_t i = 0; i < noptions; i++) {
        struct buf once = {0}, twice = {0};
        option_print(&options[i], &f.cfg, &once);
        struct bytes text = buf_bytes(&once);
        if (!(options[i].flags & OPTION_MULTI))
            assert_true(config_load(&f.cfg, bytes_of(options[i].name), &text, 1, f.why));
        option_print(&options[i], &f.cfg, &twice);
        assert_true(bytes_eq(text, buf_bytes(&twice)));
        buf_free(&once);
        buf_free(&twice);
    }
    end(&f);
}

TEST(config, an_empty_address_is_none)
{
    struct fixture f;
    struct buf out = {0};
    const struct bytes addresses[] = {BYTES("127.0.0.1"), BYTES(""), BYTES("\0x"), BYTES("::1")};
    begin(&f);
    assert_true(config_load(&f.cfg, BYTES("bind"), addresses, 4, f.why));
    option_print(option_find(BYTES("bind")), &f.cfg, &out);
    assert_true(bytes_eq(buf_bytes(&out), BYTES("127.0.0.1 ::1")));
    buf_free(&out);
    end(&f);
}

TEST(config, names_are_unique_and_ours_have_help)
{
    for (size_t i = 0; i < noptions; i++) {
        assert_ptr_equal(option_find(bytes_of(options[i].name)), &options[i]);
        if (options[i].alias)
            assert_ptr_equal(option_find(bytes_of(options[i].alias)), &options[i]);
        assert_true((options[i].help != NULL) != ((options[i].flags & OPTION_ACCEPTED) != 0));
    }
}

TEST(config, names_are_found_in_any_case_and_by_alias)
{
    struct fixture f;
    begin(&f);
    assert_true(set(&f, "LUA-Time-Limit", "7"));
    assert_int_equal(f.cfg.busy_reply_threshold, 7);
    assert_value(&f, "busy-reply-threshold", "7");
    assert_null(option_find(BYTES("nosuch")));
    end(&f);
}

TEST(config, memory_has_units)
{
    assert_set("maxmemory", "5KB", "5120");
    assert_set("maxmemory", "1k", "1000");
    assert_set("maxmemory", "100mb", "104857600");
    assert_set("maxmemory", "2g", "2000000000");
    assert_set("maxmemory", "3GB", "3221225472");
    assert_set("maxmemory", "17b", "17");
    assert_set("maxmemory", "", "0");
    assert_set("maxmemory", "99999999999999999999", "9223372036854775807");
    assert_set("maxmemory", "9999999999gb", "9223372036854775807");
    assert_refused("maxmemory", "abc", "argument must be a memory value");
    assert_refused("maxmemory", "1.5gb", "argument must be a memory value");
    assert_refused("maxmemory", "-1", "argument must be a memory value");
    assert_refused("maxmemory", " 5", "argument must be a memory value");
    assert_refused("maxmemory", "1tb", "argument must be a memory value");
}

TEST(config, memory_for_clients_may_be_a_share)
{
    assert_set("maxmemory-clients", "5%", "5%");
    assert_set("maxmemory-clients", "0%", "0");
    assert_set("maxmemory-clients", "1mb", "1048576");
    assert_refused("maxmemory-clients", "101%", "percentage argument must be less or equal to 100");
    assert_refused("maxmemory-clients", "-5", "argument must be a memory or percent value");
    assert_refused("maxmemory-clients", "%", "argument must be a memory or percent value");
}

TEST(config, limits_follow_what_was_set)
{
    struct fixture f;
    begin(&f);
    assert_true(config_memory_limit(&f.cfg) == INT64_MAX);
    assert_int_equal(config_client_memory_limit(&f.cfg), 256 << 20);
    assert_true(set(&f, "maxmemory-clients", "25%"));
    assert_true(config_client_memory_limit(&f.cfg) == INT64_MAX);
    f.cfg.default_maxmemory = 1000;
    assert_int_equal(config_memory_limit(&f.cfg), 1000);
    assert_int_equal(config_client_memory_limit(&f.cfg), 250);
    assert_true(set(&f, "maxmemory", "5000"));
    assert_true(set(&f, "maxmemory-clients", "10%"));
    assert_int_equal(config_memory_limit(&f.cfg), 5000);
    assert_int_equal(config_client_memory_limit(&f.cfg), 500);
    assert_true(set(&f, "maxmemory-clients", "0"));
    assert_true(config_client_memory_limit(&f.cfg) == INT64_MAX);
    end(&f);
}

TEST(config, integers_have_bounds)
{
    assert_set("timeout", "2147483647", "2147483647");
    assert_refused("timeout", "2147483648", "argument must be between 0 and 2147483647 inclusive");
    assert_refused("timeout", "-1", "argument must be between 0 and 2147483647 inclusive");
    assert_refused("maxclients", "0", "argument must be between 1 and 4294967295 inclusive");
    assert_refused("port", "99999", "argument must be between 0 and 65535 inclusive");
    assert_refused("slowlog-log-slower-than", "-2",
                   "argument must be between -1 and 9223372036854775807 inclusive");
    assert_refused("client-query-buffer-limit", "5",
                   "argument must be between 1048576 and 9223372036854775807 inclusive");
    for (size_t i = 0; i < 5; i++) {
        static const char *const odd[] = {"abc", "1x", "", "+5", " 5"};
        assert_refused("timeout", odd[i], "argument couldn't be parsed into an integer");
    }
    assert_refused("timeout", "007", "argument couldn't be parsed into an integer");
}

TEST(config, hz_is_kept_within_its_bounds_silently)
{
    assert_set("hz", "1000", "500");
    assert_set("hz", "0", "1");
}

TEST(config, words_are_listed_when_none_was_given)
{
    assert_refused("maxmemory-policy", "foo",
                   "argument(s) must be one of the following: volatile-lru, volatile-lfu, "
                   "volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, "
                   "noeviction");
    assert_refused("appendfsync", "x",
                   "argument(s) must be one of the following: everysec, always, no");
    assert_refused("appendonly", "maybe", "argument must be 'yes' or 'no'");
    assert_set("loglevel", "VERBOSE", "verbose");
    assert_set("appendonly", "YES", "yes");
}

TEST(config, output_limits_name_classes_and_leave_the_others)
{
    struct fixture f;
    begin(&f);
    assert_true(set(&f, "client-output-buffer-limit", "normal 0 0 0"));
    assert_true(set(&f, "client-output-buffer-limit", "slave 1 2 3 replica 3kb 4 5"));
    assert_value(&f, "client-output-buffer-limit",
                 "normal 0 0 0 slave 3072 4 5 pubsub 33554432 8388608 60");
    assert_int_equal(f.cfg.output_limit[CLIENT_CLASS_PUBSUB].seconds, 60);
    end(&f);
    assert_refused("client-output-buffer-limit", "normal 1 2",
                   "Wrong number of arguments in buffer limit configuration.");
    assert_refused("client-output-buffer-limit", "foo 1 2 3",
                   "Invalid client class specified in buffer limit configuration.");
    assert_refused("client-output-buffer-limit", "normal a 2 3",
                   "Error in hard, soft or soft_seconds setting in buffer limit configuration.");
}

TEST(config, event_letters_are_printed_in_order)
{
    assert_set("notify-keyspace-events", "KEA", "AKE");
    assert_set("notify-keyspace-events", "gEE", "gE");
    assert_set("notify-keyspace-events", "", "");
    assert_set("notify-keyspace-events", "mnKg$lshzxetd", "AnKm");
    assert_refused("notify-keyspace-events", "ZQ",
                   "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.");
    struct fixture f;
    begin(&f);
    assert_true(set(&f, "notify-keyspace-events", "Ex"));
    assert_int_equal(f.cfg.notify, NOTIFY_KEYEVENT | NOTIFY_EXPIRED);
    end(&f);
}

TEST(config, save_and_percentiles_are_checked)
{
    assert_set("save", "", "");
    assert_set("save", "900 1 300 10", "900 1 300 10");
    assert_refused("save", "900 1 300", "Invalid save parameters");
    assert_refused("save", "a b", "Invalid save parameters");
    assert_refused("save", "900  1", "Invalid save parameters");
    assert_set("latency-tracking-info-percentiles", "50.0 99.90 10", "50 99.9 10");
    assert_set("latency-tracking-info-percentiles", "", "");
    assert_refused("latency-tracking-info-percentiles", "101",
                   "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]");
    assert_refused("oom-score-adj-values", "1 2", "wrong number of arguments");
}

TEST(config, bind_is_a_list)
{
    struct fixture f;
    begin(&f);
    assert_int_equal(f.cfg.bind.n, 2);
    assert_string_equal(f.cfg.bind.item[1], "-::1");
    assert_true(LOAD(&f, "bind", "10.0.0.1", "::1", "*"));
    assert_value(&f, "bind", "10.0.0.1 ::1 *");
    assert_true(set(&f, "bind", ""));
    assert_int_equal(f.cfg.bind.n, 0);
    end(&f);
}

TEST(config, port_may_be_picked)
{
    struct fixture f;
    begin(&f);
    assert_true(LOAD(&f, "port", "auto"));
    assert_int_equal(f.cfg.port, CONFIG_PORT_AUTO);
    assert_value(&f, "port", "auto");
    end(&f);
}

TEST(config, immutable_options_are_for_files_only)
{
    struct fixture f;
    begin(&f);
    assert_true(LOAD(&f, "databases", "3"));
    assert_int_equal(f.cfg.databases, 3);
    end(&f);
    assert_refused("databases", "3", "can't set immutable config");
    assert_refused("logfile", "x", "can't set immutable config");
}

TEST(config, protected_options_need_leave)
{
    assert_refused("dir", "/tmp", "can't set protected config");
    struct fixture f;
    begin(&f);
    assert_true(LOAD(&f, "enable-protected-configs", "local"));
    struct bytes pair[] = {BYTES("dir"), BYTES("/")};
    assert_false(config_set(&f.cfg, pair, 1, false, f.why));
    assert_true(config_set(&f.cfg, pair, 1, true, f.why));
    end(&f);
}

TEST(config, unknown_and_repeated_names_are_refused)
{
    struct fixture f;
    begin(&f);
    assert_false(set(&f, "NoSuch", "1"));
    assert_string_equal(f.why,
                        "ERR Unknown option or number of arguments for CONFIG SET - 'NoSuch'");
    struct bytes twice[] = {BYTES("hz"), BYTES("1"), BYTES("HZ"), BYTES("2")};
    assert_false(config_set(&f.cfg, twice, 2, false, f.why));
    assert_string_equal(f.why, "ERR CONFIG SET failed (possibly related to argument 'HZ') - "
                               "duplicate parameter");
    /* Redis takes a name and its alias as two. */
    struct bytes both[] = {BYTES("lua-time-limit"), BYTES("1"), BYTES("busy-reply-threshold"),
                           BYTES("2")};
    assert_true(config_set(&f.cfg, both, 2, false, f.why));
    assert_int_equal(f.cfg.busy_reply_threshold, 2);
    end(&f);
}

TEST(config, a_refused_set_changes_nothing)
{
    struct fixture f;
    begin(&f);
    struct bytes pairs[] = {BYTES("timeout"), BYTES("9"),      BYTES("requirepass"), BYTES("a b"),
                            BYTES("save"),    BYTES(""),       BYTES("bind"),        BYTES("::1"),
                            BYTES("hz"),      BYTES("rubbish")};
    assert_false(config_set(&f.cfg, pairs, 5, false, f.why));
    assert_int_equal(f.cfg.timeout, 0);
    assert_string_equal(f.cfg.requirepass, "");
    assert_value(&f, "save", "3600 1 300 100 60 10000");
    assert_value(&f, "bind", "127.0.0.1 -::1");
    end(&f);
}

/* A hook that counts, and refuses the value it dislikes. */
struct watcher {
    struct config_hook hook;
    int calls;
    int64_t last, dislikes;
};

static bool watch_timeout(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    struct watcher *w = ctx;
    w->calls++;
    w->last = cfg->timeout;
    snprintf(why, CONFIG_ERROR_MAX, "disliked");
    return cfg->timeout != w->dislikes;
}

TEST(config, hooks_hear_of_changes_and_may_refuse)
{
    struct fixture f;
    begin(&f);
    struct watcher w = {.hook = {.name = "timeout", .apply = watch_timeout, .ctx = &w},
                        .dislikes = 13};
    config_watch(&f.cfg, &w.hook);
    assert_true(set(&f, "timeout", "5"));
    assert_int_equal(w.calls, 1);
    assert_true(set(&f, "timeout", "5")); /* nothing changed */
    assert_true(set(&f, "hz", "5"));      /* not watched */
    assert_int_equal(w.calls, 1);
    struct bytes pairs[] = {BYTES("hz"), BYTES("77"), BYTES("timeout"), BYTES("13")};
    assert_false(config_set(&f.cfg, pairs, 2, false, f.why));
    assert_string_equal(f.why, "ERR CONFIG SET failed (possibly related to argument 'timeout') - "
                               "disliked");
    assert_int_equal(w.last, 5); /* was told that the old value is back */
    assert_int_equal(f.cfg.hz, 5);
    end(&f);
}

TEST(config, loading_counts_values_and_knows_directives)
{
    struct fixture f;
    begin(&f);
    assert_false(LOAD(&f, "port", "1", "2"));
    assert_string_equal(f.why, "wrong number of arguments");
    assert_false(load(&f, "port", 0, NULL));
    assert_string_equal(f.why, "wrong number of arguments");
    assert_false(LOAD(&f, "foo", "bar"));
    assert_string_equal(f.why, "Bad directive or wrong number of arguments");
    assert_false(LOAD(&f, "unixsocketperm", "999"));
    assert_string_equal(f.why, "argument couldn't be parsed as an octal number");
    assert_true(LOAD(&f, "unixsocketperm", "770"));
    assert_int_equal(f.cfg.unixsocketperm, 0770);
    assert_true(LOAD(&f, "save", "900", "1"));
    assert_true(LOAD(&f, "slaveof", "no", "one"));
    assert_value(&f, "replicaof", "");
    assert_true(LOAD(&f, "user", "alice", "on", "+@all"));
    assert_string_equal(f.cfg.users.item[0], "alice on +@all");
    assert_true(LOAD(&f, "user", "bob", ">two words"));
    assert_string_equal(f.cfg.users.item[1], "bob \">two words\"");
    assert_true(LOAD(&f, "rename-command", "KEYS", ""));
    assert_string_equal(f.cfg.renames.item[0], "KEYS");
    assert_false(LOAD(&f, "rename-command", "KEYS", "other"));
    assert_string_equal(f.why, "No such command in rename-command");
    assert_true(LOAD(&f, "lua-replicate-commands", "yes"));
    end(&f);
}

static void assert_rewritten(const struct fixture *f, const char *old, const char *expected)
{
    struct buf out = {0};
    config_rewrite(&f->cfg, bytes_of(old), &out);
    buf_putc(&out, '\0');
    assert_string_equal(buf_bytes(&out).p, expected);
    buf_free(&out);
}

TEST(config, rewriting_an_untouched_file_keeps_it)
{
    struct fixture f;
    begin(&f);
    const char *old = "# my comment\nport 6379\n\n# another\ninclude other.conf\nloglevel notice\n";
    assert_rewritten(&f, old, old);
    assert_rewritten(&f, "", "");
    end(&f);
}

TEST(config, rewriting_replaces_in_place_and_appends_the_rest)
{
    struct fixture f;
    begin(&f);
    assert_true(set(&f, "timeout", "7"));
    assert_true(set(&f, "maxmemory", "100mb"));
    assert_true(set(&f, "requirepass", "a \"b"));
    assert_true(set(&f, "save", ""));
    assert_true(set(&f, "appendonly", "yes"));
    assert_true(set(&f, "masterauth", "x y"));
    assert_rewritten(&f, "  Timeout 3  \n# hm\n\n\n\nsave 900 1\nsave 300 10\n",
                     "timeout 7\n# hm\n\nsave \"\"\n"
                     "\n# Generated by CONFIG REWRITE\n"
                     "requirepass \"a \\\"b\"\nmaxmemory 100mb\nappendonly yes\n"
                     "masterauth \"x y\"\n");
    end(&f);
}

TEST(config, rewriting_twice_changes_nothing_more)
{
    struct fixture f;
    begin(&f);
    assert_true(set(&f, "lua-time-limit", "7"));
    assert_true(set(&f, "bind", ""));
    struct buf once = {0}, twice = {0};
    config_rewrite(&f.cfg, BYTES("lua-time-limit 5\n"), &once);
    config_rewrite(&f.cfg, buf_bytes(&once), &twice);
    assert_true(bytes_eq(buf_bytes(&once), buf_bytes(&twice)));
    assert_memory_equal(buf_bytes(&once).p, "busy-reply-threshold 7\n", 23);
    buf_free(&once);
    buf_free(&twice);
    end(&f);
}

TEST(config, a_password_from_a_file_is_not_written_down)
{
    struct fixture f;
    begin(&f);
    assert_true(LOAD(&f, "requirepass-file", "/run/secret"));
    assert_true(LOAD(&f, "requirepass", "hush"));
    assert_rewritten(&f, "requirepass-file /run/secret\n", "requirepass-file \"/run/secret\"\n");
    end(&f);
}
