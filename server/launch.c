/*
 * redis-server turns its options into lines of a configuration file and reads them after the file
 * itself; line numbers and quoted lines in its error texts show it. We do the same, so that the
 * texts are the same. The environment comes between the two, one variable at a time, because an
 * error there should name the variable.
 */
#include "server/launch.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/files.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INCLUDE_DEPTH = 16 };

#define ENVIRONMENT_PREFIX "LATCHD_"

/* A line being read, for error texts. */
struct line {
    int number; /* 0: not in a line */
    struct bytes text;
};

/* The line as far as it may be shown: up to a user's first password. */
static struct bytes shown(struct bytes line)
{
    const struct bytes user = BYTES("user ");
    size_t n = line.n;
    if (line.n > user.n && bytes_ieq((struct bytes){line.p, user.n}, user))
        for (n = user.n; n < line.n && !(line.p[n - 1] == ' ' && strchr("><#!", line.p[n])); n++)
            continue;
    return (struct bytes){line.p, n};
}

static bool fail(const struct launch *l, const struct line *at, const char *reason)
{
    fprintf(stderr, "\n*** FATAL CONFIG FILE ERROR (Redis %s) ***\n", l->config->redis_version);
    if (at && at->number) {
        fprintf(stderr, "Reading the configuration file, at line %d\n", at->number);
        fprintf(stderr, ">>> '%.*s'\n", BYTES_FMT(shown(at->text)));
    }
    fprintf(stderr, "%s\n", reason);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct bytes trim(struct bytes s)
{
    while (s.n && is_blank(s.p[0]))
        s.p++, s.n--;
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

static bool read_text(struct launch *l, struct bytes text, int *number);

/* The words of a line, cut out of the text that quote_split made. */
static struct bytes *cut(const struct buf *text, const struct buf *ends, size_t n)
{
    struct bytes *words = mem_alloc((n ? n : 1) * sizeof *words);
    for (size_t i = 0, from = 0; i < n; i++) {
        size_t end;
        memcpy(&end, buf_bytes(ends).p + i * sizeof end, sizeof end);
        words[i] = (struct bytes){buf_bytes(text).p + from, end - from};
        from = end;
    }
    return words;
}

static bool read_file(struct launch *l, const char *path, struct buf *out)
{
    if (files_read(path, out))
        return true;
    log_warning(l->log, "Fatal error, can't open config file '%s': %s", path, strerror(errno));
    return false;
}

/* A pattern that matches nothing is fine, as an empty conf.d is; a plain name must be there. */
static bool read_files(struct launch *l, const char *pattern, struct buf *out)
{
    if (strpbrk(pattern, "*?[") == NULL)
        return read_file(l, pattern, out);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0)
        return true;
    bool good = true;
    for (size_t i = 0; good && i < found.gl_pathc; i++)
        good = read_file(l, found.gl_pathv[i], out);
    globfree(&found);
    return good;
}

static bool include(struct launch *l, const struct line *at, struct bytes pattern)
{
    if (l->depth == INCLUDE_DEPTH)
        return fail(l, at, "include directives are nested too deeply");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", BYTES_FMT(pattern));
    struct buf text = {0};
    int number = 0;
    l->depth++;
    bool good = read_files(l, path, &text) && read_text(l, buf_bytes(&text), &number);
    l->depth--;
    buf_free(&text);
    return good;
}

static void note_idle(struct launch *l, struct bytes name)
{
    const struct option *o = option_find(name);
    if (o && o->flags & OPTION_ACCEPTED)
        l->idle[o - options] = true;
    else if (bytes_is(name, "loadmodule"))
        buf_printf(&l->notes, "loadmodule is ignored: there are no modules here%c", 0);
}

/* `dir` takes effect at once, as in Redis: what follows is relative to it. */
static bool enter(struct launch *l, const struct line *at)
{
    return chdir(l->config->dir) == 0 || fail(l, at, strerror(errno));
}

static bool read_words(struct launch *l, const struct line *at, const struct bytes *words, size_t n)
{
    char why[CONFIG_ERROR_MAX];
    if (n == 2 && bytes_is(words[0], "include"))
        return include(l, at, words[1]);
    if (bytes_is(words[0], "sentinel") && n > 1)
        return fail(l, at, "sentinel directive while not in sentinel mode");
    if (!config_load(l->config, words[0], words + 1, n - 1, why))
        return fail(l, at, why);
    note_idle(l, words[0]);
    return !bytes_is(words[0], "dir") || enter(l, at);
}

static bool read_line(struct launch *l, const struct line *at)
{
    if (at->text.n == 0 || at->text.p[0] == '#')
        return true;
    struct buf text = {0}, ends = {0};
    bool good;
    ssize_t n = quote_split(at->text, &text, &ends);
    if (n < 0) {
        good = fail(l, at, "Unbalanced quotes in configuration line");
    } else {
        struct bytes *words = cut(&text, &ends, (size_t)n);
        good = n == 0 || read_words(l, at, words, (size_t)n);
        mem_free(words);
    }
    buf_free(&text);
    buf_free(&ends);
    return good;
}

/* `number` counts on, for the options that follow a file. */
static bool read_text(struct launch *l, struct bytes text, int *number)
{
    for (;;) {
        const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
        size_t n = end ? (size_t)(end - text.p) : text.n;
        struct line at = {++*number, trim((struct bytes){text.p, n})};
        if (!read_line(l, &at))
            return false;
        if (end == NULL)
            return true;
        text = (struct bytes){end + 1, text.n - n - 1};
    }
}

/* The environment. */

/* "tcp-backlog" is LATCHD_TCP_BACKLOG. */
static char variable_letter(char c)
{
    if (c == '-')
        return '_';
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static void variable_name(char *out, size_t room, const char *option)
{
    size_t n = (size_t)snprintf(out, room, ENVIRONMENT_PREFIX);
    for (; *option && n + 1 < room; option++)
        out[n++] = variable_letter(*option);
    out[n] = '\0';
}

static const char *variable(char **environment, const char *name)
{
    size_t n = strlen(name);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=')
            return *environment + n + 1;
    return NULL;
}

/* Kubernetes sets LATCHD_PORT=tcp://10.0.0.1:6379 in every pod beside a service called latchd. */
static bool is_service_link(const struct option *o, const char *value)
{
    return strcmp(o->name, "port") == 0 && strncmp(value, "tcp://", 6) == 0;
}

static bool read_variable(struct launch *l, const struct option *o, const char *name,
                          const char *value)
{
    char why[CONFIG_ERROR_MAX], reason[CONFIG_ERROR_MAX + 128];
    struct bytes whole = bytes_of(value);
    struct buf text = {0}, ends = {0};
    bool good;
    if (o->flags & OPTION_MULTI && value[0]) {
        ssize_t n = quote_split(whole, &text, &ends);
        struct bytes *words = cut(&text, &ends, n > 0 ? (size_t)n : 0);
        snprintf(why, sizeof why, "unbalanced quotes");
        good = n >= 0 && config_load(l->config, bytes_of(o->name), words, (size_t)n, why);
        mem_free(words);
    } else {
        good = config_load(l->config, bytes_of(o->name), &whole, 1, why);
    }
    buf_free(&text);
    buf_free(&ends);
    snprintf(reason, sizeof reason, "Environment variable %s: %s", name, why);
    if (!good)
        return fail(l, NULL, reason);
    note_idle(l, bytes_of(o->name));
    return strcmp(o->name, "dir") != 0 || enter(l, NULL);
}

static bool read_environment(struct launch *l, char **environment)
{
    for (size_t i = 0; i < noptions; i++) {
        char name[96];
        variable_name(name, sizeof name, options[i].name);
        const char *value = variable(environment, name);
        if (value == NULL || is_service_link(&options[i], value))
            continue;
        l->any = true;
        if (!read_variable(l, &options[i], name, value))
            return false;
    }
    return true;
}

/* The command line. */

static bool is_flag(const char *arg)
{
    return arg[0] == '-' && arg[1] == '-';
}

/* Options that may stand without a value: `--save` of launchers whose list is empty, and switches
 * that Redis does not have. */
static const char *value_if_alone(const char *name)
{
    struct bytes n = bytes_of(name);
    const struct option *o = option_find(n);
    if (bytes_is(n, "save"))
        return "\"\"";
    bool is_switch = o && o->flags & OPTION_OURS && strcmp(o->init, "no") == 0;
    return is_switch ? "yes" : NULL;
}

/* Lines of a configuration file that say what the arguments say. */
static void arguments_text(int argc, char **argv, int from, bool *with_stdin, struct buf *out)
{
    bool wants_value = false; /* the last option has none yet, so even --x would be its value */
    for (int i = from; i < argc; i++) {
        if (strcmp(argv[i], "-") == 0 && (i == 1 || i == argc - 1)) {
            *with_stdin = true;
        } else if (wants_value || !is_flag(argv[i])) {
            quote_put(out, bytes_of(argv[i]));
            buf_putc(out, ' ');
            wants_value = false;
        } else {
            bool last = i == argc - 1 || is_flag(argv[i + 1]);
            const char *value = last ? value_if_alone(argv[i] + 2) : NULL;
            if (buf_len(out))
                buf_putc(out, '\n');
            buf_printf(out, "%s %s", argv[i] + 2, value ? value : "");
            wants_value = value == NULL && strchr(argv[i], ' ') == NULL;
        }
    }
}

/* The password's file is read last, whoever named it. */
static bool read_password(struct launch *l)
{
    struct config *cfg = l->config;
    char why[CONFIG_ERROR_MAX];
    struct buf text = {0};
    if (cfg->requirepass_file[0] == '\0')
        return true;
    bool good = files_read(cfg->requirepass_file, &text);
    if (!good) {
        snprintf(why, sizeof why, "Can't read the password file '%s': %s", cfg->requirepass_file,
                 strerror(errno));
    } else {
        struct bytes line = buf_bytes(&text);
        const char *end = line.n ? memchr(line.p, '\n', line.n) : NULL;
        line = trim((struct bytes){line.p, end ? (size_t)(end - line.p) : line.n});
        good = config_load(cfg, BYTES("requirepass"), &line, 1, why);
    }
    buf_free(&text);
    return good || fail(l, NULL, why);
}

static bool check_together(struct launch *l)
{
    if (l->config->daemonize && l->config->die_with_parent)
        return fail(l, NULL, "daemonize and die-with-parent exclude each other");
    return true;
}

static bool read_all(struct launch *l, const char *file, bool with_stdin, struct bytes arguments,
                     char **environment)
{
    struct buf text = {0};
    int number = 0;
    bool good = !file || read_files(l, file, &text);
    if (good && with_stdin) {
        log_warning(l->log, "Reading config from stdin");
        good = files_read_fd(STDIN_FILENO, &text) || fail(l, NULL, strerror(errno));
    }
    good = good && read_text(l, buf_bytes(&text), &number) && read_environment(l, environment) &&
           read_text(l, arguments, &number) && read_password(l) && check_together(l);
    buf_free(&text);
    return good;
}

bool launch_read(struct launch *l, struct config *cfg, const struct log *log, int argc, char **argv,
                 char **environment)
{
    *l = (struct launch){.config = cfg, .log = log, .any = argc > 1};
    l->idle = mem_alloc(noptions * sizeof *l->idle);
    int from = 1;
    if (argc > 1 && argv[1][0] != '-') {
        cfg->file = files_absolute(argv[1]);
        from = 2;
    }
    bool with_stdin = false;
    struct buf arguments = {0};
    arguments_text(argc, argv, from, &with_stdin, &arguments);
    bool good = read_all(l, cfg->file, with_stdin, buf_bytes(&arguments), environment);
    buf_free(&arguments);

    char here[PATH_MAX], why[CONFIG_ERROR_MAX];
    struct bytes dir = bytes_of(getcwd(here, sizeof here) ? here : "");
    config_load(cfg, BYTES("dir"), &dir, 1, why);
    return good;
}

void launch_warn(const struct launch *l)
{
    for (size_t i = 0; i < noptions; i++)
        if (l->idle[i])
            log_warning(l->log, "WARNING: option '%s' is accepted but has no effect here",
                        options[i].name);
    struct bytes notes = buf_bytes(&l->notes);
    for (size_t i = 0; i < notes.n; i += strlen(notes.p + i) + 1)
        log_warning(l->log, "WARNING: %s", notes.p + i);
}

void launch_free(struct launch *l)
{
    mem_free(l->idle);
    buf_free(&l->notes);
}
