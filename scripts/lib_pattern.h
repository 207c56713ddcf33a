/* Lua patterns: the half of the string library that searches. */
#ifndef SCRIPTS_LIB_PATTERN_H
#define SCRIPTS_LIB_PATTERN_H

#include <lua.h>

int pattern_find(lua_State *L);
int pattern_match(lua_State *L);
int pattern_gmatch(lua_State *L);
int pattern_gsub(lua_State *L);

#endif
