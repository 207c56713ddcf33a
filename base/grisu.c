/*
 * Grisu2, after Florian Loitsch, "Printing Floating-Point Numbers Quickly and Accurately with
 * Integers" (PLDI 2010).
 *
 * All decimals between the midpoints to the neighbouring doubles read back as the same double. The
 * interval is scaled by a power of ten so that its upper end has about 32 bits before the point,
 * and digits of the upper end are written until what is left over fits inside the interval; then
 * the last digit is lowered towards the number itself.
 *
 * In one case of a thousand the digits are not the shortest possible, since the scaled interval is
 * narrowed by the error of its 64-bit arithmetic. Exact algorithms (Ryu, Dragonbox) were refused
 * for that very reason: Redis prints with Grisu2, and what we print has to be the same bytes, down
 * to which power is picked when two would do.
 */
#include "base/grisu.h"

#include <math.h>
#include <stdint.h>

/* f x 2^e */
struct fp {
    uint64_t f;
    int e;
};

#define POWER_FIRST (-348)
#define POWER_STEP  8

/* The upper 64 bits of 10^k for k = -348, -340, ..., 340, rounded. */
static const uint64_t powers[] = {
    0xfa8fd5a0081c0288, 0xbaaee17fa23ebf76, 0x8b16fb203055ac76, 0xcf42894a5dce35ea,
    0x9a6bb0aa55653b2d, 0xe61acf033d1a45df, 0xab70fe17c79ac6ca, 0xff77b1fcbebcdc4f,
    0xbe5691ef416bd60c, 0x8dd01fad907ffc3c, 0xd3515c2831559a83, 0x9d71ac8fada6c9b5,
    0xea9c227723ee8bcb, 0xaecc49914078536d, 0x823c12795db6ce57, 0xc21094364dfb5637,
    0x9096ea6f3848984f, 0xd77485cb25823ac7, 0xa086cfcd97bf97f4, 0xef340a98172aace5,
    0xb23867fb2a35b28e, 0x84c8d4dfd2c63f3b, 0xc5dd44271ad3cdba, 0x936b9fcebb25c996,
    0xdbac6c247d62a584, 0xa3ab66580d5fdaf6, 0xf3e2f893dec3f126, 0xb5b5ada8aaff80b8,
    0x87625f056c7c4a8b, 0xc9bcff6034c13053, 0x964e858c91ba2655, 0xdff9772470297ebd,
    0xa6dfbd9fb8e5b88f, 0xf8a95fcf88747d94, 0xb94470938fa89bcf, 0x8a08f0f8bf0f156b,
    0xcdb02555653131b6, 0x993fe2c6d07b7fac, 0xe45c10c42a2b3b06, 0xaa242499697392d3,
    0xfd87b5f28300ca0e, 0xbce5086492111aeb, 0x8cbccc096f5088cc, 0xd1b71758e219652c,
    0x9c40000000000000, 0xe8d4a51000000000, 0xad78ebc5ac620000, 0x813f3978f8940984,
    0xc097ce7bc90715b3, 0x8f7e32ce7bea5c70, 0xd5d238a4abe98068, 0x9f4f2726179a2245,
    0xed63a231d4c4fb27, 0xb0de65388cc8ada8, 0x83c7088e1aab65db, 0xc45d1df942711d9a,
    0x924d692ca61be758, 0xda01ee641a708dea, 0xa26da3999aef774a, 0xf209787bb47d6b85,
    0xb454e4a179dd1877, 0x865b86925b9bc5c2, 0xc83553c5c8965d3d, 0x952ab45cfa97a0b3,
    0xde469fbd99a05fe3, 0xa59bc234db398c25, 0xf6c69a72a3989f5c, 0xb7dcbf5354e9bece,
    0x88fcf317f22241e2, 0xcc20ce9bd35c78a5, 0x98165af37b2153df, 0xe2a0b5dc971f303a,
    0xa8d9d1535ce3b396, 0xfb9b7cd9a4a7443c, 0xbb764c4ca7a44410, 0x8bab8eefb6409c1a,
    0xd01fef10a657842c, 0x9b10a4e5e9913129, 0xe7109bfba19c0c9d, 0xac2820d9623bf429,
    0x80444b5e7aa7cf85, 0xbf21e44003acdd2d, 0x8e679c2f5e44ff8f, 0xd433179d9c8cb841,
    0x9e19db92b4e31ba9, 0xeb96bf6ebadf77d9, 0xaf87023b9bf0ee6b,
};

