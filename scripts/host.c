/*
 * A host is a cache of scripts and an interpreter that can be thrown away. The main thread's stack
 * holds two functions for good: the one that runs a script from arguments to answer, and the one
 * that turns an error into Redis's words. A run is one protected call of the first, with the second
 * as its error handler; so whatever Lua raises on the way, also for lack of memory, ends here.
 */
#include "scripts/host.h"

#include "base/mem.h"
#include "scripts/bytecode.h"
#include "scripts/convert.h"
#include "scripts/shebang.h"
#include "scripts/state.h"

#include <lauxlib.h>
#include <stdlib.h>

enum { SLOT_HANDLER = 1, SLOT_RUN, SLOTS = SLOT_RUN };

/* KEYS and ARGV of up to this length are kept for the next run. */
enum { KEPT_MAX = 16 };

#define NO_MEMORY BYTES("ERR Error compiling script (new function): not enough memory")

/* ---- running ---- */

/* Gives both tables of globals a new KEYS or ARGV, and pushes it. */
static void push_new_array(lua_State *L, enum konst name, size_t n)
{
    lua_createtable(L, (int)n, 0);
    for (int globals = K_GLOBALS; globals <= K_PLAIN_GLOBALS; globals++) {
        lua_rawgeti(L, LUA_ENVIRONINDEX, globals);
        lua_rawgeti(L, LUA_ENVIRONINDEX, name);
        lua_pushvalue(L, -3);
        lua_rawset(L, -3);
        lua_pop(L, 1);
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, LUA_ENVIRONINDEX, name == K_KEYS ? K_KEYS_KEPT : K_ARGV_KEPT);
}

/* `kept` is how many elements the table of the last run has, or NOT_KEPT. Nobody else can still
 * hold that table: what a script made is out of reach when it has ended. */
