#include "base/glob.h"

#include "tests/lib/guard.h"
#include "tests/lib/random.h"
#include "tests/lib/test.h"

struct glob_case {
    const char *pattern, *text;
    bool want;
};

static void check(const struct glob_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool got = glob_match(bytes_of(cases[i].pattern), bytes_of(cases[i].text));
        if (got != cases[i].want)
            fail_msg("'%s' on '%s' gave %d", cases[i].pattern, cases[i].text, got);
    }
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof *(cases))

TEST(glob, matches_stars_and_single_bytes)
{
    static const struct glob_case cases[] = {
        {"hello", "hello", true},
        {"hello", "hell", false},
        {"hell", "hello", false},
        {"h?llo", "hallo", true},
        {"h?llo", "hllo", false},
        {"h*llo", "heeeello", true},
        {"h*llo", "hllo", true},
        {"*", "anything", true},
        {"**", "a", true},
        {"a*", "a", true},
        {"a**", "a", true},
        {"*a", "ba", true},
        {"*a", "ab", false},
        {"*a*b*", "xaxbx", true},
        {"*a*b*", "xbxax", false},
        {"a*b*c", "abbbc", true},
        {"a*bc", "abcbcbc", true},
        {"lock:*", "lock:", true},
        {"lock:{*}", "lock:{a}", true},
        {"?", "a", true},
        {"?*", "a", true},
        {"*?", "a", true},
        {"*??", "a", false},
    };
    CHECK(cases);
}

TEST(glob, matches_the_empty_text_with_the_empty_pattern_only)
{
    static const struct glob_case cases[] = {
        {"", "", true}, {"*", "", false}, {"**", "", false}, {"", "a", false}, {"?", "", false},
    };
    CHECK(cases);
}

TEST(glob, matches_classes)
{
    static const struct glob_case cases[] = {
        {"h[ae]llo", "hello", true},   {"h[ae]llo", "hillo", false},
        {"h[^e]llo", "hallo", true},   {"h[^e]llo", "hello", false},
        {"h[a-c]llo", "hbllo", true},  {"h[c-a]llo", "hbllo", true},
        {"h[a-c]llo", "hdllo", false}, {"[a-]", "a", true},
        {"[a-]", "-", false},          {"[a-]", "^", true},
        {"[-a]", "-", true},           {"[\\]]", "]", true},
        {"[\\-x]", "-", true},         {"[\\a-c]", "b", false},
        {"[\\a-c]", "-", true},        {"[]", "]", false},
        {"[]a]", "a]", false},         {"[^]", "x", true},
        {"[a^]", "^", true},           {"[*]", "*", true},
        {"[*]", "x", false},           {"[[]", "[", true},
        {"[a-]]", "a]", false},        {"[a-]]", "b", false},
        {"[a-]", "b", false},
    };
    CHECK(cases);
}

TEST(glob, ends_an_open_class_with_the_pattern)
{
    static const struct glob_case cases[] = {
        {"[", "[", false},   {"[", "a", false},    {"[^", "a", true},    {"[a", "a", true},
        {"[a", "b", false},  {"[a-", "a", true},   {"[a-", "-", true},   {"[a-c", "b", true},
        {"[\\", "\\", true}, {"[a\\", "\\", true}, {"x[ab", "xb", true}, {"*[a", "xxa", true},
    };
    CHECK(cases);
}

TEST(glob, takes_an_escaped_byte_as_it_is)
{
    static const struct glob_case cases[] = {
        {"\\*", "*", true},   {"\\*", "a", false},  {"\\?", "?", true},  {"\\[a]", "[a]", true},
        {"\\\\", "\\", true}, {"a\\", "a\\", true}, {"a\\", "a", false}, {"\\a", "a", true},
    };
    CHECK(cases);
}

TEST(glob, folds_letters_on_request)
{
    assert_false(glob_match(BYTES("HeLLo"), BYTES("hEllO")));
    assert_true(glob_imatch(BYTES("HeLLo"), BYTES("hEllO")));
    assert_true(glob_imatch(BYTES("[A-C]x"), BYTES("bX")));
    assert_true(glob_imatch(BYTES("[Q]"), BYTES("q")));
    assert_true(glob_imatch(BYTES("\\Q"), BYTES("q")));
    assert_false(glob_imatch(BYTES("[\\Q]"), BYTES("q")));
}

TEST(glob, compares_ranges_as_signed_bytes)
{
    assert_true(glob_match(BYTES("[\x80-\x01]"), BYTES("\xff")));
    assert_false(glob_match(BYTES("[\x80-\x01]"), BYTES("\x02")));
    assert_true(glob_match(BYTES("a\0b*"), BYTES("a\0bc")));
}

TEST(glob, is_never_exponential)
{
    char pattern[2000], text[20000];
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    memset(text, 'a', sizeof text);
    struct bytes p = {pattern, sizeof pattern}, t = {text, sizeof text};
    pattern[sizeof pattern - 1] = 'b';
    assert_false(glob_match(p, t));
    text[sizeof text - 1] = 'b';
    assert_true(glob_match(p, t));
}

