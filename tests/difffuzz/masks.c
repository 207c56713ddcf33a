#include "tests/difffuzz/masks.h"

#include "base/num.h"
#include "tests/lib/answer.h"

#include <stdlib.h>

enum { NEVER = -1, OURS_ALONE = 100, ORACLE_VERSION = 700, TOLERANCE_MS = 5000 };

struct mask {
    const char *name; /* "client|": all its subcommands; "|help": of all containers */
    int how;          /* of enum check_kind, or NEVER: it is not said */
    const char *fields;
};

static const struct mask masks[] = {
    /* They end, stop or reconfigure the server under test. */
    {"shutdown", NEVER},
    {"debug", NEVER},
    {"config|rewrite", NEVER},
    {"config|resetstat", NEVER},
    {"client|pause", NEVER},
    {"client|kill", NEVER},
    {"client|reply", NEVER},
    {"client|unblock", NEVER},
    {"monitor", NEVER},
    {"failover", NEVER},
    {"replicaof", NEVER},
    {"slaveof", NEVER},
    {"psync", NEVER},
    {"sync", NEVER},
    {"replconf", NEVER},
    {"save", NEVER},
    {"bgsave", NEVER},
    {"bgrewriteaof", NEVER},
    {"migrate", NEVER},
    {"module|", NEVER},

    /* Counts keys that are past their deadline and were not looked at yet. */
    {"dbsize", CHECK_TYPE},

    /* What they tell is a matter of chance, of time or of the machine. */
    {"randomkey", CHECK_ANY},
    {"srandmember", CHECK_SIZE},
    {"hrandfield", CHECK_SIZE},
    {"zrandmember", CHECK_SIZE},
    {"acl|genpass", CHECK_TYPE},
    {"acl|log", CHECK_TYPE},
    {"time", CHECK_TYPE},
    {"lastsave", CHECK_TYPE},
    {"ttl", CHECK_TIME},
    {"pttl", CHECK_TIME},
    {"expiretime", CHECK_TIME},
    {"pexpiretime", CHECK_TIME},
    {"object|idletime", CHECK_TYPE},
    {"object|freq", CHECK_TYPE},
    {"memory|", CHECK_TYPE},
    {"latency|", CHECK_TYPE},
    {"slowlog|", CHECK_TYPE},
    {"info", CHECK_TYPE},
    {"hello", CHECK_TYPE},
    {"client|id", CHECK_TYPE},
    {"client|info", CHECK_TYPE},
    {"client|list", CHECK_TYPE},
    {"client|no-evict", CHECK_TYPE},
    {"client|caching", CHECK_TYPE},
    {"lolwut", CHECK_TYPE},

    /* We are newer and know other commands and options. */
    {"command", CHECK_TYPE},
    {"command|", CHECK_TYPE},
    {"config|", CHECK_TYPE},
    {"config|get", CHECK_UNORDERED},
    {"config|set", CHECK_EXACT},
    {"acl|cat", CHECK_TYPE},

    /* Since 7.2 rules for commands are told as they were given. */
    {"acl|list", CHECK_SIZE},
    {"acl|getuser", CHECK_FIELDS, "=keys,=channels,=passwords"},
    {"cluster|", CHECK_TYPE},

    /* Cursors have their own form, and since 7.4 a negative one is refused. */
    {"scan", CHECK_ANY},
    {"sscan", CHECK_ANY},
    {"hscan", CHECK_ANY},
    {"zscan", CHECK_ANY},

    /* The help texts are our own. */
    {"|help", CHECK_TYPE},

    /* The order of a hash table is nobody's promise. */
    {"keys", CHECK_UNORDERED},
    {"smembers", CHECK_UNORDERED},
    {"spop", CHECK_UNORDERED},
    {"sinter", CHECK_UNORDERED},
    {"sunion", CHECK_UNORDERED},
    {"sdiff", CHECK_UNORDERED},
    {"hgetall", CHECK_UNORDERED},
    {"hkeys", CHECK_UNORDERED},
    {"hvals", CHECK_UNORDERED},
    {"pubsub|channels", CHECK_UNORDERED},
    {"pubsub|shardchannels", CHECK_UNORDERED},
    {"unsubscribe", CHECK_TYPE},
    {"punsubscribe", CHECK_TYPE},
    {"sunsubscribe", CHECK_TYPE},
};

/* Replies that changed between the versions: ours and theirs. */
static const struct {
    const char *ours, *theirs;
} changed[] = {
    /* Since 7.2 a timeout that is no number of milliseconds is told from a negative one. */
    {"-ERR timeout is out of range\r\n", "-ERR timeout is negative\r\n"},
    /* Since 7.2 short lists and sets are kept in one piece. */
    {"$8\r\nlistpack\r\n", "$9\r\nquicklist\r\n"},
    {"$8\r\nlistpack\r\n", "$9\r\nhashtable\r\n"},
    /* Since 7.2 a log may say nothing. */
    {"-ERR CONFIG SET failed (possibly related to argument 'loglevel') - argument(s) must be one "
     "of "
     "the following: debug, verbose, notice, warning, nothing\r\n",
     "-ERR CONFIG SET failed (possibly related to argument 'loglevel') - argument(s) must be one "
     "of "
     "the following: debug, verbose, notice, warning\r\n"},
    /* Since 7.2 LPOS refuses a rank that has no opposite. */
    {"-ERR value is out of range, value must between -9223372036854775807 and "
     "9223372036854775807\r\n",
     "$-1\r\n"},
    {"-ERR value is out of range, value must between -9223372036854775807 and "
     "9223372036854775807\r\n",
     "_\r\n"},
    {"-ERR value is out of range, value must between -9223372036854775807 and "
     "9223372036854775807\r\n",
     "-ERR MAXLEN can't be negative\r\n"},
};

