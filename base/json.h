/*
 * Text as JSON has it, in its quotes. UTF-8 stays as it is; a byte that is none is written as the
 * half of a surrogate pair, "\udc80" to "\udcff", so that every text is another one in JSON, too.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

void json_put_text(struct buf *out, struct bytes s);

#endif
