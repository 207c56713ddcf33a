#include "base/num.h"

#include "tests/lib/guard.h"
#include "tests/lib/random.h"
#include "tests/lib/test.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TEST(num, reads_integers_up_to_the_limits)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"-1", -1},
        {"10", 10},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"-9223372036854775807", INT64_MIN + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t v;
        assert_true(num_parse_i64(bytes_of(cases[i].text), &v));
        assert_int_equal(v, cases[i].value);
    }
}

TEST(num, refuses_every_other_way_to_write_an_integer)
{
    static const char *const cases[] = {
        "",
        "-",
        "+1",
        " 1",
        "1 ",
        "01",
        "-0",
        "-01",
        "00",
        "1.0",
        "1e3",
        "0x1",
        "a",
        "--1",
        "1a",
        "-a",
        "/",
        ":",
        "1\n",
        "\x80",
        "9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "99999999999999999999",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t v = 42;
        assert_false(num_parse_i64(bytes_of(cases[i]), &v));
        assert_int_equal(v, 42);
    }
    int64_t v;
    assert_false(num_parse_i64(BYTES("1\0"), &v));
}

TEST(num, does_not_read_past_the_slice)
{
    struct guard g;
    guard_init(&g, 64);
    int64_t i;
    double f;
    long double ld;
    assert_true(num_parse_i64(guard_place(&g, BYTES("-123")), &i) && i == -123);
    assert_true(num_parse_f64(guard_place(&g, BYTES("1.5")), &f) && f == 1.5);
    assert_true(num_parse_ld(guard_place(&g, BYTES("1.5")), &ld) && ld == 1.5L);
    assert_false(num_parse_i64(guard_place(&g, BYTES("-")), &i));
    assert_false(num_parse_i64(guard_place(&g, BYTES("")), &i));
    assert_false(num_parse_f64(guard_place(&g, BYTES("")), &f));
    guard_free(&g);
}

static void check_i64(int64_t v)
{
    char got[NUM_I64_MAX], want[32];
    size_t n = num_format_i64(got, v);
    assert_int_equal(n, snprintf(want, sizeof want, "%" PRId64, v));
    assert_memory_equal(got, want, n);
    int64_t back;
    assert_true(num_parse_i64((struct bytes){got, n}, &back));
    assert_int_equal(back, v);
}

TEST(num, prints_integers_and_reads_them_back)
{
    check_i64(0);
    check_i64(INT64_MIN);
    check_i64(INT64_MAX);
    int64_t ten = 1;
    for (int i = 0; i < 19; i++, ten = i < 19 ? ten * 10 : ten)
        for (int64_t d = -1; d <= 1; d++) {
            check_i64(ten + d);
            check_i64(-ten + d);
        }
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++)
        check_i64((int64_t)random_u64(&seed) >> random_below(&seed, 64));
}

TEST(num, reads_floats_as_c_does)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0", 0},
        {"1.5", 1.5},
        {"-1e3", -1000},
        {"0x10", 16},
        {"+5", 5},
        {".5", 0.5},
        {"5.", 5},
        {"inf", INFINITY},
        {"-Infinity", -INFINITY},
        {"+inf", INFINITY},
        {"5e-324", 5e-324},
        {"1.7976931348623157e308", DBL_MAX},
        {"007", 7},
        {"9223372036854775807", 9223372036854775808.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double f;
        long double ld;
        assert_true(num_parse_f64(bytes_of(cases[i].text), &f));
        assert_true(f == cases[i].value);
        assert_true(num_parse_ld(bytes_of(cases[i].text), &ld));
        assert_true((double)ld == cases[i].value);
    }
    double zero;
    assert_true(num_parse_f64(BYTES("-0"), &zero) && zero == 0 && signbit(zero));
}

TEST(num, refuses_what_is_not_a_float)
{
    static const char *const cases[] = {"",     " 1",  "1 ", "\t1", "nan", "-nan", "nan(1)", "1e",
                                        "1.5x", "one", "-",  "+",   ".",   "1,5",  "in"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double f;
        long double ld;
        assert_false(num_parse_f64(bytes_of(cases[i]), &f));
        assert_false(num_parse_ld(bytes_of(cases[i]), &ld));
    }
    double f;
    long double ld;
    assert_false(num_parse_f64(BYTES("1\0"), &f));
    assert_false(num_parse_ld(BYTES("1\0"), &ld));
}