const char *const mask_options[] = {
    "IFEQ",      "IFNE", /* of SET: 8.4 */
    "WITHSCORE",         /* of ZRANK: 7.2 */
    "NOVALUES",          /* of HSCAN: 7.4 */
    "MAXAGE",    "NO",   /* of CLIENT KILL: 7.4 */
    "REDIRECT",  "ID",   /* name clients, whose numbers differ */
    NULL,
};

static const struct mask *find(const struct command *c)
{
    struct bytes name = bytes_of(command_full_name(c));
    const char *bar = memchr(name.p, '|', name.n);
    struct bytes container = {name.p, bar ? (size_t)(bar - name.p) + 1 : 0};
    struct bytes sub = {bar, bar ? (size_t)(name.p + name.n - bar) : 0};
    const struct mask *found = NULL;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct bytes row = bytes_of(masks[i].name);
        if (bytes_eq(row, name))
            return &masks[i];
        if (bar && (bytes_eq(row, container) || bytes_eq(row, sub)))
            found = &masks[i];
    }
    return found;
}

/* "7.0.0" as 700. */
static int version(const char *since)
{
    char *rest;
    long major = strtol(since ? since : "0", &rest, 10);
    return (int)(major * 100 + (*rest ? strtol(rest + 1, NULL, 10) : 0));
}

bool mask_allows(const struct command *c)
{
    const struct mask *m = find(c);
    int since = version(c->since);
    return since >= OURS_ALONE && since <= ORACLE_VERSION && (m == NULL || m->how != NEVER);
}

struct check mask_check(const struct command *c)
{
    const struct mask *m = find(c);
    return (struct check){.kind = m ? (enum check_kind)m->how : CHECK_EXACT,
                          .tolerance = TOLERANCE_MS,
                          .fields = bytes_of(m && m->fields ? m->fields : "")};
}

/* Since 7.2 a double is printed with the fewest digits that tell it, before with seventeen and an
 * exponent. */
static bool same_double(const struct answer *a, const struct answer *b)
{
    char ours[64], theirs[64], *end, *their_end;
    if (a->text.n >= sizeof ours || b->text.n >= sizeof theirs || a->text.n == 0 ||
        memchr(b->text.p, 'e', b->text.n) == NULL)
        return false;
    *bytes_copy(ours, a->text) = '\0';
    *bytes_copy(theirs, b->text) = '\0';
    return strtod(ours, &end) == strtod(theirs, &their_end) && *end == '\0' && *their_end == '\0';
}

static bool same_answer(const struct answer *a, const struct answer *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!same_answer(&a->items[i], &b->items[i]))
            return false;
    return answer_is_aggregate(a) || bytes_eq(a->text, b->text) || same_double(a, b);
}

bool mask_changed(struct bytes ours, struct bytes theirs)
{
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (bytes_eq(ours, bytes_of(changed[i].ours)) &&
            bytes_eq(theirs, bytes_of(changed[i].theirs)))
            return true;
    struct answer a, b;
    bool ours_whole = answer_parse(ours, &a), theirs_whole = answer_parse(theirs, &b);
    bool same = ours_whole && theirs_whole && same_answer(&a, &b);
    answer_free(&a);
    answer_free(&b);
    return same;
}

/* What is popped is a matter of chance, unless it is all or nothing. */
static bool pops_some(const struct bytes *argv, size_t n)
{
    int64_t count;
    if (!bytes_is(argv[0], "spop") || n > 3)
        return false;
    return n == 2 || (n == 3 && num_parse_i64(argv[2], &count) && count > 0 && count < 100);
}

/* Which names match a pattern depends on the version; and these settings would end the talk. */
static bool odd_setting(const struct bytes *argv, size_t n)
{
    if (n < 3 || !bytes_is(argv[0], "config"))
        return false;
    bool set = bytes_is(argv[1], "set");
    for (size_t i = 2; i < n; i++) {
        if (!set && (memchr(argv[i].p, '*', argv[i].n) || memchr(argv[i].p, '?', argv[i].n) ||
                     memchr(argv[i].p, '[', argv[i].n)))
            return true;
        if (bytes_is(argv[i], "maxmemory") || bytes_is(argv[i], "timeout"))
            return true;
    }
    return false;
}

/* Other users would be there in the next talk, too. */
static bool odd_user(const struct bytes *argv, size_t n)
{
    return n > 2 && bytes_is(argv[0], "acl") && bytes_is(argv[1], "setuser") &&
           !bytes_is(argv[2], "alice") && !bytes_is(argv[2], "bob");
}

/* One word more may be a timeout of years, which 7.0 really waits for. */
static bool waits_for_years(const struct bytes *argv, size_t n)
{
    int64_t timeout;
    bool blocking = argv[0].n > 2 && ascii_lower(argv[0].p[0]) == 'b' &&
                    memchr("lrz", ascii_lower(argv[0].p[1]), 3) != NULL;
    return blocking && num_parse_i64(argv[n - 1], &timeout) && timeout > 1;
}

/* Since 7.2 an option may stand behind the member, so one word more is another error. */
bool mask_fits(const struct bytes *argv, size_t n)
{
    if (n > 2 && bytes_is(argv[0], "command")) /* getkeys: the words of another one */
        return mask_fits(argv + 2, n - 2);
    bool rank = bytes_is(argv[0], "zrank") || bytes_is(argv[0], "zrevrank");
    return (!rank || n <= 3) && !pops_some(argv, n) && !odd_setting(argv, n) &&
           !odd_user(argv, n) && !waits_for_years(argv, n);
}