/* 10^k; its binary exponent is the whole part of k log2(10). */
static struct fp power(int k)
{
    return (struct fp){powers[(k - POWER_FIRST) / POWER_STEP], (k * 217706 >> 16) - 63};
}

/* A power that brings a number with binary exponent `e` to one between -60 and -32. */
static int pick_power(int e)
{
    int guess = (int)(-(e + 87) * 0.30102999566398114);
    int k = guess - (guess - POWER_FIRST) % POWER_STEP;
    while (e + power(k).e + 64 < -60)
        k += POWER_STEP;
    while (e + power(k).e + 64 > -32)
        k -= POWER_STEP;
    return k;
}

static struct fp normalize(struct fp a)
{
    int shift = __builtin_clzll(a.f);
    return (struct fp){a.f << shift, a.e - shift};
}

static struct fp multiply(struct fp a, struct fp b)
{
    unsigned __int128 product = (unsigned __int128)a.f * b.f + (UINT64_C(1) << 63);
    return (struct fp){(uint64_t)(product >> 64), a.e + b.e + 64};
}

/* `v` as an integer of 53 bits (fewer when subnormal) and its exponent. */
static struct fp split(double v)
{
    int e;
    double m = frexp(v, &e);
    int bits = e < -1021 ? e + 1074 : 53;
    return (struct fp){(uint64_t)ldexp(m, bits), e - bits};
}

/* The scaled interval, measured downwards from its upper end. */
struct interval {
    uint64_t top;
    uint64_t width;  /* to the lower end */
    uint64_t target; /* to the number itself */
    int shift;       /* bits behind the point */
};

/* Lowers the last digit, each step worth `unit`, while that comes nearer to the target. `rest` is
 * how far the digits lie below the top already. */
static void lower_last(char *last, uint64_t unit, uint64_t rest, uint64_t width, uint64_t target)
{
    while (rest < target && width - rest >= unit &&
           (rest + unit < target || target - rest > rest + unit - target)) {
        --*last;
        rest += unit;
    }
}

/* Writes digits until the rest fits; `*scale` is the power of ten that the last one stands for. */
static size_t generate(struct interval in, char *digits, int *scale)
{
    uint64_t one = UINT64_C(1) << in.shift;
    uint64_t whole = in.top >> in.shift, part = in.top & (one - 1);
    size_t n = 0;

    *scale = 10;
    for (uint64_t unit = 1000000000; unit > 0; unit /= 10) {
        uint64_t digit = whole / unit;
        if (digit || n)
            digits[n++] = (char)('0' + digit);
        whole %= unit;
        --*scale;
        uint64_t rest = (whole << in.shift) + part;
        if (rest <= in.width) {
            lower_last(&digits[n - 1], unit << in.shift, rest, in.width, in.target);
            return n;
        }
    }
    for (;;) {
        part *= 10;
        in.width *= 10;
        in.target *= 10;
        uint64_t digit = part >> in.shift;
        if (digit || n)
            digits[n++] = (char)('0' + digit);
        part &= one - 1;
        --*scale;
        if (part < in.width) {
            lower_last(&digits[n - 1], one, part, in.width, in.target);
            return n;
        }
    }
}

size_t grisu_digits(double v, char digits[GRISU_MAX], int *scale)
{
    struct fp w = split(v);
    struct fp upper = normalize((struct fp){2 * w.f + 1, w.e - 1});
    /* Below a power of two the doubles are twice as dense. */
    int half = w.f == UINT64_C(1) << 52 ? 2 : 1;
    struct fp lower = {(w.f << half) - 1, w.e - half};
    lower.f <<= lower.e - upper.e;
    lower.e = upper.e;

    int k = pick_power(upper.e);
    struct fp ten = power(k);
    w = multiply(normalize(w), ten);
    upper = multiply(upper, ten);
    lower = multiply(lower, ten);
    /* Each product may be off by one, so the interval gives way by one at both ends. */
    struct interval in = {
        .top = upper.f - 1,
        .width = (upper.f - 1) - (lower.f + 1),
        .target = (upper.f - 1) - w.f,
        .shift = -upper.e,
    };
    size_t n = generate(in, digits, scale);
    *scale -= k;
    return n;
}
