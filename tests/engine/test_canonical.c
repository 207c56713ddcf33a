/* The lock scripts in scripts/canonical, each against what its first paragraph promises. */
#include "tests/lib/rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a script: `words` are its keys, a comma, and its arguments, separated by blanks. */
static void script(struct rig *r, const char *name, const char *words)
{
    char path[128], text[4096], line[256], nkeys[8];
    snprintf(path, sizeof path, "scripts/canonical/%s.lua", name);
    FILE *f = fopen(path, "r");
    if (f == NULL)
        fail_msg("%s: run from the source directory", path);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);

    struct bytes argv[16] = {BYTES("EVAL"), {text, n}};
    size_t argc = 3;
    snprintf(line, sizeof line, "%s", words);
    char *rest = NULL;
    for (char *w = strtok_r(line, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
        if (strcmp(w, ",") == 0)
            snprintf(nkeys, sizeof nkeys, "%zu", argc - 3);
        else
            argv[argc++] = bytes_of(w);
    }
    argv[2] = bytes_of(nkeys);
    run_argv(r, argv, argc);
}

#define gives(r, name, words, text)                                                                \
    do {                                                                                           \
        script((r), (name), (words));                                                              \
        is((r), (text));                                                                           \
    } while (0)

TEST(canonical, a_lock_has_one_holder_until_its_time_is_over)
{
    struct rig *r = rig_new();
    gives(r, "acquire", "lock , alice 100", ":0");
    gives(r, "acquire", "lock , bob 100", ":100");
    later(r, 60);
    gives(r, "acquire", "lock , bob 100", ":40");
    gives(r, "acquire", "lock , alice 100", ":0");
    later(r, 100);
    gives(r, "acquire", "lock , bob 100", ":1"); /* alive at its deadline */
    later(r, 1);
    gives(r, "acquire", "lock , bob 100", ":0");
    gives(r, "extend", "lock , alice 100", ":0");
    expect(r, "GET lock", "$3 bob");
    rig_free(r);
}

TEST(canonical, only_the_holder_releases_and_waiters_hear_of_it)
{
    struct rig *r = rig_new();
    as(r, 1);
    run(r, "SUBSCRIBE freed");
    received(r, 1);
    as(r, 0);
    gives(r, "acquire", "lock , alice 100", ":0");
    gives(r, "release", "lock freed , bob", ":0");
    assert_string_equal(received(r, 1), "");
    gives(r, "release", "lock freed , alice", ":1");
    assert_string_equal(received(r, 1), "*3 $7 message $5 freed $5 alice");
    gives(r, "release", "lock , alice", ":0");
    expect(r, "EXISTS lock", ":0");
    rig_free(r);
}

TEST(canonical, an_extension_never_takes_a_lock_that_has_ended)
{
    struct rig *r = rig_new();
    gives(r, "acquire", "lock , alice 100", ":0");
    later(r, 50);
    gives(r, "extend", "lock , alice 100", ":1");
    expect(r, "PTTL lock", ":100");
    later(r, 101);
    gives(r, "extend", "lock , alice 100", ":0");
    expect(r, "EXISTS lock", ":0");
    rig_free(r);
}

