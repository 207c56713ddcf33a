/*
 * Values live in typed members, so that reading one costs nothing. Everything else about an option
 * (its name, bounds, default, how it is read and printed) is a row of the table, and the functions
 * here walk the table. A printed value can be parsed again, which is how CONFIG SET takes back what
 * it did: no kind of value needs an undo of its own.
 */
#include "server/engine/config.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/acl.h"
#include "server/engine/option_kind.h"
#include "server/engine/registry.h"

#include <assert.h>
#include <stdio.h>

static bool is_kept(const struct option *o)
{
    return o->flags & OPTION_ACCEPTED;
}

static void *member(const struct option *o, struct config *cfg)
{
    return (char *)cfg + o->offset;
}

static char **kept_text(const struct option *o, const struct config *cfg)
{
    return &cfg->kept[o - options];
}

const struct option *option_find(struct bytes name)
{
    for (size_t i = 0; i < noptions; i++)
        if (bytes_ieq(name, bytes_of(options[i].name)) ||
            (options[i].alias && bytes_ieq(name, bytes_of(options[i].alias))))
            return &options[i];
    return NULL;
}

void option_print(const struct option *o, const struct config *cfg, struct buf *out)
{
    if (is_kept(o))
        buf_put(out, bytes_of(*kept_text(o, cfg)));
    else
        o->kind->print(o, (const char *)cfg + o->offset, out);
}

/* An option without a member is checked all the same, and kept in the form it would print in. */
static bool keep(const struct option *o, struct config *cfg, const struct bytes *v, size_t n,
                 char why[CONFIG_ERROR_MAX])
{
    union option_value value = {0};
    if (!o->kind->parse(o, &value, v, n, why))
        return false;
    struct buf text = {0};
    o->kind->print(o, &value, &text);
    buf_putc(&text, '\0');
    char **kept = kept_text(o, cfg);
    mem_free(*kept);
    *kept = mem_strdup(buf_bytes(&text).p);
    buf_free(&text);
    if (o->kind->clear)
        o->kind->clear(&value);
    return true;
}

static bool assign(const struct option *o, struct config *cfg, const struct bytes *v, size_t n,
                   char why[CONFIG_ERROR_MAX])
{
    if (!(o->flags & OPTION_MULTI) && n != 1) {
        snprintf(why, CONFIG_ERROR_MAX, "wrong number of arguments");
        return false;
    }
    if (is_kept(o))
        return keep(o, cfg, v, n, why);
    return o->kind->parse(o, member(o, cfg), v, n, why);
}

/* As CONFIG SET has it: one text, which is split at every single blank for those that take several
 * values. */
static bool assign_text(const struct option *o, struct config *cfg, struct bytes text,
                        char why[CONFIG_ERROR_MAX])
{
    if (!(o->flags & OPTION_MULTI))
        return assign(o, cfg, &text, 1, why);
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == ' ';
    struct bytes *words = mem_try(n * sizeof *words);
    if (words == NULL) {
        snprintf(why, CONFIG_ERROR_MAX, "out of memory");
        return false;
    }
    for (size_t w = 0, from = 0, i = 0; i <= text.n; i++)
        if (i == text.n || text.p[i] == ' ') {
            words[w++] = (struct bytes){text.p + from, i - from};
            from = i + 1;
        }
    bool good = assign(o, cfg, words, n, why);
    mem_free(words);
    return good;
}

void config_init(struct config *cfg)
{
    *cfg = (struct config){0};
    list_init(&cfg->hooks);
    cfg->kept = mem_alloc(noptions * sizeof *cfg->kept);
    for (size_t i = 0; i < noptions; i++) {
        char why[CONFIG_ERROR_MAX];
        bool good = assign_text(&options[i], cfg, bytes_of(options[i].init), why);
        assert(good);
        (void)good;
    }
}

void config_free(struct config *cfg)
{
    for (size_t i = 0; i < noptions; i++) {
        const struct option *o = &options[i];
        if (is_kept(o))
            mem_free(cfg->kept[i]);
        else if (o->kind->clear)
            o->kind->clear(member(o, cfg));
    }
    config_list_clear(&cfg->users);
    config_list_clear(&cfg->renames);
    mem_free(cfg->kept);
    mem_free(cfg->file);
}

