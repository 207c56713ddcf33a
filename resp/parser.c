/*
 * Framing is two nested counters: arguments that are still to come, and the length of the one that
 * is being read. Everything between two calls is kept as offsets from the start of the command.
 *
 * Redis is followed in what it does not look at, too: a header ends with CR and any byte, and the
 * two bytes behind a bulk are skipped unseen. A client that is careless there works with Redis, so
 * it has to work here.
 *
 * The argument table grows with the arguments that have arrived, not with the number announced: a
 * client pays in bytes for what it makes us keep.
 */
#include "resp/parser.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/quote.h"

#include <assert.h>
#include <stdio.h>

/* What is kept between commands; a command that needed more gives it back. */
#define KEEP_ARGS 1024
#define KEEP_TEXT 4096

#define OUT_OF_MEMORY "out of memory for the arguments"

/* What a client may send before it has said who it is. */
#define UNAUTHENTICATED_ARGS 10
#define UNAUTHENTICATED_BULK 16384

void parser_init(struct parser *p)
{
    *p = (struct parser){.args_left = -1, .bulk = -1};
}

void parser_free(struct parser *p)
{
    mem_free(p->argv);
    mem_free(p->offsets);
    buf_free(&p->unquoted);
    buf_free(&p->word_ends);
    parser_init(p);
}

size_t parser_memory(const struct parser *p)
{
    return p->cap * (sizeof *p->argv + sizeof *p->offsets) + p->unquoted.cap + p->word_ends.cap;
}

bool parser_idle(const struct parser *p)
{
    return p->pos == 0 && p->seen == 0;
}

/* Forgets the command, but not argv, which the caller is about to read. */
static void rewind_state(struct parser *p)
{
    p->pos = p->seen = 0;
    p->args_left = p->bulk = -1;
}

static enum parse_result ok(struct parser *p, size_t end, size_t *used)
{
    rewind_state(p);
    *used = end;
    return PARSE_OK;
}

static enum parse_result more(struct parser *p, size_t want)
{
    p->want = want;
    return PARSE_MORE;
}

static enum parse_result bad(struct parser *p, const char *why)
{
    rewind_state(p);
    p->argc = 0;
    snprintf(p->error, sizeof p->error, "Protocol error: %s", why);
    return PARSE_BAD;
}

static enum parse_result bad_type(struct parser *p, char got)
{
    char why[] = "expected '$', got '?'";
    why[sizeof why - 3] = got == '\r' || got == '\n' ? ' ' : got;
    return bad(p, why);
}

/* False when memory is out. Then there is as much room as before, or as there should be, if that is
 * less: either array may only be longer than that. */
static bool resize(struct parser *p, size_t cap)
{
    if (cap < p->cap)
        p->cap = cap;
    struct bytes *argv = mem_try_grow(p->argv, cap * sizeof *argv);
    if (argv == NULL)
        return false;
    p->argv = argv;
    size_t *offsets = mem_try_grow(p->offsets, cap * sizeof *offsets);
    if (offsets == NULL)
        return false;
    p->offsets = offsets;
    p->cap = cap;
    return true;
}

/* The last command is done with, and its memory if it was an unusual one. */
static void begin(struct parser *p)
{
    p->argc = 0;
    if (p->cap > KEEP_ARGS)
        resize(p, KEEP_ARGS);
    if (p->unquoted.cap > KEEP_TEXT || p->word_ends.cap > KEEP_TEXT) {
        buf_free(&p->unquoted);
        buf_free(&p->word_ends);
    }
}

/* False when memory is out. */
static bool add_arg(struct parser *p, size_t offset, size_t n)
{
    if (p->argc == p->cap && !resize(p, p->cap ? 2 * p->cap : 8))
        return false;
    p->offsets[p->argc] = offset;
    p->argv[p->argc++].n = n;
    return true;
}

/* All arguments are there: the offsets become pointers. */
static void point_args(struct parser *p, const char *base)
{
    for (size_t i = 0; i < p->argc; i++)
        p->argv[i].p = base + p->offsets[i];
}

/* Looks for the byte that ends the line at p->pos, and remembers how far it looked. Gives the line
 * without that byte. */
static enum parse_result find_line(struct parser *p, char end, size_t limit, struct bytes in,
                                   const char *too_long, struct bytes *line)
{
    const char *start = in.p + p->pos;
    size_t n = in.n - p->pos;
    size_t look = n < limit + 1 ? n : limit + 1;
    const char *found = p->seen < look ? memchr(start + p->seen, end, look - p->seen) : NULL;
    if (found == NULL) {
        p->seen = look;
        return n > limit ? bad(p, too_long) : more(p, 1);
    }
    p->seen = (size_t)(found - start);
    *line = (struct bytes){start, p->seen};
    return PARSE_OK;
}

/* As above for "*3" and "$5": the CR is followed by one more byte, taken on trust. */
static enum parse_result find_header(struct parser *p, size_t limit, struct bytes in,
                                     const char *too_long, struct bytes *line)
{
    enum parse_result r = find_line(p, '\r', limit, in, too_long, line);
    if (r != PARSE_OK)
        return r;
    return in.n - p->pos < line->n + 2 ? more(p, 1) : PARSE_OK;
}

static void end_header(struct parser *p, size_t n)
{
    p->pos += n + 2;
    p->seen = 0;
}

/* The fast way through a header of up to three digits, which nearly all are: gives what stands
 * behind it. Whatever it does not like, it leaves to the slow way. */
