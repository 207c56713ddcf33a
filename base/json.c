#include "base/json.h"

/* The length of the UTF-8 sequence at p, 0 when there is none. */
static size_t utf8_len(const uint8_t *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (len == 0 || len > n || p[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool outside = (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf4 && p[1] > 0x8f);
    return overlong || outside ? 0 : len;
}

void json_put_text(struct buf *out, struct bytes s)
{
    const uint8_t *p = (const uint8_t *)s.p;
    buf_putc(out, '"');
    for (size_t i = 0, len; i < s.n; i += len) {
        len = utf8_len(p + i, s.n - i);
        if (len == 0) {
            buf_printf(out, "\\udc%02x", p[i]);
            len = 1;
        } else if (p[i] == '"' || p[i] == '\\') {
            buf_putc(out, '\\');
            buf_putc(out, (char)p[i]);
        } else if (p[i] < 0x20 || p[i] == 0x7f) {
            buf_printf(out, "\\u%04x", p[i]);
        } else {
            buf_put(out, (struct bytes){s.p + i, len});
        }
    }
    buf_putc(out, '"');
}
