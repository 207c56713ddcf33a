/*
 * How does one know that a reply is complete, with pushed messages, several replies to one
 * SUBSCRIBE, and none? Every line is followed by a PING with a number of its own; when that comes
 * back, everything before it belongs to the line. In a transaction the PING is queued: then the
 * second answer ends it, and EXEC shows the PINGs of both alike.
 */
#include "tests/difffuzz/duel.h"

#include "base/quote.h"
#include "tests/compat/compare.h"
#include "tests/difffuzz/masks.h"
#include "tests/lib/answer.h"

#include <stdio.h>

enum { REPLY_MS = 5000 };

static bool tell(struct client *c, const char *line)
{
    struct buf reply = {0};
    bool told = client_say(c, line) && client_read(c, REPLY_MS, &reply) == CLIENT_REPLY;
    buf_free(&reply);
    return told;
}

bool duel_open(struct duel *d, const char *ours, const char *theirs)
{
    *d = (struct duel){.sockets = {ours, theirs}};
    for (int side = 0; side < 2; side++)
        for (int who = 0; who < DUEL_CLIENTS; who++)
            d->clients[side][who].fd = -1;
    return client_connect_unix(&d->control[0], ours) && client_connect_unix(&d->control[1], theirs);
}

void duel_close(struct duel *d)
{
    for (int side = 0; side < 2; side++) {
        for (int who = 0; who < DUEL_CLIENTS; who++)
            client_close(&d->clients[side][who]);
        client_close(&d->control[side]);
        buf_free(&d->replies[side]);
    }
}

static bool dial(struct duel *d, int side, int who, int protocol)
{
    struct client *c = &d->clients[side][who];
    client_close(c);
    return client_connect_unix(c, d->sockets[side]) && (protocol == 2 || tell(c, "HELLO 3"));
}

/* What a talk may have left behind. */
static const char *const fresh[] = {
    "FLUSHALL",
    "SCRIPT FLUSH",
    "ACL DELUSER alice bob nosuch",
    "CONFIG SET hash-max-listpack-entries 128 hash-max-listpack-value 64 list-max-listpack-size -2 "
    "set-max-intset-entries 512 zset-max-listpack-entries 128 zset-max-listpack-value 64 hz 10 "
    "notify-keyspace-events \"\" loglevel notice slowlog-max-len 128 slowlog-log-slower-than 10000 "
    "latency-monitor-threshold 0 tracking-table-max-keys 1000000 busy-reply-threshold 5000 "
    "maxmemory-policy noeviction acl-pubsub-default resetchannels proto-max-bulk-len 512mb",
};

static bool begin(struct duel *d, int protocol)
{
    for (int side = 0; side < 2; side++) {
        for (int who = 0; who < DUEL_CLIENTS; who++)
            if (!dial(d, side, who, protocol))
                return false;
        for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
            if (!tell(&d->control[side], fresh[i]))
                return false;
    }
    return true;
}

/* The user may do other things, but not that. */
static bool refuses_ping(struct bytes text)
{
    return memmem(text.p, text.n, BYTES("-NOPERM").p, 7) && memmem(text.p, text.n, "'ping'", 6);
}

/* All replies up to the number, one behind the other; what came instead is written there, too. One
 * that is still waited for cannot be told from the next, so the connection is given up. */
static void listen(struct client *c, struct bytes nonce, struct buf *out)
{
    for (size_t answers = 1;; answers++) {
        struct buf one = {0};
        enum client_got got = client_read(c, REPLY_MS, &one);
        struct bytes text = buf_bytes(&one);
        bool last = got != CLIENT_REPLY || memmem(text.p, text.n, nonce.p, nonce.n) ||
                    (answers > 1 && (bytes_eq(text, BYTES("+QUEUED\r\n")) || refuses_ping(text)));
        if (got == CLIENT_REPLY && !last)
            buf_put(out, text);
        else if (got != CLIENT_REPLY)
            buf_printf(out, got == CLIENT_CLOSED ? "(closed)" : "(nothing came)");
        c->eof |= got != CLIENT_REPLY;
        buf_free(&one);
        if (last)
            return;
    }
}

static void say(struct duel *d, const struct line *line)
{
    struct bytes argv[GRAMMAR_WORDS], ping[] = {BYTES("PING"), {0}};
    char nonce[24];
    size_t n = sentence_words(&line->words, argv);
    ping[1] = (struct bytes){nonce, (size_t)snprintf(nonce, sizeof nonce, "<%u>", ++d->nonce)};
    for (int side = 0; side < 2; side++) {
        client_command(&d->clients[side][line->who], argv, n);
        client_command(&d->clients[side][line->who], ping, 2);
    }
    for (int side = 0; side < 2; side++) {
        buf_clear(&d->replies[side]);
        listen(&d->clients[side][line->who], ping[1], &d->replies[side]);
    }
}

