#include "server/http/request.h"

static enum http_parsed refuse(struct http_request *out, int status)
{
    out->status = status;
    return HTTP_REFUSED;
}

/* Takes the line off the front of `in`; false when its end is not there yet. */
static bool take_line(struct bytes *in, struct bytes *line)
{
    const char *end = in->n ? memmem(in->p, in->n, "\r\n", 2) : NULL;
    if (end == NULL)
        return false;
    *line = (struct bytes){in->p, (size_t)(end - in->p)};
    in->n -= line->n + 2;
    in->p = end + 2;
    return true;
}

static bool starts_with(struct bytes s, struct bytes with)
{
    return s.n >= with.n && memcmp(s.p, with.p, with.n) == 0;
}

/* The word up to the next blank, which is taken off as well; false when there is no blank. */
static bool take_word(struct bytes *line, struct bytes *word)
{
    const char *blank = line->n ? memchr(line->p, ' ', line->n) : NULL;
    if (blank == NULL)
        return false;
    *word = (struct bytes){line->p, (size_t)(blank - line->p)};
    line->n -= word->n + 1;
    line->p = blank + 1;
    return true;
}

static bool is_printable(struct bytes s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] > '~')
            return false;
    return true;
}

/* "GET /metrics?x=y HTTP/1.1": 0, or the status of the refusal. */
static int read_request_line(struct bytes line, struct http_request *out)
{
    struct bytes method;
    if (!take_word(&line, &method) || !take_word(&line, &out->path) || method.n == 0)
        return 400;
    if (!starts_with(out->path, BYTES("/")) || !is_printable(out->path))
        return 400;
    if (!bytes_eq(line, BYTES("HTTP/1.1")) && !bytes_eq(line, BYTES("HTTP/1.0")))
        return starts_with(line, BYTES("HTTP/")) ? 505 : 400;
    if (!bytes_eq(method, BYTES("GET")))
        return 405;
    const char *query = memchr(out->path.p, '?', out->path.n);
    if (query)
        out->path.n = (size_t)(query - out->path.p);
    return 0;
}

static bool read_header(struct bytes line, struct http_request *out)
{
    const char *colon = memchr(line.p, ':', line.n);
    if (colon == NULL || colon == line.p)
        return false;
    struct bytes name = {line.p, (size_t)(colon - line.p)};
    if (bytes_ieq(name, BYTES("accept")))
        out->accept = (struct bytes){colon + 1, line.n - name.n - 1};
    return is_printable(name);
}

enum http_parsed http_parse(struct bytes in, struct http_request *out)
{
    struct bytes line, all = in;
    *out = (struct http_request){.accept = BYTES("")};
    if (!take_line(&in, &line))
        return all.n >= HTTP_REQUEST_MAX ? refuse(out, 431) : HTTP_MORE;
    int status = read_request_line(line, out);
    if (status)
        return refuse(out, status);
    while (take_line(&in, &line)) {
        if (line.n == 0)
            return HTTP_REQUEST;
        if (!read_header(line, out))
            return refuse(out, 400);
    }
    return all.n >= HTTP_REQUEST_MAX ? refuse(out, 431) : HTTP_MORE;
}
