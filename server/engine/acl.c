#include "server/engine/acl.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/engine.h"
#include "server/engine/option_kind.h"
#include "server/engine/roster.h"

#include <stdio.h>

/* Users, in the order of their names. */

/* Where a user of that name is or would be. */
static size_t place_of(const struct acl *a, struct bytes name)
{
    size_t i = 0;
    while (i < a->n && bytes_cmp(acl_user_name(a->users[i]), name) < 0)
        i++;
    return i;
}

struct acl_user *acl_find(const struct acl *a, struct bytes name)
{
    size_t i = place_of(a, name);
    return i < a->n && bytes_eq(acl_user_name(a->users[i]), name) ? a->users[i] : NULL;
}

static void insert(struct acl *a, struct acl_user *u)
{
    size_t i = place_of(a, acl_user_name(u));
    a->users = mem_grow(a->users, (a->n + 1) * sizeof *a->users);
    memmove(&a->users[i + 1], &a->users[i], (a->n++ - i) * sizeof *a->users);
    a->users[i] = u;
}

/* Applies rules until one fails; `bad` then holds it. */
static const char *apply_all(const struct engine *e, struct acl_user *u, const struct bytes *rules,
                             size_t n, struct buf *bad)
{
    const char *error = NULL;
    struct buf room = {0};
    for (size_t i = 0; i < n && error == NULL;) {
        struct bytes rule = acl_rules_next(rules, n, &i, &room);
        error = acl_user_apply(e, u, rule);
        if (error && rule.n > ACL_TEXT_MAX)
            rule.n = ACL_TEXT_SHOWN;
        if (error)
            buf_put(bad, rule);
    }
    buf_free(&room);
    return error;
}

static struct acl_user *new_default(const struct engine *e)
{
    static const struct bytes rules[] = {BYTES("+@all"), BYTES("~*"), BYTES("&*"), BYTES("on"),
                                         BYTES("nopass")};
    struct acl_user *u = acl_user_new(e, ACL_DEFAULT_USER);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        acl_user_apply(e, u, rules[i]);
    return u;
}

static void set_password(const struct engine *e, struct acl_user *u, const char *password)
{
    struct buf rule = {0};
    acl_user_apply(e, u, BYTES("resetpass"));
    buf_printf(&rule, ">%s", password);
    acl_user_apply(e, u, password[0] ? buf_bytes(&rule) : BYTES("nopass"));
    buf_free(&rule);
}

static bool apply_requirepass(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    struct engine *e = ctx;
    (void)why;
    set_password(e, e->acl.anyone, cfg->requirepass);
    return true;
}

void acl_reset_default(struct engine *e)
{
    struct acl_user *u = new_default(e);
    acl_put(e, ACL_DEFAULT_USER, u);
    acl_user_free(u);
}

void acl_init(struct engine *e)
{
    struct acl *a = &e->acl;
    acl_log_init(&a->log);
    a->anyone = new_default(e);
    set_password(e, a->anyone, e->config->requirepass);
    insert(a, a->anyone);
    a->on_requirepass =
        (struct config_hook){.name = "requirepass", .apply = apply_requirepass, .ctx = e};
    config_watch(e->config, &a->on_requirepass);
}

static void free_users(struct acl *a)
{
    for (size_t i = 0; i < a->n; i++)
        acl_user_free(a->users[i]);
    mem_free(a->users);
}

void acl_free(struct engine *e)
{
    list_unlink(&e->acl.on_requirepass.node);
    acl_log_clear(&e->acl.log);
    free_users(&e->acl);
}

/* Changes, and what they mean for those who are connected. Whoever asked for it still gets its
 * answer. */

static void cut_off(struct session *s)
{
    session_close(s, s != s->engine->running);
}

static void cut_off_user(struct engine *e, const struct acl_user *u)
{
    list_each (pos, &e->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->user != u)
            continue;
        s->user = e->acl.anyone;
        s->flags &= ~SESSION_AUTHENTICATED;
        cut_off(s);
    }
}

static void cut_off_subscribers(struct engine *e, const struct acl_user *u)
{
    list_each (pos, &e->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->user == u && s->flags & SESSION_PUBSUB && !acl_allows_subscriptions(u, s))
            cut_off(s);
    }
}

