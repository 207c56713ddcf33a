/*
 * The libraries a script sees: string, table, bit, struct, cjson, cmsgpack. They are our own,
 * written on Lua's public interface only, because those that come with Lua 5.1 and with Debian
 * trust their callers: they recurse without limit, loop for hours between two looks at the world,
 * allocate behind the back of the heap cap. Here every loop over a script's data counts its steps,
 * every size is checked in 64 bits, and all memory comes from the state's own allocator.
 *
 * Each lib_*_open leaves the library's plain table on the stack, and nothing else behind: no
 * global, no registry name that a script could reach. The host puts it out of the scripts' reach.
 */
#ifndef SCRIPTS_LIBS_H
#define SCRIPTS_LIBS_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

void lib_string_open(lua_State *L);
void lib_table_open(lua_State *L);
void lib_bit_open(lua_State *L);
void lib_struct_open(lua_State *L);
void lib_cmsgpack_open(lua_State *L);

/*
 * cjson has settings that a script can change. The open function returns them (they live as long as
 * the table on the stack does); the host calls lib_cjson_reset between two scripts, which costs
 * one test when nothing was changed.
 */
struct cjson_settings;
struct cjson_settings *lib_cjson_open(lua_State *L);
void lib_cjson_reset(struct cjson_settings *s);

/* The rest is what the host gives to the libraries. */

/* Raises an error when the running script has to stop; returns otherwise. */
void script_check(lua_State *L);

/* Is the table at `index` (positive) one that scripts must not change: a proxy before a library? */
bool script_readonly(lua_State *L, int index);

/* How many steps a loop makes between two checks: some ten microseconds of work. */
enum { LIB_STEPS = 4096 };

/* Every loop whose length a script decides passes here, with a counter of its own. */
static inline void lib_steps(lua_State *L, unsigned *steps, size_t n)
{
    if (n < LIB_STEPS - *steps) {
        *steps += (unsigned)n;
        return;
    }
    *steps = 0;
    script_check(L);
}

static inline void lib_step(lua_State *L, unsigned *steps)
{
    lib_steps(L, steps, 1);
}

#endif
