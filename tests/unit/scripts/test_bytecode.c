/* What is said of scripts from their instructions: too much is a pity, too little is a hole. */
#include "scripts/bytecode.h"
#include "tests/lib/test.h"

#include <lauxlib.h>
#include <stdio.h>

static unsigned traits(const char *script)
{
    lua_State *L = luaL_newstate();
    assert_int_equal(luaL_loadstring(L, script), 0);
    unsigned t = bytecode_traits(L);
    assert_int_equal(lua_gettop(L), 1);
    lua_close(L);
    return t;
}

TEST(bytecode, lock_scripts_are_innocent)
{
    static const char *const scripts[] = {
        "return 1",
        "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else "
        "return "
        "0 end",
        "local v = tonumber(redis.call('hincrby', KEYS[1], ARGV[1], -1)) if v > 0 then return v "
        "end "
        "redis.call('del', KEYS[1]) return {v, 'x' .. tostring(v), math.max(v, 1)}",
        "return {pcall(redis.call, unpack(ARGV))}",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        assert_int_equal(traits(scripts[i]), 0);
}

TEST(bytecode, what_could_do_more_is_seen)
{
    assert_int_equal(traits("for i = 1, 2 do end"), BYTECODE_LOOPS);
    assert_int_equal(traits("for k in pairs(KEYS) do end"), BYTECODE_LOOPS);
    assert_int_equal(traits("while KEYS do end"), BYTECODE_LOOPS);
    assert_int_equal(traits("repeat local x = 1 until x"), BYTECODE_LOOPS);
    assert_int_equal(traits("local function f() return f() end"), BYTECODE_LOOPS);
    assert_int_equal(traits("KEYS[1] = nil"), BYTECODE_CHANGES_TABLES);
    assert_int_equal(traits("local t = {} t.x = 1"), BYTECODE_CHANGES_TABLES);
    assert_int_equal(traits("x = 1"), BYTECODE_SETS_GLOBALS | BYTECODE_CHANGES_TABLES);
    assert_int_equal(traits("local f = function() return function() x = 1 end end"),
                     BYTECODE_ANYTHING);
    static const char *const globals[] = {"rawset",       "setmetatable", "table",      "_G",
                                          "getmetatable", "load",         "loadstring", "coroutine",
                                          "xpcall",       "unknown"};
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
        char script[64];
        snprintf(script, sizeof script, "return %s", globals[i]);
        assert_int_equal(traits(script), BYTECODE_CHANGES_TABLES | BYTECODE_LOOPS);
    }
}

TEST(bytecode, too_many_constants_are_not_followed)
{
    char script[2048] = "local a", *at = script + 7;
    for (int i = 0; i < 100; i++)
        at += snprintf(at, 16, " a=%d.5", i);
    snprintf(at, 32, " return redis");
    assert_int_equal(traits(script), BYTECODE_CHANGES_TABLES | BYTECODE_LOOPS);
}
