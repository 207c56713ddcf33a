#include "base/quote.h"

#include "tests/lib/guard.h"
#include "tests/lib/random.h"
#include "tests/lib/test.h"

/* Splits, and joins the words with '|' for comparison. */
static void check_split(struct bytes line, ssize_t want_n, const char *want)
{
    struct buf text = {0}, ends = {0}, joined = {0};
    ssize_t n = quote_split(line, &text, &ends);
    assert_int_equal(n, want_n);
    size_t from = 0;
    for (ssize_t i = 0; i < n; i++) {
        size_t end = ((const size_t *)ends.p)[i];
        if (end > from)
            buf_put(&joined, (struct bytes){text.p + from, end - from});
        buf_putc(&joined, '|');
        from = end;
    }
    if (want) {
        assert_int_equal(buf_len(&joined), strlen(want));
        if (*want)
            assert_memory_equal(joined.p, want, strlen(want));
    }
    buf_free(&text);
    buf_free(&ends);
    buf_free(&joined);
}

TEST(quote, splits_at_blanks)
{
    check_split(BYTES("SET key value"), 3, "SET|key|value|");
    check_split(BYTES("  a \t b\r"), 2, "a|b|");
    check_split(BYTES(""), 0, "");
    check_split(BYTES(" \t\r\n\v\f"), 0, "");
    check_split(BYTES("a\vb"), 1, "a\vb|");
}

TEST(quote, reads_escapes_in_double_quotes)
{
    check_split(BYTES("\"a b\" c"), 2, "a b|c|");
    check_split(BYTES("\"\\n\\r\\t\\b\\a\\\\\\\"\""), 1, "\n\r\t\b\a\\\"|");
    check_split(BYTES("\"\\x41\\x4f\\x4F\""), 1, "AOO|");
    check_split(BYTES("\"\\q\\x4g\""), 1, "qx4g|");
    check_split(BYTES("\"\" ''"), 2, "||");
}

TEST(quote, takes_single_quoted_text_as_it_is)
{
    check_split(BYTES("'a\\nb'"), 1, "a\\nb|");
    check_split(BYTES("'it\\'s'"), 1, "it's|");
    check_split(BYTES("'say \"hi\"'"), 1, "say \"hi\"|");
}

TEST(quote, may_open_within_a_word_and_must_close_at_its_end)
{
    check_split(BYTES("a\"b c\""), 1, "ab c|");
    check_split(BYTES("a'b c' d"), 2, "ab c|d|");
    check_split(BYTES("\"a\"b"), -1, NULL);
    check_split(BYTES("'a'b"), -1, NULL);
    check_split(BYTES("\"a\"\"b\""), -1, NULL);
}

TEST(quote, refuses_quotes_that_stay_open)
{
    check_split(BYTES("\"abc"), -1, NULL);
    check_split(BYTES("'abc"), -1, NULL);
    check_split(BYTES("a b\""), -1, NULL);
    check_split(BYTES("\"abc\\"), -1, NULL);
    check_split(BYTES("\"abc\\\""), -1, NULL);
    check_split(BYTES("'abc\\'"), -1, NULL);
    check_split(BYTES("\"\\x"), -1, NULL);
    check_split(BYTES("\"\\x4"), -1, NULL);
}

TEST(quote, ends_the_line_at_a_nul)
{
    check_split(BYTES("a b\0c d"), 2, "a|b|");
    check_split(BYTES("\"a\0\""), -1, NULL);
}

TEST(quote, does_not_read_past_the_line)
{
    struct guard g;
    guard_init(&g, 64);
    uint64_t seed = 5;
    for (int i = 0; i < 100000; i++) {
        static const char alphabet[] = "a \"'\\x4n";
        char line[12];
        size_t n = random_below(&seed, sizeof line + 1);
        for (size_t k = 0; k < n; k++)
            line[k] = alphabet[random_below(&seed, sizeof alphabet - 1)];
        struct buf text = {0}, ends = {0};
        ssize_t words = quote_split(guard_place(&g, (struct bytes){line, n}), &text, &ends);
        assert_true(words < 0 || (size_t)words * sizeof(size_t) == buf_len(&ends));
        buf_free(&text);
        buf_free(&ends);
    }
    guard_free(&g);
}

TEST(quote, prints_words_as_redis_does)
{
    struct buf out = {0};
    quote_put(&out, BYTES("a \"b\"\\\n\r\t\a\b\x00\x1b\x7f\xff'"));
    const char *want = "\"a \\\"b\\\"\\\\\\n\\r\\t\\a\\b\\x00\\x1b\\x7f\\xff'\"";
    assert_int_equal(buf_len(&out), strlen(want));
    assert_memory_equal(out.p, want, strlen(want));
    buf_free(&out);
}

TEST(quote, splits_what_it_printed)
{
    uint64_t seed = 11;
    for (int i = 0; i < 20000; i++) {
        char word[20];
        size_t n = random_below(&seed, sizeof word + 1);
        for (size_t k = 0; k < n; k++)
            word[k] = (char)random_u64(&seed);
        struct buf line = {0}, text = {0}, ends = {0};
        quote_put(&line, (struct bytes){word, n});
        assert_int_equal(quote_split(buf_bytes(&line), &text, &ends), 1);
        assert_int_equal(buf_len(&text), n);
        if (n)
            assert_memory_equal(text.p, word, n);
        buf_free(&line);
        buf_free(&text);
        buf_free(&ends);
    }
}

TEST(quote, the_length_is_known_before)
{
    char every[256];
    for (int i = 0; i < 256; i++)
        every[i] = (char)i;
    for (size_t n = 0; n <= sizeof every; n++) {
        struct buf out = {0};
        quote_put(&out, (struct bytes){every, n});
        assert_int_equal(quote_len((struct bytes){every, n}), buf_len(&out));
        buf_free(&out);
    }
}
