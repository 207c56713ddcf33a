/*
 * The load generator: bench_load WORKLOAD [options]. One workload against one server, and a line of
 * JSON about it. Exit status 1 after any wrong answer.
 */
#include "bench/lane.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct options {
    struct traffic_options traffic;
    const char *scripts;
    double warm, seconds;
    uint64_t operations;
};

static void usage(void)
{
    puts("usage: bench_load WORKLOAD --port N | --unix PATH [options]\n"
         "  --pid N          the server's process: whose CPU time to read\n"
         "  --connections N  that ask (50)\n"
         "  --pipeline N     commands sent at a time (1)\n"
         "  --listeners N    subscribers of fanout (1000)\n"
         "  --seconds N      how long to measure (2)\n"
         "  --warm N         seconds before that (0.3)\n"
         "  --operations N   stop after so many\n"
         "  --keys N         different keys (10000)\n"
         "  --seed N         of the choice of keys (1)\n"
         "  --scripts DIR    where the scripts are (scripts/canonical)\n"
         "  --echo yes       the server is an echo, the floor of it all");
    for (const struct workload *w = workloads; w->name; w++)
        printf("%-16s %s\n", w->name, w->summary);
    exit(2);
}

static bool number_option(struct options *o, const char *option, const char *value)
{
    struct traffic_options *t = &o->traffic;
    if (strcmp(option, "--connections") == 0)
        t->lanes = (unsigned)atoi(value);
    else if (strcmp(option, "--pipeline") == 0)
        t->pipeline = (unsigned)atoi(value);
    else if (strcmp(option, "--listeners") == 0)
        t->listeners = atoi(value);
    else if (strcmp(option, "--seconds") == 0)
        o->seconds = atof(value);
    else if (strcmp(option, "--warm") == 0)
        o->warm = atof(value);
    else if (strcmp(option, "--operations") == 0)
        o->operations = strtoull(value, NULL, 10);
    else if (strcmp(option, "--keys") == 0)
        t->keys = strtoull(value, NULL, 10);
    else if (strcmp(option, "--seed") == 0)
        t->seed = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

static void read_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){
        .traffic = {.lanes = 50, .pipeline = 1, .listeners = 1000, .keys = 10000, .seed = 1},
        .scripts = "scripts/canonical",
        .warm = 0.3,
        .seconds = 2,
    };
    if (argc < 2 || argc % 2 != 0 || (o->traffic.workload = workload_find(argv[1])) == NULL)
        usage();
    for (int i = 2; i < argc; i += 2) {
        if (strcmp(argv[i], "--scripts") == 0)
            o->scripts = argv[i + 1];
        else if (strcmp(argv[i], "--echo") == 0)
            o->traffic.echo = strcmp(argv[i + 1], "yes") == 0;
        else if (!number_option(o, argv[i], argv[i + 1]) &&
                 !peer_option(&o->traffic.peer, argv[i], argv[i + 1]))
            usage();
    }
    if (o->traffic.workload->listeners >= 0)
        o->traffic.listeners = o->traffic.workload->listeners;
    if (o->traffic.lanes == 0 || o->traffic.pipeline == 0)
        usage();
}

/* Ten thousand subscribers need as many descriptors. */
static void raise_limits(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* The server begins empty, but for the scripts. */
static void load_scripts(const struct options *o, struct workload_scripts *scripts)
{
    const struct workload *w = o->traffic.workload;
    struct buf reply = {0};
    if (!workload_read_scripts(w, o->scripts, scripts))
        give_up("the scripts are not in %s", o->scripts);
    if (o->traffic.echo)
        return;
    int fd = peer_connect(&o->traffic.peer);
    ask(fd, &reply, "FLUSHALL");
    for (int i = 0; i < WORKLOAD_SCRIPTS && w->scripts[i]; i++) {
        struct bytes words[] = {BYTES("SCRIPT"), BYTES("LOAD"), buf_bytes(&scripts->text[i])};
        struct bytes sha = ask_words(fd, &reply, words, 3);
        snprintf(scripts->sha[i], sizeof scripts->sha[i], "%.*s", BYTES_FMT(sha));
    }
    buf_free(&reply);
    close(fd);
}

static void report(const struct options *o, uint64_t operations, uint64_t ns, uint64_t cpu_ns,
                   const struct durations *d)
{
    const struct traffic_options *t = &o->traffic;
    double n = (double)operations, seconds = (double)ns / 1e9;
    printf("{\"workload\":\"%s\",\"transport\":\"%s\",\"connections\":%u,\"listeners\":%d,"
           "\"pipeline\":%u,\"keys\":%llu,\"operations\":%llu,\"seconds\":%.3f,"
           "\"per_second\":%.0f,\"cpu_us\":%.4f,"
           "\"latency_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f}}\n",
           t->workload->name, t->peer.path ? "unix" : "tcp", t->lanes, t->listeners, t->pipeline,
           (unsigned long long)t->keys, (unsigned long long)operations, seconds, n / seconds,
           (double)cpu_ns / 1000 / n, durations_us(d, 0.5), durations_us(d, 0.9),
           durations_us(d, 0.99), durations_us(d, 0.999), durations_us(d, 1));
}

int main(int argc, char **argv)
{
    struct options o;
    struct workload_scripts scripts;
    struct durations durations;
    read_options(&o, argc, argv);
    raise_limits();
    load_scripts(&o, &scripts);
    o.traffic.scripts = &scripts;
    struct traffic *t = traffic_new(&o.traffic);
    if (o.warm > 0)
        traffic_run(t, (uint64_t)(o.warm * 1e9), 0);
    traffic_take_durations(t, &durations);
    durations_free(&durations);

    uint64_t start = now_ns(), cpu = peer_cpu_ns(&o.traffic.peer);
    uint64_t operations = traffic_run(t, (uint64_t)(o.seconds * 1e9), o.operations);
    cpu = peer_cpu_ns(&o.traffic.peer) - cpu;
    traffic_take_durations(t, &durations);
    report(&o, operations, now_ns() - start, cpu, &durations);

    durations_free(&durations);
    traffic_free(t);
    workload_free_scripts(&scripts);
    return 0;
}
