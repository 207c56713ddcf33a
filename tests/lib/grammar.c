#include "tests/lib/grammar.h"

#include "base/mem.h"
#include "server/engine/syntax.h"

#include <stdlib.h>

enum { REPEATS = 4, DEPTH = 3 };

struct grammar {
    struct grammar_options options;
    struct registry *registry;
    const struct command **commands; /* the allowed ones that do something: no containers */
    struct syntax **syntax;          /* of each */
    size_t n;
    size_t ncommon; /* the first so many are about data */
    size_t numkeys; /* what the last `numkeys` promised; 0: nothing */
    int depth;      /* of commands inside commands */
    bool setting;   /* values are those of settings */
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define W(lit)                                                                                     \
    {                                                                                              \
        (lit), sizeof(lit) - 1                                                                     \
    } /* a word of a pool */

static const struct bytes keys[] = {
    W("k"),  W("k1"), W("k2"),     W("lock:{a}"),
    W("k3"), W(""),   W("\0\xff"), W("a key with blanks\r\n"),
};

static const struct bytes values[] = {
    W("a"), W("b"),   W("1"),     W("2"), W("10"),     W("token-17"),
    W(""),  W("3.5"), W("\0bin"), W("c"), W("uuid:7"),
};

static const struct bytes numbers[] = {
    W("0"), W("1"), W("2"), W("-1"), W("5"), W("-3"), W("3"), W("100"),
};

static const struct bytes scores[] = {
    W("0"),    W("1"),  W("2.5"), W("-1"), W("(1"), W("10"),  W("-inf"),
    W("+inf"), W("[a"), W("(b"),  W("-"),  W("+"),  W("1e3"),
};

static const struct bytes leases[] = {
    W("1"), W("10"), W("50"), W("100000"), W("0"), W("-1"), W("100"), W("4102444800000"),
};

static const struct bytes long_leases[] = {
    W("100000"), W("4102444800"), W("0"), W("-1"), W("200000"), W("4102444800000"), W("300000"),
};

static const struct bytes timeouts[] = {
    W("0"), W("1"), W("0.1"), W("100"), W("-1"), W("0.0001"),
};

static const struct bytes short_timeouts[] = {
    W("0.001"),
    W("0.002"),
    W("-1"),
    W("1e-3"),
};

static const struct bytes patterns[] = {
    W("*"), W("k*"), W("?"), W("[a-c]*"), W("k[^1]"), W("\\*"), W("a*a*a*ab"), W("[z-a]?"), W("["),
};

static const struct bytes channels[] = {W("ch"), W("ch2"), W("")};

static const struct bytes types[] = {
    W("string"), W("list"), W("set"), W("zset"), W("hash"), W("x"), W("HASH"),
};

static const struct bytes versions[] = {W("2"), W("3"), W("4")};

static const struct bytes settings[] = {
    W("maxmemory"),
    W("hash-max-listpack-entries"),
    W("hash-max-ziplist-value"),
    W("list-max-listpack-size"),
    W("set-max-intset-entries"),
    W("zset-max-listpack-entries"),
    W("zset-max-listpack-value"),
    W("hz"),
    W("timeout"),
    W("notify-keyspace-events"),
    W("loglevel"),
    W("slowlog-max-len"),
    W("slowlog-log-slower-than"),
    W("latency-monitor-threshold"),
    W("tracking-table-max-keys"),
    W("busy-reply-threshold"),
    W("lua-time-limit"),
    W("maxmemory-policy"),
    W("acl-pubsub-default"),
    W("proto-max-bulk-len"),
    W("nosuch"),
};

static const struct bytes setting_values[] = {
    W("0"),   W("1"),   W("2"),   W("64"),          W("128"),           W("-1"),
    W("KEA"), W("xg$"), W(""),    W("noeviction"),  W("allkeys-lru"),   W("verbose"),
    W("1mb"), W("2k"),  W("1gb"), W("allchannels"), W("resetchannels"), W("x"),
};

static const struct bytes users[] = {W("alice"), W("bob"), W("nosuch")};

static const struct bytes passwords[] = {W("secret"), W("other"), W("")};

static const struct bytes categories[] = {W("read"), W("write"), W("string"), W("nosuch")};

static const struct bytes rules[] = {
    W("on"),
    W("off"),
    W("nopass"),
    W(">secret"),
    W("<secret"),
    W("#2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"),
    W("#2BB8"),
    W("!2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"),
    W("resetpass"),
    W("allkeys"),
    W("~k*"),
    W("~lock:*"),
    W("%R~k*"),
    W("%W~k1"),
    W("%RW~k2"),
    W("%X~k"),
    W("%~k"),
    W("%R"),
    W("resetkeys"),
    W("allchannels"),
    W("&ch*"),
    W("&*"),
    W("resetchannels"),
    W("+@all"),
    W("-@all"),
    W("+@read"),
    W("-@write"),
    W("+@hash"),
    W("+@nosuch"),
    W("+get"),
    W("-get"),
    W("+set"),
    W("-set"),
    W("+config|get"),
    W("-config|get"),
    W("+config"),
    W("+client|id"),
    W("+get|x"),
    W("+nosuch"),
    W("+ping"),
    W("allcommands"),
    W("nocommands"),
    W("(+get ~k1)"),
    W("(%W~k2 +set -@hash)"),
    W("(+@all"),
    W("clearselectors"),
    W("sanitize-payload"),
    W("skip-sanitize-payload"),
    W("reset"),
    W("x"),
};

/* Texts that ask nothing of their arguments; each with the number of keys it is called with. */
static const struct bytes scripts[] = {
    W("return redis.call(unpack(ARGV))"),
    W("return redis.pcall(unpack(ARGV))"),
    W("redis.setresp(3) return redis.call(unpack(ARGV))"),
    W("local r = redis.pcall(unpack(ARGV)) return {type(r), r}"),
    W("redis.call('set', 'k', 'x') return redis.call(unpack(ARGV))"),
    W("return {KEYS, ARGV}"),
    W("if redis.call('get', 'k') == ARGV[1] then return redis.call('del', 'k') end "
      "return 0"),
    W("#!lua flags=no-writes\nreturn redis.call(unpack(ARGV))"),
    W("redis.call('hincrby', 'k1', ARGV[1], 1) return redis.call('pttl', 'k1')"),
    W("return cjson.encode(redis.call(unpack(ARGV)))"),
    W("return {1, 2.7, 'x', false, nil, 5}"),
    W("return {err='MY error'}"),
    W("return #ARGV +"),
};

static const struct bytes shas[] = {
    W("e0e1f9fabfc9d4800c877a703b823ac0578ff8db"),
    W("5332031c6b470dc5a0dd9b4bf2030dea6d65de91"),
    W("x"),
};

static const struct bytes odd[] = {
    W("9223372036854775807"),
    W("-9223372036854775808"),
    W("9223372036854775808"),
    W("18446744073709551616"),
    W("4294967296"),
    W("2147483648"),
    W("-2147483649"),
    W("1.7976931348623157e308"),
    W("5e-324"),
    W("nan"),
    W("inf"),
    W("-0"),
    W("+1"),
    W(" 1"),
    W("1 "),
    W("01"),
    W("0x10"),
    W("1e2"),
    W(""),
    W("*"),
    W("LIMIT"),
    W("NX"),
    W("\0\0\0"),
    W("9223372036854775"),
    W("-1"),
    W("%s%n%d"),
    W("0.30000000000000004"),
    W("12345678901234567"),
};

/* What a lower-case word of the syntax texts stands for; the rest are values. */
static const struct {
    const char *word;
    const struct bytes *pool, *patient;
    size_t n, npatient;
} kinds[] = {
#define POOL(word, pool)                                                                           \
    {                                                                                              \
        word, pool, pool, LENGTH(pool), LENGTH(pool)                                               \
    }
#define TIMED(word, pool, unlike)                                                                  \
    {                                                                                              \
        word, pool, unlike, LENGTH(pool), LENGTH(unlike)                                           \
    }
    POOL("key", keys),
    POOL("newkey", keys),
    POOL("source", keys),
    POOL("destination", keys),
    POOL("increment", numbers),
    POOL("decrement", numbers),
    POOL("start", numbers),
    POOL("stop", scores),
    POOL("end", numbers),
    POOL("offset", numbers),
    POOL("index", numbers),
    POOL("count", numbers),
    POOL("len", numbers),
    POOL("rank", numbers),
    POOL("num-matches", numbers),
    POOL("client-id", numbers),
    POOL("cursor", numbers),
    POOL("slot", numbers),
    POOL("score", scores),
    POOL("min", scores),
    POOL("max", scores),
    POOL("pattern", patterns),
    POOL("channel", channels),
    POOL("shardchannel", channels),
    POOL("type", types),
    POOL("protover", versions),
    POOL("parameter", settings),
    POOL("username", users),
    POOL("password", passwords),
    POOL("category", categories),
    POOL("rule", rules),
    POOL("sha1", shas),
    TIMED("seconds", leases, long_leases),
    TIMED("milliseconds", leases, long_leases),
    TIMED("unix-time-seconds", leases, long_leases),
    TIMED("unix-time-milliseconds", leases, long_leases),
    TIMED("timeout", timeouts, short_timeouts),
};

size_t sentence_words(const struct sentence *s, struct bytes *argv)
{
    size_t from = 0;
    for (size_t i = 0; i < s->n; from = s->end[i++])
        argv[i] = (struct bytes){buf_bytes(&s->text).p + from, s->end[i] - from};
    return s->n;
}

void sentence_add(struct sentence *s, struct bytes word)
{
    if (s->n == GRAMMAR_WORDS)
        return;
    buf_put(&s->text, word);
    s->end[s->n++] = (uint32_t)buf_len(&s->text);
}

static void drop_last(struct sentence *s)
{
    if (s->n > 1)
        s->text.to = s->end[--s->n - 1];
}

void sentence_clear(struct sentence *s)
{
    buf_clear(&s->text);
    s->n = 0;
}

void sentence_free(struct sentence *s)
{
    buf_free(&s->text);
}

static bool about_data(const struct command *c)
{
    switch (c->group) {
    case GROUP_STRING:
    case GROUP_LIST:
    case GROUP_SET:
    case GROUP_ZSET:
    case GROUP_HASH: return true;
    case GROUP_GENERIC:
    case GROUP_TRANSACTIONS:
    case GROUP_SCRIPTING:
    case GROUP_PUBSUB:
    case GROUP_CONNECTION:
    case GROUP_SERVER:
    case GROUP_CLUSTER:
    case GROUP_TESTING: break;
    }
    return c->full_name == NULL && c->group <= GROUP_TRANSACTIONS;
}

static void collect(struct grammar *g, bool common)
{
    for (size_t id = 0; id < registry_count(g->registry); id++) {
        const struct command *c = registry_at(g->registry, id);
        if (c->sub || about_data(c) != common || (g->options.allowed && !g->options.allowed(c)))
            continue;
        g->commands[g->n] = c;
        g->syntax[g->n++] = syntax_parse(c->syntax ? c->syntax : "");
    }
}

struct grammar *grammar_new(const struct grammar_options *options)
{
    struct grammar *g = mem_alloc(sizeof *g);
    g->options = *options;
    g->registry = registry_new(false);
    g->commands = mem_alloc(registry_count(g->registry) * sizeof *g->commands);
    g->syntax = mem_alloc(registry_count(g->registry) * sizeof *g->syntax);
    collect(g, true);
    g->ncommon = g->n;
    collect(g, false);
    return g;
}

void grammar_free(struct grammar *g)
{
    for (size_t i = 0; i < g->n; i++)
        syntax_free(g->syntax[i]);
    mem_free(g->commands);
    mem_free(g->syntax);
    registry_free(g->registry);
    mem_free(g);
}

#define pick(d, pool) ((pool)[dice_roll((d), LENGTH(pool))])

static void say_number(struct dice *d, struct sentence *s)
{
    char text[24];
    struct buf b = {.p = text, .cap = sizeof text};
    buf_put_i64(&b, (int64_t)dice_roll(d, 256) - 128);
    sentence_add(s, buf_bytes(&b));
}

/* A long value, so that compact forms are left. */
static void say_long(struct dice *d, struct sentence *s)
{
    char text[700];
    size_t n = dice_roll(d, sizeof text);
    memset(text, "xy0\0"[dice_roll(d, 4)], sizeof text);
    sentence_add(s, (struct bytes){text, n});
}

static void say_value(struct dice *d, struct sentence *s)
{
    switch (dice_roll(d, 8)) {
    case 6: say_number(d, s); return;
    case 7: say_long(d, s); return;
    default: sentence_add(s, pick(d, values));
    }
}

static void say_command(struct grammar *g, struct dice *d, struct sentence *s);

/* A script with its keys; its arguments are a command of its own. */
static void say_script(struct grammar *g, struct dice *d, struct sentence *s)
{
    sentence_add(s, pick(d, scripts));
    sentence_add(s, BYTES("0"));
    if (g->depth < DEPTH)
        say_command(g, d, s);
}

static void say_numkeys(struct grammar *g, struct dice *d, struct sentence *s)
{
    g->numkeys = 1 + dice_roll(d, 3);
    sentence_add(s, (struct bytes){&"0123"[g->numkeys], 1});
    if (dice_once_in(d, 12))
        g->numkeys = 0;
}

static void say_word(struct grammar *g, struct dice *d, struct sentence *s, struct bytes word)
{
    bool waits = g->options.patient && bytes_eq(word, BYTES("timeout"));
    if (!waits && dice_once_in(d, 24)) {
        sentence_add(s, pick(d, odd));
        return;
    }
    if (bytes_eq(word, BYTES("numkeys"))) {
        say_numkeys(g, d, s);
        return;
    }
    if (bytes_eq(word, BYTES("command")) || bytes_eq(word, BYTES("command-name"))) {
        const struct command *c = g->commands[dice_roll(d, g->n)];
        sentence_add(s, bytes_of(command_full_name(c)));
        return;
    }
    if (g->setting && bytes_eq(word, BYTES("value"))) {
        sentence_add(s, pick(d, setting_values));
        return;
    }
    for (size_t i = 0; i < LENGTH(kinds); i++) {
        if (!bytes_eq(word, bytes_of(kinds[i].word)))
            continue;
        bool patient = g->options.patient;
        size_t n = patient ? kinds[i].npatient : kinds[i].n;
        sentence_add(s, (patient ? kinds[i].patient : kinds[i].pool)[dice_roll(d, n)]);
        return;
    }
    say_value(d, s);
}

static bool left_out(const struct grammar *g, struct bytes token)
{
    for (const char *const *w = g->options.without; w && *w; w++)
        if (bytes_eq(token, bytes_of(*w)))
            return true;
    return false;
}

static void say_list(struct grammar *g, struct dice *d, struct sentence *s,
                     const struct syntax *list);

static void say_one(struct grammar *g, struct dice *d, struct sentence *s, const struct syntax *a);

static void say_choice(struct grammar *g, struct dice *d, struct sentence *s,
                       const struct syntax *choices)
{
    size_t n = 0;
    for (const struct syntax *c = choices; c; c = c->next)
        n++;
    for (size_t at = dice_roll(d, n); choices && at; at--)
        choices = choices->next;
    if (choices && !left_out(g, choices->kind == SYNTAX_TOKEN ? choices->name : choices->token))
        say_one(g, d, s, choices);
}

/* One argument, once. */
static void say_one(struct grammar *g, struct dice *d, struct sentence *s, const struct syntax *a)
{
    if (a->token.n)
        sentence_add(s, a->token);
    switch (a->kind) {
    case SYNTAX_WORD: say_word(g, d, s, a->name); break;
    case SYNTAX_TOKEN: sentence_add(s, a->name); break;
    case SYNTAX_BLOCK: say_list(g, d, s, a->inner); break;
    case SYNTAX_ONEOF: say_choice(g, d, s, a->inner); break;
    }
}

static void say_list(struct grammar *g, struct dice *d, struct sentence *s,
                     const struct syntax *list)
{
    for (const struct syntax *a = list; a; a = a->next) {
        if (left_out(g, a->kind == SYNTAX_TOKEN ? a->name : a->token))
            continue;
        if (a->optional && dice_roll(d, 3) != 0)
            continue;
        size_t times = 1;
        if (a->multiple && g->numkeys)
            times = g->numkeys;
        else if (a->multiple)
            times = 1 + dice_roll(d, dice_once_in(d, 16) ? 3 * REPEATS : REPEATS);
        if (a->multiple)
            g->numkeys = 0;
        while (times--)
            say_one(g, d, s, a);
    }
}

/* "client|setname" is two words. */
static void say_name(struct dice *d, struct sentence *s, const struct command *c)
{
    struct bytes name = bytes_of(command_full_name(c));
    const char *bar = memchr(name.p, '|', name.n);
    if (bar) {
        sentence_add(s, (struct bytes){name.p, (size_t)(bar - name.p)});
        name = (struct bytes){bar + 1, name.n - (size_t)(bar + 1 - name.p)};
    }
    sentence_add(s, dice_once_in(d, 200) ? BYTES("nosuch") : name);
}

static void say_command(struct grammar *g, struct dice *d, struct sentence *s)
{
    size_t at = dice_roll(d, dice_roll(d, 5) ? g->ncommon : g->n);
    const struct command *c = g->commands[at];
    bool outermost = g->depth++ == 0;
    if (outermost)
        s->command = c;
    say_name(d, s, c);
    g->numkeys = 0;
    g->setting = strcmp(command_full_name(c), "config|set") == 0;
    if (strcmp(c->name, "eval") == 0 || strcmp(c->name, "eval_ro") == 0)
        say_script(g, d, s);
    else
        say_list(g, d, s, g->syntax[at]);
    g->depth--;
    switch (dice_roll(d, 40)) {
    case 38: drop_last(s); break;
    case 39: say_word(g, d, s, BYTES("key")); break;
    default: break;
    }
}

void grammar_say(struct grammar *g, struct dice *d, struct sentence *s)
{
    sentence_clear(s);
    g->depth = 0;
    say_command(g, d, s);
}
