/*
 * A server that answers every command with +OK, except that GET gets what $LIE says. It exists so
 * that the compat runner can be seen to notice. It takes each read for one command, which is how
 * the runner speaks.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MAX_FDS = 64 };

static const char *answer_to(const char *command)
{
    const char *lie = getenv("LIE");
    if (strstr(command, "INFO"))
        return "$32\r\n# Server\r\nredis_version:7.0.15\r\n\r\n";
    if (strstr(command, "GET"))
        return lie ? lie : "$5\r\ntruth\r\n";
    return "+OK\r\n";
}

static int listen_on(const char *path)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&addr, sizeof addr) != 0 || listen(fd, 16) != 0)
        exit(1);
    return fd;
}

static void serve(struct pollfd *p)
{
    char command[4096];
    ssize_t n = read(p->fd, command, sizeof command - 1);
    if (n <= 0) {
        close(p->fd);
        p->fd = -1;
        return;
    }
    command[n] = '\0';
    const char *text = answer_to(command);
    if (write(p->fd, text, strlen(text)) < 0)
        exit(1);
}

int main(int argc, char **argv)
{
    struct pollfd p[MAX_FDS] = {{.fd = -1, .events = POLLIN}};
    nfds_t n = 1;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--unixsocket") == 0)
            p[0].fd = listen_on(argv[i + 1]);
    puts("Ready to accept connections");
    fflush(stdout);
    while (poll(p, n, -1) > 0) {
        if (p[0].revents && n < MAX_FDS)
            p[n++] = (struct pollfd){.fd = accept(p[0].fd, NULL, NULL), .events = POLLIN};
        for (nfds_t i = 1; i < n; i++)
            if (p[i].fd >= 0 && p[i].revents)
                serve(&p[i]);
    }
    return 0;
}
