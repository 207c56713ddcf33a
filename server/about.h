/*
 * What the program says about itself: --version, --help, its pages, and the lines it starts with.
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

/* Prints the page of that flag (--commands, --options, --man, ...); false when there is none. */
bool about_print_page(const char *flag);

void about_log_start(const struct config *cfg, const char *name, const struct log *log);

#endif
