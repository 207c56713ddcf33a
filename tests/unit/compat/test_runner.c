#include "tests/compat/compare.h"
#include "tests/lib/oracle.h"
#include "tests/lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the case below with the liar as the server under test, and another or none as oracle. */
static int run_compat(const char *oracle, const char *lie, char *said, size_t size)
{
    char path[] = "/tmp/latch-case-XXXXXX", command[512];
    const char *text = "case a lie\n> SET k truth\n> GET k\n  = \"$5\\r\\ntruth\\r\\n\"\n"
                       "case a courtesy\n> SET k v\n  = \"+OK\\r\\n\"\n";
    int fd = mkstemp(path);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    setenv("LIE", lie, 1);
    snprintf(command, sizeof command, "%s --subject %s %s %s", COMPAT, LIAR, oracle, path);
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c): our own words, no one else's */
    said[fread(said, 1, size - 1, f)] = '\0';
    unlink(path);
    return WEXITSTATUS(pclose(f));
}

TEST(runner, passes_a_server_that_tells_the_truth)
{
    char said[4096];
    assert_int_equal(run_compat("--no-oracle", "$5\r\ntruth\r\n", said, sizeof said), 0);
    assert_null(strstr(said, "not ok"));
    assert_non_null(strstr(said, "\n1..4\n"));
}

TEST(runner, fails_a_lying_server_and_only_where_it_lies)
{
    char said[4096];
    assert_int_equal(run_compat("--no-oracle", "$5\r\nfalse\r\n", said, sizeof said), 1);
    assert_non_null(strstr(said, "not ok 1 - "));
    assert_non_null(strstr(said, "not ok 2 - "));
    assert_non_null(strstr(said, "\nok 3 - "));
    assert_non_null(strstr(said, "subject  \"$5\\r\\nfalse\\r\\n\""));
    assert_non_null(strstr(said, "written  \"$5\\r\\ntruth\\r\\n\""));
}

TEST(runner, fails_a_server_that_the_oracle_contradicts)
{
    char said[4096];
    if (oracle_path() == NULL)
        skip();
    char oracle[256];
    snprintf(oracle, sizeof oracle, "--oracle %s", oracle_path());
    assert_int_equal(run_compat(oracle, "+truth\r\n", said, sizeof said), 1);
    assert_non_null(strstr(said, "subject  \"+truth\\r\\n\""));
    assert_non_null(strstr(said, "redis    \"$5\\r\\ntruth\\r\\n\""));
}

static bool same(struct check check, const char *a, const char *b)
{
    return compare(&check, bytes_of(a), bytes_of(b));
}

TEST(compare, is_exact_unless_told_otherwise)
{
    struct check exact = {0};
    assert_true(same(exact, ":1\r\n", ":1\r\n"));
    assert_false(same(exact, ":1\r\n", ":2\r\n"));
    assert_false(same(exact, "$1\r\n1\r\n", ":1\r\n"));
    assert_false(same(exact, "(closed)", "(none)"));
}

