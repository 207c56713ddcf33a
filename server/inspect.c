#include "server/inspect.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static size_t resident_bytes(void)
{
    unsigned long total = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL)
        return 0;
    if (fscanf(f, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    fclose(f);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

static void name_system(struct process_facts *out)
{
    struct utsname u;
    if (uname(&u) == 0)
        snprintf(out->os, sizeof out->os, "%.60s %.100s %.60s", u.sysname, u.release, u.machine);
}

static void name_executable(struct process_facts *out)
{
    ssize_t n = readlink("/proc/self/exe", out->executable, sizeof out->executable - 1);
    out->executable[n > 0 ? n : 0] = '\0';
}

void inspect_process(struct process_facts *out)
{
    struct rusage self, children;
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    name_system(out);
    name_executable(out);
    out->pid = getpid();
    out->rss = resident_bytes();
    out->system_memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    out->cpu_sys = seconds(self.ru_stime);
    out->cpu_user = seconds(self.ru_utime);
    out->cpu_sys_children = seconds(children.ru_stime);
    out->cpu_user_children = seconds(children.ru_utime);
}
