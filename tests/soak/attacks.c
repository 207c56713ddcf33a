/*
 * What one client can do to the others: each attack is run against a fresh redis-server and a fresh
 * latchd, while a bystander sends PING after PING. Prints a table: what happened to the attacker,
 * the server's peak memory, and the longest that the bystander waited.
 *
 *     attacks [SCALE [NAME]]      SCALE: how many fields and keys, 1000000
 *
 * How long a PING takes also depends on what else the machine does. So the processor time that the
 * server has used while a PING waited is measured as well: that is the server's own doing. When it
 * is more than 10 ms, or the server dies, the run has failed; attacks that are known to make others
 * wait, here as in Redis, are marked and excepted.
 *
 * On a virtual machine, what the host takes away in between counts as processor time, too. But it
 * takes something else each time, and what the server does it does every time: an attack that has
 * failed is tried again, and has failed when it does so each of TRIES times. All tries are shown.
 */
#include "tests/lib/oracle.h"
#include "tests/soak/front.h"

#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The bystander has been there for a while when it begins. What is freed in slices is freed after
 * the reply; others are to notice nothing of that, either. */
enum { SCALE = 1000000, MOST_MS = 10, BEFORE_MS = 1500, AFTERMATH_MS = 1500, TRIES = 5 };

struct watched {
    double longest; /* ms that a PING took */
    double worked;  /* most ms of processor time that the server has used meanwhile */
    long peak;      /* MB */
    bool alive;
};

static long peak_mb(pid_t pid)
{
    char path[64], line[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kb = strtol(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kb >> 10;
}

static double worked_ms(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* PING after PING until the attacker is done. The reply must be noticed when it comes, so this
 * process goes before others if it may. */
static void watch(const struct front *f, struct client *c, pid_t server, struct watched *w)
{
    struct buf reply = {0};
    clockid_t clock;
    clock_getcpuclockid(server, &clock);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    while (f->phase != PHASE_DONE) {
        double from = front_now_ms(), worked = worked_ms(clock);
        client_say(c, "PING");
        buf_clear(&reply);
        if (client_read(c, FRONT_REPLY_MS, &reply) != CLIENT_REPLY)
            break;
        if (f->phase != PHASE_PREPARING) {
            w->longest = larger(w->longest, front_now_ms() - from);
            w->worked = larger(w->worked, worked_ms(clock) - worked);
        }
        poll(NULL, 0, 1);
    }
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    buf_free(&reply);
}

static pid_t start(struct front *f, const struct attack *a)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    poll(NULL, 0, BEFORE_MS);
    if (a->prepare)
        a->prepare(f);
    f->phase = PHASE_ATTACKING;
    a->run(f);
    poll(NULL, 0, AFTERMATH_MS);
    f->phase = PHASE_DONE;
    _exit(0);
}

static struct watched run(const struct attack *a, struct front *f, struct launched *server)
{
    struct watched w = {0};
    struct client c;
    *f = (struct front){.scale = f->scale};
    snprintf(f->socket, sizeof f->socket, "%s", server->socket);
    if (!client_connect_unix(&c, server->socket))
        return w;
    pid_t attacker = start(f, a);
    watch(f, &c, server->pid, &w);
    waitpid(attacker, NULL, 0);
    w.alive = !launch_ended(server);
    w.peak = peak_mb(server->pid);
    client_close(&c);
    printf(" %s | %ld MB | %.1f ms, worked %.1f |", w.alive ? f->outcome : "died", w.peak,
           w.longest, w.worked);
    fflush(stdout);
    return w;
}

static void run_theirs(const struct attack *a, struct front *f, const char *oracle)
{
    struct launched theirs;
    if (oracle && oracle_launch(&theirs, oracle)) {
        run(a, f, &theirs);
        launch_stop(&theirs);
    } else {
        printf(" - | - | - |");
    }
}

/* False when ours has failed. */
static bool run_ours(const struct attack *a, struct front *f)
{
    struct launched ours;
    if (!launch_latchd(&ours, NULL))
        return false;
    struct watched w = run(a, f, &ours);
    launch_stop(&ours);
    bool good = w.alive && (a->waits || w.worked < MOST_MS);
    printf("%s\n", good ? "" : " FAILED");
    fflush(stdout);
    return good;
}

/* One row of the table, and one more for each further try. */
static bool run_row(const struct attack *a, struct front *f, const char *oracle)
{
    char what[80];
    snprintf(what, sizeof what, a->what, f->scale);
    printf("| %s%s |", what, a->waits ? " (*)" : "");
    run_theirs(a, f, oracle);
    bool good = run_ours(a, f);
    for (int i = 1; i < TRIES && !good; i++) {
        printf("| again | | | |");
        good = run_ours(a, f);
    }
    return good;
}

int main(int argc, char **argv)
{
    const struct attack *const lists[] = {attacks_on_data, attacks_on_connections,
                                          attacks_on_calls};
    struct front *f =
        mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct rlimit limit;
    bool good = true;
    if (f == MAP_FAILED)
        return 1;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    f->scale = argc > 1 ? strtoul(argv[1], NULL, 10) : SCALE;
    printf("| attack | redis-server | peak | longest PING | latchd | peak | longest PING |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct attack *a = lists[i]; a->name; a++)
            if (argc < 3 || strcmp(argv[2], a->name) == 0)
                good &= run_row(a, f, oracle_path());
    printf(
        "\n(*) Others wait meanwhile, here as in Redis. \"worked\": the most milliseconds that the "
        "server itself was busy while a PING waited.\n");
    return good ? 0 : 1;
}
