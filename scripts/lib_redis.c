/* The `redis` table: commands, and the little else that Redis offers to scripts. */
#include "base/num.h"
#include "scripts/convert.h"
#include "scripts/state.h"

#include <lauxlib.h>

/* How many arguments fit without an allocation, and how many commands run between two checks. */
enum { FEW_ARGS = 16, CALLS_PER_CHECK = 64 };

static void push_error(lua_State *L, const char *text)
{
    lua_createtable(L, 0, 1);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_ERR);
    lua_pushfstring(L, "ERR %s", text);
    lua_rawset(L, -3);
}

static int raise_error(lua_State *L, const char *text)
{
    push_error(L, text);
    return lua_error(L);
}

/* ---- commands ---- */

struct args {
    struct bytes *argv;
    char (*numbers)[NUM_F64_MAX];
    struct bytes few[FEW_ARGS];
    char few_numbers[FEW_ARGS][NUM_F64_MAX];
};

/* Whole numbers are printed as such, others in their shortest form. */
static struct bytes number_text(char out[NUM_F64_MAX], double v)
{
    bool whole =
        v >= -4611686018427387904.0 && v <= 4611686018427387904.0 && (double)(int64_t)v == v;
    return (struct bytes){out, whole ? num_format_i64(out, (int64_t)v) : num_format_f64(out, v)};
}

/* Collects the arguments on the stack as slices of the strings there. What is wrong, or NULL. */
static const char *collect_args(lua_State *L, struct args *a, int argc)
{
    if (argc == 0)
        return "Please specify at least one argument for this redis lib call";
    a->argv = a->few;
    a->numbers = a->few_numbers;
    if (argc > FEW_ARGS) {
        a->argv = lua_newuserdata(L, (size_t)argc * (sizeof *a->argv + sizeof *a->numbers));
        a->numbers = (void *)(a->argv + argc);
    }
    for (int i = 0; i < argc; i++) {
        int type = lua_type(L, i + 1);
        if (type == LUA_TSTRING)
            a->argv[i].p = lua_tolstring(L, i + 1, &a->argv[i].n);
        else if (type == LUA_TNUMBER)
            a->argv[i] = number_text(a->numbers[i], lua_tonumber(L, i + 1));
        else
            return "Lua redis lib command arguments must be strings or integers";
    }
    return NULL;
}

/* A name may be in two slots; a third one that wants them turns one out. */
static void remember(lua_State *L, struct script_host *h, size_t slot, struct name_slot new)
{
    if (h->names[slot].text && h->names[slot ^ 1].text == NULL)
        slot ^= 1;
    lua_pushvalue(L, 1);
    lua_rawseti(L, LUA_ENVIRONINDEX, K_NAMES + (int)slot);
    h->names[slot] = new;
}

/* The engine's command for the name at stack position 1, remembered by the address of the string.
 */
static const void *find_command(lua_State *L, struct script_host *h, struct bytes name)
{
    size_t slot = (uintptr_t)name.p * 0x9e3779b97f4a7c15ULL >> NAME_SHIFT;
    if (h->names[slot].text == name.p)
        return h->names[slot].command;
    if (h->names[slot ^ 1].text == name.p)
        return h->names[slot ^ 1].command;
    const void *command = h->ops->resolve(h->run->ctx, name);
    if (command && lua_type(L, 1) == LUA_TSTRING)
        remember(L, h, slot, (struct name_slot){name.p, command});
    return command;
}

static int run_command(lua_State *L, bool raise)
{
    struct script_host *h = host_of(L);
    struct args args;
    int argc = lua_gettop(L);
    const char *wrong = collect_args(L, &args, argc);
    if (wrong) {
        push_error(L, wrong);
        return raise ? lua_error(L) : 1;
    }
    if (++h->calls % CALLS_PER_CHECK == 0)
        script_check(L);

    tape_reset(&h->tape);
    h->ops->call(h->run->ctx, &(struct script_call){
                                  .command = find_command(L, h, args.argv[0]),
                                  .argv = args.argv,
                                  .argc = (size_t)argc,
                                  .resp = h->resp,
                                  .reply = &h->tape.reply,
                              });
    bool failed = h->tape.reply.lost || h->tape.nodes->kind == TAPE_ERROR;
    if (h->tape.reply.lost)
        convert_push_error(L, BYTES("OOM command not allowed when used memory > 'maxmemory'."));
    else
        convert_push(L, &h->tape, h->resp);
    return raise && failed ? lua_error(L) : 1;
}

static int redis_call(lua_State *L)
{
    return run_command(L, true);
}

static int redis_pcall(lua_State *L)
{
    return run_command(L, false);
}

static int redis_acl_check_cmd(lua_State *L)
{
    struct script_host *h = host_of(L);
    struct args args;
    int argc = lua_gettop(L);
    const char *wrong = collect_args(L, &args, argc);
    if (wrong)
        return raise_error(L, wrong);
    int allowed = h->ops->acl_check(h->run->ctx, args.argv, (size_t)argc);
    if (allowed < 0)
        return raise_error(L, "Invalid command passed to redis.acl_check_cmd()");
    lua_pushboolean(L, allowed);
    return 1;
}

