#include "base/quote.h"

/* The rest of the line. A NUL ends it, as it does in Redis. */
struct cursor {
    const char *p, *end;
};

static char peek(const struct cursor *c, size_t ahead)
{
    return (size_t)(c->end - c->p) > ahead ? c->p[ahead] : '\0';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char unescape(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

/* Reads an escape inside double quotes; the cursor stands on its backslash. */
static void take_escape(struct cursor *c, struct buf *text)
{
    int hi = hex_value(peek(c, 2)), lo = hex_value(peek(c, 3));
    if (peek(c, 1) == 'x' && hi >= 0 && lo >= 0) {
        buf_putc(text, (char)(hi << 4 | lo));
        c->p += 4;
    } else {
        buf_putc(text, unescape(peek(c, 1)));
        c->p += 2;
    }
}

/* Reads on to the closing quote, which must end the word. */
static bool take_quoted(struct cursor *c, char quote, struct buf *text)
{
    for (c->p++; peek(c, 0) != quote;) {
        bool escaped = peek(c, 0) == '\\' && peek(c, 1) != '\0';
        if (peek(c, 0) == '\0')
            return false;
        if (escaped && quote == '"') {
            take_escape(c, text);
        } else {
            c->p += escaped && peek(c, 1) == quote;
            buf_putc(text, *c->p++);
        }
    }
    c->p++;
    return peek(c, 0) == '\0' || is_blank(peek(c, 0));
}

/* Quotes may open in the middle of a word; closing them ends it. */
static bool take_word(struct cursor *c, struct buf *text)
{
    for (;;) {
        switch (peek(c, 0)) {
        case ' ':
        case '\n':
        case '\r':
        case '\t':
        case '\0': return true;
        case '"':
        case '\'': return take_quoted(c, *c->p, text);
        default: buf_putc(text, *c->p++);
        }
    }
}

ssize_t quote_split(struct bytes line, struct buf *text, struct buf *ends)
{
    struct cursor c = {line.p, line.p + line.n};
    for (ssize_t n = 0;; n++) {
        while (is_blank(peek(&c, 0)))
            c.p++;
        if (peek(&c, 0) == '\0')
            return n;
        if (!take_word(&c, text))
            return -1;
        size_t end = buf_len(text);
        buf_put(ends, (struct bytes){(const char *)&end, sizeof end});
    }
}

/* The letter that stands for `c` behind a backslash, or 0. */
static char escape(char c)
{
    switch (c) {
    case '\\':
    case '"': return c;
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\a': return 'a';
    case '\b': return 'b';
    default: return '\0';
    }
}

static bool is_printed(unsigned char c)
{
    return c >= ' ' && c <= '~';
}

size_t quote_len(struct bytes word)
{
    size_t n = 2;
    for (size_t i = 0; i < word.n; i++)
        n += escape(word.p[i]) ? 2 : is_printed((unsigned char)word.p[i]) ? 1 : 4;
    return n;
}

void quote_put(struct buf *out, struct bytes word)
{
    static const char hex[] = "0123456789abcdef";
    buf_putc(out, '"');
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        char letter = escape(word.p[i]);
        if (letter)
            buf_put(out, (struct bytes){(char[]){'\\', letter}, 2});
        else if (is_printed(c))
            buf_putc(out, (char)c);
        else
            buf_put(out, (struct bytes){(char[]){'\\', 'x', hex[c >> 4], hex[c & 15]}, 4});
    }
    buf_putc(out, '"');
}
