/* TEST.DUMP: the whole keyspace as text that people and programs can read. */
#ifndef SERVER_COMMANDS_DUMP_H
#define SERVER_COMMANDS_DUMP_H

#include "base/buf.h"

struct engine;

/*
 * {"0": {"name": {"type": "string", "ttl": 1000, "value": "text"}, ...}, "3": {...}}
 *
 * Databases that hold nothing are left out; keys are in the order of their bytes, so equal
 * keyspaces print the same. `ttl` is in milliseconds and missing where there is none. A list or set
 * is an array, a hash an object, a sorted set an array of pairs [member, score]. Bytes that are not
 * UTF-8 become the lone surrogates U+DC80 to U+DCFF, as Python's "surrogateescape" has them.
 */
void dump_keyspace(struct engine *e, struct buf *out);

#endif
