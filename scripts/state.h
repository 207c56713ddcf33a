/*
 * What the parts of the host share: the interpreter and the run that is under way. Private to
 * scripts/. The host is also the interpreter's allocator, so every C function finds it from its
 * lua_State with host_of, without a look-up.
 */
#ifndef SCRIPTS_STATE_H
#define SCRIPTS_STATE_H

#include "resp/tape.h"
#include "scripts/cache.h"
#include "scripts/libs.h"
#include "scripts/pool.h"

#include <lua.h>

/*
 * Values that our C functions need often live in one table at fixed positions, and that table is
 * the environment of these functions: lua_rawgeti(L, LUA_ENVIRONINDEX, K_ERR) gives the string
 * "err" without hashing it. Scripts have no way to a function's environment.
 */
enum konst {
    K_ERR = 1,
    K_OK,
    K_DOUBLE,
    K_BIG_NUMBER,
    K_VERBATIM,
    K_MAP,
    K_SET,
    K_FORMAT,
    K_STRING,
    K_COUNTED, /* "ignore_error_stats_update" */
    K_KEYS,
    K_ARGV,
    K_GLOBALS,       /* the table of globals behind the scripts' environment */
    K_PLAIN_GLOBALS, /* the same for scripts that cannot change a table */
    K_KEYS_KEPT,     /* the tables that KEYS and ARGV were in the last run */
    K_ARGV_KEPT,
    K_NAMES = 20, /* from here on, the command names of host.names */
};

enum { NAME_SLOTS = 128, NAME_SHIFT = 64 - 7 };

/* A command name that was resolved before. The string is held at K_NAMES + its slot, so as long as
 * the slot has it, its address stands for its text. */
struct name_slot {
    const char *text;
    const void *command;
};

#define NOT_KEPT SIZE_MAX

struct script_host {
    const struct script_ops *ops;
    struct script_limits limits;
    char *version;
    uint32_t version_num;
    struct cache cache;

    /* the interpreter; all of it is replaced by host_reopen */
    lua_State *L;
    struct pool pool;
    struct cjson_settings *cjson;
    struct name_slot names[NAME_SLOTS];
    size_t kept_keys, kept_args; /* elements of the kept KEYS and ARGV, or NOT_KEPT */
    size_t live;                 /* heap in use after the last whole collection */
    size_t pressure; /* heap in use at which a run must do something about its garbage */
    bool collecting; /* a collection is under way, and goes on a little after each run */
    bool relieved;   /* the collector is on in this run */
    bool crowded;    /* a full collection is wanted at the next hook */
    bool hooked;     /* the main thread has the count hook */
    bool worn;       /* to be replaced before the next use */

    /* the run */
    const struct script *script; /* NULL: none */
    const struct script_run *run;
    lua_State *current;          /* the coroutine that runs */
    enum script_verdict stopped; /* once set, every protected call raises again */
    char stopped_at[96];         /* " script: ..., on ...:1." */
    bool failed, counted;        /* the answer is an error; a command has already counted it */
    int resp;
    unsigned calls;
    size_t largest; /* block that was asked for */
    uint64_t random;
    struct tape tape;   /* the reply of a command on its way in */
    struct tape answer; /* the script's own, on its way out */
};

static inline struct script_host *host_of(lua_State *L)
{
    void *h;
    lua_getallocf(L, &h);
    return h;
}

/* sandbox.c: everything a script can see, built in a fresh interpreter. Called by lua_cpcall. */
int sandbox_open(lua_State *L);

/* lib_base.c, lib_coroutine.c, lib_math.c, lib_redis.c: as in libs.h, a plain table each. */
void lib_base_open(lua_State *L);
void lib_coroutine_open(lua_State *L);
void lib_math_open(lua_State *L);
void lib_os_open(lua_State *L);
void lib_redis_open(lua_State *L);

void math_seed(struct script_host *h, int32_t seed);

/* If the value at `index` is a read-only view of a table: true, with the table behind it pushed. */
bool sandbox_behind(lua_State *L, int index);

/* What getmetatable shows of a value whose real metatable is ours: true, with it pushed. */
bool sandbox_metatable(lua_State *L, int index);

/* Raises Redis's error for a change to such a table. */
int sandbox_refuse(lua_State *L);

/* watch.c: keeping a running script within its bounds. */
void watch_init(struct script_host *h);
void watch_begin(struct script_host *h, bool loops); /* before a run that may, or may not, last */
void *watch_alloc(void *ud, void *block, size_t old, size_t want);
void watch_rest(struct script_host *h, bool all); /* after a run: collects a little, or all */

/* Compiles text that stays on the stack at `text` (a string), from byte `skip` on, under the
 * name at `name`. As luaL_loadbuffer, but never a binary chunk. */
int host_compile(lua_State *L, int text, size_t skip, int name);

#endif
