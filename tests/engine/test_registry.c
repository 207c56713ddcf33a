/* The tables of commands, held against themselves: what a row says in one place must agree with
 * what it says in another. */
#include "server/engine/registry.h"

#include "server/engine/syntax.h"
#include "tests/lib/rig.h"

#include <stdio.h>
#include <stdlib.h>

static size_t words_of_name(const struct command *cmd)
{
    return cmd->full_name ? 2 : 1;
}

/* A container that does something itself when no subcommand is named says so by having a handler.
 */
static bool only_container(const struct command *cmd)
{
    return cmd->sub && cmd->run == NULL;
}

static int complaints;

/* All that is wrong is listed before the test fails. */
#define complain(...)                                                                              \
    do {                                                                                           \
        complaints++;                                                                              \
        print_error(__VA_ARGS__);                                                                  \
        print_error("\n");                                                                         \
    } while (0)

static void each(void (*check)(const struct command *cmd))
{
    struct registry *reg = registry_new(true);
    complaints = 0;
    for (size_t id = 0; id < registry_count(reg); id++)
        check(registry_at(reg, id));
    registry_free(reg);
    assert_int_equal(complaints, 0);
}

static void check_texts(const struct command *cmd)
{
    const char *const texts[] = {cmd->since, cmd->summary, cmd->complexity, cmd->syntax};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] == NULL || (i < 3 && texts[i][0] == '\0'))
            complain("%s: text %zu is missing", command_full_name(cmd), i);
}

TEST(registry, no_row_lacks_its_texts)
{
    each(check_texts);
}

/* QUIT ignores arguments, PING counts its own: both take more than they say. */
static bool takes_more_than_it_says(const struct command *cmd)
{
    static const char *const names[] = {"quit", "debug"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(cmd->name, names[i]) == 0)
            return true;
    return cmd->sub != NULL;
}

static void check_arity(const struct command *cmd)
{
    if (takes_more_than_it_says(cmd))
        return;
    struct syntax *s = syntax_parse(cmd->syntax ? cmd->syntax : "");
    size_t least = words_of_name(cmd) + syntax_least(s);
    bool fixed = syntax_most(s) == syntax_least(s);
    syntax_free(s);
    int arity = fixed ? (int)least : -(int)least;
    if (cmd->arity != arity)
        complain("%s: arity is %d, \"%s\" says %d", command_full_name(cmd), cmd->arity, cmd->syntax,
                 arity);
}

TEST(registry, arity_agrees_with_syntax)
{
    each(check_arity);
}

/* The word at argument `at`, when it stands there in every call; NULL when it does not. */
static const struct syntax *word_at(const struct syntax *s, size_t at)
{
    for (; s; s = s->next) {
        const struct syntax *word = s->kind == SYNTAX_BLOCK && s->multiple ? s->inner : s;
        if (at == 1 + (s->token.n != 0))
            return word;
        if (word == NULL || word->optional || word->kind != SYNTAX_WORD)
            return NULL;
        at -= 1 + (s->token.n != 0);
    }
    return NULL;
}

static bool names_a_key(struct bytes name)
{
    static const char *const names[] = {"key",    "newkey",       "source", "destination",
                                        "first",  "second",       "key1",   "key2",
                                        "newKey", "shardchannel", "numkeys"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bytes_eq(name, bytes_of(names[i])))
            return true;
    return false;
}

static void check_keys(const struct command *cmd)
{
    struct syntax *s = syntax_parse(cmd->syntax ? cmd->syntax : "");
    for (int i = 0; i < COMMAND_KEYSPECS && cmd->keys[i].flags; i++) {
        const struct keyspec *k = &cmd->keys[i];
        const struct syntax *word = word_at(s, (size_t)k->first - (words_of_name(cmd) - 1));
        if (word && !names_a_key(word->name))
            complain("%s: argument %d is \"%.*s\", not a key", command_full_name(cmd), k->first,
                     BYTES_FMT(word->name));
    }
    const struct syntax *first = word_at(s, 1);
    if (first && bytes_eq(first->name, BYTES("key")) && cmd->keys[0].flags == 0)
        complain("%s: takes a key and does not say where", command_full_name(cmd));
    syntax_free(s);
}

TEST(registry, keys_stand_where_the_syntax_has_them)
{
    each(check_keys);
}

