#include "base/glob.h"

/*
 * One pass over the text. Only the last star ever needs another try: if what follows it cannot be
 * found further on, giving more text to an earlier star cannot help. So a mismatch returns to the
 * last star with one more byte of text given to it, and the work is bounded by the product of the
 * two lengths.
 *
 * That product is still large where both are: a pattern and a name of a megabyte are minutes. So
 * steps are counted, one for each byte of text or pattern that is looked at, and a match that runs
 * out of them is none. Patterns that somebody means need a few for each byte of text.
 *
 * The corners are Redis's: a range may be written backwards, and compares signed bytes; a class
 * that is never closed ends with the pattern; a backslash at the very end stands for itself;
 * nothing but the empty pattern matches the empty text.
 */
struct glob {
    struct bytes pattern;
    bool fold;
    size_t left; /* steps */
};

enum { STEPS = 4096, STEPS_PER_BYTE = 64 };

static signed char fold(const struct glob *g, char c)
{
    return (signed char)(g->fold ? ascii_lower(c) : c);
}

/* Does `c` lie between the two ends? They change places before they are folded. */
static bool in_range(const struct glob *g, char a, char b, char c)
{
    signed char lo = (signed char)a, hi = (signed char)b;
    if (lo > hi) {
        signed char t = lo;
        lo = hi;
        hi = t;
    }
    return fold(g, c) >= fold(g, (char)lo) && fold(g, c) <= fold(g, (char)hi);
}

/* Matches `c` against the class whose bracket is at `*at`, and moves past it; not further than
 * there are steps left. */
static bool match_class(struct glob *g, size_t *at, char c)
{
    const char *p = g->pattern.p;
    size_t n = g->pattern.n - *at > g->left ? *at + g->left : g->pattern.n, i = *at + 1;
    bool negate = i < n && p[i] == '^';
    bool found = false;
    for (i += negate; i < n && p[i] != ']'; i++) {
        if (p[i] == '\\' && n - i >= 2) {
            i++;
            found |= p[i] == c; /* an escaped byte is never folded here */
        } else if (n - i >= 3 && p[i + 1] == '-') {
            found |= in_range(g, p[i], p[i + 2], c);
            i += 2;
        } else {
            found |= fold(g, p[i]) == fold(g, c);
        }
    }
    size_t end = i < n ? i + 1 : n;
    g->left -= end - *at;
    *at = end;
    return found != negate;
}

/* Matches one byte of text against what stands at `*at`, not a star, and moves past it. */
static bool match_one(struct glob *g, size_t *at, char c)
{
    const char *p = g->pattern.p;
    switch (p[*at]) {
    case '?': ++*at; return true;
    case '[': return match_class(g, at, c);
    case '\\':
        if (g->pattern.n - *at >= 2)
            ++*at;
        /* fall through */
    default: return fold(g, p[(*at)++]) == fold(g, c);
    }
}

static bool match(struct glob *g, struct bytes text)
{
    size_t n = g->pattern.n, at = 0, i = 0;
    size_t star = 0, star_text = 0; /* where to resume: behind the last star */
    bool starred = false;
    if (text.n == 0)
        return n == 0;
    while (i < text.n) {
        if (g->left == 0)
            return false;
        g->left--;
        if (at < n && g->pattern.p[at] == '*') {
            starred = true;
            star = ++at;
            star_text = i;
        } else if (at < n && match_one(g, &at, text.p[i])) {
            i++;
        } else if (starred && star < n) {
            at = star;
            i = ++star_text;
        } else {
            return starred; /* a star at the end takes all the rest */
        }
    }
    for (; at < n && g->pattern.p[at] == '*' && g->left; g->left--)
        at++;
    return at == n;
}

size_t glob_steps(struct bytes text)
{
    return STEPS + STEPS_PER_BYTE * text.n;
}

bool glob_match_within(struct bytes pattern, struct bytes text, size_t *steps)
{
    struct glob g = {.pattern = pattern, .left = *steps};
    bool matches = match(&g, text);
    *steps = g.left;
    return matches;
}

bool glob_match(struct bytes pattern, struct bytes text)
{
    return match(&(struct glob){.pattern = pattern, .left = glob_steps(text)}, text);
}

bool glob_imatch(struct bytes pattern, struct bytes text)
{
    return match(&(struct glob){.pattern = pattern, .fold = true, .left = glob_steps(text)}, text);
}
