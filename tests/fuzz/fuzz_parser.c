/*
 * The parser, shown the same bytes in two ways: all at once, and in pieces whose sizes the input
 * itself decides, each time in another place in memory. Both must find the same commands, stop at
 * the same byte and give the same error.
 */
#include "base/mem.h"
#include "resp/parser.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct parser_limits generous = {.args = 64, .bulk = 4096, .line = 256};
static const struct parser_limits strict = {
    .args = 64, .bulk = 4096, .line = 256, .unauthenticated = true};

/* What a reader of the stream would note down: every command, then how it ended. */
struct notes {
    struct buf text;
    size_t used;
};

static void note(struct notes *notes, const struct parser *p)
{
    buf_printf(&notes->text, "%zu:", p->argc);
    for (size_t i = 0; i < p->argc; i++) {
        buf_printf(&notes->text, "%zu=", p->argv[i].n);
        buf_put(&notes->text, p->argv[i]);
    }
}

/* Shows `shown` bytes of the input, which a copy of exactly that size holds; true to go on. */
static bool show(struct parser *p, const struct parser_limits *limits, struct bytes shown,
                 struct notes *notes)
{
    char *copy = mem_try(shown.n ? shown.n : 1);
    memcpy(copy, shown.p, shown.n);
    enum parse_result got = PARSE_OK;
    size_t from = notes->used;
    while (got == PARSE_OK) {
        size_t used = 0;
        struct bytes rest = {copy + from, shown.n - from};
        got = parser_next(p, limits, rest, &used);
        if (got == PARSE_OK) {
            if (used == 0 || used > rest.n)
                abort();
            note(notes, p);
            from += used;
        }
    }
    if (got == PARSE_BAD)
        buf_printf(&notes->text, "!%s", p->error);
    else if (p->want == 0)
        abort();
    notes->used = from;
    mem_free(copy);
    return got == PARSE_MORE;
}

static void read_whole(const struct parser_limits *limits, struct bytes in, struct notes *notes)
{
    struct parser p;
    parser_init(&p);
    show(&p, limits, in, notes);
    parser_free(&p);
}

static void read_pieces(const struct parser_limits *limits, struct bytes in, struct notes *notes)
{
    struct parser p;
    parser_init(&p);
    for (size_t shown = 0, i = 0; shown < in.n; i++) {
        shown += 1 + (uint8_t)in.p[i % in.n] % 7;
        if (shown > in.n)
            shown = in.n;
        if (!show(&p, limits, (struct bytes){in.p, shown}, notes))
            break;
    }
    parser_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct bytes in = {(const char *)data, n};
    struct notes whole = {0}, pieces = {0};
    const struct parser_limits *limits = n && data[0] & 1 ? &strict : &generous;
    if (n == 0)
        return 0;
    read_whole(limits, in, &whole);
    read_pieces(limits, in, &pieces);
    if (whole.used != pieces.used || !bytes_eq(buf_bytes(&whole.text), buf_bytes(&pieces.text)))
        abort();
    buf_free(&whole.text);
    buf_free(&pieces.text);
    return 0;
}
