#include "resp/reply.h"

#include "base/buf.h"
#include "base/num.h"

void reply_str(struct reply *r, const char *s)
{
    r->ops->bulk(r, bytes_of(s));
}

void reply_bulk_i64(struct reply *r, int64_t v)
{
    char text[NUM_I64_MAX];
    r->ops->bulk(r, (struct bytes){text, num_format_i64(text, v)});
}

/* A text without a code, or with one that is too long, counts as ERR. */
static void note_error(struct reply *r, struct bytes text)
{
    size_t most = text.n < REPLY_CODE_MAX ? text.n : REPLY_CODE_MAX;
    const char *blank = most ? memchr(text.p, ' ', most) : NULL;
    struct bytes code = blank ? (struct bytes){text.p, (size_t)(blank - text.p)} : BYTES("ERR");
    r->errors++;
    *bytes_copy(r->code, code) = '\0';
}

void reply_error(struct reply *r, struct bytes text)
{
    note_error(r, text);
    r->ops->error(r, text);
}

/* What is printed may be a client's, and as long as it likes. */
void reply_errorf(struct reply *r, const char *fmt, ...)
{
    struct buf text = {0};
    va_list ap;
    va_start(ap, fmt);
    bool printed = buf_try_vprintf(&text, fmt, ap);
    va_end(ap);
    while (text.to && (text.p[text.to - 1] == '\r' || text.p[text.to - 1] == '\n'))
        text.to--;
    if (printed)
        reply_error(r, buf_bytes(&text));
    else
        r->lost = true;
    buf_free(&text);
}

void reply_copy_line(char *to, struct bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        to[i] = text.p[i] == '\r' || text.p[i] == '\n' ? ' ' : text.p[i];
}
