#include "server/engine/syntax.h"

#include "base/buf.h"
#include "tests/lib/test.h"

/* As a compact text: token=name, ? optional, + multiple, (block), {one|of}. */
static void put(struct buf *out, const struct syntax *s)
{
    for (const struct syntax *first = s; s; s = s->next) {
        if (s != first)
            buf_putc(out, ' ');
        if (s->token.n)
            buf_printf(out, "%.*s=", BYTES_FMT(s->token));
        if (s->kind == SYNTAX_TOKEN)
            buf_printf(out, "!%.*s", BYTES_FMT(s->name));
        if (s->kind == SYNTAX_WORD)
            buf_put(out, s->name);
        if (s->inner) {
            buf_putc(out, s->kind == SYNTAX_BLOCK ? '(' : '{');
            put(out, s->inner);
            buf_putc(out, s->kind == SYNTAX_BLOCK ? ')' : '}');
        }
        if (s->optional)
            buf_putc(out, '?');
        if (s->multiple)
            buf_putc(out, '+');
    }
}

static void reads(const char *text, const char *expected)
{
    struct buf out = {0};
    struct syntax *s = syntax_parse(text);
    put(&out, s);
    buf_putc(&out, '\0');
    assert_string_equal(buf_bytes(&out).p, expected);
    buf_free(&out);
    syntax_free(s);
}

TEST(syntax, reads_the_manuals_notation)
{
    reads("", "");
    reads("key", "key");
    reads("key value", "key value");
    reads("key [key ...]", "key+");
    reads("key value [key value ...]", "(key value)+");
    reads("[name [name ...]]", "name?+");
    reads("[ID client-id [client-id ...]]", "ID=client-id?+");
    reads("key [NX | XX] [GET]", "key {!NX !XX}? !GET?");
    reads("[EX seconds | PX milliseconds]", "{EX=seconds PX=milliseconds}?");
    reads("<LEFT | RIGHT> timeout", "{!LEFT !RIGHT} timeout");
    reads("[TYPE <A | B>]", "TYPE={!A !B}?");
    reads("[LIMIT offset count]", "LIMIT=(offset count)?");
    reads("[protover [AUTH username password] [SETNAME name]]",
          "(protover AUTH=(username password)? SETNAME=name?)?");
    reads("a | <b c> ...", "{a (b c)+}");
}

static void takes(const char *text, size_t least, size_t most)
{
    struct syntax *s = syntax_parse(text);
    assert_int_equal(syntax_least(s), least);
    assert_true(syntax_most(s) == most);
    syntax_free(s);
}

TEST(syntax, counts_words)
{
    takes("", 0, 0);
    takes("key value", 2, 2);
    takes("key [value]", 1, 2);
    takes("key [key ...]", 1, SIZE_MAX);
    takes("<EX seconds | PERSIST>", 1, 2);
    takes("[EX seconds | PERSIST]", 0, 2);
    takes("<ON | OFF>", 1, 1);
    takes("LIMIT offset count", 3, 3);
}
