/*
 * The floor with libuv: a server that sends back what it reads, through uv_poll as latchd does.
 * echo_uv PORT
 */
#include "base/mem.h"
#include "bench/peer.h"

#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

enum { SIZE = 64 << 10 };

struct echo {
    uv_poll_t poll;
    uv_tcp_t socket; /* owns the descriptor */
    int fd;
};

static void on_ready(uv_poll_t *poll, int status, int events)
{
    static char room[SIZE];
    struct echo *e = poll->data;
    (void)status;
    (void)events;
    ssize_t n = read(e->fd, room, SIZE);
    if (n > 0) {
        send_all(e->fd, (struct bytes){room, (size_t)n});
    } else {
        uv_close((uv_handle_t *)&e->poll, NULL);
        uv_close((uv_handle_t *)&e->socket, NULL);
    }
}

static void on_connection(uv_stream_t *server, int status)
{
    struct echo *e = mem_alloc(sizeof *e);
    uv_tcp_init(server->loop, &e->socket);
    if (status != 0 || uv_accept(server, (uv_stream_t *)&e->socket) != 0)
        give_up("accept failed");
    uv_tcp_nodelay(&e->socket, 1);
    uv_fileno((uv_handle_t *)&e->socket, &e->fd);
    uv_poll_init(server->loop, &e->poll, e->fd);
    e->poll.data = e;
    uv_poll_start(&e->poll, UV_READABLE, on_ready);
}

int main(int argc, char **argv)
{
    uv_loop_t *loop = uv_default_loop();
    uv_tcp_t server;
    struct sockaddr_in a;
    uv_ip4_addr("127.0.0.1", argc > 1 ? atoi(argv[1]) : 0, &a);
    uv_tcp_init(loop, &server);
    if (uv_tcp_bind(&server, (struct sockaddr *)&a, 0) != 0 ||
        uv_listen((uv_stream_t *)&server, 512, on_connection) != 0)
        give_up("cannot listen");
    return uv_run(loop, UV_RUN_DEFAULT);
}
