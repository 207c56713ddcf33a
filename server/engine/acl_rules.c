/*
 * Commands are allowed by a bit each, so checking one costs a shift. The bits alone could not be
 * turned back into rules ("+@read -keys" is many bits), so the rules that made them are kept beside
 * them, the later ones replacing what they overrule, as in Redis 7.2.
 */
#include "server/engine/acl_rules.h"

#include "base/mem.h"
#include "base/quote.h"
#include "server/engine/engine.h"

#include <sha2.h>

#define NO_MEMORY "Out of memory"
#define SYNTAX    "Syntax error"

const char acl_unknown_name[] = "Unknown command or category name in ACL";

/* Lists of texts. */

static bool items_add(struct acl_items *list, struct bytes text, uint32_t tag)
{
    struct acl_item **grown = mem_try_grow(list->item, (list->n + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    list->item = grown;
    struct acl_item *new = mem_try(sizeof *new + text.n);
    if (new == NULL)
        return false;
    new->tag = tag;
    new->n = text.n;
    memcpy(new->text, text.p, text.n);
    list->item[list->n++] = new;
    return true;
}

static struct bytes item_text(const struct acl_item *i)
{
    return (struct bytes){i->text, i->n};
}

static struct acl_item *items_find(const struct acl_items *list, struct bytes text)
{
    for (size_t i = 0; i < list->n; i++)
        if (bytes_eq(item_text(list->item[i]), text))
            return list->item[i];
    return NULL;
}

static void items_remove_at(struct acl_items *list, size_t i)
{
    mem_free(list->item[i]);
    memmove(&list->item[i], &list->item[i + 1], (list->n - i - 1) * sizeof *list->item);
    list->n--;
}

static void items_clear(struct acl_items *list)
{
    for (size_t i = 0; i < list->n; i++)
        mem_free(list->item[i]);
    mem_free(list->item);
    *list = (struct acl_items){0};
}

static bool items_copy(struct acl_items *to, const struct acl_items *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!items_add(to, item_text(from->item[i]), from->item[i]->tag))
            return false;
    return true;
}

/* Selectors. */

static void selector_free(struct acl_selector *s)
{
    items_clear(&s->rules);
    items_clear(&s->first_args);
    items_clear(&s->keys);
    items_clear(&s->channels);
    mem_free(s);
}

static struct acl_selector *selector_new(const struct engine *e)
{
    struct acl_selector *s = mem_alloc(sizeof *s);
    if (e->config->acl_pubsub_default == CHANNELS_ALL)
        s->flags = ACL_ALL_CHANNELS;
    return s;
}

static struct acl_selector *selector_copy(const struct acl_selector *from)
{
    struct acl_selector *s = mem_alloc(sizeof *s);
    s->flags = from->flags;
    s->from_all = from->from_all;
    memcpy(s->commands, from->commands, sizeof s->commands);
    if (items_copy(&s->rules, &from->rules) && items_copy(&s->first_args, &from->first_args) &&
        items_copy(&s->keys, &from->keys) && items_copy(&s->channels, &from->channels))
        return s;
    selector_free(s);
    return NULL;
}

static void all_commands(struct acl_selector *s, bool allow)
{
    memset(s->commands, allow ? 0xff : 0, sizeof s->commands);
    s->from_all = allow;
    s->flags = allow ? s->flags | ACL_ALL_COMMANDS : s->flags & ~(unsigned)ACL_ALL_COMMANDS;
    items_clear(&s->rules);
    items_clear(&s->first_args);
}

/* Does `rule`, sign first, speak of `name` or of a part of it, as "-config|set" does of config? */
static bool speaks_of(struct bytes rule, struct bytes name)
{
    return rule.n > name.n && memcmp(rule.p + 1, name.p, name.n) == 0 &&
           (rule.n == name.n + 1 || rule.p[name.n + 1] == '|');
}

/* Keeps the rule, without those that it makes pointless. */
static bool note_rule(struct acl_selector *s, struct bytes name, bool allow)
{
    struct buf rule = {0};
    buf_putc(&rule, allow ? '+' : '-');
    for (size_t i = 0; i < name.n; i++)
        buf_putc(&rule, ascii_lower(name.p[i]));
    struct bytes text = buf_bytes(&rule);
    for (size_t i = s->rules.n; i-- > 0;)
        if (speaks_of(item_text(s->rules.item[i]), (struct bytes){text.p + 1, text.n - 1}))
            items_remove_at(&s->rules, i);
    bool kept = items_add(&s->rules, text, 0);
    buf_free(&rule);
    return kept;
}

static void set_bit(struct acl_selector *s, size_t id, bool allow)
{
    uint64_t bit = UINT64_C(1) << id % 64;
    if (allow) {
        s->commands[id / 64] |= bit;
    } else {
        s->commands[id / 64] &= ~bit;
        s->flags &= ~(unsigned)ACL_ALL_COMMANDS;
    }
}

/* A container goes with its subcommands, which stand behind it. */
static void set_command(const struct engine *e, struct acl_selector *s, const struct command *c,
                        bool allow)
{
    size_t id = registry_id(e->registry, c);
    set_bit(s, id, allow);
    for (size_t i = s->first_args.n; i-- > 0;)
        if (s->first_args.item[i]->tag == id)
            items_remove_at(&s->first_args, i);
    for (const struct command *sub = c->sub; sub && sub->name; sub++)
        set_bit(s, ++id, allow);
}

static const char *set_category(const struct engine *e, struct acl_selector *s, struct bytes name,
                                bool allow)
{
    uint32_t category = 0;
    for (size_t i = 0; i < ACL_CATEGORIES; i++)
        if (bytes_ieq(name, bytes_of(acl_categories[i].name)))
            category = acl_categories[i].flag;
    if (category == 0)
        return acl_unknown_name;
    for (size_t id = 0; id < registry_count(e->registry); id++) {
        const struct command *c = registry_at(e->registry, id);
        if (command_acl(c) & category)
            set_command(e, s, c, allow);
    }
    return note_rule(s, name, allow) ? NULL : NO_MEMORY;
}

/* "+select|0": the command with that first argument only. */
static const char *allow_first_arg(const struct engine *e, struct acl_selector *s,
                                   struct bytes name, const char *bar)
{
    struct bytes outer = {name.p, (size_t)(bar - name.p)};
    struct bytes arg = {bar + 1, name.n - outer.n - 1};
    const struct command *c = registry_find_own(e->registry, outer);
    if (c == NULL)
        return acl_unknown_name;
    if (c->full_name)
        return "Allowing first-arg of a subcommand is not supported";
    if (arg.n == 0)
        return SYNTAX;
    if (c->sub)
        return acl_unknown_name; /* it would have been found as a subcommand */
    uint32_t id = (uint32_t)registry_id(e->registry, c);
    for (size_t i = 0; i < s->first_args.n; i++)
        if (s->first_args.item[i]->tag == id && bytes_ieq(item_text(s->first_args.item[i]), arg))
            return note_rule(s, name, true) ? NULL : NO_MEMORY;
    return items_add(&s->first_args, arg, id) && note_rule(s, name, true) ? NULL : NO_MEMORY;
}

static const char *apply_command(const struct engine *e, struct acl_selector *s, struct bytes name,
                                 bool allow)
{
    if (bytes_is(name, "@all")) {
        all_commands(s, allow);
        return NULL;
    }
    if (name.n && name.p[0] == '@')
        return set_category(e, s, name, allow);
    const struct command *c = registry_find_own(e->registry, name);
    const char *bar = name.n ? memrchr(name.p, '|', name.n) : NULL;
    if (c == NULL)
        return bar && allow ? allow_first_arg(e, s, name, bar) : acl_unknown_name;
    set_command(e, s, c, allow);
    return note_rule(s, name, allow) ? NULL : NO_MEMORY;
}

/* "~a*", "%R~a*", "%RW~a*". The pattern begins behind the tilde. */
static const char *apply_keys(struct acl_selector *s, struct bytes rule)
{
    uint32_t access = rule.p[0] == '~' ? ACL_ACCESS_ALL : 0;
    size_t i = 1;
    if (s->flags & ACL_ALL_KEYS)
        return "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does "
               "not have any effect. Try 'resetkeys' to start with an empty list of patterns";
    for (; rule.p[0] == '%' && i < rule.n; i++) {
        char letter = ascii_lower(rule.p[i]);
        uint32_t more = letter == 'r' ? ACL_ACCESS_READ : letter == 'w' ? ACL_ACCESS_WRITE : 0;
        if (letter == '~' && access) {
            i++;
            break;
        }
        if (more == 0 || access & more)
            return SYNTAX;
        access |= more;
    }
    struct bytes pattern = {rule.p + i, rule.n - i};
    if (access == 0 || !acl_is_one_word(pattern))
        return SYNTAX;
    struct acl_item *known = items_find(&s->keys, pattern);
    if (known)
        known->tag |= access;
    return known || items_add(&s->keys, pattern, access) ? NULL : NO_MEMORY;
}

static const char *apply_channel(struct acl_selector *s, struct bytes pattern)
{
    if (s->flags & ACL_ALL_CHANNELS)
        return "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and "
               "does not have any effect. Try 'resetchannels' to start with an empty list of "
               "channels";
    if (!acl_is_one_word(pattern))
        return SYNTAX;
    return items_find(&s->channels, pattern) || items_add(&s->channels, pattern, 0) ? NULL
                                                                                    : NO_MEMORY;
}

static void all_or_none(struct acl_selector *s, struct acl_items *patterns, unsigned flag, bool all)
{
    s->flags = all ? s->flags | flag : s->flags & ~flag;
    items_clear(patterns);
}

static const char *selector_apply(const struct engine *e, struct acl_selector *s, struct bytes rule)
{
    struct bytes rest = {rule.p + 1, rule.n ? rule.n - 1 : 0};
    if (rule.n == 0)
        return SYNTAX;
    if (bytes_is(rule, "allkeys") || bytes_is(rule, "~*"))
        all_or_none(s, &s->keys, ACL_ALL_KEYS, true);
    else if (bytes_is(rule, "resetkeys"))
        all_or_none(s, &s->keys, ACL_ALL_KEYS, false);
    else if (bytes_is(rule, "allchannels") || bytes_is(rule, "&*"))
        all_or_none(s, &s->channels, ACL_ALL_CHANNELS, true);
    else if (bytes_is(rule, "resetchannels"))
        all_or_none(s, &s->channels, ACL_ALL_CHANNELS, false);
    else if (bytes_is(rule, "allcommands"))
        all_commands(s, true);
    else if (bytes_is(rule, "nocommands"))
        all_commands(s, false);
    else if (rule.p[0] == '~' || rule.p[0] == '%')
        return apply_keys(s, rule);
    else if (rule.p[0] == '&')
        return apply_channel(s, rest);
    else if (rule.p[0] == '+' || rule.p[0] == '-')
        return apply_command(e, s, rest, rule.p[0] == '+');
    else
        return SYNTAX;
    return NULL;
}

/* "(~a +get)". */
static const char *add_selector(const struct engine *e, struct acl_user *u, struct bytes inner)
{
    struct acl_selector *s = selector_new(e);
    struct buf text = {0}, ends = {0};
    ssize_t n = quote_split(inner, &text, &ends);
    const char *error = NULL;
    for (size_t i = 0, from = 0; error == NULL && (ssize_t)i < n; i++) {
        size_t end;
        memcpy(&end, buf_bytes(&ends).p + i * sizeof end, sizeof end);
        error = selector_apply(e, s, (struct bytes){buf_bytes(&text).p + from, end - from});
        from = end;
    }
    buf_free(&text);
    buf_free(&ends);
    if (error) {
        selector_free(s);
        return error;
    }
    u->selectors = mem_grow(u->selectors, (u->nselectors + 1) * sizeof *u->selectors);
    u->selectors[u->nselectors++] = s;
    return NULL;
}

/* Users. */

struct acl_user *acl_user_new(const struct engine *e, struct bytes name)
{
    struct acl_user *u = mem_alloc(sizeof *u);
    u->name = mem_alloc(name.n + 1);
    u->n = name.n;
    memcpy(u->name, name.p, name.n);
    u->selectors = mem_alloc(sizeof *u->selectors);
    u->selectors[0] = selector_new(e);
    u->nselectors = 1;
    return u;
}

static void clear_selectors(struct acl_user *u, size_t keep)
{
    while (u->nselectors > keep)
        selector_free(u->selectors[--u->nselectors]);
}

void acl_user_free(struct acl_user *u)
{
    clear_selectors(u, 0);
    mem_free(u->selectors);
    items_clear(&u->passwords);
    mem_free(u->name);
    mem_free(u);
}

bool acl_user_copy(struct acl_user *to, const struct acl_user *from)
{
    struct acl_user copy = {
        .name = to->name, .n = to->n, .flags = from->flags, .unrestricted = from->unrestricted};
    copy.selectors = mem_alloc(from->nselectors * sizeof *copy.selectors);
    bool good = items_copy(&copy.passwords, &from->passwords);
    while (good && copy.nselectors < from->nselectors) {
        struct acl_selector *s = selector_copy(from->selectors[copy.nselectors]);
        good = s != NULL;
        if (good)
            copy.selectors[copy.nselectors++] = s;
    }
    struct acl_user *loser = good ? to : &copy;
    clear_selectors(loser, 0);
    mem_free(loser->selectors);
    items_clear(&loser->passwords);
    if (good)
        *to = copy;
    return good;
}

bool acl_is_one_word(struct bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (memchr(" \t\n\v\f\r", text.p[i], 7)) /* NUL included */
            return false;
    return true;
}

void acl_hash(struct bytes password, char out[ACL_HASH_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA2_CTX ctx;
    SHA256Init(&ctx);
    SHA256Update(&ctx, (const uint8_t *)password.p, password.n);
    SHA256Final(hash, &ctx);
    for (size_t i = 0; i < sizeof hash; i++) {
        out[2 * i] = digits[hash[i] >> 4];
        out[2 * i + 1] = digits[hash[i] & 15];
    }
}

static bool is_hash(struct bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if (!((text.p[i] >= '0' && text.p[i] <= '9') || (text.p[i] >= 'a' && text.p[i] <= 'f')))
            return false;
    return text.n == ACL_HASH_SIZE;
}

/* ">secret" and "#hash" add one, "<secret" and "!hash" remove one. */
static const char *apply_password(struct acl_user *u, char sign, struct bytes rest)
{
    char hashed[ACL_HASH_SIZE];
    struct bytes hash = {hashed, sizeof hashed};
    if (sign == '>' || sign == '<')
        acl_hash(rest, hashed);
    else if (is_hash(rest))
        hash = rest;
    else
        return "The password hash must be exactly 64 characters and contain only lowercase "
               "hexadecimal characters";
    if (sign == '>' || sign == '#') {
        u->flags &= ~(unsigned)ACL_USER_NOPASS;
        bool known = items_find(&u->passwords, hash) != NULL;
        return known || items_add(&u->passwords, hash, 0) ? NULL : NO_MEMORY;
    }
    for (size_t i = 0; i < u->passwords.n; i++) {
        if (bytes_eq(item_text(u->passwords.item[i]), hash)) {
            items_remove_at(&u->passwords, i);
            return NULL;
        }
    }
    return "The password you are trying to remove from the user does not exist";
}

static void reset(const struct engine *e, struct acl_user *u)
{
    u->flags = 0;
    items_clear(&u->passwords);
    clear_selectors(u, 0);
    u->selectors[u->nselectors++] = selector_new(e);
}

static const char *apply(const struct engine *e, struct acl_user *u, struct bytes rule)
{
    if (bytes_is(rule, "on")) {
        u->flags |= ACL_USER_ON;
    } else if (bytes_is(rule, "off")) {
        u->flags &= ~(unsigned)ACL_USER_ON;
    } else if (bytes_is(rule, "skip-sanitize-payload")) {
        u->flags |= ACL_USER_SKIP_SANITIZE;
    } else if (bytes_is(rule, "sanitize-payload")) {
        u->flags &= ~(unsigned)ACL_USER_SKIP_SANITIZE;
    } else if (bytes_is(rule, "nopass")) {
        u->flags |= ACL_USER_NOPASS;
        items_clear(&u->passwords);
    } else if (bytes_is(rule, "resetpass")) {
        u->flags &= ~(unsigned)ACL_USER_NOPASS;
        items_clear(&u->passwords);
    } else if (memchr("><#!", rule.p[0], 4)) {
        return apply_password(u, rule.p[0], (struct bytes){rule.p + 1, rule.n - 1});
    } else if (rule.p[0] == '(' && rule.p[rule.n - 1] == ')') {
        return add_selector(e, u, (struct bytes){rule.p + 1, rule.n - 2});
    } else if (bytes_is(rule, "clearselectors")) {
        clear_selectors(u, 1);
    } else if (bytes_is(rule, "reset")) {
        reset(e, u);
    } else {
        return selector_apply(e, u->selectors[0], rule);
    }
    return NULL;
}

const char *acl_user_apply(const struct engine *e, struct acl_user *u, struct bytes rule)
{
    const unsigned all = ACL_ALL_KEYS | ACL_ALL_CHANNELS | ACL_ALL_COMMANDS;
    if (rule.n > ACL_TEXT_MAX)
        return "Rule is too long";
    const char *error = rule.n ? apply(e, u, rule) : NULL;
    u->unrestricted = u->selectors[0]->flags == all;
    return error;
}

/* Selectors that are spread over several arguments. */

static bool opens(struct bytes rule)
{
    return rule.n && rule.p[0] == '(' && rule.p[rule.n - 1] != ')';
}

static bool closes(struct bytes rule)
{
    return rule.n && rule.p[rule.n - 1] == ')';
}

bool acl_rules_closed(const struct bytes *rules, size_t n, size_t *open)
{
    bool is_open = false;
    for (size_t i = 0; i < n; i++) {
        if (opens(rules[i])) {
            is_open = true;
            *open = i;
        } else if (closes(rules[i])) {
            is_open = false;
        }
    }
    return !is_open;
}

struct bytes acl_rules_next(const struct bytes *rules, size_t n, size_t *i, struct buf *room)
{
    struct bytes rule = rules[(*i)++];
    if (!opens(rule))
        return rule;
    if (rule.n > ACL_TEXT_MAX)
        rule.n = ACL_TEXT_MAX + 1;
    buf_clear(room);
    buf_put(room, rule);
    for (bool done = false; !done && *i < n; ++*i) {
        if (opens(rules[*i]))
            buf_clear(room);
        else
            buf_putc(room, ' ');
        if (buf_len(room) <= ACL_TEXT_MAX) /* else it is refused anyway */
            buf_put(room, rules[*i]);
        done = closes(rules[*i]);
    }
    return buf_bytes(room);
}

/* Printing. */

void acl_commands_print(const struct acl_selector *s, struct buf *out)
{
    buf_put(out, s->from_all ? BYTES("+@all") : BYTES("-@all"));
    for (size_t i = 0; i < s->rules.n; i++) {
        buf_putc(out, ' ');
        buf_put(out, item_text(s->rules.item[i]));
    }
}

void acl_keys_print(const struct acl_selector *s, struct buf *out)
{
    static const struct bytes marks[] = {
        [ACL_ACCESS_READ] = BYTES("%R~"),
        [ACL_ACCESS_WRITE] = BYTES("%W~"),
        [ACL_ACCESS_ALL] = BYTES("~"),
    };
    if (s->flags & ACL_ALL_KEYS)
        buf_put(out, BYTES("~*"));
    for (size_t i = 0; i < s->keys.n; i++) {
        if (i > 0)
            buf_putc(out, ' ');
        buf_put(out, marks[s->keys.item[i]->tag]);
        buf_put(out, item_text(s->keys.item[i]));
    }
}

void acl_channels_print(const struct acl_selector *s, struct buf *out)
{
    if (s->flags & ACL_ALL_CHANNELS)
        buf_put(out, BYTES("&*"));
    for (size_t i = 0; i < s->channels.n; i++) {
        if (i > 0)
            buf_putc(out, ' ');
        buf_putc(out, '&');
        buf_put(out, item_text(s->channels.item[i]));
    }
}

static void selector_print(const struct acl_selector *s, struct buf *out)
{
    acl_keys_print(s, out);
    if (s->flags & ACL_ALL_KEYS || s->keys.n)
        buf_putc(out, ' ');
    if (!(s->flags & ACL_ALL_CHANNELS))
        buf_put(out, s->channels.n ? BYTES("resetchannels ") : BYTES("resetchannels"));
    acl_channels_print(s, out);
    buf_putc(out, ' ');
    acl_commands_print(s, out);
}

void acl_user_print_line(const struct acl_user *u, struct buf *out)
{
    buf_put(out, acl_user_name(u));
    buf_putc(out, ' ');
    acl_user_print(u, out);
}

void acl_user_print(const struct acl_user *u, struct buf *out)
{
    buf_put(out, u->flags & ACL_USER_ON ? BYTES("on ") : BYTES("off "));
    if (u->flags & ACL_USER_NOPASS)
        buf_put(out, BYTES("nopass "));
    buf_put(out, u->flags & ACL_USER_SKIP_SANITIZE ? BYTES("skip-sanitize-payload ")
                                                   : BYTES("sanitize-payload "));
    for (size_t i = 0; i < u->passwords.n; i++) {
        buf_putc(out, '#');
        buf_put(out, item_text(u->passwords.item[i]));
        buf_putc(out, ' ');
    }
    selector_print(u->selectors[0], out);
    for (size_t i = 1; i < u->nselectors; i++) {
        buf_put(out, BYTES(" ("));
        selector_print(u->selectors[i], out);
        buf_putc(out, ')');
    }
}