TEST(compare, unordered_takes_elements_in_any_order_but_all_of_them)
{
    struct check c = {.kind = CHECK_UNORDERED};
    assert_true(same(c, "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n"));
    assert_false(same(c, "*2\r\n:1\r\n:2\r\n", "*2\r\n:1\r\n:1\r\n"));
    assert_false(same(c, "*2\r\n:1\r\n:2\r\n", "~2\r\n:1\r\n:2\r\n"));
    assert_true(same(c, "%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "%2\r\n:3\r\n:4\r\n:1\r\n:2\r\n"));
    assert_false(same(c, "%2\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "%2\r\n:1\r\n:4\r\n:3\r\n:2\r\n"));
}

TEST(compare, time_allows_a_difference_but_no_other_meaning)
{
    struct check c = {.kind = CHECK_TIME, .tolerance = 5};
    assert_true(same(c, ":100\r\n", ":105\r\n"));
    assert_false(same(c, ":100\r\n", ":106\r\n"));
    assert_false(same(c, ":1\r\n", ":-1\r\n"));
    assert_false(same(c, ":-1\r\n", ":-2\r\n"));
    assert_true(same(c, "*2\r\n$3\r\n100\r\n$1\r\na\r\n", "*2\r\n$3\r\n101\r\n$1\r\na\r\n"));
}

TEST(compare, fields_must_be_there_and_equal_where_asked)
{
    struct check c = {.kind = CHECK_FIELDS, .fields = BYTES("a,=b")};
    assert_true(same(c, "$8\r\na:1\r\nb:2\r\n", "$8\r\nb:2\r\na:3\r\n"));
    assert_false(same(c, "$8\r\na:1\r\nb:2\r\n", "$8\r\na:1\r\nb:3\r\n"));
    assert_false(same(c, "$8\r\na:1\r\nb:2\r\n", "$8\r\nx:1\r\nb:2\r\n"));
    assert_true(same(c, "%2\r\n+a\r\n:1\r\n+b\r\n:2\r\n", "%2\r\n+b\r\n:2\r\n+a\r\n:9\r\n"));
}

TEST(compare, error_code_is_the_first_word)
{
    struct check c = {.kind = CHECK_CODE};
    assert_true(same(c, "-ERR one\r\n", "-ERR two\r\n"));
    assert_false(same(c, "-ERR one\r\n", "-WRONGTYPE one\r\n"));
    assert_false(same(c, "-ERR one\r\n", "+ERR one\r\n"));
}

TEST(compare, from_ignores_what_stands_before)
{
    struct check c = {.kind = CHECK_FROM, .fields = BYTES("]")};
    assert_true(same(c, "+1.5 [0 a] x\r\n", "+2 [0 b] x\r\n"));
    assert_false(same(c, "+1.5 [0 a] x\r\n", "+1.5 [0 a] y\r\n"));
    assert_false(same(c, "+none\r\n", "+none\r\n"));
}

TEST(compare, without_leaves_out_one_name_and_what_it_names)
{
    struct check c = {.kind = CHECK_WITHOUT, .fields = BYTES("n")};
    assert_true(
        same(c, "*1\r\n%2\r\n$1\r\nn\r\n:1\r\n$1\r\nm\r\n:2\r\n", "*1\r\n%1\r\n$1\r\nm\r\n:2\r\n"));
    assert_true(same(c, "*2\r\n$1\r\nm\r\n:2\r\n", "*4\r\n$1\r\nm\r\n:2\r\n$1\r\nn\r\n:1\r\n"));
    assert_false(same(c, "*2\r\n$1\r\nm\r\n:2\r\n", "*2\r\n$1\r\nm\r\n:3\r\n"));
    assert_false(same(c, "*2\r\n$1\r\nm\r\n:2\r\n", "*3\r\n$1\r\nm\r\n:2\r\n:3\r\n"));
}

TEST(script, names_the_line_that_it_cannot_read)
{
    struct buf error = {0};
    struct script s;
    assert_false(script_parse(&s, "f", BYTES("case x\n> PING\nwhat?\n"), &error));
    assert_non_null(memmem(error.p, error.to, "f:3:", 4));
    script_free(&s);
    buf_free(&error);
}

TEST(version, since_and_until_include_their_ends)
{
    struct version_range r = {0};
    assert_true(version_since(&r, BYTES("7.2")) && version_until(&r, BYTES("7.4")));
    assert_false(version_holds(&r, &(struct version){.redis = 700}));
    assert_true(version_holds(&r, &(struct version){.redis = 702}));
    assert_true(version_holds(&r, &(struct version){.redis = 704}));
    assert_false(version_holds(&r, &(struct version){.redis = 800}));
    assert_true(version_since(&r, BYTES("valkey 8.1")));
    assert_true(version_holds(&r, &(struct version){.redis = 700, .valkey = 900}));
}
