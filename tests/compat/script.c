#include "tests/compat/script.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

struct parse {
    struct script *script;
    struct bytes line; /* without blanks round it */
    int number;
};

static struct bytes trim(struct bytes s)
{
    while (s.n && isspace((unsigned char)s.p[0]))
        s = (struct bytes){s.p + 1, s.n - 1};
    while (s.n && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

/* If the line begins with `word`, what follows it goes into `rest`. */
static bool after(struct bytes line, const char *word, struct bytes *rest)
{
    size_t n = strlen(word);
    if (line.n < n || memcmp(line.p, word, n) != 0)
        return false;
    *rest = trim((struct bytes){line.p + n, line.n - n});
    return true;
}

static struct script_case *last_case(struct parse *p)
{
    return p->script->n ? &p->script->cases[p->script->n - 1] : NULL;
}

static struct step *last_step(struct parse *p)
{
    struct script_case *c = last_case(p);
    return c && c->n ? &c->steps[c->n - 1] : NULL;
}

static bool add_case(struct parse *p, struct bytes name)
{
    struct script *s = p->script;
    s->cases = mem_grow(s->cases, (s->n + 1) * sizeof *s->cases);
    s->cases[s->n++] = (struct script_case){.name = name, .line = p->number};
    return name.n > 0;
}

static bool add_step(struct parse *p, struct step step)
{
    struct script_case *c = last_case(p);
    if (c == NULL)
        return false;
    c->steps = mem_grow(c->steps, (c->n + 1) * sizeof *c->steps);
    step.line = p->number;
    step.source = p->line;
    c->steps[c->n++] = step;
    return true;
}

/* `a> words`, `a.raw>> "bytes"`, `a<`, `a< none`, `scan> SCAN 0`. */
static bool parse_step(struct parse *p)
{
    struct step step = {0};
    size_t at = 0;
    while (at < p->line.n && (isalnum((unsigned char)p->line.p[at]) || p->line.p[at] == '.'))
        at++;
    step.conn = (struct bytes){p->line.p, at};
    const char *dot = memrchr(p->line.p, '.', at);
    const char *how = dot ? dot + 1 : p->line.p;
    struct bytes mode = {how, (size_t)(p->line.p + at - how)};
    bool scan = bytes_eq(mode, BYTES("scan"));
    step.raw = bytes_eq(mode, BYTES("raw"));
    if (scan || step.raw)
        step.conn.n = dot ? (size_t)(dot - p->line.p) : 0;

    struct bytes op = {p->line.p + at, p->line.n - at};
    if (after(op, ">>", &step.text))
        step.kind = STEP_SEND;
    else if (after(op, ">", &step.text))
        step.kind = scan ? STEP_SCAN : STEP_ASK;
    else if (after(op, "<", &step.text))
        step.kind = bytes_eq(step.text, BYTES("none")) ? STEP_QUIET : STEP_READ;
    else
        return false;
    return add_step(p, step);
}

static bool parse_check(struct step *step, struct bytes text)
{
    struct check *check = &step->check;
    struct bytes rest;
    if (after(text, "unordered", &rest)) {
        check->kind = CHECK_UNORDERED;
    } else if (after(text, "time", &rest)) {
        check->kind = CHECK_TIME;
        check->tolerance = strtol(rest.p, NULL, 10);
        return check->tolerance > 0;
    } else if (after(text, "any", &rest)) {
        check->kind = CHECK_ANY;
    } else if (after(text, "type", &rest)) {
        check->kind = CHECK_TYPE;
    } else if (after(text, "size", &rest)) {
        check->kind = CHECK_SIZE;
    } else if (after(text, "error-code", &rest)) {
        check->kind = CHECK_CODE;
    } else if (after(text, "fields", &check->fields)) {
        check->kind = CHECK_FIELDS;
        return check->fields.n > 0;
    } else if (after(text, "from", &check->fields)) {
        check->kind = CHECK_FROM;
        return check->fields.n > 0;
    } else if (after(text, "without", &check->fields)) {
        check->kind = CHECK_WITHOUT;
        return check->fields.n > 0;
    } else if (after(text, "save", &step->save)) {
        check->kind = CHECK_TYPE;
        return step->save.n > 0;
    } else {
        return false;
    }
    return rest.n == 0;
}

/* Lines that say something about the step before them. */
static bool parse_remark(struct parse *p)
{
    struct step *step = last_step(p);
    struct bytes rest = {0};
    if (step == NULL || step->kind == STEP_CLOSE || step->kind == STEP_SHUT)
        return false;
    if (after(p->line, "~", &rest))
        return parse_check(step, rest);
    if (after(p->line, "=2", &rest))
        step->expect[0] = rest;
    else if (after(p->line, "=3", &rest))
        step->expect[1] = rest;
    else if (after(p->line, "=", &rest))
        step->expect[0] = step->expect[1] = rest;
    return rest.n > 0;
}

static bool parse_line(struct parse *p)
{
    struct script_case *c = last_case(p);
    struct bytes rest;
    if (p->line.n == 0 || p->line.p[0] == '#')
        return true;
    if (p->line.p[0] == '~' || p->line.p[0] == '=')
        return parse_remark(p);
    if (after(p->line, "case ", &rest))
        return add_case(p, rest);
    if (c && after(p->line, "since ", &rest))
        return version_since(&c->holds, rest);
    if (c && after(p->line, "until ", &rest))
        return version_until(&c->holds, rest);
    if (c && after(p->line, "resp ", &rest)) {
        c->only = rest.p[0] - '0';
        return c->only == 2 || c->only == 3;
    }
    if (after(p->line, "close ", &rest))
        return add_step(p, (struct step){.kind = STEP_CLOSE, .conn = rest});
    if (after(p->line, "shut ", &rest))
        return add_step(p, (struct step){.kind = STEP_SHUT, .conn = rest});
    return parse_step(p);
}

bool script_parse(struct script *s, const char *path, struct bytes text, struct buf *error)
{
    *s = (struct script){.path = path};
    struct parse p = {.script = s};
    while (text.n) {
        const char *end = memchr(text.p, '\n', text.n);
        size_t n = end ? (size_t)(end - text.p) : text.n;
        p.line = trim((struct bytes){text.p, n});
        p.number++;
        if (!parse_line(&p)) {
            buf_printf(error, "%s:%d: cannot read this line: %.*s", path, p.number,
                       BYTES_FMT(p.line));
            return false;
        }
        n += end != NULL;
        text = (struct bytes){text.p + n, text.n - n};
    }
    return true;
}

void script_free(struct script *s)
{
    for (size_t i = 0; i < s->n; i++)
        mem_free(s->cases[i].steps);
    mem_free(s->cases);
    *s = (struct script){0};
}
