/*
 * What can be told of a compiled function from its instructions, those of the functions inside it
 * included. The answers make runs cheaper; none is needed for them to be right.
 */
#ifndef SCRIPTS_BYTECODE_H
#define SCRIPTS_BYTECODE_H

#include <lua.h>

enum bytecode_trait {
    /*
     * It assigns to a global. A script that does not may have the table of globals itself as its
     * environment, instead of the read-only view of it: it has no instruction to change it with,
     * and no way to get hold of it as a value (_G is the view; there is no getfenv). Every
     * `redis`, `KEYS` and `ARGV` in it is then found at once.
     */
    BYTECODE_SETS_GLOBALS = 1,

    /*
     * It might change a table that it was given. A script that has no instruction to assign to a
     * field, and names no global but those whose functions leave their arguments alone, leaves
     * KEYS and ARGV as they were, so that they can serve the next run. And it may see the
     * libraries themselves instead of their read-only views.
     */
    BYTECODE_CHANGES_TABLES = 2,

    /*
     * It might run for long: it jumps back, makes functions, or names a global that could. One that
     * does not ends after as many instructions as it has, and no hook needs to count them. (What
     * takes long inside a library function is that function's care.)
     */
    BYTECODE_LOOPS = 4,

    BYTECODE_ANYTHING = 7,
};

/* Of the Lua function at the top of the stack. BYTECODE_ANYTHING when it cannot be told. */
unsigned bytecode_traits(lua_State *L);

#endif
