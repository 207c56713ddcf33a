#include "server/engine/faults.h"

#include "base/glob.h"
#include "base/mem.h"
#include "server/engine/argv.h"
#include "server/engine/call.h"
#include "server/engine/multi.h"
#include "server/engine/testing.h"

static const char *const names[] = {
    [FAULT_ERROR] = "ERROR", [FAULT_DELAY] = "DELAY",         [FAULT_DROP_REPLY] = "DROP-REPLY",
    [FAULT_CLOSE] = "CLOSE", [FAULT_BLACKHOLE] = "BLACKHOLE",
};

enum { MS_MOST = 24 * 3600 * 1000 };

const char *fault_name(enum fault_action action)
{
    return names[action];
}

void faults_init(struct faults *f)
{
    list_init(&f->list);
}

static void drop(struct fault *f)
{
    list_unlink(&f->link);
    mem_free(f->words);
    mem_free(f);
}

void faults_clear(struct faults *f)
{
    while (!list_empty(&f->list))
        drop(container_of(f->list.next, struct fault, link));
}

bool faults_remove(struct faults *f, uint64_t id)
{
    list_each (pos, &f->list) {
        struct fault *fault = container_of(pos, struct fault, link);
        if (fault->id == id) {
            drop(fault);
            return true;
        }
    }
    return false;
}

/* Adding. */

static bool read_action(struct call *c, size_t *i, struct fault *f)
{
    size_t a = 0;
    while (a < sizeof names / sizeof *names && !call_arg_is(c, *i, bytes_of(names[a])))
        a++;
    f->action = (enum fault_action)a;
    bool takes = f->action == FAULT_ERROR || f->action == FAULT_DELAY;
    if (a == sizeof names / sizeof *names || *i + 1 + takes != c->argc) {
        call_syntax_error(c);
        return false;
    }
    ++*i;
    if (f->action == FAULT_DELAY)
        return call_int_in(c, *i, 0, MS_MOST, "ERR DELAY must be between 0 and a day", &f->ms);
    if (f->action == FAULT_ERROR)
        f->error = c->argv[*i];
    return true;
}

/* One condition and its value, if there is one at `i`. */
static bool read_condition(struct call *c, size_t *i, struct fault *f, bool *more)
{
    *more = true;
    if (call_arg_is(c, *i, BYTES("MATCH")) && *i + 1 < c->argc)
        f->match = c->argv[*i + 1];
    else if (call_arg_is(c, *i, BYTES("CLIENT")) && *i + 1 < c->argc)
        f->client = c->argv[*i + 1];
    else if (call_arg_is(c, *i, BYTES("PERCENT")) && *i + 1 < c->argc)
        *more =
            call_int_in(c, *i + 1, 1, 100, "ERR PERCENT must be between 1 and 100", &f->percent);
    else if (call_arg_is(c, *i, BYTES("TIMES")) && *i + 1 < c->argc)
        *more = call_int_in(c, *i + 1, 1, INT64_MAX, "ERR TIMES must be positive", &f->left);
    else {
        *more = false;
        return true;
    }
    *i += 2;
    return *more;
}

static bool read_fault(struct call *c, size_t i, struct fault *f)
{
    if (!bytes_eq(c->argv[i], BYTES("*")) &&
        !(f->command = registry_find_full(c->engine->registry, c->argv[i]))) {
        reply_errorf(c->reply, "ERR there is no command '%.*s'", BYTES_FMT(c->argv[i]));
        return false;
    }
    i++;
    for (bool more = true; more;)
        if (!read_condition(c, &i, f, &more))
            return false;
    return read_action(c, &i, f);
}

struct fault *faults_add(struct call *c, size_t first)
{
    struct faults *faults = &c->engine->testing->faults;
    struct fault read = {.percent = 100, .left = -1};
    if (!read_fault(c, first, &read))
        return NULL;
    struct argv *words = argv_copy(c->argv + first, c->argc - first);
    if (words == NULL) {
        call_out_of_memory(c);
        return NULL;
    }
    /* Once more, so that the texts lie in the copy; what was good is good again. */
    struct call copy = *c;
    struct fault *f = mem_alloc(sizeof *f);
    *f = (struct fault){.percent = 100, .left = -1, .words = words, .id = ++faults->last_id};
    copy.argv = words->argv;
    copy.argc = words->argc;
    read_fault(&copy, 0, f);
    list_append(&faults->list, &f->link);
    return f;
}

/* Happening. */

static bool any_matches(const struct call *c, struct bytes glob)
{
    for (size_t i = 1; i < c->argc; i++)
        if (glob_match(glob, c->argv[i]))
            return true;
    return false;
}

static bool is_called(const struct session *s, struct bytes name)
{
    return s->more && s->more->name && bytes_eq(bytes_of(s->more->name), name);
}

static bool fits(const struct call *c, const struct fault *f)
{
    const struct command *cmd = registry_find(c->engine->registry, c->argv[0]);
    const struct command *sub = cmd && c->argc > 1 ? command_sub(cmd, c->argv[1]) : NULL;
    if (cmd && cmd->group == GROUP_TESTING)
        return false;
    if (f->command && f->command != cmd && f->command != sub)
        return false;
    if (f->match.p && !any_matches(c, f->match))
        return false;
    return !f->client.p || is_called(c->session, f->client);
}

/* True when the command is dealt with. */
static bool happen(struct call *c, const struct fault *f)
{
    struct engine *e = c->engine;
    struct testing *t = e->testing;
    switch (f->action) {
    case FAULT_ERROR:
        reply_error(c->reply, f->error);
        stats_error(&e->stats, c->reply->code);
        multi_fail(c->session);
        break;
    case FAULT_DELAY:
        waiters_postpone_until(c, &t->delayed, &t->real, testing_real_deadline(e, f->ms));
        break;
    case FAULT_DROP_REPLY: c->session->flags |= SESSION_MUTE; return false;
    case FAULT_CLOSE: session_close(c->session, false); break;
    case FAULT_BLACKHOLE:
        c->session->flags |= SESSION_MUTE;
        waiters_postpone_until(c, &t->swallowed, &t->real, WHEEL_NEVER);
        break;
    }
    return true;
}

/* To a client that reads its answers in order, the next one would look like the one that was lost;
 * so there is none, as there is none when a connection breaks. */
static bool is_lost(struct session *s)
{
    if (!(s->flags & SESSION_MUTE))
        return false;
    session_close(s, true);
    return true;
}

bool faults_catch(struct call *c)
{
    struct engine *e = c->engine;
    if (is_lost(c->session))
        return true;
    list_each_safe (pos, &e->testing->faults.list) {
        struct fault *f = container_of(pos, struct fault, link);
        if (!fits(c, f) || (f->percent < 100 && engine_random(e) % 100 >= (uint64_t)f->percent))
            continue;
        f->hits++;
        bool done = happen(c, f);
        if (f->left > 0 && --f->left == 0)
            drop(f);
        return done;
    }
    return false;
}
