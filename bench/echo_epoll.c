/*
 * The floor: a server that sends back what it reads, with nothing between it and the kernel.
 * echo_epoll PORT
 */
#include "bench/peer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 512, SIZE = 64 << 10 };

static void watch(int epoll, int fd)
{
    struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

static int listen_on(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 512) != 0)
        give_up("port %d: %s", port, strerror(errno));
    return fd;
}

static void echo(int fd, char *room)
{
    ssize_t n = read(fd, room, SIZE);
    if (n <= 0)
        close(fd);
    else
        send_all(fd, (struct bytes){room, (size_t)n});
}

int main(int argc, char **argv)
{
    static char room[SIZE];
    struct epoll_event ready[EVENTS];
    int epoll = epoll_create1(0), listener = listen_on(argc > 1 ? atoi(argv[1]) : 0), on = 1;
    watch(epoll, listener);
    for (;;) {
        int n = epoll_wait(epoll, ready, EVENTS, -1);
        for (int i = 0; i < n; i++) {
            if (ready[i].data.fd != listener) {
                echo(ready[i].data.fd, room);
                continue;
            }
            int fd = accept(listener, NULL, NULL);
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            watch(epoll, fd);
        }
    }
}
