/*
 * Rules of users: any rule may be refused, with a reason, and none may do harm. What was accepted
 * survives being written down: the rules that a user is printed as make a user who may do exactly
 * the same and is printed the same.
 */
#include "server/engine/acl_rules.h"
#include "tests/lib/rig.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { WORDS = 256 };

static size_t split(struct bytes text, struct bytes *words)
{
    size_t n = 0;
    while (text.n && n < WORDS) {
        const char *end = memchr(text.p, ' ', text.n);
        words[n] = (struct bytes){text.p, end ? (size_t)(end - text.p) : text.n};
        size_t used = words[n].n + (end != NULL);
        text = (struct bytes){text.p + used, text.n - used};
        n += words[n].n > 0 && acl_is_one_word(words[n]);
    }
    return n;
}

/* The number of rules that were refused. */
static size_t apply(struct rig *r, struct acl_user *u, struct bytes text)
{
    struct bytes words[WORDS];
    size_t n = split(text, words), refused = 0, open;
    if (!acl_rules_closed(words, n, &open))
        return 1;
    for (size_t i = 0; i < n;) {
        struct buf room = {0};
        const char *wrong = acl_user_apply(r->engine, u, acl_rules_next(words, n, &i, &room));
        refused += wrong != NULL;
        buf_free(&room);
    }
    return refused;
}

static bool same_commands(const struct acl_user *a, const struct acl_user *b)
{
    if (a->nselectors != b->nselectors)
        return false;
    for (size_t i = 0; i < a->nselectors; i++)
        if (memcmp(a->selectors[i]->commands, b->selectors[i]->commands,
                   sizeof a->selectors[i]->commands) != 0)
            return false;
    return true;
}

/* In a selector, rules may be quoted, and are printed without quotes. */
static bool has_odd_bytes(const struct acl_items *items)
{
    for (size_t i = 0; i < items->n; i++)
        for (size_t k = 0; k < items->item[i]->n; k++)
            if (memchr("\"' \t\n\v\f\r", items->item[i]->text[k], sizeof "\"' \t\n\v\f\r"))
                return true;
    return false;
}

/* As in Redis, some users are not read back as they were: %RW~* is a pattern and printed as ~*,
 * which is a rule; a pattern in a selector may end with the parenthesis that closes one; or it
 * holds a quote or a blank. */
static bool ambiguous(const struct acl_user *u, struct bytes printed)
{
    size_t closing = 0;
    for (size_t i = 0; i < printed.n; i++)
        closing += printed.p[i] == ')';
    for (size_t i = 0; i < u->nselectors; i++) {
        const struct acl_items *keys = &u->selectors[i]->keys;
        for (size_t k = 0; k < keys->n; k++)
            if (keys->item[k]->n == 1 && keys->item[k]->text[0] == '*' &&
                keys->item[k]->tag == ACL_ACCESS_ALL)
                return true;
        if (i > 0 && (has_odd_bytes(keys) || has_odd_bytes(&u->selectors[i]->channels)))
            return true;
    }
    return closing != u->nselectors - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct rig *r; /* the commands are the same for all runs */
    if (r == NULL)
        r = rig_new();
    struct acl_user *first = acl_user_new(r->engine, BYTES("first"));
    struct acl_user *second = acl_user_new(r->engine, BYTES("second"));
    struct buf was = {0}, is = {0};
    apply(r, first, (struct bytes){(const char *)data, n});
    acl_user_print(first, &was);
    size_t refused = apply(r, second, buf_bytes(&was));
    acl_user_print(second, &is);
    bool same = bytes_eq(buf_bytes(&was), buf_bytes(&is)) && same_commands(first, second);
    if (!ambiguous(first, buf_bytes(&was)) && (refused || !same)) {
        fprintf(stderr, "%zu rules refused\nwas: %.*s\nis:  %.*s\n", refused,
                BYTES_FMT(buf_bytes(&was)), BYTES_FMT(buf_bytes(&is)));
        abort();
    }
    buf_free(&was);
    buf_free(&is);
    acl_user_free(first);
    acl_user_free(second);
    return 0;
}
