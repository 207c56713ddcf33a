#include "server/engine/pause.h"

#include "server/engine/call.h"
#include "server/engine/multi.h"

static void time_is_up(struct engine *e, void *owner)
{
    (void)owner;
    e->pause.alarm = NULL;
    pause_end(e);
}

void pause_begin(struct engine *e, int64_t until, bool all)
{
    struct pause *p = &e->pause;
    p->all = all || (p->on && p->all);
    p->until = p->on && p->until > until ? p->until : until;
    p->on = true;
    alarms_cancel(&e->alarms, p->alarm);
    p->alarm = alarms_set(&e->alarms, p->until, time_is_up, NULL);
}

void pause_end(struct engine *e)
{
    struct pause *p = &e->pause;
    p->ended |= p->on;
    p->on = false;
    alarms_cancel(&e->alarms, p->alarm);
    p->alarm = NULL;
}

static bool may_write(const struct call *c)
{
    if (strcmp(c->cmd->name, "exec") == 0)
        return multi_writes(c->session);
    return c->cmd->flags & (CMD_WRITE | CMD_MAY_REPLICATE);
}

bool pause_holds(const struct call *c)
{
    const struct pause *p = &c->engine->pause;
    if (c->cmd->group == GROUP_TESTING)
        return false; /* or time could not be moved to the end of the pause */
    return p->on && (p->all || may_write(c));
}

void pause_settle(struct engine *e)
{
    if (e->pause.ended) {
        e->pause.ended = false;
        waiters_resume(e);
    }
}
