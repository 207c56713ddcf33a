#include "base/buf.h"

#include "tests/lib/random.h"
#include "tests/lib/test.h"

TEST(buf, is_empty_when_zeroed_and_holds_no_memory)
{
    struct buf b = {0};
    assert_int_equal(buf_len(&b), 0);
    buf_put(&b, (struct bytes){0});
    assert_null(b.p);
    buf_free(&b);
}

TEST(buf, appends_bytes_numbers_and_formatted_text)
{
    struct buf b = {0};
    buf_put(&b, BYTES("a\0"));
    buf_putc(&b, ' ');
    buf_put_i64(&b, INT64_MIN);
    buf_printf(&b, " %s-%d", "x", 7);
    assert_true(bytes_eq(buf_bytes(&b), BYTES("a\0 -9223372036854775808 x-7")));
    buf_free(&b);
}

TEST(buf, formats_text_longer_than_its_room)
{
    struct buf b = {0};
    for (int width = 1; width < 600; width += 7) {
        size_t before = buf_len(&b);
        buf_printf(&b, "%*d", width, 1);
        assert_int_equal(buf_len(&b), before + (size_t)width);
        assert_int_equal(b.p[b.to - 1], '1');
    }
    buf_free(&b);
}

TEST(buf, wins_back_what_was_consumed)
{
    struct buf b = {0};
    for (int i = 0; i < 100000; i++) {
        buf_put(&b, BYTES("0123456789"));
        if (i >= 10)
            buf_consume(&b, 10);
    }
    assert_int_equal(buf_len(&b), 100);
    assert_true(b.cap <= 1024);
    buf_consume(&b, 100);
    assert_int_equal(b.from, 0);
    buf_free(&b);
}

/* Bytes carry their position, so whatever is left must count on without a gap. */
TEST(buf, keeps_its_bytes_in_order_under_random_use)
{
    struct buf b = {0};
    uint64_t seed = 13, in = 0, out = 0;
    for (int i = 0; i < 20000; i++) {
        for (uint64_t n = random_below(&seed, 50); n > 0; n--)
            buf_putc(&b, (char)in++);
        size_t drop = random_below(&seed, buf_len(&b) + 1);
        out += drop;
        buf_consume(&b, drop);
        struct bytes s = buf_bytes(&b);
        assert_int_equal(s.n, in - out);
        for (size_t k = 0; k < s.n; k++)
            assert_int_equal(s.p[k], (char)(out + k));
    }
    buf_free(&b);
}
