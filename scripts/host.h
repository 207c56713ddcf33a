/*
 * The script host: compiled scripts, the sandbox they run in, and the door through which their
 * commands leave. This header is all that the engine sees of Lua.
 *
 * A host belongs to one engine and holds one interpreter. Nothing survives from one run to the next
 * except what the commands did. The interpreter's heap is capped; a script that passes the cap, the
 * time limit or the C-stack limit gets an error, and the host goes on.
 *
 * Re-entrancy: while script_run is under way the host calls back through `script_ops`. A callback
 * may call script_stats, and nothing else of this header: EVAL from inside a script is for the
 * engine to refuse, as is SCRIPT LOAD or FLUSH from a client that is served while a script is busy.
 */
#ifndef SCRIPTS_HOST_H
#define SCRIPTS_HOST_H

#include "base/log.h"
#include "resp/reply.h"

struct script_host;
struct script;

#define SCRIPT_SHA_LEN 40

/* What the `#!lua flags=...` line asks for. Without such a line only SCRIPT_COMPAT is set, and the
 * engine applies the old rules: each command is checked when it is called, not the script before.
 */
enum script_flag {
    SCRIPT_NO_WRITES = 1,
    SCRIPT_ALLOW_OOM = 2,
    SCRIPT_ALLOW_STALE = 4,
    SCRIPT_NO_CLUSTER = 8,
    SCRIPT_ALLOW_CROSS_SLOT = 16,
    SCRIPT_COMPAT = 32,
};

/* One command on its way out of a script. The slices lie in Lua strings that stay alive and in
 * place until the callback returns. */
struct script_call {
    const void *command; /* what `resolve` said for argv[0]; NULL if it said NULL */
    const struct bytes *argv;
    size_t argc;         /* at least 1 */
    int resp;            /* 2, or 3 after redis.setresp(3): the shape the reply should have */
    struct reply *reply; /* takes exactly one value */
};

enum script_verdict {
    SCRIPT_GO_ON,
    SCRIPT_KILL,    /* SCRIPT KILL, or the server is going down */
    SCRIPT_TIME_UP, /* script-time-limit */
};

/*
 * What a running script asks of the engine. `ctx` is the one given to script_run.
 *
 * None of these is called with Lua in a state that could jump out of it: the arguments were
 * collected before, and the reply is turned into Lua values afterwards. So a handler may leave
 * keys and replies half-way through as it likes while it runs, and Lua running out of memory never
 * interrupts one.
 */
struct script_ops {
    /* The engine's own notion of a command, in any case of letters; NULL for an unknown one. It is
     * remembered for the lifetime of the host when it is not NULL, so it depends on nothing but the
     * name. */
    const void *(*resolve)(void *ctx, struct bytes name);

    /* Runs a command. Whether it is allowed in this script is decided here too, with an error as
     * the reply when it is not. */
    void (*call)(void *ctx, const struct script_call *c);

    /* Asked every few thousand steps of whatever kind, also inside long library functions: may the
     * script go on? This is where the clock is read and, past the threshold, other clients are
     * served. A verdict other than SCRIPT_GO_ON is final: the script cannot catch it. */
    enum script_verdict (*check)(void *ctx);

    /* redis.log. */
    void (*log)(void *ctx, enum log_level level, struct bytes text);

    /* os.clock, in seconds. */
    double (*clock)(void *ctx);

    /* redis.acl_check_cmd: 1 allowed, 0 denied, -1 no such command. */
    int (*acl_check)(void *ctx, const struct bytes *argv, size_t argc);
};

struct script_limits {
    size_t memory; /* script-memory-limit: bytes of Lua heap, and again of all scripts' texts */
    size_t body;   /* longest script text, in EVAL as in load() */
    size_t cached; /* scripts that EVAL may leave behind; the least recently used goes first */
};

struct script_options {
    const struct script_ops *ops; /* borrowed for the lifetime of the host */
    struct script_limits limits;
    const char *version;  /* redis.REDIS_VERSION: "7.4.2" */
    uint64_t seed;        /* of the hash over script texts */
    uint32_t version_num; /* redis.REDIS_VERSION_NUM: 0x00070402 */
};

struct script_host *script_host_new(const struct script_options *options);
void script_host_free(struct script_host *h);
void script_host_limit(struct script_host *h, const struct script_limits *limits);

/*
 * Finding and loading. A script returned from here is valid until the next script_load or
 * script_flush; fetch it anew for every command.
 *
 * script_load compiles a text, or finds the script that has the same text (by XXH3, without a
 * SHA-1). NULL after `err` has been given the error, in Redis's words. `keep` makes it permanent,
 * as SCRIPT LOAD does; otherwise it may be dropped for newer ones.
 */
const struct script *script_load(struct script_host *h, struct bytes body, bool keep,
                                 struct reply *err);

/* By the 40 hexadecimal digits in either case; NULL when it is not there. script_find counts as a
 * use, script_exists does not. */
const struct script *script_find(struct script_host *h, struct bytes sha);
bool script_exists(const struct script_host *h, struct bytes sha);

/* Forgets all scripts and begins with a fresh interpreter. */
void script_flush(struct script_host *h);

unsigned script_flags(const struct script *s);
struct bytes script_sha(const struct script *s); /* 40 lower-case digits */

struct script_run {
    const struct bytes *keys, *args; /* copied into Lua before anything runs */
    size_t nkeys, nargs;
    void *ctx; /* handed to the callbacks */
};

/* Runs a script and says exactly one value to `out`: its result, or the error that ended it. False
 * when it was an error that no command inside has already answered with, so that the engine can
 * count errors once. */
bool script_run(struct script_host *h, const struct script *s, const struct script_run *run,
                struct reply *out);

struct script_stats {
    size_t scripts;       /* number_of_cached_scripts */
    size_t scripts_bytes; /* texts and our own bookkeeping */
    size_t heap_bytes;    /* used_memory_vm_eval */
    uint64_t evicted;     /* evicted_scripts */
};

struct script_stats script_stats(const struct script_host *h);

#endif
