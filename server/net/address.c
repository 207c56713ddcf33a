#include "server/net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

union any {
    struct sockaddr a;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_un local;
    struct sockaddr_storage room;
};

static bool is_v4_mapped(const struct sockaddr_in6 *a)
{
    return IN6_IS_ADDR_V4MAPPED(&a->sin6_addr);
}

static void print(const union any *a, char *out, size_t cap)
{
    char host[INET6_ADDRSTRLEN] = "?";
    if (a->a.sa_family == AF_INET) {
        inet_ntop(AF_INET, &a->v4.sin_addr, host, sizeof host);
        snprintf(out, cap, "%s:%d", host, ntohs(a->v4.sin_port));
    } else if (a->a.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &a->v6.sin6_addr, host, sizeof host);
        snprintf(out, cap, "[%s]:%d", host, ntohs(a->v6.sin6_port));
    } else if (a->a.sa_family == AF_UNIX) {
        snprintf(out, cap, "%s:0", a->local.sun_path);
    } else {
        snprintf(out, cap, "?:0");
    }
}

void address_of_self(int fd, char *out, size_t cap)
{
    union any a = {0};
    socklen_t len = sizeof a - 1;
    if (getsockname(fd, &a.a, &len) != 0)
        a.a.sa_family = AF_UNSPEC;
    print(&a, out, cap);
}

/* The far end of a unix socket has no name; it is shown by the path it came in by. */
void address_of_peer(int fd, char *out, size_t cap)
{
    union any a = {0};
    socklen_t len = sizeof a - 1;
    if (getpeername(fd, &a.a, &len) != 0)
        a.a.sa_family = AF_UNSPEC;
    if (a.a.sa_family == AF_UNIX)
        address_of_self(fd, out, cap);
    else
        print(&a, out, cap);
}

bool address_is_local(const struct sockaddr *sa)
{
    const union any *a = (const union any *)sa;
    if (sa->sa_family == AF_INET)
        return ntohl(a->v4.sin_addr.s_addr) >> 24 == 127;
    if (sa->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr) ||
               (is_v4_mapped(&a->v6) && a->v6.sin6_addr.s6_addr[12] == 127);
    return sa->sa_family == AF_UNIX;
}

bool address_credentials(int fd, int64_t *uid, int64_t *gid, int64_t *pid)
{
    struct ucred who;
    socklen_t n = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0)
        return false;
    *uid = who.uid;
    *gid = who.gid;
    *pid = who.pid;
    return true;
}
