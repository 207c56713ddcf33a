#include "server/engine/syntax.h"

#include "base/mem.h"

#include <assert.h>
#include <stdint.h>

struct cursor {
    const char *at;
    bool repeats; /* the group just read ended with "..." */
};

static struct syntax *read_choices(struct cursor *c);

static void skip_blanks(struct cursor *c)
{
    while (*c->at == ' ')
        c->at++;
}

static bool is_token(struct bytes word)
{
    bool letters = false;
    for (size_t i = 0; i < word.n; i++) {
        if (word.p[i] >= 'a' && word.p[i] <= 'z')
            return false;
        letters |= word.p[i] >= 'A' && word.p[i] <= 'Z';
    }
    return letters;
}

/* The next word without going past it; empty at a bracket, a bar or the end. */
static struct bytes peek_word(struct cursor *c)
{
    skip_blanks(c);
    return (struct bytes){c->at, strcspn(c->at, " []<>|")};
}

static struct bytes read_word(struct cursor *c)
{
    struct bytes word = peek_word(c);
    c->at += word.n;
    return word;
}

static struct syntax *new_node(enum syntax_kind kind, struct bytes name, struct syntax *inner)
{
    struct syntax *s = mem_alloc(sizeof *s);
    s->kind = kind;
    s->name = name;
    s->inner = inner;
    return s;
}

/* Several arguments as one. */
static struct syntax *block(struct syntax *list)
{
    return list && list->next ? new_node(SYNTAX_BLOCK, (struct bytes){0}, list) : list;
}

static struct syntax *read_group(struct cursor *c, char close)
{
    c->at++;
    c->repeats = false;
    struct syntax *s = block(read_choices(c));
    assert(*c->at == close);
    c->at++;
    (void)close;
    return s;
}

/* A token takes the lower-case words behind it, or the group in angles. */
static struct syntax *read_after_token(struct cursor *c, struct bytes token)
{
    struct syntax *words = NULL, **end = &words;
    for (;;) {
        struct bytes word = peek_word(c);
        if (word.n == 0 || is_token(word) || bytes_eq(word, BYTES("...")))
            break;
        *end = new_node(SYNTAX_WORD, read_word(c), NULL);
        end = &(*end)->next;
    }
    if (words == NULL && *c->at == '<')
        words = read_group(c, '>');
    struct syntax *s = block(words);
    if (s == NULL)
        return new_node(SYNTAX_TOKEN, token, NULL);
    s->token = token;
    return s;
}

static size_t length(const struct syntax *s)
{
    size_t n = 0;
    for (; s; s = s->next)
        n++;
    return n;
}

/* `[x y ...]`: the last of `list`, as many as there are in the group, may come again. */
static void repeat_last(struct syntax **list, struct syntax *group)
{
    size_t n = group->kind == SYNTAX_BLOCK ? length(group->inner) : 1;
    size_t before = length(*list);
    syntax_free(group);
    assert(n <= before);
    for (; before > n && *list; before--)
        list = &(*list)->next;
    assert(*list);
    *list = block(*list);
    (*list)->multiple = true;
}

static struct syntax *read_sequence(struct cursor *c)
{
    struct syntax *list = NULL;
    struct syntax *last = NULL;
    bool repeats = false;
    for (skip_blanks(c); *c->at && !strchr("]>|", *c->at); skip_blanks(c)) {
        struct syntax **end = &list, *s;
        if (*c->at == '[') {
            s = read_group(c, ']');
            if (c->repeats) {
                repeat_last(&list, s);
                continue;
            }
            s->optional = true;
        } else if (*c->at == '<') {
            s = read_group(c, '>');
        } else {
            struct bytes word = read_word(c);
            if (bytes_eq(word, BYTES("..."))) {
                last->multiple = repeats = true;
                continue;
            }
            s = is_token(word) ? read_after_token(c, word) : new_node(SYNTAX_WORD, word, NULL);
        }
        while (*end)
            end = &(*end)->next;
        *end = last = s;
    }
    c->repeats = repeats;
    return list;
}

static struct syntax *read_choices(struct cursor *c)
{
    struct syntax *first = read_sequence(c);
    if (*c->at != '|')
        return first;
    struct syntax *choices = block(first), *last = choices;
    while (*c->at == '|') {
        c->at++;
        assert(last);
        last = last->next = block(read_sequence(c));
    }
    return new_node(SYNTAX_ONEOF, (struct bytes){0}, choices);
}

struct syntax *syntax_parse(const char *text)
{
    struct cursor c = {.at = text};
    struct syntax *s = read_choices(&c);
    assert(*c.at == '\0');
    return s;
}

void syntax_free(struct syntax *s)
{
    while (s) {
        struct syntax *next = s->next;
        syntax_free(s->inner);
        mem_free(s);
        s = next;
    }
}

/* Of one argument, were it not optional and came once. */
static size_t extent(const struct syntax *s, bool most)
{
    size_t n = 1;
    if (s->kind == SYNTAX_BLOCK) {
        n = most ? syntax_most(s->inner) : syntax_least(s->inner);
    } else if (s->kind == SYNTAX_ONEOF) {
        n = extent(s->inner, most);
        for (const struct syntax *choice = s->inner->next; choice; choice = choice->next) {
            size_t other = extent(choice, most);
            n = most == (other > n) ? other : n;
        }
    }
    return n == SIZE_MAX ? n : n + (s->token.n != 0);
}

size_t syntax_least(const struct syntax *s)
{
    size_t n = 0;
    for (; s; s = s->next)
        n += s->optional ? 0 : extent(s, false);
    return n;
}

size_t syntax_most(const struct syntax *s)
{
    size_t n = 0;
    for (; s; s = s->next) {
        size_t one = s->multiple ? SIZE_MAX : extent(s, true);
        n = one > SIZE_MAX - n ? SIZE_MAX : n + one;
    }
    return n;
}
