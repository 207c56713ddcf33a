#include "tests/lib/shelf.h"

/* The items of the container, each followed by a blank. */
static const char *contents(const struct shelf *s, char out[1024])
{
    struct bytes item;
    size_t n = 0;
    for (size_t at = 0; packed_next(entry_value(s->e), &at, &item);) {
        memcpy(out + n, item.p, item.n);
        n += item.n;
        out[n++] = ' ';
    }
    out[n] = 0;
    return out;
}

static void append(struct shelf *s, struct bytes item)
{
    size_t end = entry_value(s->e).n;
    assert_true(packed_fits(s->e, end, end, &item, 1));
    assert_true(packed_splice(s->k, &s->e, end, end, &item, 1));
}

TEST(packed, holds_items_in_order)
{
    struct shelf s;
    char text[1024];
    shelf_init(&s, VALUE_LIST, 1);
    append(&s, BYTES("one"));
    append(&s, BYTES(""));
    append(&s, BYTES("three"));
    assert_string_equal(contents(&s, text), "one  three ");
    assert_int_equal(packed_count(entry_value(s.e)), 3);
    assert_int_equal(packed_longest(entry_value(s.e)), 5);
    assert_int_equal(entry_value(s.e).n, 3 + 3 + 5); /* a byte each, and nothing else */
    shelf_free(&s);
}

TEST(packed, splices_anywhere)
{
    struct shelf s;
    char text[1024];
    shelf_init(&s, VALUE_LIST, 1);
    append(&s, BYTES("a"));
    append(&s, BYTES("b"));
    append(&s, BYTES("c"));
    const struct bytes two[] = {BYTES("long enough to move"), BYTES("y")};
    size_t from = packed_seek(entry_value(s.e), 1), to = packed_seek(entry_value(s.e), 2);
    packed_splice(s.k, &s.e, from, to, two, 2);
    assert_string_equal(contents(&s, text), "a long enough to move y c ");
    packed_cut(s.k, &s.e, 0, packed_seek(entry_value(s.e), 2));
    assert_string_equal(contents(&s, text), "y c ");
    packed_splice(s.k, &s.e, 0, 0, two, 1);
    assert_string_equal(contents(&s, text), "long enough to move y c ");
    shelf_free(&s);
}

TEST(packed, taking_moves_the_last_item_into_the_gap)
{
    struct shelf s;
    char text[1024];
    shelf_init(&s, VALUE_SET, 1);
    append(&s, BYTES("first"));
    append(&s, BYTES("b"));
    append(&s, BYTES("the last of all"));
    packed_take(s.k, &s.e, 0);
    assert_string_equal(contents(&s, text), "the last of all b ");
    packed_take(s.k, &s.e, packed_seek(entry_value(s.e), 1));
    assert_string_equal(contents(&s, text), "the last of all ");
    packed_take(s.k, &s.e, 0);
    assert_string_equal(contents(&s, text), "");
    shelf_free(&s);
}

TEST(packed, finds_only_at_the_step)
{
    struct shelf s;
    size_t at;
    shelf_init(&s, VALUE_HASH, 1);
    append(&s, BYTES("name"));
    append(&s, BYTES("value"));
    append(&s, BYTES("value"));
    append(&s, BYTES("name"));
    assert_true(packed_find(entry_value(s.e), BYTES("value"), 2, &at));
    assert_int_equal(at, packed_seek(entry_value(s.e), 2));
    assert_true(packed_find(entry_value(s.e), BYTES("value"), 1, &at));
    assert_int_equal(at, packed_seek(entry_value(s.e), 1));
    assert_false(packed_find(entry_value(s.e), BYTES("nam"), 1, &at));
    shelf_free(&s);
}

TEST(packed, long_items_take_two_bytes_and_the_run_has_a_limit)
{
    struct shelf s;
    struct shelf *p = &s;
    struct bytes item;
    shelf_init(&s, VALUE_LIST, 1);
    struct bytes t127 = shelf_text(7, 127), t128 = shelf_text(8, 128), rest = shelf_text(9, 252);
    append(p, t127);
    append(p, t128);
    assert_int_equal(entry_value(s.e).n, 127 + 1 + 128 + 2);
    size_t at = 0;
    packed_next(entry_value(s.e), &at, &item);
    assert_bytes_equal(item, t127);
    packed_next(entry_value(s.e), &at, &item);
    assert_bytes_equal(item, t128);

    append(p, rest);
    assert_int_equal(entry_value(s.e).n, ENTRY_INLINE_MAX);
    assert_false(packed_fits(s.e, at, at, &BYTES(""), 1));
    assert_true(packed_fits(s.e, 0, at, &BYTES("fits instead"), 1));
    free((char *)t127.p), free((char *)t128.p), free((char *)rest.p);
    shelf_free(&s);
}
