/*
 * Values across the border between commands and Lua: scripts made from snippets, or the bytes
 * themselves as a script, against commands that answer with any value at all. Every run gives
 * exactly one value, and afterwards the host runs the next script as if nothing had been.
 */
#include "base/mem.h"
#include "resp/tape.h"
#include "resp/wire.h"
#include "scripts/host.h"
#include "tests/lib/answer.h"
#include "tests/lib/dice.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct stage {
    struct dice dice; /* what commands answer */
    int checks;
};

static const char *const texts[] = {"", "OK", "ERR no", "a\r\nb", "12", "x", "-0.0", "NOCODE"};

static struct bytes some_text(struct dice *d)
{
    return bytes_of(texts[dice_roll(d, sizeof texts / sizeof *texts)]);
}

/* Any value, nested up to `depth`. */
static void answer(struct dice *d, struct reply *r, int depth)
{
    size_t n = dice_roll(d, 4);
    switch (dice_roll(d, depth ? 14 : 10)) {
    case 0: reply_int(r, (int64_t)dice_roll(d, 1 << 16) - (1 << 15)); return;
    case 1: reply_status(r, some_text(d)); return;
    case 2: reply_error(r, some_text(d)); return;
    case 3: reply_bulk(r, some_text(d)); return;
    case 4: reply_null(r); return;
    case 5: reply_null_array(r); return;
    case 6: reply_real(r, (double)dice_roll(d, 256) / 7); return;
    case 7: reply_bool(r, n & 1); return;
    case 8: reply_verbatim(r, "txt", some_text(d)); return;
    case 9: reply_bignum(r, BYTES("123456789012345678901234567890")); return;
    case 10: reply_array(r, n); break;
    case 11: reply_set(r, n); break;
    case 12: reply_push(r, n); break;
    default: reply_map(r, n), n *= 2; break;
    }
    while (n--)
        answer(d, r, depth - 1);
}

static const void *on_resolve(void *ctx, struct bytes name)
{
    (void)ctx, (void)name;
    return texts;
}

static void on_call(void *ctx, const struct script_call *c)
{
    struct stage *stage = ctx;
    answer(&stage->dice, c->reply, 3);
}

static enum script_verdict on_check(void *ctx)
{
    return ++((struct stage *)ctx)->checks > 100 ? SCRIPT_TIME_UP : SCRIPT_GO_ON;
}

static void on_log(void *ctx, enum log_level level, struct bytes text)
{
    (void)ctx, (void)level, (void)text;
}

static double on_clock(void *ctx)
{
    (void)ctx;
    return 1.5;
}

static int on_acl(void *ctx, const struct bytes *argv, size_t argc)
{
    (void)ctx, (void)argv;
    return (int)(argc % 3) - 1;
}

static const struct script_ops ops = {.resolve = on_resolve,
                                      .call = on_call,
                                      .check = on_check,
                                      .log = on_log,
                                      .clock = on_clock,
                                      .acl_check = on_acl};

static const char *const snippets[] = {
    "redis.call('x')",
    "redis.pcall('x', 1.5, 'y')",
    "{",
    "}",
    ",",
    "nil",
    "false",
    "true",
    "1e300",
    "-0.5",
    "0/0",
    "'text'",
    "ok=",
    "err=",
    "map=",
    "set=",
    "double=",
    "big_number=",
    "verbatim_string={format='txt',string='x'}",
    "['k']=",
    "KEYS",
    "ARGV",
    "redis.status_reply('x')",
    "redis.error_reply('x')",
    "cjson.encode(redis.call('x'))",
    "cjson.decode(ARGV[1])",
    "cmsgpack.pack(redis.call('x'))",
    "cmsgpack.unpack(ARGV[2])",
    "struct.pack('>I2', 3)",
    "struct.unpack(ARGV[1], ARGV[2])",
    "string.rep('ab', 1000)",
    "string.format('%5.2f|%q', 1/3, ARGV[1])",
    "string.gsub(ARGV[2], ARGV[1], '%0')",
    "bit.bxor(redis.call('x'), 3)",
    "tostring(redis.call('x'))",
    "unpack(redis.pcall('x'))",
    "(function(...) return ... end)(",
    ")",
    "#",
    "..",
    "+",
    "setmetatable({}, {__index=function(t, k) return k end})",
    "coroutine.wrap(function() return redis.call('x') end)()",
    "pcall(redis.call, 'x')",
    "table.concat({1, 2, redis.pcall('x')})",
};

static const char *const openings[] = {
    "return ",
    "redis.setresp(3) return ",
    "local r = redis.pcall('x') return r, ",
    "local t = {redis.pcall('x')} t[3] = t return ",
    "return redis.call(unpack(ARGV)) ",
};

/* A script of snippets that mostly balances its braces. */
static void compose(struct dice *d, struct buf *out)
{
    int open = 0;
    buf_put(out, bytes_of(openings[dice_roll(d, sizeof openings / sizeof *openings)]));
    for (size_t i = 0, n = 1 + dice_roll(d, 12); i < n; i++) {
        const char *s = snippets[dice_roll(d, sizeof snippets / sizeof *snippets)];
        open += (*s == '{') - (*s == '}');
        buf_put(out, bytes_of(s));
        buf_putc(out, open > 0 && dice_roll(d, 2) ? ',' : ' ');
    }
    for (; open > 0; open--)
        buf_putc(out, '}');
}

static void run(struct script_host *h, struct stage *stage, struct bytes body, struct bytes arg,
                struct buf *out, int version)
{
    struct wire wire;
    const struct bytes args[] = {arg, BYTES("\x93\x01\xa1x\xc0")};
    wire_init(&wire, out, version);
    stage->checks = 0;
    const struct script *s = script_load(h, body, false, &wire.reply);
    const struct script_run what = {
        .keys = args, .nkeys = 1, .args = args, .nargs = 2, .ctx = stage};
    if (s)
        script_run(h, s, &what, &wire.reply);
    if (answer_length(buf_bytes(out)) != (ssize_t)buf_len(out))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct stage stage = {.dice = {.left = {(const char *)data, n}}};
    struct script_host *h = script_host_new(
        &(struct script_options){.ops = &ops,
                                 .limits = {.memory = 4 << 20, .body = 1 << 16, .cached = 4},
                                 .version = "7.4.2",
                                 .version_num = 0x070402});
    for (int i = 0; i < 8 && !dice_over(&stage.dice); i++) {
        struct buf body = {0}, out = {0};
        struct bytes rest = stage.dice.left;
        int version = dice_roll(&stage.dice, 2) ? 3 : 2;
        if (dice_once_in(&stage.dice, 4))
            buf_put(&body, rest);
        else
            compose(&stage.dice, &body);
        run(h, &stage, buf_bytes(&body), rest, &out, version);
        buf_clear(&out);
        run(h, &stage, BYTES("return {1, 'x', type(KEYS), rawget(_G, 'x')}"), rest, &out, 2);
        if (!bytes_eq(buf_bytes(&out), BYTES("*3\r\n:1\r\n$1\r\nx\r\n$5\r\ntable\r\n")))
            abort();
        buf_free(&body);
        buf_free(&out);
    }
    script_host_free(h);
    return 0;
}
