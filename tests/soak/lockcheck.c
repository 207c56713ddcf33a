/*
 * The lock checker: many clients in several processes take few locks through the canonical scripts,
 * while processes are killed and the server is paused; then what they noted is checked. See
 * history.h for what is checked, and why the result does not depend on how busy the machine is.
 *
 *     lockcheck [SECONDS [SEED]]
 *
 * It speaks TAP, and is run in the root of the sources.
 */
#include "tests/lib/launch.h"
#include "tests/soak/holder.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS = 5, PROCESSES = 4, THREADS = 4, RECORDS_PER_SECOND = 4000, PAUSE_MS = 400 };

struct arena {
    struct scripts scripts;
    struct history history;
    struct launched server;
    struct dice dice;
    pid_t workers[PROCESSES];
    int64_t until;
    size_t kills, pauses;
};

static void *run_holder(void *ctx)
{
    holder_run(ctx);
    return NULL;
}

_Noreturn static void work(struct arena *a, int process, uint64_t seed)
{
    pthread_t threads[THREADS];
    struct holder holders[THREADS];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < THREADS; i++) {
        holders[i] = (struct holder){.scripts = &a->scripts,
                                     .socket = a->server.socket,
                                     .notes = &a->history.notes[process * THREADS + i],
                                     .seed = seed + (uint64_t)i + 1,
                                     .until = a->until};
        pthread_create(&threads[i], NULL, run_holder, &holders[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    _exit(0);
}

static void start_worker(struct arena *a, int i)
{
    uint64_t seed = dice_roll(&a->dice, UINT64_C(1) << 50) << 4;
    fflush(NULL);
    a->workers[i] = fork();
    if (a->workers[i] == 0)
        work(a, i, seed);
}

static void kill_one(struct arena *a)
{
    int i = (int)dice_roll(&a->dice, PROCESSES);
    kill(a->workers[i], SIGKILL);
    waitpid(a->workers[i], NULL, 0);
    a->kills++;
    start_worker(a, i);
}

static void pause_server(struct arena *a)
{
    kill(a->server.pid, SIGSTOP);
    poll(NULL, 0, 1 + (int)dice_roll(&a->dice, PAUSE_MS));
    kill(a->server.pid, SIGCONT);
    a->pauses++;
}

static void disturb(struct arena *a)
{
    for (int i = 0; i < PROCESSES; i++)
        start_worker(a, i);
    while (monotonic_ns() < a->until) {
        poll(NULL, 0, 50 + (int)dice_roll(&a->dice, 300));
        if (dice_roll(&a->dice, 2))
            kill_one(a);
        else
            pause_server(a);
    }
    for (int i = 0; i < PROCESSES; i++)
        waitpid(a->workers[i], NULL, 0);
}

static bool judge(struct arena *a)
{
    struct buf report = {0};
    size_t broken = history_check(&a->history, &report);
    bool alive = !launch_ended(&a->server);
    printf("# %zu granted, %zu refused, %zu processes killed, %zu pauses\n", a->history.granted,
           a->history.refused, a->kills, a->pauses);
    if (broken)
        fprintf(stderr, "%zu rules broken:\n%.*s", broken, BYTES_FMT(buf_bytes(&report)));
    buf_free(&report);
    return broken == 0 && alive && a->history.granted > 0;
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : SECONDS;
    struct arena a = {.dice = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1}};
    printf("1..1\n");
    if (argc <= 2)
        a.dice.state = (uint64_t)time(NULL);
    printf("# seed %llu\n", (unsigned long long)a.dice.state);
    if (!scripts_read(&a.scripts) || !launch_latchd(&a.server, NULL) ||
        !history_init(&a.history, (size_t)PROCESSES * THREADS,
                      (size_t)(seconds + 2) * RECORDS_PER_SECOND))
        return 1;
    a.until = monotonic_ns() + (int64_t)seconds * 1000000000;
    disturb(&a);
    bool ok = judge(&a);
    launch_stop(&a.server);
    history_free(&a.history);
    scripts_free(&a.scripts);
    printf("%s 1 - no lock is held twice, ends early or hangs\n", ok ? "ok" : "not ok");
    return ok ? 0 : 1;
}
