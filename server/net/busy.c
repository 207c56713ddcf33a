/*
 * The descriptors are in an epoll set of their own, made when the command first lets others in and
 * kept until it ends: a look then costs as much as there is to do, however many connections there
 * are. What is read goes into a reader of its own, for the arguments of the running command lie in
 * the loop's.
 *
 * Closing goes through uv_close as always: the loop, which is in the middle of a turn below us on
 * the stack, then forgets what it still had to say of that descriptor.
 */
#include "server/net/busy.h"

#include "base/mem.h"
#include "server/net/conn.h"
#include "server/net/listener.h"

#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS_PER_LOOK = 64 };

struct busy {
    int epoll;
    struct conn *caller; /* whose command is running; NULL when it is nobody's */
    struct reader reader;
    struct reader *outer; /* the one it stands in for */
    bool looking;
};

void busy_watch(struct net *n, struct conn *c)
{
    if (n->busy == NULL || c == n->busy->caller)
        return;
    struct epoll_event e = {.data.ptr = c};
    e.events = (c->events & UV_READABLE ? EPOLLIN : 0) | (c->events & UV_WRITABLE ? EPOLLOUT : 0) |
               (c->events & UV_DISCONNECT ? EPOLLRDHUP : 0);
    if (e.events == 0)
        epoll_ctl(n->busy->epoll, EPOLL_CTL_DEL, c->fd, &e);
    else if (epoll_ctl(n->busy->epoll, EPOLL_CTL_MOD, c->fd, &e) != 0)
        epoll_ctl(n->busy->epoll, EPOLL_CTL_ADD, c->fd, &e);
}

/* Without a descriptor for the set nobody is served, and the script goes on; the next look tries
 * again. */
static bool begin(struct net *n)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0)
        return false;
    struct session *running = n->engine->running;
    n->busy = mem_alloc(sizeof *n->busy);
    n->busy->epoll = epoll;
    n->busy->caller = running ? running->owner : NULL;
    n->busy->outer = n->reader;
    n->reader = &n->busy->reader;
    reader_init(n->reader);
    list_each (pos, &n->engine->sessions) {
        struct session *s = container_of(pos, struct session, link);
        if (s->owner)
            busy_watch(n, s->owner);
    }
    return true;
}

void busy_end(struct net *n)
{
    if (n->busy == NULL || n->busy->looking)
        return;
    n->reader = n->busy->outer;
    reader_free(&n->busy->reader);
    close(n->busy->epoll);
    mem_free(n->busy);
    n->busy = NULL;
}

static int poll_events(uint32_t epoll)
{
    return (epoll & (EPOLLIN | EPOLLHUP) ? UV_READABLE : 0) | (epoll & EPOLLOUT ? UV_WRITABLE : 0) |
           (epoll & EPOLLRDHUP ? UV_DISCONNECT : 0);
}

static void look(struct net *n)
{
    struct epoll_event ready[EVENTS_PER_LOOK];
    int count = epoll_wait(n->busy->epoll, ready, EVENTS_PER_LOOK, 0);
    for (int i = 0; i < count; i++)
        conn_ready(ready[i].data.ptr, (ready[i].events & EPOLLERR) != 0,
                   poll_events(ready[i].events));
    listener_accept_all(n);
    net_settle(n, n->busy->caller);
}

void busy_serve(struct net *n)
{
    if (n->busy == NULL && !begin(n))
        return;
    if (n->busy->looking)
        return;
    n->busy->looking = true;
    look(n);
    n->busy->looking = false;
}
