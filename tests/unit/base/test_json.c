#include "base/json.h"

#include "tests/lib/test.h"

static void becomes(struct bytes text, const char *json)
{
    struct buf out = {0};
    json_put_text(&out, text);
    buf_putc(&out, '\0');
    assert_string_equal(out.p, json);
    buf_free(&out);
}

TEST(json, text_stands_in_quotes)
{
    becomes(BYTES(""), "\"\"");
    becomes(BYTES("lock:7"), "\"lock:7\"");
    becomes(BYTES("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92"),
            "\"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x94\x92\"");
}

TEST(json, what_it_cannot_hold_is_escaped)
{
    becomes(BYTES("a\"b\\c"), "\"a\\\"b\\\\c\"");
    becomes(BYTES("\0\n\x7f"), "\"\\u0000\\u000a\\u007f\"");
}

TEST(json, bytes_that_are_no_characters_stay_apart)
{
    becomes(BYTES("\xff"), "\"\\udcff\"");
    becomes(BYTES("\xc3"), "\"\\udcc3\"");                                  /* cut off */
    becomes(BYTES("\xc0\x80"), "\"\\udcc0\\udc80\"");                       /* overlong */
    becomes(BYTES("\xed\xa0\x80"), "\"\\udced\\udca0\\udc80\"");            /* a surrogate */
    becomes(BYTES("\xf4\x90\x80\x80"), "\"\\udcf4\\udc90\\udc80\\udc80\""); /* too large */
}
