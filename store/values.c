#include "store/values.h"

const struct value_ops *const value_ops[VALUE_TYPES] = {
    [VALUE_STRING] = NULL,
};
