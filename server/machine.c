/*
 * Control groups come in two versions with different file names; in both a limit may be set at any
 * level, and the smallest on the way up to the root counts. Inside a container the path in
 * /proc/self/cgroup often does not exist; the root that is visible there then has the limit.
 */
#include "server/machine.h"

#include "base/num.h"
#include "server/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define CGROUP_ROOT "/sys/fs/cgroup"

enum { OWN_FILES = 32, FILES_STEP = 16 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number in a file; INT64_MAX when there is none ("max", or no such file). */
static int64_t number_in(const char *path)
{
    struct buf text = {0};
    int64_t value = INT64_MAX;
    if (files_read(path, &text)) {
        struct bytes s = buf_bytes(&text);
        while (s.n && s.p[s.n - 1] == '\n')
            s.n--;
        if (!num_parse_i64(s, &value))
            value = INT64_MAX;
    }
    buf_free(&text);
    return value;
}

/* The smallest limit of a group and those above it. */
static int64_t limit_upwards(const char *root, const char *group, const char *file)
{
    int64_t least = INT64_MAX;
    char path[PATH_MAX], at[PATH_MAX];
    snprintf(path, sizeof path, "%s", group);
    for (;;) {
        if (snprintf(at, sizeof at, "%s%s/%s", root, path, file) < (int)sizeof at)
            least = smaller(least, number_in(at));
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return least;
        *slash = '\0';
    }
}

/* A line is "id:controllers:path"; version 2 has no controllers. */
static int64_t limit_of_line(char *line)
{
    char *controllers = strchr(line, ':');
    char *path = controllers ? strchr(++controllers, ':') : NULL;
    if (path == NULL)
        return INT64_MAX;
    *path++ = '\0';
    if (controllers[0] == '\0')
        return limit_upwards(CGROUP_ROOT, path, "memory.max");
    if (strstr(controllers, "memory"))
        return limit_upwards(CGROUP_ROOT "/memory", path, "memory.limit_in_bytes");
    return INT64_MAX;
}

static int64_t group_memory(void)
{
    struct buf text = {0};
    int64_t least = INT64_MAX;
    if (files_read("/proc/self/cgroup", &text)) {
        buf_putc(&text, '\0');
        char *rest = text.p + text.from;
        for (char *line; (line = strsep(&rest, "\n")) != NULL;)
            least = smaller(least, limit_of_line(line));
    }
    buf_free(&text);
    return least;
}

int64_t machine_memory(void)
{
    int64_t physical = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return smaller(physical, group_memory());
}

int64_t machine_room_for(int64_t clients)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)clients + OWN_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return clients;
    /* The hard limit may be raised too, by those who may; then step down to what is granted. */
    rlim_t had = limit.rlim_cur, most = limit.rlim_max;
    for (rlim_t try = wanted; try > had; try = try > most ? most : try - FILES_STEP) {
        limit = (struct rlimit)
        {
            try, try > most ?
            try : most
        };
        if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
            return smaller(clients, (int64_t)try - OWN_FILES);
        if (try <= FILES_STEP)
            break;
    }
    return had > OWN_FILES ? (int64_t)had - OWN_FILES : 0;
}