int64_t config_memory_limit(const struct config *cfg)
{
    int64_t limit = cfg->maxmemory ? cfg->maxmemory : cfg->default_maxmemory;
    return limit ? limit : INT64_MAX;
}

int64_t config_client_memory_limit(const struct config *cfg)
{
    int64_t limit = config_memory_limit(cfg);
    if (cfg->maxmemory_clients >= 0)
        return cfg->maxmemory_clients ? cfg->maxmemory_clients : INT64_MAX;
    return limit == INT64_MAX ? INT64_MAX : limit / 100 * -cfg->maxmemory_clients;
}

void config_watch(struct config *cfg, struct config_hook *hook)
{
    list_append(&cfg->hooks, &hook->node);
}

/* Quoted where it must be, so that the line can be split again. */
static void put_word(struct buf *out, struct bytes word)
{
    bool plain = word.n > 0;
    for (size_t i = 0; i < word.n; i++)
        plain &= word.p[i] > ' ' && word.p[i] <= '~' && word.p[i] != '"' && word.p[i] != '\'';
    if (plain)
        buf_put(out, word);
    else
        quote_put(out, word);
}

/* NULL when the commands of all rename-command lines so far can be renamed. */
static const char *try_renames(const struct config *cfg)
{
    struct registry *r = registry_new(cfg->test);
    const char *error = NULL;
    for (size_t i = 0; i + 1 < cfg->renames.n && error == NULL; i += 2)
        error =
            registry_rename(r, bytes_of(cfg->renames.item[i]), bytes_of(cfg->renames.item[i + 1]));
    registry_free(r);
    return error;
}

/* Directives of files that are no options: they can be repeated, and CONFIG does not know them. */
static bool load_line(struct config *cfg, struct bytes name, const struct bytes *v, size_t n,
                      const char **error)
{
    if (bytes_is(name, "user") && n >= 1) {
        struct buf line = {0};
        for (size_t i = 0; i < n; i++) {
            if (i > 0)
                buf_putc(&line, ' ');
            put_word(&line, v[i]);
        }
        config_list_add(&cfg->users, buf_bytes(&line));
        buf_free(&line);
        return true;
    }
    if (bytes_is(name, "rename-command") && n == 2) {
        config_list_add(&cfg->renames, v[0]);
        config_list_add(&cfg->renames, v[1]);
        *error = try_renames(cfg);
        return *error == NULL;
    }
    /* Once options of Redis, and modules: nothing is left to be done for them. */
    return (bytes_is(name, "loadmodule") && n >= 1) ||
           (n == 1 &&
            (bytes_is(name, "list-max-ziplist-entries") ||
             bytes_is(name, "list-max-ziplist-value") || bytes_is(name, "lua-replicate-commands")));
}

bool config_load(struct config *cfg, struct bytes name, const struct bytes *values, size_t n,
                 char why[CONFIG_ERROR_MAX])
{
    const struct option *o = option_find(name);
    if (o)
        return assign(o, cfg, values, n, why);
    if (bytes_is(name, "user") && n >= 1 && !acl_check_line(cfg, values, n, why))
        return false;
    const char *error = "Bad directive or wrong number of arguments";
    if (load_line(cfg, name, values, n, &error))
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "%s", error);
    return false;
}

/* One name and value of CONFIG SET, with what there was before. */
struct change {
    const struct option *option;
    const char *name; /* the option's, or its alias if that was used */
    struct bytes value;
    struct buf before;
    bool differs;
};

static bool failed(char why[CONFIG_ERROR_MAX], struct bytes name, const char *reason)
{
    size_t n = name.n < 400 ? name.n : 400;
    snprintf(why, CONFIG_ERROR_MAX,
             "ERR CONFIG SET failed (possibly related to argument '%.*s') - %.300s", (int)n, name.p,
             reason);
    return false;
}