/* The plain reading of the rules, with recursion for the star. */
static bool naive(struct bytes p, struct bytes t);

static bool naive_class(struct bytes p, struct bytes t)
{
    size_t i = 1;
    bool negate = i < p.n && p.p[i] == '^', found = false;
    i += negate;
    while (i < p.n && p.p[i] != ']') {
        if (p.n - i >= 2 && p.p[i] == '\\') {
            found = found || p.p[i + 1] == t.p[0];
            i += 2;
        } else if (p.n - i >= 3 && p.p[i + 1] == '-') {
            char a = p.p[i], b = p.p[i + 2], c = t.p[0];
            found = found || (a <= c && c <= b) || (b <= c && c <= a);
            i += 3;
        } else {
            found = found || p.p[i] == t.p[0];
            i++;
        }
    }
    i += i < p.n;
    return found != negate &&
           naive((struct bytes){p.p + i, p.n - i}, (struct bytes){t.p + 1, t.n - 1});
}

static bool naive(struct bytes p, struct bytes t)
{
    if (p.n == 0)
        return t.n == 0;
    if (p.p[0] == '*') {
        for (size_t i = 0; i <= t.n; i++)
            if (naive((struct bytes){p.p + 1, p.n - 1}, (struct bytes){t.p + i, t.n - i}))
                return true;
        return false;
    }
    if (t.n == 0)
        return false;
    if (p.p[0] == '[')
        return naive_class(p, t);
    size_t i = p.p[0] == '\\' && p.n >= 2;
    if (p.p[0] != '?' && p.p[i] != t.p[0])
        return false;
    return naive((struct bytes){p.p + i + 1, p.n - i - 1}, (struct bytes){t.p + 1, t.n - 1});
}

TEST(glob, agrees_with_the_plain_reading_of_the_rules)
{
    static const char alphabet[] = "ab-c]*?[^\\";
    struct guard pg, tg;
    guard_init(&pg, 16);
    guard_init(&tg, 16);
    uint64_t seed = 3;
    int matched = 0;
    for (int i = 0; i < 300000; i++) {
        char pattern[8], text[6];
        size_t pn = random_below(&seed, sizeof pattern + 1);
        size_t tn = 1 + random_below(&seed, sizeof text);
        for (size_t k = 0; k < pn; k++)
            pattern[k] = alphabet[random_below(&seed, sizeof alphabet - 1)];
        for (size_t k = 0; k < tn; k++)
            text[k] = alphabet[random_below(&seed, 4)];
        struct bytes p = guard_place(&pg, (struct bytes){pattern, pn});
        struct bytes t = guard_place(&tg, (struct bytes){text, tn});
        bool got = glob_match(p, t), want = naive(p, t);
        if (got != want)
            fail_msg("'%.*s' on '%.*s' gave %d", BYTES_FMT(p), BYTES_FMT(t), got);
        matched += got;
    }
    assert_true(matched > 1000);
    guard_free(&pg);
    guard_free(&tg);
}

static struct bytes filled(char *room, size_t n, char c)
{
    memset(room, c, n);
    return (struct bytes){room, n};
}

/* CVE-2022-36021 and CVE-2024-31228: patterns that keep Redis busy for ever, or overflow its stack.
 */
TEST(glob, gives_up_on_what_takes_too_many_steps)
{
    enum { N = 100000 };
    static char pattern[N], text[N];
    struct bytes t = filled(text, N, 'a'), p = filled(pattern, N, 'a');
    pattern[0] = '*';
    size_t steps = glob_steps(t), before = steps;
    assert_true(glob_match_within(p, t, &steps)); /* as many steps as it is long */
    assert_in_range(before - steps, N, 2 * N);
    pattern[N / 2] = 'b';
    steps = before;
    assert_false(glob_match_within(p, t, &steps));
    assert_int_equal(steps, 0);
    p = filled(pattern, N, '*');
    assert_false(glob_match_within(p, (struct bytes){"x", 1}, &(size_t){1000}));
    assert_true(glob_match(p, t));
    p = filled(pattern, N, 'a');
    pattern[0] = '[';
    steps = 1000;
    assert_false(glob_match_within(p, t, &steps));
    assert_int_equal(steps, 0);
}

TEST(glob, gives_no_more_than_it_has_to_every_step)
{
    static const struct bytes patterns[] = {{"*[ab]*c", 7}, {"[^x]*", 5}, {"a\\*?", 4}, {"*", 1}};
    struct bytes t = BYTES("abababab");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        for (size_t may = 0; may < 100; may++) {
            size_t steps = may;
            bool got = glob_match_within(patterns[i], t, &steps);
            assert_true(steps <= may);
            assert_true(steps == 0 || got == glob_match(patterns[i], t));
        }
    }
}
