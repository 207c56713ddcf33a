/*
 * The aclfile: a line `user name rules...` for each user, nothing else. It is loaded as a whole or
 * not at all; users that it does not name are gone, and their connections with them.
 */
#include "base/mem.h"
#include "server/engine/acl.h"
#include "server/engine/engine.h"

/* What a file says, before it counts. */
struct draft {
    struct engine *engine;
    struct acl_user **users;
    size_t n;
    struct buf *errors;
};

static struct bytes trim(struct bytes s)
{
    while (s.n && memchr(" \t\r", s.p[0], 3))
        s.p++, s.n--;
    while (s.n && memchr(" \t\r", s.p[s.n - 1], 3))
        s.n--;
    return s;
}

/* Split at every single blank, without quotes: no rule has any inside. */
static struct bytes *split(struct bytes line, size_t *n)
{
    size_t count = 1;
    for (size_t i = 0; i < line.n; i++)
        count += line.p[i] == ' ';
    struct bytes *words = mem_alloc(count * sizeof *words);
    *n = 0;
    for (size_t from = 0, i = 0; i <= line.n; i++) {
        if (i == line.n || line.p[i] == ' ') {
            words[(*n)++] = trim((struct bytes){line.p + from, i - from});
            from = i + 1;
        }
    }
    return words;
}

static bool is_drafted(const struct draft *d, struct bytes name)
{
    for (size_t i = 0; i < d->n; i++)
        if (bytes_eq(acl_user_name(d->users[i]), name))
            return true;
    return false;
}

/* Of a line's errors, every unknown name is told, and the first of the others, which may only be
 * the cause of the rest. */
static void apply_rules(struct draft *d, struct acl_user *u, const struct bytes *rules, size_t n,
                        int number)
{
    const char *file = d->engine->config->aclfile;
    struct buf room = {0};
    bool failed = false;
    for (size_t i = 0; i < n;) {
        struct bytes rule = acl_rules_next(rules, n, &i, &room);
        const char *error = acl_user_apply(d->engine, u, rule);
        if (error == acl_unknown_name)
            buf_printf(d->errors, "%s:%d: Error in applying operation '%.*s': %s. ", file, number,
                       BYTES_FMT(rule), error);
        else if (error && !failed)
            buf_printf(d->errors, "%s:%d: %s. ", file, number, error);
        failed |= error && error != acl_unknown_name;
    }
    buf_free(&room);
}

static void draft_user(struct draft *d, const struct bytes *words, size_t n, int number)
{
    const char *file = d->engine->config->aclfile;
    size_t open;
    if (n < 2 || !bytes_eq(words[0], BYTES("user")) || words[1].n > ACL_TEXT_MAX) {
        buf_printf(d->errors, "%s:%d should start with user keyword followed by the username. ",
                   file, number);
    } else if (!acl_is_one_word(words[1])) {
        buf_printf(d->errors, "'%s:%d: username '%.*s' contains invalid characters. ", file, number,
                   BYTES_FMT(words[1]));
    } else if (is_drafted(d, words[1])) {
        buf_printf(d->errors, "WARNING: Duplicate user '%.*s' found on line %d. ",
                   BYTES_FMT(words[1]), number);
    } else if (!acl_rules_closed(words + 2, n - 2, &open)) {
        buf_printf(d->errors, "%s:%d: Unmatched parenthesis in selector definition.", file, number);
    } else {
        struct acl_user *u = acl_user_new(d->engine, words[1]);
        d->users = mem_grow(d->users, (d->n + 1) * sizeof *d->users);
        d->users[d->n++] = u;
        apply_rules(d, u, words + 2, n - 2, number);
    }
}

static void draft_lines(struct draft *d, struct bytes text)
{
    for (int number = 1; text.n; number++) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        struct bytes line = trim((struct bytes){text.p, n});
        text = (struct bytes){text.p + n + (end != NULL), text.n - n - (end != NULL)};
        if (line.n == 0)
            continue;
        struct bytes *words = split(line, &n);
        draft_user(d, words, n, number);
        mem_free(words);
    }
}

/* From here on the draft counts. */
static bool adopt(const struct draft *d)
{
    struct engine *e = d->engine;
    bool good = true;
    for (size_t i = e->acl.n; i-- > 0;)
        if (e->acl.users[i] != e->acl.anyone && !is_drafted(d, acl_user_name(e->acl.users[i])))
            acl_delete(e, acl_user_name(e->acl.users[i]));
    for (size_t i = 0; i < d->n; i++)
        good &= acl_put(e, acl_user_name(d->users[i]), d->users[i]);
    if (!is_drafted(d, ACL_DEFAULT_USER))
        acl_reset_default(e);
    return good;
}

bool acl_load_file(struct engine *e, struct buf *error)
{
    struct buf text = {0};
    const char *why = "";
    struct draft d = {.engine = e, .errors = error};
    bool good = e->host->read_file(e->ctx, e->config->aclfile, &text, &why);
    if (!good) {
        buf_printf(error, "Error loading ACLs, opening file '%s': %s", e->config->aclfile, why);
    } else {
        draft_lines(&d, buf_bytes(&text));
        good = buf_len(error) == 0 && adopt(&d);
        if (!good)
            buf_put(error, BYTES("WARNING: ACL errors detected, no change to the previously active "
                                 "ACL rules was performed"));
    }
    for (size_t i = 0; i < d.n; i++)
        acl_user_free(d.users[i]);
    mem_free(d.users);
    buf_free(&text);
    return good;
}

bool acl_save_file(struct engine *e)
{
    struct buf text = {0};
    const char *why = "";
    for (size_t i = 0; i < e->acl.n; i++) {
        buf_put(&text, BYTES("user "));
        acl_user_print_line(e->acl.users[i], &text);
        buf_putc(&text, '\n');
    }
    bool good = e->host->write_file(e->ctx, e->config->aclfile, buf_bytes(&text), &why);
    if (!good)
        log_warning(e->log, "Writing ACL file for ACL SAVE: %s", why);
    buf_free(&text);
    return good;
}
