/*
 * Keeping a running script within its bounds: time, memory, and the garbage it makes.
 *
 * Time. A count hook is armed for scripts that may run long, and stays armed from one to the next;
 * a new coroutine inherits it. Every HOOK_STEPS instructions, and inside long library
 * functions, the engine is asked whether the script may go on. When it may not, `stopped` is set
 * and an error is raised that nobody catches: our pcall, xpcall, resume and wrap raise it again.
 *
 * A thousand instructions may still be a lot of work when each joins strings of megabytes. The
 * allocator sees such strings come into being: it has the hook called after the very next
 * instruction, and from then on the more often the larger they are.
 *
 * Garbage. Lua's collector is switched off while a script runs; what scripts leave behind is
 * collected in small steps after each run, once there is more than SLACK of it. A run that makes a
 * few times SLACK switches the collector on; one that then still fills half of what is left gets a
 * full collection at the next hook, because Lua 5.1 does not collect when an allocation fails. An
 * interpreter that has become large and mostly empty, or full of compiled scripts, is thrown away
 * after the run: scripts are compiled again when they are next asked for.
 */
#include "scripts/state.h"

#include <stdint.h>
#include <stdio.h>

enum {
    HOOK_STEPS = 1000,
    FEWEST_STEPS = 10,
    LARGE = 256 * 1024,     /* an allocation that counts as much work */
    SLACK = 256 * 1024,     /* garbage that is not worth looking for */
    REST_KB = 8,            /* how much is collected after a run */
    KEEP = 8 * 1024 * 1024, /* an interpreter that takes more than this may be thrown away */
};

/* Where the script is, as Redis tells it; a C function stands for its caller. */
static void note_place(struct script_host *h, lua_State *L)
{
    lua_Debug ar;
    h->stopped_at[0] = '\0';
    for (int level = 0; level < 2; level++) {
        if (!lua_getstack(L, level, &ar))
            return;
        lua_getinfo(L, "Sl", &ar);
        if (*ar.what != 'C')
            break;
    }
    snprintf(h->stopped_at, sizeof h->stopped_at, " script: %.*s, on %.30s:%d.", SCRIPT_SHA_LEN,
             h->script->sha, ar.source, ar.currentline);
}

static void ask(lua_State *L, struct script_host *h)
{
    if (h->script == NULL)
        return; /* compiling, or being set up */
    if (h->stopped == SCRIPT_GO_ON) {
        h->stopped = h->ops->check(h->run->ctx);
        if (h->stopped == SCRIPT_GO_ON)
            return;
        note_place(h, L);
    }
    lua_pushnil(L);
    lua_error(L);
}

void script_check(lua_State *L)
{
    ask(L, host_of(L));
}

/* Half of what is left of the heap. */
static size_t half_way(const struct script_host *h)
{
    size_t used = h->pool.used, cap = h->pool.cap;
    return used < cap ? used + (cap - used) / 2 : SIZE_MAX;
}

/* Fewer steps where each may be as long as the largest thing there is to work on. */
static int hook_steps(const struct script_host *h)
{
    if (h->largest <= LARGE)
        return HOOK_STEPS;
    size_t steps = (size_t)HOOK_STEPS * LARGE / h->largest;
    return steps > FEWEST_STEPS ? (int)steps : FEWEST_STEPS;
}

static void hook(lua_State *L, lua_Debug *ar)
{
    (void)ar;
    struct script_host *h = host_of(L);
    int steps = hook_steps(h);
    if (lua_gethookcount(L) != steps)
        lua_sethook(L, hook, LUA_MASKCOUNT, steps);
    if (h->crowded) {
        h->crowded = false;
        lua_gc(L, LUA_GCCOLLECT, 0);
        h->live = h->pool.used;
        h->pressure = half_way(h);
    }
    ask(L, h);
}

/* lua_sethook and switching the collector on are the two things Lua allows from anywhere. */
static void hurry(struct script_host *h)
{
    if (h->current == NULL)
        return;
    lua_sethook(h->current, hook, LUA_MASKCOUNT, 1);
    h->hooked = true;
}

static void relieve(struct script_host *h)
{
    if (!h->relieved) {
        h->relieved = h->collecting = true;
        h->pressure = half_way(h);
        lua_gc(h->L, LUA_GCRESTART, 0);
    } else {
        h->crowded = true;
        h->pressure = SIZE_MAX;
        hurry(h);
    }
}

void *watch_alloc(void *ud, void *block, size_t old, size_t want)
{
    struct script_host *h = ud;
    void *p = pool_resize(&h->pool, block, old, want);
    if (__builtin_expect(h->pool.used > h->pressure, 0))
        relieve(h);
    if (__builtin_expect(want > LARGE, 0)) {
        if (want > h->largest)
            h->largest = want;
        hurry(h);
    }
    return p;
}

/* No ceiling in here: what a collection allocates for itself must not fail. */
static void collect(struct script_host *h, bool all)
{
    size_t cap = h->pool.cap;
    h->pool.cap = h->pressure = SIZE_MAX;
    if (all)
        lua_gc(h->L, LUA_GCCOLLECT, 0);
    h->collecting = !all && !lua_gc(h->L, LUA_GCSTEP, REST_KB);
    lua_gc(h->L, LUA_GCSTOP, 0);
    h->pool.cap = cap;
    if (!h->collecting)
        h->live = h->pool.used;
    h->relieved = h->crowded = false;
    h->pressure = h->live + (size_t)4 * SLACK;
}

void watch_rest(struct script_host *h, bool all)
{
    if (!all && !h->collecting && h->pool.used <= h->live + SLACK)
        return;
    collect(h, all);
    bool hollow = h->pool.held > KEEP && h->live < h->pool.held / 4;
    if (!h->collecting && (hollow || h->live > h->pool.cap / 2))
        h->worn = true;
}

void watch_init(struct script_host *h)
{
    collect(h, true);
    h->hooked = false;
}

void watch_begin(struct script_host *h, bool loops)
{
    if (h->hooked == loops)
        return;
    h->hooked = loops;
    lua_sethook(h->L, hook, loops ? LUA_MASKCOUNT : 0, HOOK_STEPS);
}
