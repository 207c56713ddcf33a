/*
 * The habits of a long-running process: background, parent, pid and port files, signals.
 */
#ifndef SERVER_PROCESS_H
#define SERVER_PROCESS_H

#include "base/log.h"
#include "server/engine/config.h"
#include "server/logfile.h"
#include "server/server.h"

#include <pthread.h>
#include <signal.h>

/* Leaves the terminal; the calling process ends here and its child returns. */
void process_daemonize(void);

/* Asks to be ended together with the parent, which was `parent` when the process began. False when
 * it has gone already. */
bool process_tie_to(pid_t parent);

/* Write the pid file and the port file, where the options ask for them. */
void process_write_pid(const struct config *cfg, const struct log *log);
void process_write_port(const struct config *cfg, const struct log *log);
void process_remove_files(const struct config *cfg);

/*
 * Signals are taken by a thread of their own, so that they are heard while a script keeps the loop
 * busy. SIGTERM and SIGINT stop the server, the second one at once; SIGHUP reopens the log and
 * reads the certificates again.
 */
struct signals {
    struct server *server;
    const struct config *config;
    const struct log *log;
    struct logfile *logfile;
    sigset_t set;
    pthread_t thread;
};

/* Before any thread is started: signals wait until signals_start. */
void signals_hold(struct signals *s);
bool signals_start(struct signals *s);
void signals_stop(struct signals *s);

#endif
