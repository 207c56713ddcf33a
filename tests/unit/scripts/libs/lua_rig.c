#include "tests/unit/scripts/libs/lua_rig.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

static struct lua_rig *rig_of(lua_State *L)
{
    void *ctx;
    lua_getallocf(L, &ctx);
    return ctx;
}

void script_check(lua_State *L)
{
    struct lua_rig *r = rig_of(L);
    if (++r->checks == r->stop_at)
        luaL_error(L, "stopped");
}

/* A table that says so. */
bool script_readonly(lua_State *L, int index)
{
    lua_pushliteral(L, "readonly");
    lua_rawget(L, index);
    bool is_readonly = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_readonly;
}

static void *allocate(void *ctx, void *p, size_t old, size_t n)
{
    struct lua_rig *r = ctx;
    if (n == 0) {
        r->used -= old;
        free(p);
        return NULL;
    }
    if (n > old) {
        r->allocations++;
        bool fails = r->fail_at && (r->allocations == r->fail_at ||
                                    (r->fail_ever_after && r->allocations > r->fail_at));
        if (fails || (r->cap && r->used + (n - old) > r->cap)) {
            r->failures++;
            return NULL;
        }
    }
    p = realloc(p, n);
    assert_non_null(p);
    r->used += n - old;
    if (r->used > r->peak)
        r->peak = r->used;
    return p;
}

static int open_libraries(lua_State *L)
{
    struct lua_rig *r = rig_of(L);
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 0);
    lib_string_open(L);
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lua_setglobal(L, "string");
    lib_table_open(L);
    lua_setglobal(L, "table");
    lib_bit_open(L);
    lua_setglobal(L, "bit");
    lib_struct_open(L);
    lua_setglobal(L, "struct");
    lib_cmsgpack_open(L);
    lua_setglobal(L, "cmsgpack");
    r->cjson = lib_cjson_open(L);
    lua_setglobal(L, "cjson");
    return 0;
}

struct lua_rig *rig_open(void)
{
    struct lua_rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->L = lua_newstate(allocate, r);
    assert_non_null(r->L);
    assert_int_equal(lua_cpcall(r->L, open_libraries, NULL), 0);
    assert_int_equal(lua_gettop(r->L), 0);
    return r;
}

void rig_close(struct lua_rig *r)
{
    r->fail_at = 0;
    lua_close(r->L);
    assert_int_equal(r->used, 0);
    free(r);
}

/* Turns all values on the stack into one string. */
static int join(lua_State *L)
{
    int n = lua_gettop(L);
    lua_pushliteral(L, "");
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            lua_pushliteral(L, " ");
        lua_getglobal(L, "tostring");
        lua_pushvalue(L, i);
        lua_call(L, 1, 1);
        lua_concat(L, i > 1 ? 3 : 2);
    }
    return 1;
}

const char *rig_run(struct lua_rig *r, const char *chunk)
{
    lua_State *L = r->L;
    lua_settop(L, 0);
    int status = luaL_loadbuffer(L, chunk, strlen(chunk), "=test");
    if (status == 0)
        status = lua_pcall(L, 0, LUA_MULTRET, 0);
    r->fail_at = 0; /* what follows is the rig's own */
    if (status != 0) {
        lua_gc(L, LUA_GCCOLLECT, 0);
        const char *message = lua_tostring(L, -1);
        lua_pushfstring(L, "error: %s", message ? message : "(not a text)");
        return lua_tostring(L, -1);
    }
    lua_pushcfunction(L, join);
    lua_insert(L, 1);
    assert_int_equal(lua_pcall(L, lua_gettop(L) - 1, 1, 0), 0);
    return lua_tostring(L, -1);
}

void rig_answers(const struct rig_answer *list)
{
    for (; list->chunk; list++) {
        struct lua_rig *r = rig_open();
        const char *answer = rig_run(r, list->chunk);
        if (strcmp(answer, list->answer) != 0)
            print_error("%s\n  answered %s\n  expected %s\n", list->chunk, answer, list->answer);
        assert_string_equal(answer, list->answer);
        rig_close(r);
    }
}

void rig_stops(const char *chunk)
{
    struct lua_rig *r = rig_open();
    r->stop_at = 10;
    const char *answer = rig_run(r, chunk);
    if (!strstr(answer, "stopped"))
        print_error("%s\n  answered %s\n", chunk, answer);
    assert_non_null(strstr(answer, "stopped"));
    assert_int_equal(r->checks, 10);
    rig_close(r);
}
