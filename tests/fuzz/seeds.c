/*
 * Where the fuzzers begin: writes a small corpus for each of them into DIR/<name>. It is made anew
 * each time, from the command tables, the option table and a fixed seed, so none is kept.
 *
 *     seeds DIR
 */
#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/config.h"
#include "tests/lib/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { FILES = 40 };

static bool write_seed(const char *dir, const char *name, int i, struct bytes text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/seed-%02d", dir, name, i);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        perror(path);
        return false;
    }
    bool written = fwrite(text.p, 1, text.n, f) == text.n;
    return fclose(f) == 0 && written;
}

/* Choices: for the fuzzers that decode their bytes into something. */
static void choices(struct dice *d, struct buf *out)
{
    for (size_t n = 100 + dice_roll(d, 1900); n; n--)
        buf_putc(out, (char)dice_roll(d, 256));
}

/* A pipeline of commands, as bulks or inline. */
static void pipeline(struct grammar *g, struct dice *d, struct buf *out)
{
    struct sentence s = {0};
    for (size_t lines = 1 + dice_roll(d, 6); lines; lines--) {
        struct bytes argv[GRAMMAR_WORDS];
        grammar_say(g, d, &s);
        size_t n = sentence_words(&s, argv);
        bool inline_form = dice_once_in(d, 3);
        if (!inline_form)
            buf_printf(out, "*%zu\r\n", n);
        for (size_t i = 0; i < n; i++) {
            if (inline_form) {
                quote_put(out, argv[i]);
                buf_putc(out, ' ');
            } else {
                buf_printf(out, "$%zu\r\n%.*s\r\n", argv[i].n, BYTES_FMT(argv[i]));
            }
        }
        if (inline_form)
            buf_put(out, BYTES("\r\n"));
    }
    sentence_free(&s);
}

/* Some options, with their defaults or with values that they may not like. */
static void config_file(struct dice *d, const struct config *cfg, struct buf *out)
{
    static const char *const values[] = {"0",    "1",
                                         "yes",  "no",
                                         "\"\"", "1gb",
                                         "-5%",  "\"a b\"",
                                         "all",  "KEA",
                                         "16",   "normal 1mb 1kb 60",
                                         "save", "default on nopass ~* &* +@all"};
    for (size_t lines = 1 + dice_roll(d, 12); lines; lines--) {
        const struct option *o = &options[dice_roll(d, noptions)];
        buf_printf(out, "%s ", o->name);
        if (dice_roll(d, 2))
            option_print(o, cfg, out);
        else
            buf_put(out, bytes_of(values[dice_roll(d, sizeof values / sizeof *values)]));
        buf_putc(out, '\n');
    }
}

/* Rules for a user: some whole, some put together from a sign and a command. */
static void acl_rules(struct grammar *g, struct dice *d, struct buf *out)
{
    static const char *const rules[] = {"on",
                                        "off",
                                        "nopass",
                                        "resetpass",
                                        ">secret",
                                        "allkeys",
                                        "~k*",
                                        "%R~a*",
                                        "%RW~b*",
                                        "&ch*",
                                        "+@all",
                                        "-@all",
                                        "+@read",
                                        "-@dangerous",
                                        "reset",
                                        "resetkeys",
                                        "(+get",
                                        "~x*)",
                                        "+config|",
                                        "-client|kill",
                                        "+@write",
                                        "clearselectors",
                                        "%W~*",
                                        "allchannels",
                                        "(+@all ~* &*)",
                                        "nocommands",
                                        "+select|0",
                                        "#",
                                        "resetchannels"};
    struct sentence s = {0};
    for (size_t words = 1 + dice_roll(d, 12); words; words--) {
        if (dice_once_in(d, 3)) {
            grammar_say(g, d, &s);
            buf_printf(out, "%c%s ", "+-"[dice_roll(d, 2)], command_full_name(s.command));
        } else {
            buf_printf(out, "%s ", rules[dice_roll(d, sizeof rules / sizeof *rules)]);
        }
    }
    sentence_free(&s);
}

/* A request of what some browser or collector might send. */
static void request(struct dice *d, struct buf *out)
{
    static const char *const first[] = {"GET /metrics HTTP/1.1\r\n", "GET /locks?a HTTP/1.0\r\n",
                                        "POST / HTTP/1.1\r\n", "GET / HTTP/3\r\n"};
    static const char *const rest[] = {"Accept: text/plain\r\n", "Host: x\r\n", ": x\r\n", "\r\n"};
    buf_put(out, bytes_of(first[dice_roll(d, 4)]));
    for (int i = 0; i < 3; i++)
        buf_put(out, bytes_of(rest[dice_roll(d, 4)]));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 2;
    }
    struct grammar *g = grammar_new(&(struct grammar_options){0});
    struct config cfg;
    struct dice d = {.state = 42};
    bool written = true;
    config_init(&cfg);
    for (int i = 0; i < FILES && written; i++) {
        struct buf any = {0}, resp = {0}, file = {0}, rules = {0}, http = {0};
        choices(&d, &any);
        pipeline(g, &d, &resp);
        config_file(&d, &cfg, &file);
        acl_rules(g, &d, &rules);
        request(&d, &http);
        written = write_seed(argv[1], "fuzz_engine", i, buf_bytes(&any)) &&
                  write_seed(argv[1], "fuzz_script", i, buf_bytes(&any)) &&
                  write_seed(argv[1], "fuzz_parser", i, buf_bytes(&resp)) &&
                  write_seed(argv[1], "fuzz_config", i, buf_bytes(&file)) &&
                  write_seed(argv[1], "fuzz_http", i, buf_bytes(&http)) &&
                  write_seed(argv[1], "fuzz_acl", i, buf_bytes(&rules));
        buf_free(&any);
        buf_free(&resp);
        buf_free(&file);
        buf_free(&rules);
        buf_free(&http);
    }
    config_free(&cfg);
    grammar_free(g);
    return written ? 0 : 1;
}
