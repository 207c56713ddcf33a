/*
 * compat [--subject PROGRAM] [--oracle PROGRAM | --no-oracle] FILE...
 *
 * Says the same things to latchd and to a real redis-server and compares the answers, case by case,
 * in RESP2 and in RESP3. Prints TAP. `--subject` under the name of a redis-server compares two of
 * those: a way to check the cases themselves.
 */
#include "tests/compat/run.h"
#include "tests/lib/oracle.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

struct compat {
    const char *subject_path, *oracle_path;
    struct launched subject, oracle;
    struct side us, them;
    int n, failed;
};

static bool start_subject(struct compat *x)
{
    static const char *const extra[] = {"--enable-debug-command", "yes", NULL};
    bool ours = strstr(basename(x->subject_path), "latchd") != NULL;
    const char *name = ours ? "latchd" : "subject";
    bool up = launch(&x->subject, x->subject_path, ours ? "latchd" : "redis-server", extra) &&
              side_open(&x->us, name, x->subject.socket);
    x->us.version.latchd = ours;
    return up;
}

static bool start_oracle(struct compat *x)
{
    if (x->oracle_path == NULL)
        printf("# no redis-server to compare with: only what is written out is checked\n");
    return x->oracle_path == NULL || (oracle_launch(&x->oracle, x->oracle_path) &&
                                      side_open(&x->them, "redis", x->oracle.socket));
}

static void stop(struct compat *x)
{
    side_close(&x->us);
    side_close(&x->them);
    launch_stop(&x->subject);
    launch_stop(&x->oracle);
}

/* A server that died costs the case that it died in, not those after it. */
static bool revive_subject(struct compat *x)
{
    struct buf log = {0};
    if (!launch_ended(&x->subject))
        return true;
    launch_log(&x->subject, &log);
    printf("# the server ended; it said:\n# ");
    for (size_t i = 0; i < log.to; i++)
        printf(log.p[i] == '\n' ? "\n# " : "%c", log.p[i]);
    printf("\n");
    buf_free(&log);
    side_close(&x->us);
    launch_stop(&x->subject);
    return start_subject(x);
}

static bool run_one(struct compat *x, const char *file, const struct script_case *c, int protocol)
{
    static const char *const words[] = {
        [RUN_OK] = "ok", [RUN_FAILED] = "not ok", [RUN_SKIPPED] = "ok"};
    struct buf report = {0};
    enum run_result r = run_case(&x->us, x->oracle_path ? &x->them : NULL, c, protocol, &report);
    printf("%s %d - %s: %.*s (RESP%d)", words[r], ++x->n, file, BYTES_FMT(c->name), protocol);
    if (r == RUN_SKIPPED)
        printf(" # SKIP %.*s", BYTES_FMT(buf_bytes(&report)));
    printf("\n");
    if (r == RUN_FAILED)
        printf("%.*s", BYTES_FMT(buf_bytes(&report)));
    fflush(stdout);
    buf_free(&report);
    x->failed += r == RUN_FAILED;
    return revive_subject(x);
}

static bool read_file(const char *path, struct buf *out)
{
    FILE *f = fopen(path, "r");
    size_t n;
    if (f == NULL)
        return false;
    while ((n = fread(buf_room(out, 65536), 1, 65536, f)) > 0)
        buf_added(out, n);
    fclose(f);
    return true;
}

static bool run_file(struct compat *x, const char *path)
{
    struct buf text = {0}, error = {0};
    struct script s = {0};
    const char *slash = strrchr(path, '/');
    bool good = read_file(path, &text) && script_parse(&s, path, buf_bytes(&text), &error);
    if (!good)
        printf("Bail out! %s %.*s\n", path, BYTES_FMT(buf_bytes(&error)));
    for (size_t i = 0; good && i < s.n; i++)
        for (int protocol = 2; good && protocol <= 3; protocol++)
            if (s.cases[i].only == 0 || s.cases[i].only == protocol)
                good = run_one(x, slash ? slash + 1 : path, &s.cases[i], protocol);
    script_free(&s);
    buf_free(&text);
    buf_free(&error);
    return good;
}

static bool read_options(struct compat *x, int argc, char **argv)
{
    static const struct option options[] = {{"subject", required_argument, NULL, 's'},
                                            {"oracle", required_argument, NULL, 'o'},
                                            {"no-oracle", no_argument, NULL, 'n'},
                                            {0}};
    x->subject_path = launch_latchd_path();
    x->oracle_path = oracle_path();
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (c == 's')
            x->subject_path = optarg;
        else if (c == 'o')
            x->oracle_path = optarg;
        else if (c == 'n')
            x->oracle_path = NULL;
        else
            return false;
    }
    return optind < argc;
}

int main(int argc, char **argv)
{
    struct compat x = {.us.control.fd = -1, .them.control.fd = -1};
    if (!read_options(&x, argc, argv)) {
        fprintf(stderr,
                "usage: compat [--subject PROGRAM] [--oracle PROGRAM | --no-oracle] FILE...\n");
        return 2;
    }
    bool good = start_subject(&x) && start_oracle(&x);
    for (int i = optind; good && i < argc; i++)
        good = run_file(&x, argv[i]);
    printf("1..%d\n", x.n);
    if (x.failed)
        printf("# %d of %d failed\n", x.failed, x.n);
    stop(&x);
    return good && x.failed == 0 ? 0 : 1;
}
