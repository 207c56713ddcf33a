/* What OBJECT and DEBUG share. */
#ifndef SERVER_COMMANDS_KEYS_H
#define SERVER_COMMANDS_KEYS_H

#include "store/keys.h"

/* The name that Redis has for how it would keep such a value. */
const char *object_encoding(const struct entry *e);

#endif
