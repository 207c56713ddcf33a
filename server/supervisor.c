#include "server/supervisor.h"

#include "base/num.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { FIRST_SOCKET = 3, MOST_SOCKETS = 64 };

static int64_t number_of(const char *variable)
{
    int64_t value;
    const char *text = getenv(variable);
    return text && num_parse_i64(bytes_of(text), &value) ? value : 0;
}

size_t supervisor_sockets(int *first)
{
    int64_t n = number_of("LISTEN_PID") == getpid() ? number_of("LISTEN_FDS") : 0;
    *first = FIRST_SOCKET;
    if (n < 0 || n > MOST_SOCKETS)
        return 0;
    for (int i = 0; i < n; i++)
        fcntl(FIRST_SOCKET + i, F_SETFD, FD_CLOEXEC);
    return (size_t)n;
}

static bool is_systemd(const struct config *cfg)
{
    return getenv("NOTIFY_SOCKET") &&
           (cfg->supervised == SUPERVISED_SYSTEMD || cfg->supervised == SUPERVISED_AUTO);
}

static bool is_upstart(const struct config *cfg)
{
    return getenv("UPSTART_JOB") &&
           (cfg->supervised == SUPERVISED_UPSTART || cfg->supervised == SUPERVISED_AUTO);
}

bool supervisor_watches(const struct config *cfg)
{
    return is_systemd(cfg) || is_upstart(cfg);
}

/* A path, or with "@" in front a name in the kernel's own space. */
static bool send_to(const char *where, const char *state)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t n = where ? strlen(where) : 0;
    if (n < 2 || n >= sizeof to.sun_path || (where[0] != '/' && where[0] != '@'))
        return false;
    memcpy(to.sun_path, where, n);
    if (where[0] == '@')
        to.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    ssize_t sent =
        sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to, length);
    close(fd);
    return sent >= 0;
}

bool supervisor_tell(const struct config *cfg, const char *state)
{
    if (is_systemd(cfg))
        return send_to(getenv("NOTIFY_SOCKET"), state);
    /* upstart's way of being told that a job is ready */
    return is_upstart(cfg) && strncmp(state, "READY=1", 7) == 0 && raise(SIGSTOP) == 0;
}
