/*
 * The container types, as the keyspace knows them: by value_type, NULL for strings.
 */
#ifndef STORE_VALUES_H
#define STORE_VALUES_H

#include "store/keys.h"

extern const struct value_ops *const value_ops[VALUE_TYPES];

#endif
