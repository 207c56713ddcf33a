/*
 * JSON for scripts: the settings that both directions share. lib_cjson.c holds the settings and the
 * library table, cjson_encode.c and cjson_decode.c the work.
 */
#ifndef SCRIPTS_CJSON_H
#define SCRIPTS_CJSON_H

#include <lua.h>
#include <stdbool.h>

/* Scripts may raise the depth limits; this one protects the C stack and stays. */
enum { CJSON_MAX_DEPTH = 3000 };

enum cjson_invalid { CJSON_INVALID_REFUSE, CJSON_INVALID_ALLOW, CJSON_INVALID_NULL };

struct cjson_settings {
    bool changed; /* anything below is not as in cjson_defaults */
    int sparse_convert, sparse_ratio, sparse_safe;
    int encode_depth, decode_depth;
    int precision;
    int keep_buffer; /* accepted and answered, but buffers are never kept */
    int encode_invalid, decode_invalid;
};

/* The Lua functions; their first upvalue is a struct cjson_settings. */
int cjson_encode(lua_State *L);
int cjson_decode(lua_State *L);

#endif
