#include "tests/lib/words.h"

#include "base/mem.h"
#include "base/quote.h"

bool words_split(struct words *w, struct bytes line)
{
    struct buf ends = {0};
    *w = (struct words){0};
    ssize_t n = quote_split(line, &w->text, &ends);
    w->n = n > 0 ? (size_t)n : 0;
    w->word = mem_alloc((w->n + 1) * sizeof *w->word);
    size_t from = 0;
    for (size_t i = 0; i < w->n; i++) {
        size_t end;
        memcpy(&end, buf_bytes(&ends).p + i * sizeof end, sizeof end);
        w->word[i] = (struct bytes){buf_bytes(&w->text).p + from, end - from};
        from = end;
    }
    buf_free(&ends);
    return n >= 0;
}

void words_free(struct words *w)
{
    mem_free(w->word);
    buf_free(&w->text);
    *w = (struct words){0};
}
