#include "server/process.h"

#include "server/files.h"
#include "server/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#define DAEMON_PIDFILE "/var/run/latchd.pid" /* of a daemon that was given none */

void process_daemonize(void)
{
    pid_t child = fork();
    if (child != 0)
        _exit(child < 0);
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

bool process_tie_to(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    return getppid() == parent; /* or it ended before we asked, and nobody would tell us */
}

static const char *pid_path(const struct config *cfg)
{
    return cfg->pidfile[0] || !cfg->daemonize ? cfg->pidfile : DAEMON_PIDFILE;
}

static bool write_number(const char *path, int64_t number)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld\n", (long long)number);
    return path[0] == '\0' || files_replace(path, (struct bytes){text, (size_t)n});
}

void process_write_pid(const struct config *cfg, const struct log *log)
{
    if (!write_number(pid_path(cfg), getpid()))
        log_warning(log, "Failed to write PID file: %s", strerror(errno));
}

void process_write_port(const struct config *cfg, const struct log *log)
{
    if (!write_number(cfg->port_file, cfg->port))
        log_warning(log, "Failed to write port file: %s", strerror(errno));
}

void process_remove_files(const struct config *cfg)
{
    if (pid_path(cfg)[0])
        files_remove(pid_path(cfg));
    if (cfg->port_file[0])
        files_remove(cfg->port_file);
}

void signals_hold(struct signals *s)
{
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&s->set);
    sigaddset(&s->set, SIGTERM);
    sigaddset(&s->set, SIGINT);
    sigaddset(&s->set, SIGHUP);
    sigaddset(&s->set, SIGUSR2); /* our own: the thread is to end */
    pthread_sigmask(SIG_BLOCK, &s->set, NULL);
}

static void reopen_log(const struct signals *s)
{
    if (logfile_reopen(s->logfile))
        log_notice(s->log, "Received SIGHUP, log reopened.");
    else
        log_warning(s->log, "Received SIGHUP, but the log cannot be reopened: %s", strerror(errno));
}

_Noreturn static void leave_at_once(const struct signals *s)
{
    log_warning(s->log, "You insist... exiting now.");
    process_remove_files(s->config);
    _exit(1);
}

static void *listen_for_signals(void *ctx)
{
    struct signals *s = ctx;
    bool stopping = false;
    int signum;
    while (sigwait(&s->set, &signum) == 0 && signum != SIGUSR2) {
        if (signum == SIGHUP) {
            reopen_log(s);
            server_reload(s->server);
            continue;
        }
        if (stopping)
            leave_at_once(s);
        stopping = true;
        log_warning(s->log, "Received %s scheduling shutdown...",
                    signum == SIGINT ? "SIGINT" : "SIGTERM");
        supervisor_tell(s->config, "STOPPING=1\n");
        server_stop(s->server, false);
    }
    return NULL;
}

bool signals_start(struct signals *s)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, (size_t)256 << 10);
    bool good = pthread_create(&s->thread, &attr, listen_for_signals, s) == 0;
    pthread_attr_destroy(&attr);
    return good;
}

void signals_stop(struct signals *s)
{
    pthread_kill(s->thread, SIGUSR2);
    pthread_join(s->thread, NULL);
}
