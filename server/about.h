/*
 * What the program says about itself: --version, --help, --commands, and the lines it starts with.
 */
#ifndef SERVER_ABOUT_H
#define SERVER_ABOUT_H

#include "base/log.h"
#include "server/engine/config.h"

/* "Redis", "Valkey" or "latchd", after the name that the program was started under: launchers wait
 * for a line with the name of the server they think they start. */
const char *about_name(const char *argv0);

void about_print_version(const struct config *cfg, const char *name);
void about_print_help(void);
void about_print_commands(void); /* docs/commands.md */
void about_log_start(const struct config *cfg, const char *name, const struct log *log);

#endif