static void check_flags(const struct command *cmd)
{
    const char *name = command_full_name(cmd);
    if (cmd->flags & CMD_WRITE && cmd->flags & CMD_READONLY)
        complain("%s: both writes and only reads", name);
    if (cmd->flags & CMD_DENYOOM && !(cmd->flags & CMD_WRITE) && cmd->group != GROUP_SCRIPTING)
        complain("%s: takes memory but does not write", name);
    for (int i = 0; i < COMMAND_KEYSPECS && cmd->keys[i].flags; i++)
        if (cmd->flags & CMD_READONLY && cmd->keys[i].flags & (KEY_RW | KEY_OW | KEY_RM) &&
            !(cmd->keys[i].flags & KEY_NOT_KEY) && cmd->group != GROUP_SCRIPTING)
            complain("%s: only reads, but changes its key", name);
}

TEST(registry, flags_do_not_contradict_each_other)
{
    each(check_flags);
}

static void check_name(const struct command *cmd)
{
    struct registry *reg = registry_new(true);
    if (cmd->full_name == NULL) {
        assert_ptr_equal(registry_find(reg, bytes_of(cmd->name)), cmd);
    } else {
        const char *bar = strchr(cmd->full_name, '|');
        assert_non_null(bar);
        assert_string_equal(bar + 1, cmd->name);
        struct bytes container = {cmd->full_name, (size_t)(bar - cmd->full_name)};
        assert_ptr_equal(command_sub(registry_find(reg, container), bytes_of(cmd->name)), cmd);
    }
    assert_true(only_container(cmd) || cmd->run);
    registry_free(reg);
}

TEST(registry, every_row_is_found_by_its_name)
{
    each(check_name);
}

/* Behaviour: one argument too few, or one too many where the number is fixed, is refused by name.
 */
static void call_with(struct rig *r, const struct command *cmd, size_t argc)
{
    struct bytes argv[32];
    const char *full = command_full_name(cmd);
    const char *bar = strchr(full, '|');
    size_t n = 0;
    argv[n++] = bar ? (struct bytes){full, (size_t)(bar - full)} : bytes_of(full);
    if (bar)
        argv[n++] = bytes_of(bar + 1);
    while (n < argc)
        argv[n++] = BYTES("1");
    run_argv(r, argv, argc);
}

TEST(registry, every_command_refuses_a_wrong_number_of_arguments)
{
    struct rig *r = rig_new();
    struct registry *reg = r->engine->registry;
    for (size_t id = 0; id < registry_count(reg); id++) {
        const struct command *cmd = registry_at(reg, id);
        size_t least = (size_t)abs(cmd->arity);
        char expected[128];
        if (strcmp(cmd->name, "exec") == 0)
            continue; /* it is refused in words of its own */
        snprintf(expected, sizeof expected, "-ERR wrong number of arguments for '%s' command",
                 command_full_name(cmd));
        if (least > words_of_name(cmd)) {
            call_with(r, cmd, least - 1);
            is(r, expected);
        }
        if (cmd->arity > 0) {
            call_with(r, cmd, least + 1);
            is(r, expected);
        }
    }
    rig_free(r);
}

TEST(registry, renames_and_hides_commands)
{
    struct registry *r = registry_new(false);
    assert_null(registry_rename(r, BYTES("CONFIG"), BYTES("")));
    assert_null(registry_rename(r, BYTES("flushall"), BYTES("Secret")));
    assert_null(registry_find(r, BYTES("config")));
    assert_null(registry_find(r, BYTES("flushall")));
    const struct command *flushall = registry_find(r, BYTES("sECRET"));
    assert_string_equal(flushall->name, "flushall");
    assert_false(registry_hidden(r, flushall));
    assert_true(registry_hidden(r, registry_find_own(r, BYTES("config|get"))));
    assert_null(registry_rename(r, BYTES("secret"), BYTES("config"))); /* that name is free now */
    assert_ptr_equal(registry_find(r, BYTES("config")), flushall);
    assert_string_equal(registry_rename(r, BYTES("nope"), BYTES("x")),
                        "No such command in rename-command");
    assert_string_equal(registry_rename(r, BYTES("get"), BYTES("set")),
                        "Target command name already exists");
    registry_free(r);
}
