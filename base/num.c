#include "base/num.h"

#include "base/grisu.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Reads the digits of a number that has no leading zero; "0" stands alone. */
static bool parse_digits(struct bytes s, uint64_t *out)
{
    if (s.n == 0 || (s.p[0] == '0' && s.n > 1))
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned digit = (unsigned char)s.p[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, digit, &v))
            return false;
    }
    *out = v;
    return true;
}

bool num_parse_i64(struct bytes s, int64_t *out)
{
    bool negative = s.n && s.p[0] == '-';
    uint64_t v;
    if (!parse_digits((struct bytes){s.p + negative, s.n - negative}, &v))
        return false;
    if (negative ? v == 0 || v > (uint64_t)INT64_MAX + 1 : v > INT64_MAX)
        return false;
    *out = (int64_t)(negative ? -v : v);
    return true;
}

/* strtod wants a NUL behind the number, and the slice has none. */
static bool terminate(struct bytes s, char copy[NUM_LD_MAX])
{
    if (s.n == 0 || s.n >= NUM_LD_MAX || s.p[0] == ' ' || (s.p[0] >= '\t' && s.p[0] <= '\r'))
        return false;
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return true;
}

bool num_parse_f64(struct bytes s, double *out)
{
    int64_t i;
    if (num_parse_i64(s, &i)) {
        *out = (double)i;
        return true;
    }
    char copy[NUM_LD_MAX], *end;
    if (!terminate(s, copy))
        return false;
    errno = 0;
    double v = strtod(copy, &end);
    bool out_of_range = errno == ERANGE && (isinf(v) || v == 0);
    if (end != copy + s.n || out_of_range || isnan(v))
        return false;
    *out = v;
    return true;
}

bool num_parse_ld(struct bytes s, long double *out)
{
    char copy[NUM_LD_MAX], *end;
    if (!terminate(s, copy))
        return false;
    errno = 0;
    long double v = strtold(copy, &end);
    bool out_of_range = errno == ERANGE && (isinf(v) || v == 0);
    if (end != copy + s.n || out_of_range || isnan(v))
        return false;
    *out = v;
    return true;
}

static unsigned count_digits(uint64_t v)
{
    unsigned n = 1;
    for (; v >= 10000; v /= 10000)
        n += 4;
    return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

size_t num_format_i64(char out[NUM_I64_MAX], int64_t v)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
    out[0] = '-';
    size_t n = (v < 0) + count_digits(u);
    char *at = out + n;
    for (; u >= 100; u /= 100)
        memcpy(at -= 2, pairs + 2 * (u % 100), 2);
    if (u >= 10)
        memcpy(at - 2, pairs + 2 * u, 2);
    else
        at[-1] = (char)('0' + u);
    return n;
}

static size_t put(char *out, struct bytes s)
{
    memcpy(out, s.p, s.n);
    return s.n;
}

/* d.ddde+x. The digits are never more than 17. */
static size_t put_scientific(char *out, struct bytes digits, int exponent)
{
    size_t n = 0;
    out[n++] = digits.p[0];
    if (digits.n > 1) {
        out[n++] = '.';
        n += put(out + n, (struct bytes){digits.p + 1, digits.n - 1});
    }
    out[n++] = 'e';
    out[n++] = exponent < 0 ? '-' : '+';
    return n + num_format_i64(out + n, abs(exponent));
}

/*
 * Places the point in `digits` x 10^scale. When an exponent appears is a matter of taste, and this
 * is Redis's: up to seven zeros are appended to a whole number; a fraction is written out when it
 * has six decimals at the most or lies within four orders of magnitude around one.
 */
static size_t put_decimal(char *out, struct bytes digits, int scale)
{
    int ndigits = (int)digits.n;
    int exponent = scale + ndigits - 1;
    if (scale >= 0 && scale <= 7) {
        size_t n = put(out, digits);
        memset(out + n, '0', (size_t)scale);
        return n + (size_t)scale;
    }
    if (scale >= 0 || (scale <= -7 && abs(exponent) >= 4))
        return put_scientific(out, digits, exponent);
    if (exponent < 0) {
        size_t zeros = (size_t)(-exponent - 1);
        size_t n = put(out, BYTES("0."));
        memset(out + n, '0', zeros);
        return n + zeros + put(out + n + zeros, digits);
    }
    size_t whole = (size_t)exponent + 1;
    size_t n = put(out, (struct bytes){digits.p, whole});
    out[n++] = '.';
    return n + put(out + n, (struct bytes){digits.p + whole, digits.n - whole});
}

size_t num_format_f64(char out[NUM_F64_MAX], double v)
{
    if (isnan(v))
        return put(out, BYTES("nan"));
    size_t sign = signbit(v) ? put(out, BYTES("-")) : 0;
    if (isinf(v))
        return sign + put(out + sign, BYTES("inf"));
    v = fabs(v);
    /* Up to 2^62, whatever is whole is printed whole. */
    if (v <= (double)(INT64_MAX / 2) && v == (double)(int64_t)v)
        return sign + num_format_i64(out + sign, (int64_t)v);
    char digits[GRISU_MAX];
    int scale;
    size_t n = grisu_digits(v, digits, &scale);
    return sign + put_decimal(out + sign, (struct bytes){digits, n}, scale);
}

size_t num_format_ld(char out[NUM_LD_MAX], long double v)
{
    if (isnan(v))
        return put(out, BYTES("nan"));
    if (isinf(v))
        return put(out, v < 0 ? BYTES("-inf") : BYTES("inf"));
    size_t n = (size_t)snprintf(out, NUM_LD_MAX, "%.17Lf", v);
    while (out[n - 1] == '0')
        n--;
    if (out[n - 1] == '.')
        n--;
    if (n == 2 && memcmp(out, "-0", 2) == 0)
        return put(out, BYTES("0"));
    return n;
}