bool acl_put(struct engine *e, struct bytes name, const struct acl_user *u)
{
    struct acl_user *known = acl_find(&e->acl, name);
    struct acl_user *to = known ? known : acl_user_new(e, name);
    if (!acl_user_copy(to, u)) {
        if (known == NULL)
            acl_user_free(to);
        return false;
    }
    if (known)
        cut_off_subscribers(e, known);
    else
        insert(&e->acl, to);
    return true;
}

bool acl_delete(struct engine *e, struct bytes name)
{
    struct acl *a = &e->acl;
    size_t i = place_of(a, name);
    struct acl_user *u = acl_find(a, name);
    if (u == NULL)
        return false;
    memmove(&a->users[i], &a->users[i + 1], (--a->n - i) * sizeof *a->users);
    cut_off_user(e, u);
    acl_user_free(u);
    return true;
}

/* `user` lines of the configuration. */

/* The words of a line: slices of `text`. */
static struct bytes *split(struct bytes line, struct buf *text, size_t *n)
{
    struct buf ends = {0};
    ssize_t count = quote_split(line, text, &ends);
    *n = count > 0 ? (size_t)count : 0;
    struct bytes *words = mem_alloc((*n + 1) * sizeof *words);
    for (size_t i = 0, from = 0; i < *n; i++) {
        size_t end;
        memcpy(&end, buf_bytes(&ends).p + i * sizeof end, sizeof end);
        words[i] = (struct bytes){buf_bytes(text).p + from, end - from};
        from = end;
    }
    buf_free(&ends);
    return words;
}

/* A rule as it may be logged: not if it has to do with passwords. */
static struct bytes loggable(struct bytes rule)
{
    return rule.n && memchr("><#!", rule.p[0], 4) ? BYTES("(redacted)") : rule;
}

static bool fail_user(const struct engine *e, struct bytes rule, struct bytes user,
                      const char *error)
{
    log_warning(e->log, "Error loading ACL rule '%.*s' for the user named '%.*s': %s",
                BYTES_FMT(loggable(rule)), BYTES_FMT(user), error);
    return false;
}

static bool load_user(struct engine *e, struct bytes name, const struct bytes *rules, size_t n)
{
    struct buf bad = {0};
    size_t open;
    if (!acl_is_one_word(name) || name.n > ACL_TEXT_MAX) {
        log_warning(e->log, "Spaces not allowed in ACL usernames");
        return false;
    }
    if (!acl_rules_closed(rules, n, &open))
        return fail_user(e, rules[open], name, "Unmatched parenthesis in selector definition");
    struct acl_user *u = acl_user_new(e, name);
    const char *error = apply_all(e, u, rules, n, &bad);
    bool good = error ? fail_user(e, buf_bytes(&bad), name, error) : acl_put(e, name, u);
    if (good && !(u->flags & ACL_USER_ON))
        log_notice(e->log,
                   "The user '%.*s' is disabled (there is no 'on' modifier in the user "
                   "description). Make sure this is not a configuration error.",
                   BYTES_FMT(name));
    buf_free(&bad);
    acl_user_free(u);
    return good;
}

static bool load_line(struct engine *e, const char *line)
{
    struct buf text = {0};
    size_t n;
    struct bytes *words = split(bytes_of(line), &text, &n);
    bool twice = n && acl_find(&e->acl, words[0]) && !bytes_eq(words[0], ACL_DEFAULT_USER);
    bool good = n && !twice && load_user(e, words[0], words + 1, n - 1);
    if (twice)
        log_warning(e->log,
                    "Duplicate user '%.*s' found. A user can only be defined once in "
                    "config files",
                    BYTES_FMT(words[0]));
    mem_free(words);
    buf_free(&text);
    return good;
}

/* Has a line before this one made the same user? */
static bool is_configured(const struct config *cfg, struct bytes name)
{
    bool found = false;
    for (size_t i = 0; i < cfg->users.n && !found; i++) {
        struct buf text = {0};
        size_t n;
        struct bytes *words = split(bytes_of(cfg->users.item[i]), &text, &n);
        found = n && bytes_eq(words[0], name);
        mem_free(words);
        buf_free(&text);
    }
    return found;
}

/* Tries the rules on a user that nobody will ever be. */
static const char *try_rules(const struct config *cfg, const struct bytes *rules, size_t n,
                             struct buf *bad)
{
    struct config borrowed = {.acl_pubsub_default = cfg->acl_pubsub_default};
    struct engine e = {.config = &borrowed, .registry = registry_new(cfg->test)};
    struct acl_user *u = acl_user_new(&e, BYTES("nobody"));
    const char *error = apply_all(&e, u, rules, n, bad);
    acl_user_free(u);
    registry_free(e.registry);
    return error == acl_unknown_name ? NULL : error;
}