TEST(num, refuses_floats_beyond_the_range_of_their_type)
{
    double f;
    long double ld;
    assert_false(num_parse_f64(BYTES("1e400"), &f));
    assert_false(num_parse_f64(BYTES("-1e400"), &f));
    assert_false(num_parse_f64(BYTES("1e-400"), &f));
    assert_true(num_parse_ld(BYTES("1e400"), &ld));
    assert_false(num_parse_ld(BYTES("1e5000"), &ld));
    assert_false(num_parse_ld(BYTES("1e-5000"), &ld));
}

TEST(num, refuses_floats_of_endless_length)
{
    char text[NUM_LD_MAX];
    memset(text, '0', sizeof text);
    text[sizeof text - 2] = '1';
    double f;
    long double ld;
    assert_true(num_parse_f64((struct bytes){text, sizeof text - 1}, &f) && f == 1);
    assert_false(num_parse_f64((struct bytes){text, sizeof text}, &f));
    assert_false(num_parse_ld((struct bytes){text, sizeof text}, &ld));
}

static void check_f64(double v, const char *want)
{
    char got[NUM_F64_MAX + 1];
    size_t n = num_format_f64(got, v);
    assert_true(n <= NUM_F64_MAX);
    got[n] = '\0';
    assert_string_equal(got, want);
}

TEST(num, prints_floats_as_redis_does)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {1.5, "1.5"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1e17, "100000000000000000"},
        {9007199254740993.0, "9007199254740992"},
        {4611686018427387904.0, "4611686018427387904"},
        {-4611686018427387904.0, "-4611686018427387904"},
        {4611686018427388928.0, "4611686018427389000"},
        {9223372036854775808.0, "9223372036854776000"},
        {123456789012345680000.0, "123456789012345680000"},
        {1.2345678901234e20, "123456789012340000000"},
        {1.2345678901234e21, "1.2345678901234e+21"},
        {0x1p-1019, "1.7800590868057611e-307"}, /* a power of two: its neighbour below is nearer */
        {1e20, "1e+20"},
        {1.5e300, "1.5e+300"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {5e-324, "5e-324"},
        {0.000001, "0.000001"},
        {0.0000015, "1.5e-6"},
        {1e-7, "1e-7"},
        {0.00012345678901234, "1.2345678901234e-4"},
        {0.0012345678901234, "0.0012345678901234"},
        {1234.5678901234, "1234.5678901234"},
        {12345.678901, "12345.678901"},
        {12345.6789012, "1.23456789012e+4"},
        {1700000000.123456, "1700000000.123456"},
        {3.141592653589793, "3.141592653589793"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_f64(cases[i].v, cases[i].text);
}

/* Grisu2 fails to find the shortest digits now and then; here it finds one digit too many, and so
 * does Redis. */
TEST(num, prints_floats_that_read_back_and_are_nearly_always_shortest)
{
    uint64_t seed = 7;
    int longer = 0, total = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_u64(&seed) >> (i % 4 == 0 ? 12 : 0); /* some subnormal */
        double v, back;
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v))
            continue;
        char got[NUM_F64_MAX + 1];
        size_t n = num_format_f64(got, v);
        got[n] = '\0';
        assert_true(num_parse_f64((struct bytes){got, n}, &back));
        assert_true(back == v);

        int digits = 0;
        for (const char *s = got; *s && *s != 'e'; s++)
            digits += *s >= '0' && *s <= '9';
        char shorter[40];
        snprintf(shorter, sizeof shorter, "%.*e", digits > 1 ? digits - 2 : 0, v);
        longer += digits > 1 && strtod(shorter, NULL) == v && strchr(got, 'e') != NULL;
        total++;
    }
    assert_true(longer * 100 < total);
}

static void check_ld(long double v, const char *want)
{
    char got[NUM_LD_MAX + 1];
    size_t n = num_format_ld(got, v);
    got[n] = '\0';
    assert_string_equal(got, want);
}

TEST(num, prints_long_doubles_without_an_exponent)
{
    check_ld(0, "0");
    check_ld(-0.0L, "0");
    check_ld(-1e-30L, "0");
    check_ld(3016, "3016");
    check_ld(100, "100");
    check_ld(10.5L, "10.5");
    check_ld(-10.5L, "-10.5");
    check_ld(0.1L + 0.2L, "0.3");
    check_ld(5e-17L, "0.00000000000000005");
    check_ld(1e20L, "100000000000000000000");
    check_ld(INFINITY, "inf");
    check_ld(-INFINITY, "-inf");
    check_ld(NAN, "nan");
}

TEST(num, has_room_for_the_longest_long_double)
{
    char *out = malloc(NUM_LD_MAX);
    assert_non_null(out);
    size_t n = num_format_ld(out, -LDBL_MAX);
    assert_int_equal(n, LDBL_MAX_10_EXP + 2);
    assert_memory_equal(out, "-118973149535723", 16);
    free(out);
}
