#include "server/about.h"

#include "server/commands/reference.h"
#include "server/manual.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *about_name(const char *argv0)
{
    const char *slash = strrchr(argv0, '/');
    const char *base = slash ? slash + 1 : argv0;
    if (strncmp(base, "redis-server", 12) == 0)
        return "Redis";
    if (strncmp(base, "valkey-server", 13) == 0)
        return "Valkey";
    return "latchd";
}

void about_print_version(const struct config *cfg, const char *name)
{
    printf("%s server v=%s sha=00000000:0 malloc=libc bits=%d build=0\n",
           strcmp(name, "Valkey") == 0 ? name : "Redis", cfg->redis_version,
           (int)sizeof(void *) * 8);
    printf("latchd %s, a lock server that speaks the Redis protocol\n", LATCHD_VERSION);
}

static void print_option(const struct option *o)
{
    printf("  --%-34s %s", o->name, o->help);
    if (o->init[0])
        printf(" [%s]", o->init);
    printf("\n");
}

void about_print_help(void)
{
    printf("Usage: latchd [file] [-] [--option value ...]\n"
           "       latchd ping|health [file] [--option value ...]\n"
           "       latchd --version | --help\n"
           "       latchd --commands | --options | --man | --man-conf | --completion\n"
           "\n"
           "A lock server that speaks the Redis protocol. Options are those of a redis.conf: as\n"
           "--port 7000, as a line \"port 7000\" of the file (\"-\" reads it from standard input), "
           "or\nas LATCHD_PORT=7000 in the environment.\n"
           "\n"
           "ping    asks the server that these options describe; exit code 0 when it answers\n"
           "health  the same, and says where it is and how long it took\n"
           "\n"
           "Options, with their defaults:\n");
    for (size_t i = 0; i < noptions; i++)
        if (!(options[i].flags & (OPTION_ACCEPTED | OPTION_HIDDEN)))
            print_option(&options[i]);
    printf("\nOther options of Redis are accepted and have no effect:\n ");
    size_t column = 1;
    for (size_t i = 0; i < noptions; i++) {
        if (!(options[i].flags & OPTION_ACCEPTED))
            continue;
        column += strlen(options[i].name) + 1;
        if (column > 96) {
            printf("\n ");
            column = 2 + strlen(options[i].name);
        }
        printf(" %s", options[i].name);
    }
    printf("\n");
}

static void commands_page(struct buf *out)
{
    struct registry *r = registry_new(true);
    reference_print(r, out);
    registry_free(r);
}

bool about_print_page(const char *flag)
{
    static const struct {
        const char *flag;
        void (*make)(struct buf *out);
    } pages[] = {
        {"--commands", commands_page},       {"--options", manual_options},
        {"--man", manual_program},           {"--man-conf", manual_file},
        {"--completion", manual_completion},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(flag, pages[i].flag) != 0)
            continue;
        struct buf page = {0};
        pages[i].make(&page);
        fwrite(buf_bytes(&page).p, 1, buf_len(&page), stdout);
        buf_free(&page);
        return true;
    }
    return false;
}

void about_log_start(const struct config *cfg, const char *name, const struct log *log)
{
    log_notice(log, "oO0OoO0OoO0Oo %s is starting oO0OoO0OoO0Oo", name);
    log_notice(log, "%s version=%s, bits=%d, commit=00000000, modified=0, pid=%d, just started",
               strcmp(name, "Valkey") == 0 ? name : "Redis", cfg->redis_version,
               (int)sizeof(void *) * 8, (int)getpid());
    log_notice(log, "This is latchd %s, which speaks the Redis protocol.", LATCHD_VERSION);
}
