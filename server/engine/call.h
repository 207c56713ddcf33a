/*
 * One execution of one command, and the helpers that handlers are written with.
 *
 * A handler reads its arguments, looks, decides, edits, commits, replies, in this order. A helper
 * that returns false has already replied with the error.
 */
#ifndef SERVER_ENGINE_CALL_H
#define SERVER_ENGINE_CALL_H

#include "server/engine/engine.h"
#include "server/engine/errors.h"
#include "server/engine/registry.h"
#include "server/engine/session.h"
#include "store/keys.h"

enum call_flag {
    CALL_SCRIPT = 1,    /* from redis.call */
    CALL_EXEC = 2,      /* from EXEC */
    CALL_RETRY = 4,     /* a blocked command is tried again */
    CALL_TIMED_OUT = 8, /* and for the last time */
    CALL_BUSY = 16,     /* while a script of another session runs */
};

struct call {
    struct engine *engine;
    struct session *session;
    const struct command *cmd;
    const struct bytes *argv;
    size_t argc;
    struct reply *reply;
    struct keys *keys;  /* the session's database */
    int64_t now;        /* ms */
    unsigned flags;     /* enum call_flag */
    int resp;           /* shape of the reply: 2 or 3 */
    bool error_counted; /* its error is that of a call it made, which has been counted */
    uint64_t redacted;  /* one bit for each argument that nobody else may see */
};

/* Runs the command named by argv through all checks; exactly one value goes to c->reply. Used by
 * sockets, EXEC and scripts alike. Fields `cmd` and `keys` are filled in here. */
void call_run(struct call *c);

/* The part of it behind the checks: `cmd` and `keys` are set, and the command may run. */
void call_handle(struct call *c);

/* The other way: an error went to c->reply instead, which held `errors` of them before. */
void call_rejected(struct call *c, unsigned errors);

/* It has run and took that long, which is for SLOWLOG, for LATENCY or for both. */
void call_was_slow(const struct call *c, int64_t us);

/* Arguments. */
bool call_int(struct call *c, size_t i,
              int64_t *out); /* "ERR value is not an integer or out of range" */
bool call_int_in(struct call *c, size_t i, int64_t min, int64_t max, const char *error,
                 int64_t *out);
bool call_cursor(struct call *c, size_t i, uint32_t *out); /* of SCAN and its relatives */
bool call_real(struct call *c, size_t i, double *out);     /* "ERR value is not a valid float" */

static inline bool call_arg_is(const struct call *c, size_t i, struct bytes word)
{
    return i < c->argc && bytes_ieq(c->argv[i], word);
}

/* Looks up the key in argument i. True with *out NULL when there is none; false, after WRONGTYPE,
 * when it holds another type. Counts a hit or miss for a reading command. */
bool call_find(struct call *c, size_t i, enum value_type type, struct entry **out);
struct entry *call_find_any(struct call *c, size_t i); /* any type */
struct entry *call_peek(struct call *c, size_t i);     /* the same, but not a use of the key */

/* Sets memory aside for all that may be kept of the arguments from `i` on and for `more` bytes, so
 * that a command that changes much cannot run out in the middle. False after an error. */
bool call_reserve(struct call *c, size_t i, size_t more);

/* Opens the bracket: on `found`, or on a new entry named by argument i when that is NULL. NULL,
 * after an error, when memory is out. */
struct entry *call_edit(struct call *c, size_t i, enum value_type type, struct entry *found,
                        size_t room);

/* Argument i is a secret: MONITOR and SLOWLOG show "(redacted)" in its place. Those past the 64th
 * are never shown at all once one of them is secret. */
static inline void call_redact(struct call *c, size_t i)
{
    c->redacted |= UINT64_C(1) << (i < 63 ? i : 63);
}

static inline bool call_redacted(const struct call *c, size_t i)
{
    return c->redacted >> (i < 63 ? i : 63) & 1;
}

/* An error reply that several handlers give. */
void call_syntax_error(struct call *c);
void call_out_of_memory(struct call *c);
void call_wrong_arity(struct call *c);

/* For a container command without a subcommand of that name. */
void call_unknown_subcommand(struct call *c);

/* For a subcommand that has too many arguments, where its arity does not say so. */
void call_wrong_subcommand(struct call *c);

/* The handler of every HELP subcommand: lists the container's subcommands from their rows. */
void call_help(struct call *c);

/* The wall clock, in microseconds; the same for the whole command, script or transaction. */
int64_t call_wall_us(struct call *c);

/* The deadline that argument i gives, after the fashion of SET and EXPIRE. False after an error:
 * it is no number, or one out of range. */
enum deadline_flag {
    DEADLINE_SECONDS = 1,  /* milliseconds otherwise */
    DEADLINE_ABSOLUTE = 2, /* since 1970, not from now on */
    DEADLINE_AHEAD = 4,    /* above 0 only */
};
bool call_deadline(struct call *c, size_t i, unsigned flags, int64_t *at);

#endif
