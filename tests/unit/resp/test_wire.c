#include "resp/wire.h"

#include "tests/lib/test.h"

#include <math.h>

typedef void say_fn(struct reply *r);

static void check(say_fn *say, int version, const char *want)
{
    struct buf out = {0};
    struct wire w;
    wire_init(&w, &out, version);
    say(&w.reply);
    buf_putc(&out, '\0');
    assert_string_equal(out.p, want);
    buf_free(&out);
}

/* What is said, and how it looks in both protocols. */
#define SAYS(name, resp2, resp3, ...)                                                              \
    static void say_##name(struct reply *r)                                                        \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    TEST(wire, writes_##name)                                                                      \
    {                                                                                              \
        check(say_##name, 2, resp2);                                                               \
        check(say_##name, 3, resp3);                                                               \
    }

SAYS(ok, "+OK\r\n", "+OK\r\n", reply_ok(r))
SAYS(status, "+PONG\r\n", "+PONG\r\n", reply_status(r, BYTES("PONG")))
SAYS(an_error, "-ERR no\r\n", "-ERR no\r\n", reply_error(r, BYTES("ERR no")))
SAYS(zero, ":0\r\n", ":0\r\n", reply_int(r, 0))
SAYS(the_smallest_integer, ":-9223372036854775808\r\n", ":-9223372036854775808\r\n",
     reply_int(r, INT64_MIN))
SAYS(a_bulk, "$5\r\nhello\r\n", "$5\r\nhello\r\n", reply_bulk(r, BYTES("hello")))
SAYS(an_empty_bulk, "$0\r\n\r\n", "$0\r\n\r\n", reply_bulk(r, (struct bytes){0}))
SAYS(a_c_string, "$2\r\nhi\r\n", "$2\r\nhi\r\n", reply_str(r, "hi"))
SAYS(a_number_as_bulk, "$3\r\n-42\r\n", "$3\r\n-42\r\n", reply_bulk_i64(r, -42))
SAYS(a_real, "$3\r\n1.5\r\n", ",1.5\r\n", reply_real(r, 1.5))
SAYS(a_whole_real, "$2\r\n10\r\n", ",10\r\n", reply_real(r, 10))
SAYS(infinity, "$3\r\ninf\r\n", ",inf\r\n", reply_real(r, INFINITY))
SAYS(minus_infinity, "$4\r\n-inf\r\n", ",-inf\r\n", reply_real(r, -INFINITY))
SAYS(not_a_number, "$3\r\nnan\r\n", ",nan\r\n", reply_real(r, NAN))
SAYS(true, ":1\r\n", "#t\r\n", reply_bool(r, true))
SAYS(false, ":0\r\n", "#f\r\n", reply_bool(r, false))
SAYS(verbatim_text, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n", reply_verbatim(r, "txt", BYTES("hi")))
SAYS(a_big_number, "$3\r\n123\r\n", "(123\r\n", reply_bignum(r, BYTES("123")))
SAYS(null, "$-1\r\n", "_\r\n", reply_null(r))
SAYS(a_null_array, "*-1\r\n", "_\r\n", reply_null_array(r))
SAYS(an_array, "*2\r\n:1\r\n$1\r\na\r\n", "*2\r\n:1\r\n$1\r\na\r\n", reply_array(r, 2);
     reply_int(r, 1); reply_bulk(r, BYTES("a")))
SAYS(an_empty_array, "*0\r\n", "*0\r\n", reply_array(r, 0))
SAYS(a_map, "*2\r\n+k\r\n:1\r\n", "%1\r\n+k\r\n:1\r\n", reply_map(r, 1);
     reply_status(r, BYTES("k")); reply_int(r, 1))
SAYS(a_set, "*1\r\n:1\r\n", "~1\r\n:1\r\n", reply_set(r, 1); reply_int(r, 1))
SAYS(a_push, "*1\r\n:1\r\n", ">1\r\n:1\r\n", reply_push(r, 1); reply_int(r, 1))
SAYS(formatted_errors_on_one_line, "-ERR a  b\r\n", "-ERR a  b\r\n",
     reply_errorf(r, "ERR %s", "a\r\nb\r\n"))
SAYS(status_on_one_line, "+a b\r\n", "+a b\r\n", reply_status(r, BYTES("a\nb")))

TEST(wire, changes_its_version_between_two_values)
{
    struct buf out = {0};
    struct wire w;
    wire_init(&w, &out, 2);
    reply_null(&w.reply);
    w.version = 3;
    reply_null(&w.reply);
    assert_int_equal(buf_len(&out), 8);
    assert_memory_equal(out.p, "$-1\r\n_\r\n", 8);
    buf_free(&out);
}

TEST(wire, writes_bulks_of_every_size)
{
    char data[1100];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)i;
    struct buf out = {0};
    struct wire w;
    wire_init(&w, &out, 3);
    for (size_t n = 0; n <= sizeof data; n++) {
        reply_bulk(&w.reply, (struct bytes){data, n});
        struct buf want = {0};
        buf_printf(&want, "$%zu\r\n", n);
        buf_put(&want, (struct bytes){data, n});
        buf_put(&want, BYTES("\r\n"));
        assert_true(bytes_eq(buf_bytes(&out), buf_bytes(&want)));
        buf_consume(&out, buf_len(&out));
        buf_free(&want);
    }
    buf_free(&out);
}

TEST(wire, counts_errors_and_keeps_their_codes)
{
    struct buf out = {0};
    struct wire w;
    wire_init(&w, &out, 2);
    reply_error(&w.reply, BYTES("WRONGTYPE Operation"));
    assert_string_equal(w.reply.code, "WRONGTYPE");
    reply_errorf(&w.reply, "NOAUTH %s", "first");
    assert_string_equal(w.reply.code, "NOAUTH");
    reply_error(&w.reply, BYTES("nothing_like_a_code"));
    assert_string_equal(w.reply.code, "ERR");
    reply_error(&w.reply, BYTES("A_CODE_THAT_IS_A_LITTLE_TOO_LONG_FOR_US x"));
    assert_string_equal(w.reply.code, "ERR");
    reply_error(&w.reply, (struct bytes){0});
    assert_int_equal(w.reply.errors, 5);
    buf_free(&out);
}
