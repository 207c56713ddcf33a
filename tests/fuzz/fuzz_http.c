/*
 * A request, shown whole and then from its first byte on, one more each time, always right before
 * forbidden memory. What it is may not depend on how it came: once it is a request or refused, more
 * bytes change nothing.
 */
#include "base/mem.h"
#include "server/http/request.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* In a copy of exactly that size, so that a sanitizer sees the end of it. */
static enum http_parsed parse(const uint8_t *data, size_t n, struct http_request *out)
{
    char *copy = mem_try(n ? n : 1);
    memcpy(copy, data, n);
    enum http_parsed got = http_parse((struct bytes){copy, n}, out);
    if (got == HTTP_REQUEST && (out->path.n == 0 || out->path.p[0] != '/'))
        abort();
    out->path.p = out->accept.p = NULL;
    mem_free(copy);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct http_request whole, part;
    enum http_parsed all = parse(data, n, &whole), got = HTTP_MORE;
    size_t shown = 0;
    for (; shown <= n && got == HTTP_MORE; shown++)
        got = parse(data, shown, &part);
    if (got != all || (got == HTTP_REFUSED && part.status != whole.status) ||
        (got == HTTP_REQUEST && part.path.n != whole.path.n))
        abort();
    return 0;
}