static const char *short_header(const char *s, const char *end, char type, unsigned *v)
{
    if (end - s < (ptrdiff_t)sizeof "$999\r\n" - 1 || s[0] != type)
        return NULL;
    unsigned n = 0, digit;
    size_t i = 1;
    for (; i < 4 && (digit = (unsigned char)s[i] - '0') <= 9; i++)
        n = 10 * n + digit;
    if (s[i] != '\r' || i == 1 || (s[1] == '0' && i > 2))
        return NULL;
    *v = n;
    return s + i + 2;
}

/* The same in a command of which more may be missing. */
static bool skip_short_header(struct parser *p, char type, struct bytes in, int64_t *v)
{
    unsigned n;
    const char *behind = short_header(in.p + p->pos, in.p + in.n, type, &n);
    if (behind == NULL)
        return false;
    *v = n;
    p->pos = (size_t)(behind - in.p);
    p->seen = 0;
    return true;
}

/* The way of nearly every command: all of it is there, and its numbers are short. Nothing is
 * remembered, so what turns out to be unusual is simply read again by the slow way. */
static bool read_whole(struct parser *p, const struct parser_limits *limits, struct bytes in,
                       size_t *used)
{
    const char *at = in.p, *end = in.p + in.n;
    unsigned n, len;
    if (limits->unauthenticated || limits->bulk < 999)
        return false;
    at = short_header(at, end, '*', &n);
    if (at == NULL || n > p->cap || n > limits->args)
        return false;
    for (unsigned i = 0; i < n; i++) {
        at = short_header(at, end, '$', &len);
        if (at == NULL || end - at < (ptrdiff_t)len + 2)
            return false;
        p->argv[i] = (struct bytes){at, len};
        at += len + 2;
    }
    p->argc = n;
    *used = (size_t)(at - in.p);
    return true;
}

static enum parse_result read_count(struct parser *p, const struct parser_limits *limits,
                                    struct bytes in)
{
    int64_t n;
    if (!skip_short_header(p, '*', in, &n)) {
        struct bytes line;
        enum parse_result r = find_header(p, limits->line, in, "too big mbulk count string", &line);
        if (r != PARSE_OK)
            return r;
        if (!num_parse_i64((struct bytes){line.p + 1, line.n - 1}, &n))
            return bad(p, "invalid multibulk length");
        end_header(p, line.n);
    }
    if (n > limits->args)
        return bad(p, "invalid multibulk length");
    if (n > UNAUTHENTICATED_ARGS && limits->unauthenticated)
        return bad(p, "unauthenticated multibulk length");
    p->args_left = n > 0 ? n : 0;
    return PARSE_OK;
}

static enum parse_result read_length(struct parser *p, const struct parser_limits *limits,
                                     struct bytes in)
{
    int64_t n;
    if (!skip_short_header(p, '$', in, &n)) {
        struct bytes line;
        enum parse_result r = find_header(p, limits->line, in, "too big bulk count string", &line);
        if (r != PARSE_OK)
            return r;
        if (*line.p != '$')
            return bad_type(p, *line.p);
        if (!num_parse_i64((struct bytes){line.p + 1, line.n - 1}, &n) || n < 0)
            return bad(p, "invalid bulk length");
        end_header(p, line.n);
    }
    if (n > limits->bulk)
        return bad(p, "invalid bulk length");
    if (n > UNAUTHENTICATED_BULK && limits->unauthenticated)
        return bad(p, "unauthenticated bulk length");
    p->bulk = n;
    return PARSE_OK;
}

static enum parse_result read_array(struct parser *p, const struct parser_limits *limits,
                                    struct bytes in, size_t *used)
{
    enum parse_result r;
    if (p->args_left < 0 && (r = read_count(p, limits, in)) != PARSE_OK)
        return r;
    for (; p->args_left > 0; p->args_left--) {
        if (p->bulk < 0 && (r = read_length(p, limits, in)) != PARSE_OK)
            return r;
        size_t n = (size_t)p->bulk, there = in.n - p->pos;
        if (there < n + 2)
            return more(p, n + 2 - there);
        if (!add_arg(p, p->pos, n))
            return bad(p, OUT_OF_MEMORY);
        p->pos += n + 2;
        p->bulk = -1;
    }
    point_args(p, in.p);
    return ok(p, p->pos, used);
}

static enum parse_result read_inline(struct parser *p, const struct parser_limits *limits,
                                     struct bytes in, size_t *used)
{
    struct bytes line;
    enum parse_result r = find_line(p, '\n', limits->line, in, "too big inline request", &line);
    if (r != PARSE_OK)
        return r;

    buf_clear(&p->unquoted);
    buf_clear(&p->word_ends);
    buf_room(&p->unquoted, 1); /* even a line of empty words points somewhere */
    ssize_t n = quote_split(line, &p->unquoted, &p->word_ends); /* a CR at the end is a blank */
    if (n < 0)
        return bad(p, "unbalanced quotes in request");
    const size_t *ends = (const size_t *)p->word_ends.p;
    for (ssize_t i = 0; i < n; i++) {
        size_t from = i ? ends[i - 1] : 0;
        if (!add_arg(p, from, ends[i] - from))
            return bad(p, OUT_OF_MEMORY);
    }
    point_args(p, p->unquoted.p);
    return ok(p, line.n + 1, used);
}

enum parse_result parser_next(struct parser *p, const struct parser_limits *limits, struct bytes in,
                              size_t *used)
{
    if (parser_idle(p)) {
        begin(p);
        if (in.n == 0)
            return more(p, 1);
        if (read_whole(p, limits, in, used))
            return PARSE_OK;
    }
    assert(in.n >= p->pos + p->seen); /* what was shown before must come again */
    return in.p[0] == '*' ? read_array(p, limits, in, used) : read_inline(p, limits, in, used);
}
