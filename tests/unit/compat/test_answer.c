#include "tests/lib/answer.h"
#include "tests/lib/test.h"

static const char *const replies[] = {
    "+OK\r\n",
    "-ERR no\r\n",
    ":-5\r\n",
    "$0\r\n\r\n",
    "$7\r\na\r\nb\r\nc\r\n",
    "$-1\r\n",
    "*-1\r\n",
    "*0\r\n",
    "*2\r\n*1\r\n:1\r\n$1\r\nx\r\n",
    "_\r\n",
    ",1.5\r\n",
    "#t\r\n",
    "=8\r\ntxt:text\r\n",
    "%1\r\n+k\r\n*2\r\n:1\r\n:2\r\n",
    "~2\r\n+a\r\n+b\r\n",
    ">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nx\r\n",
};

TEST(answer, ends_where_the_reply_ends_however_little_has_come)
{
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        struct bytes whole = bytes_of(replies[i]);
        for (size_t n = 0; n < whole.n; n++)
            assert_int_equal(answer_length((struct bytes){whole.p, n}), 0);
        assert_int_equal(answer_length(whole), whole.n);
    }
    assert_int_equal(answer_length(BYTES("+OK\r\n+more\r\n")), 5);
}

TEST(answer, refuses_what_is_no_reply)
{
    assert_int_equal(answer_length(BYTES("PONG\r\n")), -1);
    assert_int_equal(answer_length(BYTES("$x\r\n")), -1);
    assert_int_equal(answer_length(BYTES("*-2\r\n")), -1);
    assert_int_equal(answer_length(BYTES("$1\r\nabc\r\n")), -1);
    assert_int_equal(answer_length(BYTES("*1\r\n?\r\n")), -1);
}

TEST(answer, is_a_tree_of_its_parts)
{
    struct answer a;
    assert_true(answer_parse(BYTES("%1\r\n+k\r\n*2\r\n:12\r\n=7\r\ntxt:abc\r\n"), &a));
    assert_int_equal(a.kind, '%');
    assert_int_equal(a.n, 2);
    assert_true(bytes_eq(a.items[0].text, BYTES("k")));
    assert_true(bytes_eq(a.items[1].items[1].text, BYTES("abc")));
    int64_t n;
    assert_true(answer_int(&a.items[1].items[0], &n));
    assert_int_equal(n, 12);
    assert_false(answer_int(&a.items[1], &n));
    answer_free(&a);
}

TEST(answer, has_one_kind_of_null)
{
    const char *const nulls[] = {"$-1\r\n", "*-1\r\n", "_\r\n"};
    for (size_t i = 0; i < 3; i++) {
        struct answer a;
        assert_true(answer_parse(bytes_of(nulls[i]), &a));
        assert_int_equal(a.kind, '_');
        answer_free(&a);
    }
}
