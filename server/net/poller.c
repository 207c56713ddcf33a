#include "server/net/poller.h"

#include "server/net/conn.h"

#include <assert.h>
#include <unistd.h>

static void on_ready(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    poller_serve(container_of(poll, struct poller, poll));
}

bool poller_open(struct poller *p, uv_loop_t *loop, int share)
{
    assert(share <= POLLER_MOST);
    p->share = share;
    p->set = epoll_create1(EPOLL_CLOEXEC);
    if (p->set < 0)
        return false;
    if (uv_poll_init(loop, &p->poll, p->set) != 0) {
        close(p->set);
        p->set = -1;
        return false;
    }
    uv_poll_start(&p->poll, UV_READABLE, on_ready);
    return true;
}

void poller_close(struct poller *p)
{
    if (p->set < 0)
        return;
    uv_close((uv_handle_t *)&p->poll, NULL);
    close(p->set);
    p->set = -1;
}

bool poller_watch(struct poller *p, struct conn *c, uint32_t events)
{
    if (events == c->events)
        return true;
    struct epoll_event e = {.events = events, .data.ptr = c};
    int how = events == 0 ? EPOLL_CTL_DEL : c->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    bool good = epoll_ctl(p->set, how, c->fd, &e) == 0;
    c->events = good ? (uint16_t)events : 0;
    return good;
}

/* Not left to close(): somebody who has forked may hold the same socket. */
void poller_forget(struct poller *p, struct conn *c)
{
    poller_watch(p, c, 0);
    for (int i = p->next; i < p->n; i++)
        if (p->ready[i].data.ptr == c)
            p->ready[i].data.ptr = NULL;
}

void poller_serve(struct poller *p)
{
    if (p->next == p->n) {
        int n = epoll_wait(p->set, p->ready, p->share, 0);
        p->next = 0;
        p->n = n > 0 ? n : 0;
    }
    while (p->next < p->n) {
        const struct epoll_event *e = &p->ready[p->next++];
        struct conn *c = e->data.ptr;
        if (c && c->events) /* may have been closed meanwhile, or told to rest */
            conn_ready(c, e->events);
    }
}
