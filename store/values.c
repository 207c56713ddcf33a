#include "store/values.h"

#include "store/deque.h"
#include "store/hash.h"
#include "store/set.h"
#include "store/zset.h"

const struct value_ops *const value_ops[VALUE_TYPES] = {
    [VALUE_LIST] = &deque_ops,
    [VALUE_SET] = &set_ops,
    [VALUE_ZSET] = &zset_ops,
    [VALUE_HASH] = &hash_ops,
};

const char *const value_names[VALUE_TYPES] = {
    [VALUE_STRING] = "string", [VALUE_LIST] = "list", [VALUE_SET] = "set",
    [VALUE_ZSET] = "zset",     [VALUE_HASH] = "hash",
};
