/*
 * The lock checker: many clients in several processes take few locks through the canonical scripts,
 * while processes are killed and the server is paused; then what they noted is checked. See
 * history.h for what is checked, and why the result does not depend on how busy the machine is.
 *
 *     lockcheck [SECONDS [SEED [SABOTAGE]]]
 *
 * A seed of 0 is another one each time. SABOTAGE is a command, as DEL or PERSIST, that somebody
 * gives for every lock all the while; then the run is good when that was noticed. It speaks TAP,
 * and is run in the root of the sources.
 */
#include "tests/lib/client.h"
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
enum { SPOIL_MS = 5, REPLY_MS = 10000 };

struct arena {
    struct scripts scripts;
    struct history history;
    struct launched server;
    struct dice dice;
    const char *sabotage; /* NULL: none */
    pid_t workers[PROCESSES], saboteur;
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

/* Does to the locks what a server with a bug would. */
_Noreturn static void spoil(const struct arena *a)
{
    struct client c;
    struct buf reply = {0};
    char line[64];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!client_connect_unix(&c, a->server.socket))
        _exit(1);
    while (monotonic_ns() < a->until) {
        for (int i = 0; i < LOCK_KINDS * LOCKS_PER_KIND; i++) {
            snprintf(line, sizeof line, "%s lock:%d:%d", a->sabotage, i / LOCKS_PER_KIND,
                     i % LOCKS_PER_KIND);
            client_say(&c, line);
            buf_clear(&reply);
            client_read(&c, REPLY_MS, &reply);
        }
        poll(NULL, 0, SPOIL_MS);
    }
    _exit(0);
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
    if (a->sabotage && (a->saboteur = fork()) == 0)
        spoil(a);
    while (monotonic_ns() < a->until) {
        poll(NULL, 0, 50 + (int)dice_roll(&a->dice, 300));
        if (dice_roll(&a->dice, 2))
            kill_one(a);
        else
            pause_server(a);
    }
    for (int i = 0; i < PROCESSES; i++)
        waitpid(a->workers[i], NULL, 0);
    if (a->sabotage)
        waitpid(a->saboteur, NULL, 0);
}

static bool judge(struct arena *a)
{
    struct buf report = {0};
    size_t broken = history_check(&a->history, &report);
    bool alive = !launch_ended(&a->server);
    printf("# %zu granted, %zu refused, %zu processes killed, %zu pauses\n", a->history.granted,
           a->history.refused, a->kills, a->pauses);
    if (broken && !a->sabotage)
        fprintf(stderr, "%zu rules broken:\n%.*s", broken, BYTES_FMT(buf_bytes(&report)));
    buf_free(&report);
    return (broken > 0) == (a->sabotage != NULL) && alive && a->history.granted > 0;
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : SECONDS;
    struct arena a = {.dice = {.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 0},
                      .sabotage = argc > 3 ? argv[3] : NULL};
    printf("1..1\n");
    if (a.dice.state == 0)
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
    printf("%s 1 - %s\n", ok ? "ok" : "not ok",
           a.sabotage ? "locks that are tampered with are noticed"
                      : "no lock is held twice, ends early or hangs");
    return ok ? 0 : 1;
}
