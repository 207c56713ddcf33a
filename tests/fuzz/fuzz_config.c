/*
 * Configuration files: any line may be refused, with a reason, and none may do harm. What was
 * accepted survives CONFIG REWRITE: the file that it writes is accepted line by line and gives
 * every option the same value again.
 */
#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/config.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { WORDS = 64 };

/* One line, as a file has it; false when it was refused. */
static bool load_line(struct config *cfg, struct bytes line)
{
    struct buf text = {0}, ends = {0};
    struct bytes words[WORDS];
    char why[CONFIG_ERROR_MAX] = "";
    ssize_t n = quote_split(line, &text, &ends);
    bool loaded = true;
    if (n > 0 && n <= WORDS) {
        size_t from = 0, end;
        for (ssize_t i = 0; i < n; i++, from = end) {
            memcpy(&end, buf_bytes(&ends).p + (size_t)i * sizeof end, sizeof end);
            words[i] = (struct bytes){buf_bytes(&text).p + from, end - from};
        }
        loaded = config_load(cfg, words[0], words + 1, (size_t)n - 1, why);
        if (!loaded && why[0] == '\0')
            abort();
    }
    buf_free(&text);
    buf_free(&ends);
    return loaded;
}

/* The number of lines that were refused. */
static size_t load(struct config *cfg, struct bytes text)
{
    size_t refused = 0;
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        struct bytes line = {text.p, end ? (size_t)(end - text.p) : text.n};
        size_t used = line.n + (end != NULL);
        text = (struct bytes){text.p + used, text.n - used};
        if (line.n && line.p[0] != '#')
            refused += !load_line(cfg, line);
    }
    return refused;
}

static void print_all(const struct config *cfg, struct buf *out)
{
    for (size_t i = 0; i < noptions; i++) {
        buf_put(out, bytes_of(options[i].name));
        buf_putc(out, '=');
        option_print(&options[i], cfg, out);
        buf_putc(out, '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct config first, second;
    struct buf written = {0}, was = {0}, is = {0};
    config_init(&first);
    config_init(&second);
    load(&first, (struct bytes){(const char *)data, n});
    config_rewrite(&first, (struct bytes){0}, &written);
    size_t refused = load(&second, buf_bytes(&written));
    print_all(&first, &was);
    print_all(&second, &is);
    if (refused || !bytes_eq(buf_bytes(&was), buf_bytes(&is))) {
        fprintf(stderr, "%zu lines refused; written:\n%.*s\nwas:\n%.*s\nis:\n%.*s\n", refused,
                BYTES_FMT(buf_bytes(&written)), BYTES_FMT(buf_bytes(&was)),
                BYTES_FMT(buf_bytes(&is)));
        abort();
    }
    buf_free(&written);
    buf_free(&was);
    buf_free(&is);
    config_free(&first);
    config_free(&second);
    return 0;
}
