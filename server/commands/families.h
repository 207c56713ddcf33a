/*
 * Every table of commands; the registry walks them in this order.
 */
#ifndef SERVER_COMMANDS_FAMILIES_H
#define SERVER_COMMANDS_FAMILIES_H

#include "server/engine/registry.h"

extern const struct command acl_commands[];
extern const struct command client_commands[];
extern const struct command cluster_commands[];
extern const struct command command_commands[];
extern const struct command config_commands[];
extern const struct command connection_commands[];
extern const struct command debug_commands[];
extern const struct command expiry_commands[];
extern const struct command hash_commands[];
extern const struct command info_commands[];
extern const struct command key_commands[];
extern const struct command list_commands[];
extern const struct command lock_commands[];
extern const struct command pubsub_commands[];
extern const struct command scripting_commands[];
extern const struct command server_commands[];
extern const struct command set_commands[];
extern const struct command string_commands[];
extern const struct command transaction_commands[];
extern const struct command watching_commands[];
extern const struct command zrange_commands[];
extern const struct command zset_commands[];

/* Known under --test only. */
extern const struct command testing_commands[];

/* clang-format off */
static const struct command *const command_families[] = {
    acl_commands,
    client_commands,
    cluster_commands,
    command_commands,
    config_commands,
    connection_commands,
    debug_commands,
    expiry_commands,
    hash_commands,
    info_commands,
    key_commands,
    list_commands,
    lock_commands,
    pubsub_commands,
    scripting_commands,
    server_commands,
    set_commands,
    string_commands,
    transaction_commands,
    watching_commands,
    zrange_commands,
    zset_commands,
};
/* clang-format on */

#endif