TEST(canonical, a_reentrant_lock_counts_its_holds)
{
    struct rig *r = rig_new();
    gives(r, "reentrant_acquire", "lock , alice:1 100", ":0");
    later(r, 30);
    gives(r, "reentrant_acquire", "lock , alice:1 100", ":0");
    gives(r, "reentrant_acquire", "lock , alice:2 100", ":100");
    gives(r, "reentrant_release", "lock , alice:2", ":-1");
    gives(r, "reentrant_release", "lock , alice:1", ":1");
    expect(r, "PTTL lock", ":100");
    later(r, 90);
    gives(r, "reentrant_renew", "lock other , alice:1 100", "*2 :1 :0");
    later(r, 90);
    gives(r, "reentrant_release", "lock , alice:1", ":0");
    gives(r, "reentrant_release", "lock , alice:1", ":-1");
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(canonical, a_fair_lock_goes_round_in_the_order_of_asking)
{
    struct rig *r = rig_new();
    gives(r, "fair_acquire", "lock queue patience , a 1000 100", ":0");
    gives(r, "fair_acquire", "lock queue patience , b 1000 100", ":100");
    gives(r, "fair_acquire", "lock queue patience , c 1000 100", ":100");
    as(r, 1);
    run(r, "SUBSCRIBE turn:b");
    received(r, 1);
    as(r, 0);
    gives(r, "fair_release", "lock queue , b turn:", ":0");
    gives(r, "fair_release", "lock queue , a turn:", ":1");
    assert_string_equal(received(r, 1), "*3 $7 message $6 turn:b $1 a");
    gives(r, "fair_acquire", "lock queue patience , c 1000 100", ":100");
    gives(r, "fair_acquire", "lock queue patience , d 1000 100", ":100");
    gives(r, "fair_acquire", "lock queue patience , b 1000 100", ":0");
    gives(r, "fair_leave", "queue patience , c", ":1");
    gives(r, "fair_leave", "queue patience , c", ":0");
    gives(r, "fair_release", "lock queue , b", ":1");
    gives(r, "fair_acquire", "lock queue patience , d 1000 100", ":0");
    gives(r, "fair_release", "lock queue , d", ":1");
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(canonical, a_waiter_that_died_loses_its_place)
{
    struct rig *r = rig_new();
    gives(r, "fair_acquire", "lock queue patience , a 50 100", ":0");
    gives(r, "fair_acquire", "lock queue patience , dead 50 100", ":50");
    later(r, 40);
    gives(r, "fair_acquire", "lock queue patience , b 50 100", ":10");
    later(r, 50);
    gives(r, "fair_acquire", "lock queue patience , b 50 100", ":10");
    later(r, 11);
    gives(r, "fair_acquire", "lock queue patience , b 50 100", ":0");
    later(r, 1000);
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(canonical, a_semaphore_never_gives_more_than_it_has)
{
    struct rig *r = rig_new();
    gives(r, "semaphore_acquire", "sem , a 2 100", ":0");
    later(r, 40);
    gives(r, "semaphore_acquire", "sem , b 2 100", ":0");
    gives(r, "semaphore_acquire", "sem , c 2 100", ":61");
    gives(r, "semaphore_acquire", "sem , a 2 100", ":0");
    later(r, 100);
    gives(r, "semaphore_acquire", "sem , c 2 100", ":1");
    later(r, 1);
    gives(r, "semaphore_acquire", "sem , c 2 100", ":0");
    gives(r, "semaphore_release", "sem , a", ":0");
    gives(r, "semaphore_release", "sem , c", ":1");
    gives(r, "semaphore_release", "sem , c", ":0");
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(canonical, readers_share_and_a_writer_is_alone)
{
    struct rig *r = rig_new();
    gives(r, "read_acquire", "writer readers , a 100", ":0");
    later(r, 10);
    gives(r, "read_acquire", "writer readers , b 100", ":0");
    gives(r, "write_acquire", "writer readers , c 100", ":101");
    gives(r, "write_acquire", "writer readers , a 100", ":101");
    gives(r, "read_release", "readers , b", ":1");
    gives(r, "read_release", "readers , b", ":0");
    gives(r, "write_acquire", "writer readers , a 100", ":0");
    gives(r, "read_acquire", "writer readers , b 100", ":100");
    gives(r, "write_acquire", "writer readers , c 100", ":100");
    gives(r, "write_release", "writer , c", ":0");
    gives(r, "write_release", "writer , a", ":1");
    gives(r, "write_acquire", "writer readers , c 100", ":91");
    later(r, 91);
    gives(r, "write_acquire", "writer readers , c 100", ":0");
    later(r, 1000);
    expect(r, "DBSIZE", ":0");
    rig_free(r);
}

TEST(canonical, segments_are_taken_together_or_not_at_all)
{
    struct rig *r = rig_new();
    gives(r, "segments_acquire", "s1 s2 s3 , a 100", ":0");
    gives(r, "segments_acquire", "s4 s3 , b 200", ":100");
    expect(r, "EXISTS s4", ":0");
    gives(r, "segments_acquire", "s4 s5 , b 200", ":0");
    gives(r, "segments_extend", "s1 s4 , a 500", ":0");
    expect(r, "PTTL s1", ":100");
    gives(r, "segments_extend", "s1 s2 , a 500", ":1");
    gives(r, "segments_acquire", "s3 s4 s5 , c 100", ":200");
    later(r, 101);
    gives(r, "segments_release", "s1 s2 s3 s4 , a", ":2");
    expect(r, "EXISTS s4 s5", ":2");
    gives(r, "segments_acquire", "s1 s2 s3 , c 100", ":0");
    rig_free(r);
}

/* LOCKS knows nothing of these scripts; it sees what they do. */
TEST(canonical, what_they_take_is_listed_and_what_they_release_is_not)
{
    static const struct {
        const char *take, *with, *release, *then, *listed;
    } scripts[] = {
        {"acquire", "k , t 900", "release", "k c , t", "key=k kind=string holder=t "},
        {"reentrant_acquire", "k , t 900", "reentrant_release", "k c , t",
         "key=k kind=hash holder=t "},
        {"fair_acquire", "k q p , t 900 900", "fair_release", "k q , t",
         "key=k kind=string holder=t "},
        {"semaphore_acquire", "k , t 3 900", "semaphore_release", "k c , t",
         "key=k kind=zset holder=t "},
        {"read_acquire", "w k , t 900", "read_release", "k c , t", "key=k kind=zset holder=t "},
        {"write_acquire", "k r , t 900", "write_release", "k c , t", "key=k kind=string holder=t "},
        {"segments_acquire", "k , t 900", "segments_release", "k , t",
         "key=k kind=string holder=t "},
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct rig *r = rig_new();
        gives(r, scripts[i].take, scripts[i].with, ":0");
        run(r, "LOCKS");
        if (strncmp(rig_reply(r), "*1 ", 3) != 0 || !strstr(rig_reply(r), scripts[i].listed))
            fail_msg("%s: %s", scripts[i].take, rig_reply(r));
        script(r, scripts[i].release, scripts[i].then);
        run(r, "LOCKS");
        if (strcmp(rig_reply(r), "*0") != 0)
            fail_msg("%s: %s", scripts[i].release, rig_reply(r));
        rig_free(r);
    }
}
