/* What HELLO and CLIENT share. */
#ifndef SERVER_COMMANDS_CLIENT_H
#define SERVER_COMMANDS_CLIENT_H

#include "server/engine/call.h"

/* May argument i be a client's name? False after the error. */
bool client_name_ok(struct call *c, size_t i);

#endif
