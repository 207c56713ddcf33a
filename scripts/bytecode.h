/*
 * One question about a compiled function: does it, or any function inside it, assign to a global?
 *
 * A script that does not may have the table of globals itself as its environment, instead of the
 * read-only view of it: it has no instruction to change it with, and no way to get hold of it as a
 * value (_G is the view; there is no getfenv). Every `redis`, `KEYS` and `ARGV` in it is then found
 * at once.
 */
#ifndef SCRIPTS_BYTECODE_H
#define SCRIPTS_BYTECODE_H

#include <lua.h>
#include <stdbool.h>

/* About the Lua function at the top of the stack. True also when it cannot be told. */
bool bytecode_sets_globals(lua_State *L);

#endif