enum kind { KIND_REPLY, KIND_PUSH, KIND_PMESSAGE };

static enum kind kind_of(struct bytes reply)
{
    struct bytes mark = BYTES("4\r\n$8\r\npmessage");
    if (reply.n > mark.n + 1 && memcmp(reply.p + 1, mark.p, mark.n) == 0)
        return KIND_PMESSAGE;
    return reply.p[0] == '>' ? KIND_PUSH : KIND_REPLY;
}

/* The next reply of that kind; empty when there is no further one. */
static struct bytes next_of(struct bytes *replies, enum kind kind)
{
    while (replies->n) {
        ssize_t n = answer_length(*replies);
        struct bytes one = {replies->p, n > 0 ? (size_t)n : replies->n};
        *replies = (struct bytes){one.p + one.n, replies->n - one.n};
        if (kind_of(one) == kind)
            return one;
    }
    return (struct bytes){0};
}

/* How often it is among the messages for patterns. */
static size_t count_of(struct bytes replies, struct bytes message)
{
    size_t n = 0;
    for (struct bytes one; (one = next_of(&replies, KIND_PMESSAGE)).n;)
        n += bytes_eq(one, message);
    return n;
}

/* Patterns that match the same message get it in the order of a hash table. */
static bool same_pmessages(struct bytes a, struct bytes b)
{
    struct bytes rest_a = a, rest_b = b, x, y;
    do {
        x = next_of(&rest_a, KIND_PMESSAGE);
        y = next_of(&rest_b, KIND_PMESSAGE);
        if ((x.n == 0) != (y.n == 0) || count_of(a, x) != count_of(b, x))
            return false;
    } while (x.n);
    return true;
}

/* Replies and pushes each in their order; since 7.2 pushes wait until the reply is complete. */
static bool same(const struct check *check, struct bytes a, struct bytes b)
{
    for (enum kind kind = KIND_REPLY; kind <= KIND_PUSH; kind++) {
        struct bytes rest_a = a, rest_b = b, x, y;
        do {
            x = next_of(&rest_a, kind);
            y = next_of(&rest_b, kind);
            bool alike = x.n == y.n && x.n == 0;
            if (x.n && y.n)
                alike = compare(check, x, y) || mask_changed(x, y);
            if (!alike)
                return false;
        } while (x.n);
    }
    return same_pmessages(a, b);
}

bool duel_run(struct duel *d, const struct talk *t, size_t *alike)
{
    if (!begin(d, t->protocol))
        return false;
    for (*alike = 0; *alike < t->n; ++*alike) {
        const struct line *line = &t->lines[*alike];
        struct check check = mask_check(line->words.command);
        say(d, line);
        if (!same(&check, buf_bytes(&d->replies[0]), buf_bytes(&d->replies[1])))
            break;
        for (int side = 0; side < 2; side++)
            if (d->clients[side][line->who].eof && !dial(d, side, line->who, t->protocol))
                return false;
    }
    return true;
}

void talk_free(struct talk *t)
{
    for (size_t i = 0; i < DUEL_LINES; i++)
        sentence_free(&t->lines[i].words);
}

void talk_drop(struct talk *t, size_t at)
{
    struct line gone = t->lines[at];
    memmove(&t->lines[at], &t->lines[at + 1], (t->n - at - 1) * sizeof *t->lines);
    t->lines[--t->n] = gone;
}

/* Words that need no quotes are written without. */
static void put_word(struct buf *out, struct bytes word)
{
    bool plain = word.n > 0;
    for (size_t i = 0; plain && i < word.n; i++)
        plain = word.p[i] > ' ' && word.p[i] < 127 && !strchr("\"'\\$", word.p[i]);
    if (plain)
        buf_put(out, word);
    else
        quote_put(out, word);
}

void talk_print(const struct talk *t, struct buf *out)
{
    buf_printf(out, "resp %d\n", t->protocol);
    for (size_t i = 0; i < t->n; i++) {
        struct bytes argv[GRAMMAR_WORDS];
        size_t n = sentence_words(&t->lines[i].words, argv);
        buf_printf(out, t->lines[i].who ? "b>" : ">");
        for (size_t k = 0; k < n; k++) {
            buf_putc(out, ' ');
            put_word(out, argv[k]);
        }
        buf_putc(out, '\n');
    }
}
