#include "resp/parser.h"

#include "tests/lib/guard.h"
#include "tests/lib/random.h"
#include "tests/lib/test.h"

static const struct parser_limits LIMITS = {.args = INT32_MAX, .bulk = 512 << 20, .line = 65536};

/* A command as text: "[SET|key|v]". */
static void describe(const struct parser *p, struct buf *out)
{
    buf_putc(out, '[');
    for (size_t i = 0; i < p->argc; i++) {
        if (i)
            buf_putc(out, '|');
        buf_put(out, p->argv[i]);
    }
    buf_putc(out, ']');
}

/* Parses the whole of `in` and writes down what it gave: each command, then how it ended (nothing
 * between two commands, "..." in the middle of one, "!text" on an error).
 *
 * The input comes in pieces whose ends are the bits of `cuts` (bit i: a cut behind byte i); bytes
 * beyond the 64th come in one piece. Each piece is shown from a guard page, at a new address. */
static void feed(struct parser *p, const struct parser_limits *limits, struct bytes in,
                 uint64_t cuts, struct guard *g, struct buf *out)
{
    size_t from = 0;
    for (size_t end = 1; end <= in.n; end++) {
        if (end < in.n && (end > 64 || !(cuts >> (end - 1) & 1)))
            continue;
        for (;;) {
            size_t used = 0;
            struct bytes shown = guard_place(g, (struct bytes){in.p + from, end - from});
            enum parse_result r = parser_next(p, limits, shown, &used);
            if (r == PARSE_BAD) {
                buf_printf(out, "!%s", p->error);
                return;
            }
            if (r == PARSE_MORE)
                break;
            assert_true(used > 0 && used <= shown.n);
            describe(p, out);
            from += used;
        }
    }
    if (!parser_idle(p))
        buf_put(out, BYTES("..."));
}

static void expect(const struct parser_limits *limits, struct bytes in, uint64_t cuts,
                   const char *want)
{
    struct parser p;
    struct guard g;
    struct buf out = {0};
    parser_init(&p);
    guard_init(&g, in.n);
    feed(&p, limits, in, cuts, &g, &out);
    buf_putc(&out, '\0');
    assert_string_equal(out.p, want);
    buf_free(&out);
    guard_free(&g);
    parser_free(&p);
}

struct feed_case {
    struct bytes in;
    const char *want;
};

static const struct feed_case FEEDS[] = {
    {BYTES("*1\r\n$4\r\nPING\r\n"), "[PING]"},
    {BYTES("*2\r\n$3\r\nGET\r\n$0\r\n\r\n"), "[GET|]"},
    {BYTES("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$12\r\nabcdefghijkl\r\n"), "[SET|k|abcdefghijkl]"},
    {BYTES("*1\r\n$1\r\na\r\n*1\r\n$1\r\nb\r\n"), "[a][b]"},
    {BYTES("PING\r\n*1\r\n$1\r\na\r\nECHO hi\n"), "[PING][a][ECHO|hi]"},
    {BYTES("\r\n\nPING\n"), "[][][PING]"},
    {BYTES("*0\r\n*-1\r\n*-7\r\nPING\r\n"), "[][][][PING]"},
    {BYTES("ECHO \"a b\" 'c' \"\"\r\n"), "[ECHO|a b|c|]"},
    {BYTES("\"\"\r\n"), "[]"},
    {BYTES("*1\rX$4\rXPINGXX"), "[PING]"},
    {BYTES("*1\r\n$2\r\n\r\n\r\n"), "[\r\n]"},
    {BYTES("*1\r\n$4\r\nPI"), "..."},
    {BYTES("*1\r\n$4\r\nPING\r"), "..."},
    {BYTES("*2\r\n$4\r\nPING\r\n"), "..."},
    {BYTES("*"), "..."},
    {BYTES("*1\n$4\nPING\n"), "..."},
    {BYTES("PING"), "..."},
    {BYTES("*abc\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*01\r\n$4\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*+1\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*2147483648\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*9223372036854775808\r\n"), "!Protocol error: invalid multibulk length"},
    {BYTES("*2147483647\r\n"), "..."},
    {BYTES("*1\r\nPING\r\n"), "!Protocol error: expected '$', got 'P'"},
    {BYTES("*1\r\n\r\n"), "!Protocol error: expected '$', got ' '"},
    {BYTES("*1\r\n\n\r\n"), "!Protocol error: expected '$', got ' '"},
    {BYTES("*1\r\n$1\r\na\r\n*2\r\n$1\r\na\r\n:1\r\n"),
     "[a]!Protocol error: expected '$', got ':'"},
    {BYTES("*1\r\n$-1\r\n"), "!Protocol error: invalid bulk length"},
    {BYTES("*1\r\n$abc\r\n"), "!Protocol error: invalid bulk length"},
    {BYTES("*1\r\n$04\r\nPING\r\n"), "!Protocol error: invalid bulk length"},
    {BYTES("*1\r\n$\r\nPING\r\n"), "!Protocol error: invalid bulk length"},
    {BYTES("*1\r\n$536870913\r\n"), "!Protocol error: invalid bulk length"},
    {BYTES("*1\r\n$536870912\r\n"), "..."},
    {BYTES("ECHO \"a\r\n"), "!Protocol error: unbalanced quotes in request"},
    {BYTES("ECHO 'a'b\r\n"), "!Protocol error: unbalanced quotes in request"},
};

