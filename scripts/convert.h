/*
 * Values across the border: a command's reply into Lua, a script's result out of it. Both
 * run in functions whose environment is the table of konsts (see state.h), and raise Lua errors.
 */
#ifndef SCRIPTS_CONVERT_H
#define SCRIPTS_CONVERT_H

#include "scripts/state.h"

/* Pushes the one value on the tape. With `resp` 2 it looks as RESP2 would have carried it; with 3,
 * types that Lua lacks arrive as tables: {map=}, {set=}, {double=}, ... */
void convert_push(lua_State *L, const struct tape *t, int resp);

/* Pushes an error table. `text` is a code and a message ("ERR no such key"); without a blank in it
 * the code is ERR. */
void convert_push_error(lua_State *L, struct bytes text);

/* Turns the value at the top of the stack into the host's answer, and pops it. */
void convert_answer(lua_State *L, struct script_host *h);

#endif
