/*
 * What is read meanwhile goes into a reader of its own, for the arguments of the running command
 * lie in the loop's.
 */
#include "server/net/busy.h"

#include "base/mem.h"
#include "server/net/conn.h"
#include "server/net/listener.h"

struct busy {
    struct conn *caller; /* whose command is running; NULL when it is nobody's */
    struct reader reader;
    struct reader *outer; /* the one it stands in for */
    bool looking;
};

static void begin(struct net *n)
{
    const struct session *running = n->engine->running;
    n->busy = mem_alloc(sizeof *n->busy);
    n->busy->caller = running ? running->owner : NULL;
    n->busy->outer = n->reader;
    n->reader = &n->busy->reader;
    reader_init(n->reader);
    if (n->busy->caller)
        conn_rest(n->busy->caller);
}

void busy_end(struct net *n)
{
    if (n->busy == NULL || n->busy->looking)
        return;
    n->reader = n->busy->outer;
    reader_free(&n->busy->reader);
    mem_free(n->busy);
    n->busy = NULL;
}

static void look(struct net *n)
{
    poller_serve(&n->regulars);
    poller_serve(&n->newcomers);
    listener_accept_all(n);
    net_settle(n, n->busy->caller);
}

void busy_serve(struct net *n)
{
    if (n->busy == NULL)
        begin(n);
    if (n->busy->looking)
        return;
    n->busy->looking = true;
    look(n);
    n->busy->looking = false;
}