/* ---- replies made by hand ---- */

static bool one_string(lua_State *L)
{
    return lua_gettop(L) == 1 && lua_type(L, 1) == LUA_TSTRING;
}

static int redis_error_reply(lua_State *L)
{
    if (!one_string(L)) {
        push_error(L, "wrong number or type of arguments");
        return 1;
    }
    struct bytes text = bytes_of(lua_tostring(L, 1));
    if (text.n && *text.p == '-')
        text = (struct bytes){text.p + 1, text.n - 1};
    convert_push_error(L, text);
    return 1;
}

static int redis_status_reply(lua_State *L)
{
    if (!one_string(L)) {
        push_error(L, "wrong number or type of arguments");
        return 1;
    }
    lua_createtable(L, 0, 1);
    lua_rawgeti(L, LUA_ENVIRONINDEX, K_OK);
    lua_pushvalue(L, 1);
    lua_rawset(L, -3);
    return 1;
}

/* ---- the rest ---- */

static int redis_sha1hex(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "wrong number of arguments");
    script_check(L);
    char sha[SCRIPT_SHA_LEN];
    struct bytes text = {"", 0};
    if (lua_isstring(L, 1))
        text.p = lua_tolstring(L, 1, &text.n);
    cache_sha(text, sha);
    lua_pushlstring(L, sha, sizeof sha);
    return 1;
}

static int redis_setresp(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "redis.setresp() requires one argument.");
    lua_Number version = lua_tonumber(L, 1);
    if (!(version >= 2 && version < 4))
        return raise_error(L, "RESP version must be 2 or 3.");
    host_of(L)->resp = (int)version;
    return 0;
}

static int redis_log(lua_State *L)
{
    struct script_host *h = host_of(L);
    int argc = lua_gettop(L);
    if (argc < 2)
        return raise_error(L, "redis.log() requires two arguments or more.");
    if (!lua_isnumber(L, 1))
        return raise_error(L, "First argument must be a number (log level).");
    lua_Number level = lua_tonumber(L, 1);
    if (!(level > LOG_DEBUG - 1 && level < LOG_WARNING + 1))
        return raise_error(L, "Invalid debug level.");

    lua_pushliteral(L, "");
    for (int i = 2; i <= argc; i++) {
        if (!lua_isstring(L, i))
            continue;
        if (i > 2)
            lua_pushliteral(L, " ");
        lua_pushvalue(L, i);
        lua_concat(L, i > 2 ? 3 : 2);
    }
    struct bytes text;
    text.p = lua_tolstring(L, -1, &text.n);
    h->ops->log(h->run->ctx, (enum log_level)level, text);
    return 0;
}

enum { REPL_NONE = 0, REPL_AOF = 1, REPL_REPLICA = 2, REPL_ALL = 3 };

/* There is nothing to replicate in parts, so the choice is only checked. */
static int redis_set_repl(lua_State *L)
{
    if (lua_gettop(L) != 1)
        return raise_error(L, "redis.set_repl() requires two arguments.");
    lua_Number flags = lua_tonumber(L, 1);
    if (!(flags > REPL_NONE - 1 && flags < REPL_ALL + 1))
        return raise_error(L, "Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or "
                              "REPL_NONE.");
    return 0;
}

static int redis_replicate_commands(lua_State *L)
{
    lua_pushboolean(L, 1);
    return 1;
}

static int redis_breakpoint(lua_State *L)
{
    lua_pushboolean(L, 0);
    return 1;
}

static int redis_debug(lua_State *L)
{
    (void)L;
    return 0;
}

static const luaL_Reg functions[] = {
    {"call", redis_call},
    {"pcall", redis_pcall},
    {"error_reply", redis_error_reply},
    {"status_reply", redis_status_reply},
    {"sha1hex", redis_sha1hex},
    {"setresp", redis_setresp},
    {"log", redis_log},
    {"set_repl", redis_set_repl},
    {"replicate_commands", redis_replicate_commands},
    {"breakpoint", redis_breakpoint},
    {"debug", redis_debug},
    {"acl_check_cmd", redis_acl_check_cmd},
    {NULL, NULL},
};

static const struct {
    const char *name;
    int value;
} numbers[] = {
    {"LOG_DEBUG", LOG_DEBUG},     {"LOG_VERBOSE", LOG_VERBOSE},   {"LOG_NOTICE", LOG_NOTICE},
    {"LOG_WARNING", LOG_WARNING}, {"REPL_NONE", REPL_NONE},       {"REPL_AOF", REPL_AOF},
    {"REPL_SLAVE", REPL_REPLICA}, {"REPL_REPLICA", REPL_REPLICA}, {"REPL_ALL", REPL_ALL},
};

void lib_redis_open(lua_State *L)
{
    struct script_host *h = host_of(L);
    lua_newtable(L);
    luaL_register(L, NULL, functions);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
    lua_pushstring(L, h->version);
    lua_setfield(L, -2, "REDIS_VERSION");
    lua_pushinteger(L, (lua_Integer)h->version_num);
    lua_setfield(L, -2, "REDIS_VERSION_NUM");
}