static bool may_set(const struct config *cfg, const struct option *o, bool local,
                    const char **reason)
{
    *reason = "can't set immutable config";
    if (o->flags & OPTION_IMMUTABLE)
        return false;
    *reason = "can't set protected config";
    int allow = cfg->enable_protected_configs;
    return !(o->flags & OPTION_PROTECTED) || allow == ALLOW_YES || (allow == ALLOW_LOCAL && local);
}

static bool find_changes(const struct config *cfg, struct change *changes,
                         const struct bytes *pairs, size_t n, bool local,
                         char why[CONFIG_ERROR_MAX])
{
    for (size_t i = 0; i < n; i++) {
        struct bytes name = pairs[2 * i];
        const struct option *o = option_find(name);
        const char *reason;
        if (o == NULL) {
            snprintf(why, CONFIG_ERROR_MAX,
                     "ERR Unknown option or number of arguments for CONFIG SET - '%.*s'",
                     (int)(name.n < 400 ? name.n : 400), name.p);
            return false;
        }
        if (!may_set(cfg, o, local, &reason))
            return failed(why, name, reason);
        const char *spelled = bytes_ieq(name, bytes_of(o->name)) ? o->name : o->alias;
        for (size_t j = 0; j < i; j++)
            if (changes[j].name == spelled)
                return failed(why, name, "duplicate parameter");
        changes[i] = (struct change){.option = o, .name = spelled, .value = pairs[2 * i + 1]};
    }
    return true;
}

static void take_back(struct config *cfg, struct change *changes, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        char ignored[CONFIG_ERROR_MAX];
        bool good = assign_text(changes[i].option, cfg, buf_bytes(&changes[i].before), ignored);
        assert(good);
        (void)good;
    }
}

static bool assign_all(struct config *cfg, struct change *changes, size_t n,
                       char why[CONFIG_ERROR_MAX])
{
    for (size_t i = 0; i < n; i++) {
        struct change *c = &changes[i];
        char reason[CONFIG_ERROR_MAX] = "";
        option_print(c->option, cfg, &c->before);
        if (!assign_text(c->option, cfg, c->value, reason)) {
            take_back(cfg, changes, i);
            return failed(why, bytes_of(c->name), reason);
        }
        struct buf after = {0};
        option_print(c->option, cfg, &after);
        c->differs = !bytes_eq(buf_bytes(&c->before), buf_bytes(&after));
        buf_free(&after);
    }
    return true;
}

static bool apply(struct config *cfg, const struct option *o, char reason[CONFIG_ERROR_MAX])
{
    list_each (pos, &cfg->hooks) {
        struct config_hook *hook = container_of(pos, struct config_hook, node);
        if (strcmp(hook->name, o->name) == 0 && !hook->apply(hook->ctx, cfg, reason))
            return false;
    }
    return true;
}

static bool apply_all(struct config *cfg, struct change *changes, size_t n,
                      char why[CONFIG_ERROR_MAX])
{
    for (size_t i = 0; i < n; i++) {
        char reason[CONFIG_ERROR_MAX] = "";
        if (!changes[i].differs || apply(cfg, changes[i].option, reason))
            continue;
        take_back(cfg, changes, n);
        for (size_t j = 0; j <= i; j++) {
            char ignored[CONFIG_ERROR_MAX];
            if (changes[j].differs)
                apply(cfg, changes[j].option, ignored);
        }
        return failed(why, bytes_of(changes[i].name), reason);
    }
    return true;
}

bool config_set(struct config *cfg, const struct bytes *pairs, size_t npairs, bool local,
                char why[CONFIG_ERROR_MAX])
{
    /* A name may stand there once, or the second one is refused: more pairs cannot all be good. */
    size_t cap = npairs < 2 * noptions + 1 ? npairs : 2 * noptions + 1;
    struct change *changes = mem_alloc((cap ? cap : 1) * sizeof *changes);
    bool good = find_changes(cfg, changes, pairs, cap, local, why) &&
                assign_all(cfg, changes, cap, why) && apply_all(cfg, changes, cap, why);
    for (size_t i = 0; i < cap; i++)
        buf_free(&changes[i].before);
    mem_free(changes);
    return good;
}