#define EACH(c) (const struct feed_case *c = FEEDS; c < FEEDS + sizeof FEEDS / sizeof *FEEDS; c++)

TEST(parser, reads_input_that_comes_at_once)
{
    for
        EACH(c)
    expect(&LIMITS, c->in, 0, c->want);
}

TEST(parser, reads_input_that_comes_byte_by_byte)
{
    for
        EACH(c)
    expect(&LIMITS, c->in, UINT64_MAX, c->want);
}

TEST(parser, reads_input_cut_anywhere)
{
    for
        EACH(c)
    for (size_t a = 0; a < c->in.n; a++)
        for (size_t b = a; b < c->in.n; b++)
            expect(&LIMITS, c->in, UINT64_C(1) << a | UINT64_C(1) << b, c->want);
}

TEST(parser, reads_random_commands_in_random_pieces)
{
    struct parser p;
    struct guard g;
    parser_init(&p);
    guard_init(&g, 1 << 14);
    uint64_t seed = 17;
    for (int round = 0; round < 3000; round++) {
        struct buf in = {0}, want = {0}, got = {0};
        for (uint64_t k = 1 + random_below(&seed, 3); k > 0; k--) {
            uint64_t args = 1 + random_below(&seed, 12);
            buf_printf(&in, "*%d\r\n", (int)args);
            buf_putc(&want, '[');
            for (uint64_t i = 0; i < args; i++) {
                char arg[200];
                size_t n = random_below(&seed, random_below(&seed, 4) ? 12 : sizeof arg);
                for (size_t j = 0; j < n; j++)
                    arg[j] = (char)random_u64(&seed);
                buf_printf(&in, "$%zu\r\n", n);
                buf_put(&in, (struct bytes){arg, n});
                buf_put(&in, BYTES("\r\n"));
                if (i)
                    buf_putc(&want, '|');
                buf_put(&want, (struct bytes){arg, n});
            }
            buf_putc(&want, ']');
        }
        uint64_t cuts = random_u64(&seed);
        cuts &= random_u64(&seed); /* a cut behind one byte in four */
        feed(&p, &LIMITS, buf_bytes(&in), cuts, &g, &got);
        assert_int_equal(buf_len(&got), buf_len(&want));
        assert_memory_equal(got.p, want.p, buf_len(&want));
        buf_free(&in);
        buf_free(&want);
        buf_free(&got);
    }
    guard_free(&g);
    parser_free(&p);
}