bool acl_check_line(const struct config *cfg, const struct bytes *words, size_t n,
                    char why[CONFIG_ERROR_MAX])
{
    struct buf bad = {0};
    size_t open;
    const char *error = NULL;
    if (is_configured(cfg, words[0])) {
        error = "Duplicate user found. A user can only be defined once in config files";
        buf_put(&bad, words[0]);
    } else if (!acl_rules_closed(words + 1, n - 1, &open)) {
        error = "Unmatched parenthesis in selector definition";
        buf_put(&bad, words[1 + open]);
    } else {
        error = try_rules(cfg, words + 1, n - 1, &bad);
    }
    if (error)
        snprintf(why, CONFIG_ERROR_MAX, "Error in user declaration '%.*s': %s",
                 BYTES_FMT(loggable(buf_bytes(&bad))), error);
    buf_free(&bad);
    return error == NULL;
}

bool acl_load_configured(struct engine *e)
{
    const struct config_list *users = &e->config->users;
    bool from_file = e->config->aclfile[0];
    struct buf error = {0};
    if (from_file && users->n) {
        log_warning(e->log,
                    "Configuring users in the configuration file and an ACL file at the same time "
                    "is invalid: it would not be clear which of them count. Please use one.");
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < users->n; i++)
        good = load_line(e, users->item[i]);
    if (!good)
        log_warning(e->log, "Critical error while loading ACLs. Exiting.");
    if (from_file && !acl_load_file(e, &error)) {
        log_warning(e->log, "Aborting startup because of ACL errors: %.*s",
                    BYTES_FMT(buf_bytes(&error)));
        good = false;
    }
    buf_free(&error);
    return good;
}

/* Does requirepass alone make `default` what it is? Then it needs no line of its own, and the
 * password stays where it was written. */
static bool is_plain_default(const struct engine *e, const struct acl_user *u)
{
    if (u != e->acl.anyone)
        return false;
    struct acl_user *plain = new_default(e);
    struct buf is = {0}, would_be = {0};
    set_password(e, plain, e->config->requirepass);
    acl_user_print(u, &is);
    acl_user_print(plain, &would_be);
    bool same = bytes_eq(buf_bytes(&is), buf_bytes(&would_be));
    buf_free(&is);
    buf_free(&would_be);
    acl_user_free(plain);
    return same;
}

void acl_to_config(struct engine *e)
{
    struct buf line = {0};
    config_list_clear(&e->config->users);
    for (size_t i = 0; i < e->acl.n && !e->config->aclfile[0]; i++) {
        if (is_plain_default(e, e->acl.users[i]))
            continue;
        buf_clear(&line);
        acl_user_print_line(e->acl.users[i], &line);
        config_list_add(&e->config->users, buf_bytes(&line));
    }
    buf_free(&line);
}

/* Sessions. */

void acl_welcome(struct session *s)
{
    const struct acl *a = &s->engine->acl;
    s->user = a->anyone;
    if (acl_is_open(a))
        s->flags |= SESSION_AUTHENTICATED;
    else
        s->flags &= ~SESSION_AUTHENTICATED;
}

/* Looks at every byte of both, whatever it finds. */
static bool is_same_hash(const char a[ACL_HASH_SIZE], const char b[ACL_HASH_SIZE])
{
    unsigned char differ = 0;
    for (size_t i = 0; i < ACL_HASH_SIZE; i++)
        differ = (unsigned char)(differ | (a[i] ^ b[i]));
    return differ == 0;
}

bool acl_login(struct session *s, struct bytes user, struct bytes password)
{
    struct acl_user *u = acl_find(&s->engine->acl, user);
    char hash[ACL_HASH_SIZE];
    bool good = false;
    acl_hash(password, hash);
    for (size_t i = 0; u && i < u->passwords.n; i++)
        good |= is_same_hash(u->passwords.item[i]->text, hash);
    if (u == NULL || !(u->flags & ACL_USER_ON) || !(good || u->flags & ACL_USER_NOPASS))
        return false;
    s->user = u;
    s->flags |= SESSION_AUTHENTICATED;
    return true;
}

bool acl_must_login(const struct session *s)
{
    return !(s->flags & SESSION_AUTHENTICATED) && !acl_is_open(&s->engine->acl);
}
