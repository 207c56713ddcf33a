/*
 * The types by value_type: what the keyspace has to know of containers (NULL for strings), and the
 * names of all.
 */
#ifndef STORE_VALUES_H
#define STORE_VALUES_H

#include "store/keys.h"

extern const struct value_ops *const value_ops[VALUE_TYPES];
extern const char *const value_names[VALUE_TYPES];

#endif
