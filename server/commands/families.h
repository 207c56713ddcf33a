/*
 * Every table of commands; the registry walks them in this order.
 */
#ifndef SERVER_COMMANDS_FAMILIES_H
#define SERVER_COMMANDS_FAMILIES_H

#include "server/engine/registry.h"

extern const struct command config_commands[];
extern const struct command client_commands[];
extern const struct command connection_commands[];
extern const struct command expiry_commands[];
extern const struct command key_commands[];
extern const struct command pubsub_commands[];
extern const struct command scripting_commands[];
