/* While a script runs and runs, the others are told so. */
#include "tests/lib/shell.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <unistd.h>

static const char *const IMPATIENT[] = {"busy-reply-threshold", "1", NULL};
static const char ENDLESS[] = "EVAL \"while true do end\" 0\r\n";

#define BUSY                                                                                       \
    "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n"

/* Steps that are taken one by one while the script runs. */
struct scene {
    struct client *c[4];
    int step;
};

static void kill_after_busy(struct shell *s)
{
    struct scene *scene = s->arg;
    struct client *other = scene->c[0];
    switch (scene->step++) {
    case 0: assert_true(client_say(other, "GET k")); break;
    case 1:
        shell_hears(other, BUSY);
        assert_true(client_say(other, "SCRIPT KILL"));
        break;
    }
}

TEST(busy, others_are_told_and_may_kill_the_script)
{
    struct shell *s = shell_new(IMPATIENT);
    struct client caller = shell_dial(s), other = shell_dial(s);
    struct scene scene = {.c = {&other}};
    s->meanwhile = kill_after_busy;
    s->arg = &scene;
    assert_true(client_send(&caller, bytes_of(ENDLESS)));
    assert_true(client_send(&caller, BYTES("ECHO after\r\n")));
    shell_rest(s);
    shell_hears(&other, "+OK\r\n");
    struct buf got = {0};
    assert_int_equal(client_read(&caller, 0, &got), CLIENT_REPLY);
    assert_memory_equal(got.p, "-ERR Script killed by user", 26);
    shell_hears(&caller, "$5\r\nafter\r\n");
    assert_null(s->net.busy);
    shell_ask(s, &other, "GET k", "$-1\r\n");
    buf_free(&got);
    client_close(&caller);
    client_close(&other);
    shell_free(s);
}

static void come_and_go(struct shell *s)
{
    struct scene *scene = s->arg;
    switch (scene->step++) {
    case 0:
        assert_true(client_connect_unix(scene->c[0], s->path));
        assert_true(client_send(scene->c[0], BYTES("*2\r\n$3\r\nGE")));
        break;
    case 1: assert_true(client_send(scene->c[0], BYTES("T\r\n$1\r\nk\r\n*1\r\n$4\r\nPI"))); break;
    case 2:
        shell_hears(scene->c[0], BUSY);
        client_close(scene->c[1]);
        break;
    case 3:
        assert_int_equal(s->net.nconns, 2);
        assert_true(client_connect_unix(scene->c[2], s->path));
        assert_true(client_say(scene->c[2], "SCRIPT KILL"));
        break;
    }
}

TEST(busy, clients_may_come_and_go_and_half_a_command_is_kept)
{
    struct shell *s = shell_new(IMPATIENT);
    struct client caller = shell_dial(s), leaving = shell_dial(s), late, killer;
    struct scene scene = {.c = {&late, &leaving, &killer}};
    s->meanwhile = come_and_go;
    s->arg = &scene;
    assert_true(client_send(&caller, bytes_of(ENDLESS)));
    shell_rest(s);
    shell_hears(&killer, "+OK\r\n");
    assert_true(client_send(&late, BYTES("NG\r\n")));
    shell_rest(s);
    shell_hears(&late, "+PONG\r\n");
    client_close(&caller);
    client_close(&late);
    client_close(&killer);
    shell_free(s);
}

enum { CROWD = 300 };

static void kill_after_crowd(struct shell *s)
{
    struct client *crowd = s->arg;
    if (client_quiet(&crowd[CROWD - 1]))
        return;
    s->meanwhile = NULL;
    assert_true(client_say(&crowd[0], "SCRIPT KILL"));
}

/* All are ready in the same turn as the script, so the loop below holds events for each of them. */
TEST(busy, everybody_who_was_ready_in_the_same_turn_gets_one_answer)
{
    struct shell *s = shell_new(IMPATIENT);
    static struct client crowd[CROWD];
    struct client caller = shell_dial(s);
    for (int i = 0; i < CROWD; i++)
        crowd[i] = shell_dial(s);
    s->meanwhile = kill_after_crowd;
    s->arg = crowd;
    assert_true(client_send(&caller, bytes_of(ENDLESS)));
    for (int i = 0; i < CROWD; i++)
        assert_true(client_send(&crowd[i], BYTES("GET k\r\n")));
    shell_rest(s);
    for (int i = 0; i < CROWD; i++)
        shell_hears(&crowd[i], BUSY);
    shell_hears(&crowd[0], "+OK\r\n");
    for (int i = 0; i < CROWD; i++) {
        assert_true(client_quiet(&crowd[i]));
        client_close(&crowd[i]);
    }
    client_close(&caller);
    shell_free(s);
}

static void kill_at_once(struct shell *s)
{
    struct client *other = s->arg;
    s->meanwhile = NULL;
    assert_true(client_say(other, "SCRIPT KILL"));
}

/* The caller's arguments lie in the buffer that it was read into. */
TEST(busy, the_callers_own_pipeline_is_untouched)
{
    struct shell *s = shell_new(IMPATIENT);
    struct client caller = shell_dial(s), other = shell_dial(s);
    s->meanwhile = kill_at_once;
    s->arg = &other;
    assert_true(
        client_send(&other, BYTES("ECHO xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n")));
    shell_rest(s);
    struct buf out = {0};
    buf_put(&out, bytes_of(ENDLESS));
    for (int i = 0; i < 3000; i++)
        buf_printf(&out, "ECHO %d\r\n", i);
    assert_true(client_send(&caller, buf_bytes(&out)));
    shell_rest(s);
    struct buf got = {0};
    assert_int_equal(client_read(&caller, 0, &got), CLIENT_REPLY);
    for (int i = 0; i < 3000; i++) {
        char expected[32], digits[12];
        int n = snprintf(digits, sizeof digits, "%d", i);
        snprintf(expected, sizeof expected, "$%d\r\n%s\r\n", n, digits);
        shell_hears(&caller, expected);
    }
    buf_free(&out);
    buf_free(&got);
    client_close(&caller);
    client_close(&other);
    shell_free(s);
}
