/*
 * The program latchd: options, then one server, then signals until it ends. What belongs to the
 * process as a whole (its files, signals, environment) is here and nowhere below.
 */
#include "server/about.h"
#include "server/check.h"
#include "server/files.h"
#include "server/launch.h"
#include "server/machine.h"
#include "server/process.h"
#include "server/server.h"
#include "server/supervisor.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct program {
    const char *name; /* what it is taken for */
    pid_t parent;
    struct config config;
    struct logfile logfile;
    struct log log;
    struct launch launch;
    struct config_hook on_loglevel, on_dir, on_maxclients;
};

/* CONFIG SET and CONFIG REWRITE, where they concern the process. */

static bool apply_loglevel(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    struct program *p = ctx;
    (void)why;
    p->log.min = (enum log_level)cfg->loglevel;
    return true;
}

static bool apply_dir(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)ctx;
    if (chdir(cfg->dir) == 0)
        return true;
    snprintf(why, CONFIG_ERROR_MAX, "%s", strerror(errno));
    return false;
}

static bool apply_maxclients(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)ctx;
    int64_t room = machine_room_for(cfg->maxclients);
    if (room >= cfg->maxclients)
        return true;
    snprintf(why, CONFIG_ERROR_MAX,
             "The operating system is not able to handle the specified number of clients, try with "
             "%lld",
             (long long)room);
    return false;
}

static bool save_config(void *ctx, struct config *cfg, char why[CONFIG_ERROR_MAX])
{
    (void)ctx;
    struct buf old = {0}, fresh = {0};
    bool good = files_read(cfg->file, &old) || errno == ENOENT;
    if (good) {
        config_rewrite(cfg, buf_bytes(&old), &fresh);
        good = files_replace(cfg->file, buf_bytes(&fresh));
    }
    if (!good)
        snprintf(why, CONFIG_ERROR_MAX, "%s", strerror(errno));
    buf_free(&old);
    buf_free(&fresh);
    return good;
}

static void watch_config(struct program *p)
{
    p->on_loglevel = (struct config_hook){.name = "loglevel", .apply = apply_loglevel, .ctx = p};
    p->on_dir = (struct config_hook){.name = "dir", .apply = apply_dir, .ctx = p};
    p->on_maxclients =
        (struct config_hook){.name = "maxclients", .apply = apply_maxclients, .ctx = p};
    config_watch(&p->config, &p->on_loglevel);
    config_watch(&p->config, &p->on_dir);
    config_watch(&p->config, &p->on_maxclients);
    p->config.save = save_config;
}

/* Starting. */

static bool open_log(struct program *p)
{
    if (!logfile_open(&p->logfile, &p->config)) {
        fprintf(stderr, "Can't open the log file: %s\n", strerror(errno));
        return false;
    }
    p->log.min = (enum log_level)p->config.loglevel;
    return true;
}

static bool fit_clients(struct program *p)
{
    struct config *cfg = &p->config;
    int64_t room = machine_room_for(cfg->maxclients);
    if (room >= cfg->maxclients)
        return true;
    if (room < 1) {
        log_warning(&p->log, "The limit on open files ('ulimit -n') is too low to start.");
        return false;
    }
    log_warning(&p->log,
                "You requested maxclients of %lld, but the limit on open files leaves room for "
                "%lld. maxclients has been reduced to %lld to compensate for low ulimit. If you "
                "need higher maxclients increase 'ulimit -n'.",
                (long long)cfg->maxclients, (long long)room, (long long)room);
    cfg->maxclients = room;
    return true;
}

static bool prepare(struct program *p, char **argv)
{
    struct config *cfg = &p->config;
    if (cfg->die_with_parent && !process_tie_to(p->parent))
        return false;
    if (!open_log(p))
        return false;
    if (cfg->daemonize && !supervisor_watches(cfg))
        process_daemonize();
    logfile_take_stderr(&p->logfile);
    about_log_start(cfg, p->name, &p->log);
    if (p->launch.any)
        log_notice(&p->log, "Configuration loaded");
    else
        log_warning(&p->log,
                    "Warning: no config file specified, using the default config. In order to "
                    "specify a config file use %s /path/to/latchd.conf",
                    argv[0]);
    launch_warn(&p->launch);
    return fit_clients(p);
}

