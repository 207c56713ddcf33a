#include "server/inspect.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <uv.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
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
    uv_resident_set_memory(&out->rss);
    out->system_memory = uv_get_total_memory();
    out->cpu_sys = seconds(self.ru_stime);
    out->cpu_user = seconds(self.ru_utime);
    out->cpu_sys_children = seconds(children.ru_stime);
    out->cpu_user_children = seconds(children.ru_utime);
}
