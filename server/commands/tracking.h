/* The subcommands of CLIENT that are about client-side caching; client.c has their rows. */
#ifndef SERVER_COMMANDS_TRACKING_H
#define SERVER_COMMANDS_TRACKING_H

#include "server/engine/registry.h"

command_fn cmd_client_caching;
command_fn cmd_client_getredir;
command_fn cmd_client_tracking;
command_fn cmd_client_trackinginfo;

#endif
