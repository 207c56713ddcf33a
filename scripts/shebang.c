#include "scripts/shebang.h"

#include "scripts/host.h"

static const struct {
    struct bytes name;
    unsigned flag;
} known[] = {
    {BYTES("no-writes"), SCRIPT_NO_WRITES},
    {BYTES("allow-oom"), SCRIPT_ALLOW_OOM},
    {BYTES("allow-stale"), SCRIPT_ALLOW_STALE},
    {BYTES("no-cluster"), SCRIPT_NO_CLUSTER},
    {BYTES("allow-cross-slot-keys"), SCRIPT_ALLOW_CROSS_SLOT},
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Cuts the next word off the front of `line`; an empty one when there is none left. */
static struct bytes next_word(struct bytes *line)
{
    while (line->n && is_blank(*line->p))
        *line = (struct bytes){line->p + 1, line->n - 1};
    struct bytes word = {line->p, 0};
    while (word.n < line->n && !is_blank(word.p[word.n]))
        word.n++;
    *line = (struct bytes){line->p + word.n, line->n - word.n};
    return word;
}

static bool starts(struct bytes s, struct bytes with)
{
    return s.n >= with.n && memcmp(s.p, with.p, with.n) == 0;
}

static unsigned find_flag(struct bytes name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bytes_eq(known[i].name, name))
            return known[i].flag;
    return 0;
}

/* A comma at the end leaves an empty name behind it; an empty list has no names. */
static bool read_flags(struct bytes list, unsigned *flags, struct reply *err)
{
    for (bool more = list.n > 0; more;) {
        const char *comma = memchr(list.p, ',', list.n);
        more = comma != NULL;
        struct bytes name = {list.p, more ? (size_t)(comma - list.p) : list.n};
        unsigned flag = find_flag(name);
        if (flag == 0) {
            reply_errorf(err, "ERR Unexpected flag in script shebang: %.*s", BYTES_FMT(name));
            return false;
        }
        *flags |= flag;
        size_t used = name.n + more;
        list = (struct bytes){list.p + used, list.n - used};
    }
    return true;
}

static bool read_option(struct bytes word, unsigned *flags, struct reply *err)
{
    struct bytes prefix = BYTES("flags=");
    if (starts(word, prefix))
        return read_flags((struct bytes){word.p + prefix.n, word.n - prefix.n}, flags, err);
    reply_errorf(err, "ERR Unknown lua shebang option: %.*s", BYTES_FMT(word));
    return false;
}

bool shebang_read(struct bytes body, unsigned *flags, size_t *code, struct reply *err)
{
    *flags = SCRIPT_COMPAT;
    *code = 0;
    if (!starts(body, BYTES("#!")))
        return true;

    const char *end = memchr(body.p, '\n', body.n);
    if (end == NULL) {
        reply_error(err, BYTES("ERR Invalid script shebang"));
        return false;
    }
    *flags = 0;
    *code = (size_t)(end - body.p);
    struct bytes line = {body.p, *code};
    struct bytes word = next_word(&line);
    if (!bytes_eq(word, BYTES("#!lua"))) {
        reply_errorf(err, "ERR Unexpected engine in script shebang: %.*s", BYTES_FMT(word));
        return false;
    }
    for (word = next_word(&line); word.n; word = next_word(&line))
        if (!read_option(word, flags, err))
            return false;
    return true;
}