/* Whatever comes, the cut does not change what it means. */
TEST(parser, gives_garbage_the_same_meaning_in_every_cut)
{
    static const char *const pieces[] = {"*1\r\n",   "*2\r\n", "$1\r\n", "$0\r\n", "a",
                                         "\r\n",     "\n",     "\r",     "*",      "$",
                                         "PING\r\n", "\"",     "'",      " "};
    struct guard g;
    guard_init(&g, 256);
    uint64_t seed = 23;
    for (int round = 0; round < 20000; round++) {
        struct buf in = {0}, once = {0}, cut = {0};
        for (uint64_t k = 1 + random_below(&seed, 8); k > 0; k--)
            buf_put(&in, bytes_of(pieces[random_below(&seed, sizeof pieces / sizeof *pieces)]));
        struct parser p;
        parser_init(&p);
        feed(&p, &LIMITS, buf_bytes(&in), 0, &g, &once);
        parser_free(&p);
        feed(&p, &LIMITS, buf_bytes(&in), random_u64(&seed), &g, &cut);
        parser_free(&p);
        assert_int_equal(buf_len(&once), buf_len(&cut));
        assert_memory_equal(once.p, cut.p, buf_len(&cut));
        buf_free(&in);
        buf_free(&once);
        buf_free(&cut);
    }
    guard_free(&g);
}

/* CVE-2021-21309, CVE-2021-32675, CVE-2023-41056: announced sizes are believed. */
TEST(parser, limits_what_a_stranger_may_send)
{
    struct parser_limits stranger = LIMITS;
    stranger.unauthenticated = true;
    expect(&stranger, BYTES("*10\r\n"), 0, "...");
    expect(&stranger, BYTES("*11\r\n"), 0, "!Protocol error: unauthenticated multibulk length");
    expect(&stranger, BYTES("*2147483648\r\n"), 0, "!Protocol error: invalid multibulk length");
    expect(&stranger, BYTES("*1\r\n$16384\r\n"), 0, "...");
    expect(&stranger, BYTES("*1\r\n$16385\r\n"), 0, "!Protocol error: unauthenticated bulk length");
    expect(&stranger, BYTES("*1\r\n$536870913\r\n"), 0, "!Protocol error: invalid bulk length");
}

TEST(parser, obeys_limits_smaller_than_redis_has)
{
    struct parser_limits small = {.args = 2, .bulk = 3, .line = 65536};
    expect(&small, BYTES("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"), 0, "[GET|k]");
    expect(&small, BYTES("*3\r\n$3\r\nSET\r\n"), 0, "!Protocol error: invalid multibulk length");
    expect(&small, BYTES("*1\r\n$4\r\nPING\r\n"), 0, "!Protocol error: invalid bulk length");
}

/* `head`, then `n` times '1', then `tail`. */
static void expect_long(const char *head, size_t n, const char *tail, const char *want_start)
{
    struct buf in = {0}, out = {0};
    buf_put(&in, bytes_of(head));
    memset(buf_room(&in, n), '1', n);
    buf_added(&in, n);
    buf_put(&in, bytes_of(tail));
    struct parser p;
    struct guard g;
    parser_init(&p);
    guard_init(&g, buf_len(&in));
    feed(&p, &LIMITS, buf_bytes(&in), 0x8421, &g, &out);
    assert_true(buf_len(&out) >= strlen(want_start));
    assert_memory_equal(out.p, want_start, strlen(want_start));
    buf_free(&in);
    buf_free(&out);
    guard_free(&g);
    parser_free(&p);
}

TEST(parser, limits_the_length_of_lines)
{
    expect_long("", 65536, "", "...");
    expect_long("", 65537, "", "!Protocol error: too big inline request");
    expect_long("", 65537, "\r\n", "!Protocol error: too big inline request");
    expect_long("", 65536, "\n", "[111111");
    expect_long("*", 65535, "", "...");
    expect_long("*", 65535, "\r\n", "!Protocol error: invalid multibulk length");
    expect_long("*", 65536, "", "!Protocol error: too big mbulk count string");
    expect_long("*1\r\n$", 65535, "", "...");
    expect_long("*1\r\n$", 65535, "\r\n", "!Protocol error: invalid bulk length");
    expect_long("*1\r\n$", 65536, "", "!Protocol error: too big bulk count string");
}