static void announce(struct program *p, const struct server *server)
{
    struct config *cfg = &p->config;
    cfg->port = server_port(server);
    log_notice(&p->log, "Running mode=standalone, port=%lld.", (long long)cfg->port);
    process_write_pid(cfg, &p->log);
    process_write_port(cfg, &p->log);
    log_notice(&p->log, "Server initialized");
    if (cfg->port)
        log_notice(&p->log, "Ready to accept connections tcp");
    if (cfg->tls_port)
        log_notice(&p->log, "Ready to accept connections tls");
    if (cfg->unixsocket[0]) { /* the older wording, too: there are launchers that wait for it */
        log_notice(&p->log, "The server is now ready to accept connections at %s", cfg->unixsocket);
        log_notice(&p->log, "Ready to accept connections unix");
    }
    supervisor_tell(cfg, "READY=1\nSTATUS=Ready to accept connections\n");
}

/* Large buffers get pages of their own, always: then they grow without being copied, and those of a
 * client that leaves go back at once. Left to itself, malloc soon keeps them on its heap, and gives
 * back a gigabyte of it in one go that takes 40 ms. */
enum { OWN_PAGES = 64 << 10 };

static int serve(struct program *p, const int *sockets, size_t nsockets)
{
    struct signals signals = {.config = &p->config, .log = &p->log, .logfile = &p->logfile};
    mallopt(M_MMAP_THRESHOLD, OWN_PAGES);
    signals_hold(&signals);
    p->logfile.role = 'M';
    struct server *server = server_new(&(struct server_options){
        .config = &p->config, .log = &p->log, .sockets = sockets, .nsockets = nsockets});
    if (server == NULL)
        return 1;
    watch_config(p);
    signals.server = server;
    if (!signals_start(&signals)) {
        server_free(server);
        return 1;
    }
    announce(p, server);
    server_run(server);
    signals_stop(&signals);
    log_notice(&p->log, "User requested shutdown...");
    process_remove_files(&p->config);
    server_free(server);
    log_warning(&p->log, "%s is now ready to exit, bye bye...", p->name);
    return 0;
}

/* What is not configured depends on the machine, or on the container. */
static void fit_memory(struct config *cfg)
{
    int64_t all = machine_memory();
    cfg->default_maxmemory = all / 4 * 3;
    if (all && cfg->maxmemory_clients > all / 4)
        cfg->maxmemory_clients = all / 4;
}

/* Options and the environment are read once for the server and for its checks. */
static int run(struct program *p, int argc, char **argv, char **environment)
{
    bool ping = argc > 1 && strcmp(argv[1], "ping") == 0;
    bool health = argc > 1 && strcmp(argv[1], "health") == 0;
    int skip = ping || health;
    int first;
    size_t nsockets = supervisor_sockets(&first);
    fit_memory(&p->config);
    if (!launch_read(&p->launch, &p->config, &p->log, argc - skip, argv + skip, environment))
        return 1;
    if (skip)
        return check_run(&p->config, health);
    if (!prepare(p, argv))
        return 1;
    int *sockets = nsockets ? calloc(nsockets, sizeof *sockets) : NULL;
    for (size_t i = 0; sockets && i < nsockets; i++)
        sockets[i] = first + (int)i;
    int code = serve(p, sockets, sockets ? nsockets : 0);
    free(sockets);
    return code;
}

static bool is_one_of(const char *arg, const char *letter, const char *word)
{
    return strcmp(arg, letter) == 0 || strcmp(arg, word) == 0;
}

int main(int argc, char **argv, char **environment)
{
    struct program p = {.name = about_name(argv[0]), .parent = getppid()};
    int code = 0;
    config_init(&p.config);
    logfile_init(&p.logfile);
    p.log = (struct log){.write = logfile_write, .ctx = &p.logfile, .min = LOG_NOTICE};
    if (argc > 1 && is_one_of(argv[1], "-v", "--version"))
        about_print_version(&p.config, p.name);
    else if (argc > 1 && is_one_of(argv[1], "-h", "--help"))
        about_print_help();
    else if (argc < 2 || !about_print_page(argv[1]))
        code = run(&p, argc, argv, environment);
    launch_free(&p.launch);
    config_free(&p.config);
    return code;
}