static void set_array(lua_State *L, enum konst name, size_t *kept, const struct bytes *values,
                      size_t n)
{
    size_t before = *kept;
    *kept = NOT_KEPT;
    if (before != NOT_KEPT && n <= KEPT_MAX)
        lua_rawgeti(L, LUA_ENVIRONINDEX, name == K_KEYS ? K_KEYS_KEPT : K_ARGV_KEPT);
    else
        push_new_array(L, name, n);
    for (size_t i = 0; i < n; i++) {
        lua_pushlstring(L, values[i].p, values[i].n);
        lua_rawseti(L, -2, (int)i + 1);
    }
    for (size_t i = n; before != NOT_KEPT && i < before; i++) {
        lua_pushnil(L);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_pop(L, 1);
    if (n <= KEPT_MAX)
        *kept = n;
}

static int run(lua_State *L)
{
    struct script_host *h = host_of(L);
    set_array(L, K_KEYS, &h->kept_keys, h->run->keys, h->run->nkeys);
    set_array(L, K_ARGV, &h->kept_args, h->run->args, h->run->nargs);
    if (h->script->traits & BYTECODE_CHANGES_TABLES)
        h->kept_keys = h->kept_args = NOT_KEPT;
    lua_rawgeti(L, LUA_REGISTRYINDEX, h->script->ref);
    lua_call(L, 0, 1);
    convert_answer(L, h);
    return 0;
}

/* Replaces the error at 1 with what it says. Only a table can carry its own error code. */
static void read_error(lua_State *L, struct script_host *h)
{
    if (lua_isstring(L, 1)) {
        lua_pushfstring(L, "ERR %s", lua_tostring(L, 1));
    } else if (lua_isnoneornil(L, 1)) {
        lua_pushliteral(L, "ERR nil");
    } else if (lua_isboolean(L, 1)) {
        lua_pushfstring(L, "ERR %s", lua_toboolean(L, 1) ? "true" : "false");
    } else if (!lua_istable(L, 1)) {
        lua_pushfstring(L, "ERR %s: %p", luaL_typename(L, 1), lua_topointer(L, 1));
    } else {
        lua_getfield(L, 1, "ignore_error_stats_update");
        h->counted = lua_isboolean(L, -1) && lua_toboolean(L, -1);
        lua_getfield(L, 1, "err");
        if (!lua_isstring(L, -1))
            lua_pushliteral(L, "ERR unknown error");
    }
    lua_replace(L, 1);
    lua_settop(L, 1);
}

/* The error handler: adds where it happened. An error in a C function is its caller's. */
static int explain(lua_State *L)
{
    struct script_host *h = host_of(L);
    if (h->stopped != SCRIPT_GO_ON)
        return 1;
    read_error(L, h);

    lua_Debug ar;
    if (!lua_getstack(L, 1, &ar))
        return 1;
    lua_getinfo(L, "Sl", &ar);
    if (*ar.what == 'C') {
        if (!lua_getstack(L, 2, &ar))
            return 1;
        lua_getinfo(L, "Sl", &ar);
    }
    lua_pushlstring(L, h->script->sha, SCRIPT_SHA_LEN);
    lua_pushfstring(L, "%s script: %s, on %s:%d.", lua_tostring(L, 1), lua_tostring(L, 2),
                    ar.source, ar.currentline);
    return 1;
}

/* ---- the interpreter ---- */

static void open_interpreter(struct script_host *h)
{
    pool_init(&h->pool, SIZE_MAX);
    h->pressure = SIZE_MAX;
    h->worn = false;
    memset(h->names, 0, sizeof h->names);
    h->kept_keys = h->kept_args = NOT_KEPT;
    h->L = lua_newstate(watch_alloc, h);
    if (h->L == NULL || lua_cpcall(h->L, sandbox_open, NULL) != 0)
        abort();
    lua_pushcfunction(h->L, explain);
    lua_pushcfunction(h->L, run);
    lua_getfield(h->L, LUA_REGISTRYINDEX, "konsts");
    lua_setfenv(h->L, SLOT_RUN);
    watch_init(h);
    h->pool.cap = h->limits.memory;
}

/* No lua_close: nothing in there needs to be told, and the pool is freed as a whole. */
static void reopen_interpreter(struct script_host *h)
{
    pool_drop(&h->pool);
    for (size_t i = 0; i < h->cache.buckets; i++)
        for (struct script *s = h->cache.by_sha[i]; s; s = s->next_by_sha)
            s->ref = 0;
    open_interpreter(h);
}

/* A command's reply is no use to a script whose heap it does not fit into. What comes several times
 * over is kept there once, so it may be longer than the heap, but not by much. */
static size_t longest_reply(const struct script_limits *limits)
{
    return limits->memory < SIZE_MAX / 4 ? 4 * limits->memory : SIZE_MAX;
}

struct script_host *script_host_new(const struct script_options *options)
{
    struct script_host *h = mem_alloc(sizeof *h);
    h->ops = options->ops;
    h->limits = options->limits;
    h->version = mem_strdup(options->version);
    h->version_num = options->version_num;
    cache_init(&h->cache, options->seed);
    tape_init(&h->tape);
    tape_init(&h->answer);
    h->tape.most = longest_reply(&h->limits);
    open_interpreter(h);
    return h;
}

void script_host_free(struct script_host *h)
{
    if (h == NULL)
        return;
    pool_drop(&h->pool);
    cache_free(&h->cache);
    tape_free(&h->tape);
    tape_free(&h->answer);
    mem_free(h->version);
    mem_free(h);
}

void script_host_limit(struct script_host *h, const struct script_limits *limits)
{
    h->limits = *limits;
    h->pool.cap = limits->memory;
    h->tape.most = longest_reply(limits);
}

/* ---- finding and loading ---- */

struct compiling {
    struct script *script;
    int status; /* of the compiler; it has its own protection */
};

static int compile(lua_State *L)
{
    struct compiling *c = lua_touserdata(L, 1);
    struct script *s = c->script;
    lua_pushlstring(L, s->body.p, s->body.n);
    lua_pushliteral(L, "@user_script");
    c->status = host_compile(L, 2, s->code, 3);
    if (c->status != 0)
        return lua_error(L);
    s->traits = bytecode_traits(L);
    if (!(s->traits & BYTECODE_SETS_GLOBALS)) {
        lua_getfield(L, LUA_REGISTRYINDEX, "konsts");
        lua_rawgeti(L, -1, s->traits & BYTECODE_CHANGES_TABLES ? K_GLOBALS : K_PLAIN_GLOBALS);
        lua_setfenv(L, -3);
        lua_pop(L, 1);
    }
    s->ref = luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

/* Leaves the message on the stack when it fails. */
static int try_compile(struct script_host *h, struct script *s)
{
    struct compiling c = {.script = s};
    int status = lua_cpcall(h->L, compile, &c);
    return c.status != 0 ? c.status : status;
}

/* When there is no room for it, all the others make room: they are compiled again when needed. */
static bool make_ready(struct script_host *h, struct script *s, struct reply *err)
{
    if (h->worn)
        reopen_interpreter(h);
    if (s->ref)
        return true;
    int status = try_compile(h, s);
    if (status == LUA_ERRMEM) {
        reopen_interpreter(h);
        status = try_compile(h, s);
    }
    if (status == 0)
        return true;
    reply_errorf(err, "ERR Error compiling script (new function): %s", lua_tostring(h->L, -1));
    lua_settop(h->L, SLOTS);
    watch_rest(h, true);
    return false;
}

/* Giving up a reference may take a few bytes, and must not fail. */
static void drop(struct script_host *h, struct script *s)
{
    if (s->ref) {
        h->pool.cap = SIZE_MAX;
        luaL_unref(h->L, LUA_REGISTRYINDEX, s->ref);
        h->pool.cap = h->limits.memory;
    }
    cache_remove(&h->cache, s);
}

static struct script *add(struct script_host *h, struct bytes body, struct reply *err)
{
    unsigned flags;
    size_t code;
    if (body.n > h->limits.body) {
        reply_errorf(err, "ERR Error compiling script (new function): longer than %zu bytes",
                     h->limits.body);
        return NULL;
    }
    if (!shebang_read(body, &flags, &code, err))
        return NULL;
    struct script *s = cache_add(&h->cache, body);
    if (s == NULL) {
        reply_error(err, NO_MEMORY);
        return NULL;
    }
    s->flags = flags;
    s->code = code;
    if (make_ready(h, s, err))
        return s;
    drop(h, s);
    return NULL;
}

static bool is_full(const struct script_host *h)
{
    return h->cache.bytes > h->limits.memory;
}

/* Drops what EVAL has left behind, but not `s`. */
static void shrink(struct script_host *h, const struct script *s)
{
    struct script *oldest;
    while ((oldest = cache_surplus(&h->cache, is_full(h) ? 0 : h->limits.cached)) && oldest != s) {
        drop(h, oldest);
        h->cache.evicted++;
    }
}

/* EVAL always finds room for its one script, however many SCRIPT LOAD has brought. */
const struct script *script_load(struct script_host *h, struct bytes body, bool keep,
                                 struct reply *err)
{
    struct script *s = cache_find_body(&h->cache, body);
    bool known = s != NULL;
    if (!known)
        s = add(h, body, err);
    if (s == NULL)
        return NULL;

    if (keep)
        cache_keep(&h->cache, s);
    else if (known)
        cache_use(&h->cache, s);
    else
        cache_recent(&h->cache, s);
    shrink(h, s);
    if (keep && is_full(h)) {
        drop(h, s);
        reply_error(err, NO_MEMORY);
        return NULL;
    }
    return s;
}

const struct script *script_find(struct script_host *h, struct bytes sha)
{
    struct script *s = cache_find_sha(&h->cache, sha);
    if (s)
        cache_use(&h->cache, s);
    return s;
}

bool script_exists(const struct script_host *h, struct bytes sha)
{
    return cache_find_sha(&h->cache, sha) != NULL;
}

void script_flush(struct script_host *h)
{
    uint64_t seed = h->cache.seed, evicted = h->cache.evicted;
    cache_free(&h->cache);
    cache_init(&h->cache, seed);
    h->cache.evicted = evicted;
    reopen_interpreter(h);
}

unsigned script_flags(const struct script *s)
{
    return s->flags;
}

struct bytes script_sha(const struct script *s)
{
    return (struct bytes){s->sha, SCRIPT_SHA_LEN};
}

/* ---- a run from the outside ---- */

static void begin(struct script_host *h, const struct script *s, const struct script_run *r)
{
    h->script = s;
    h->run = r;
    h->current = h->L;
    h->stopped = SCRIPT_GO_ON;
    h->failed = h->counted = false;
    h->resp = 2;
    h->largest = 0;
    math_seed(h, 0);
    watch_begin(h, s->traits & BYTECODE_LOOPS);
    tape_reset(&h->answer);
}

static void say_stopped(struct script_host *h, struct reply *out)
{
    const char *why = h->stopped == SCRIPT_KILL ? "Script killed by user with SCRIPT KILL..."
                                                : "Script ran longer than script-time-limit";
    reply_errorf(out, "ERR %s%s", why, h->stopped_at);
}

static void say_failed(struct script_host *h, int status, struct reply *out)
{
    const char *text = lua_tostring(h->L, -1);
    if (status == LUA_ERRRUN && text)
        reply_error(out, bytes_of(text));
    else
        reply_errorf(out, "ERR Error running script %.*s, %.100s", SCRIPT_SHA_LEN, h->script->sha,
                     text ? text : "execution failure");
}

static void end(struct script_host *h, int status)
{
    lua_settop(h->L, SLOTS);
    h->script = NULL;
    h->run = NULL;
    h->current = NULL;
    lib_cjson_reset(h->cjson);
    watch_rest(h, status == LUA_ERRMEM);
}

bool script_run(struct script_host *h, const struct script *s, const struct script_run *r,
                struct reply *out)
{
    if (!make_ready(h, (struct script *)s, out))
        return false;
    begin(h, s, r);
    lua_pushvalue(h->L, SLOT_RUN);
    int status = lua_pcall(h->L, 0, 0, SLOT_HANDLER);
    if (status == 0)
        tape_play(&h->answer, out);
    else if (h->stopped != SCRIPT_GO_ON)
        say_stopped(h, out);
    else
        say_failed(h, status, out);
    bool uncounted = (status != 0 || h->failed) && !h->counted;
    end(h, status);
    return !uncounted;
}

struct script_stats script_stats(const struct script_host *h)
{
    return (struct script_stats){
        .scripts = h->cache.n,
        .scripts_bytes = h->cache.bytes,
        .heap_bytes = h->pool.used,
        .evicted = h->cache.evicted,
    };
}