TEST(parser, says_how_much_is_missing)
{
    struct parser p;
    size_t used;
    parser_init(&p);
    assert_int_equal(parser_next(&p, &LIMITS, BYTES(""), &used), PARSE_MORE);
    assert_int_equal(p.want, 1);
    assert_true(parser_idle(&p));
    assert_int_equal(parser_next(&p, &LIMITS, BYTES("*1\r\n$100000\r\nabc"), &used), PARSE_MORE);
    assert_int_equal(p.want, 100000 - 3 + 2);
    assert_false(parser_idle(&p));
    parser_free(&p);
    assert_true(parser_idle(&p));
}

TEST(parser, points_into_the_input)
{
    struct parser p;
    size_t used;
    parser_init(&p);
    struct bytes in = BYTES("*2\r\n$3\r\nGET\r\n$1\r\nk\r\nrest");
    assert_int_equal(parser_next(&p, &LIMITS, in, &used), PARSE_OK);
    assert_int_equal(used, in.n - 4);
    assert_ptr_equal(p.argv[0].p, in.p + 8);
    assert_ptr_equal(p.argv[1].p, in.p + 17);
    parser_free(&p);
}

TEST(parser, is_usable_after_an_error)
{
    struct parser p;
    size_t used;
    parser_init(&p);
    assert_int_equal(parser_next(&p, &LIMITS, BYTES("*2\r\n$1\r\na\r\nx\r\n"), &used), PARSE_BAD);
    assert_true(parser_idle(&p));
    assert_int_equal(p.argc, 0);
    assert_int_equal(parser_next(&p, &LIMITS, BYTES("PING\r\n"), &used), PARSE_OK);
    assert_int_equal(p.argc, 1);
    parser_free(&p);
}

/* Many arguments, and one byte at a time: were anything looked at twice per byte, or the table
 * copied each time, the billions of steps would not end within the suite's time. */
TEST(parser, reads_bytes_one_by_one_in_linear_time)
{
    enum { ARGS = 100000 };
    struct buf in = {0};
    buf_printf(&in, "*%d\r\n", ARGS + 1);
    for (int i = 0; i < ARGS; i++)
        buf_put(&in, BYTES("$1\r\na\r\n"));
    buf_put(&in, BYTES("$100000\r\n"));
    memset(buf_room(&in, 100002), '\r', 100002);
    buf_added(&in, 100002);

    struct parser p;
    size_t used, n = 1;
    parser_init(&p);
    for (; n < buf_len(&in); n++)
        assert_int_equal(parser_next(&p, &LIMITS, (struct bytes){in.p, n}, &used), PARSE_MORE);
    assert_int_equal(parser_next(&p, &LIMITS, buf_bytes(&in), &used), PARSE_OK);
    assert_int_equal(p.argc, ARGS + 1);
    assert_int_equal(used, n);
    assert_int_equal(p.argv[ARGS].n, 100000);
    parser_free(&p);
    buf_free(&in);
}

TEST(parser, looks_for_the_end_of_a_line_from_where_it_stopped)
{
    char line[60000];
    memset(line, 'a', sizeof line);
    struct parser p;
    size_t used;
    parser_init(&p);
    for (size_t n = 1; n <= sizeof line; n++) {
        assert_int_equal(parser_next(&p, &LIMITS, (struct bytes){line, n}, &used), PARSE_MORE);
        line[n - 1] = '\n'; /* too late: it has been looked at */
    }
    parser_free(&p);
}

TEST(parser, gives_back_a_large_table)
{
    struct buf in = {0};
    buf_put(&in, BYTES("*5000\r\n"));
    for (int i = 0; i < 5000; i++)
        buf_put(&in, BYTES("$1\r\na\r\n"));
    struct parser p;
    size_t used;
    parser_init(&p);
    assert_int_equal(parser_next(&p, &LIMITS, buf_bytes(&in), &used), PARSE_OK);
    assert_true(p.cap >= 5000);
    assert_int_equal(parser_next(&p, &LIMITS, BYTES("PING\r\n"), &used), PARSE_OK);
    assert_true(p.cap <= 1024);
    assert_true(bytes_eq(p.argv[0], BYTES("PING")));
    parser_free(&p);
    buf_free(&in);
}
