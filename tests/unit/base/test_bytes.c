#include "base/bytes.h"

#include "tests/lib/test.h"

TEST(bytes, compare_by_content)
{
    assert_true(bytes_eq(BYTES("a\0b"), BYTES("a\0b")));
    assert_false(bytes_eq(BYTES("a\0b"), BYTES("a\0c")));
    assert_false(bytes_eq(BYTES("a"), BYTES("ab")));
    assert_true(bytes_eq((struct bytes){0}, BYTES("")));
}

TEST(bytes, compare_without_case_in_ascii_only)
{
    assert_true(bytes_is(BYTES("sEt"), "SET"));
    assert_false(bytes_is(BYTES("sett"), "SET"));
    assert_false(bytes_ieq(BYTES("\xe4"), BYTES("\xc4")));
    assert_false(bytes_ieq(BYTES("@["), BYTES("`{")));
}

TEST(bytes, sort_a_prefix_first)
{
    assert_true(bytes_cmp(BYTES("a"), BYTES("ab")) < 0);
    assert_true(bytes_cmp(BYTES("b"), BYTES("ab")) > 0);
    assert_true(bytes_cmp(BYTES("\xff"), BYTES("a")) > 0);
    assert_int_equal(bytes_cmp(BYTES("a"), BYTES("a")), 0);
    assert_true(bytes_cmp((struct bytes){0}, BYTES("a")) < 0);
}

TEST(bytes, print_no_further_than_printf_can_count)
{
    assert_int_equal(bytes_width(BYTES("abc")), 3);
    assert_int_equal(bytes_width((struct bytes){"", (size_t)INT_MAX + 1}), INT_MAX);
}
