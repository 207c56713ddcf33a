/*
 * Steps do not sleep, yet one connection's command must have been taken up before another's is
 * sent. A server with one loop has seen all that was sent before once it has answered two PINGs on
 * another connection: the first may have been read in the same turn of its loop and before our
 * bytes, the second cannot. That is settle().
 */
#include "tests/compat/side.h"

#include "base/mem.h"
#include "tests/compat/compare.h"
#include "tests/lib/answer.h"
#include "tests/lib/words.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPLY_MS = 5000, SCAN_ROUNDS = 100000 };

/* Asks on the control connection. */
static bool ask(struct side *s, const char *line, struct buf *reply)
{
    return client_say(&s->control, line) &&
           client_read(&s->control, REPLY_MS, reply) == CLIENT_REPLY;
}

static bool tell(struct side *s, const char *line)
{
    struct buf reply = {0};
    bool answered = ask(s, line, &reply);
    buf_free(&reply);
    return answered;
}

static bool settle(struct side *s)
{
    bool answered = true;
    for (int i = 0; answered && i < 2; i++)
        answered = tell(s, "PING");
    return answered;
}

bool side_open(struct side *s, const char *name, const char *socket)
{
    struct buf info = {0};
    *s = (struct side){.name = name, .socket = socket};
    bool up = client_connect_unix(&s->control, socket) && ask(s, "INFO server", &info);
    if (up)
        s->version = version_of_info(buf_bytes(&info));
    buf_free(&info);
    return up;
}

static void forget(struct side *s)
{
    for (size_t i = 0; i < s->npeers; i++)
        client_close(&s->peers[i].client);
    for (size_t i = 0; i < s->nvars; i++)
        buf_free(&s->vars[i].value);
    s->npeers = s->nvars = 0;
}

void side_close(struct side *s)
{
    forget(s);
    buf_free(&s->restore);
    client_close(&s->control);
}

static void put_word(struct buf *out, struct bytes word)
{
    buf_printf(out, "$%zu\r\n", word.n);
    buf_put(out, word);
    buf_put(out, BYTES("\r\n"));
}

/* Remembers what `name` is set to, as the command that sets it. */
static void remember_config(struct side *s, struct bytes name)
{
    struct buf reply = {0};
    struct answer a = {0};
    const struct bytes words[] = {BYTES("CONFIG"), BYTES("GET"), name};
    if (client_command(&s->control, words, 3) &&
        client_read(&s->control, REPLY_MS, &reply) == CLIENT_REPLY &&
        answer_parse(buf_bytes(&reply), &a) && a.kind == '*' && a.n == 2) {
        buf_put(&s->restore, BYTES("*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n"));
        put_word(&s->restore, a.items[0].text);
        put_word(&s->restore, a.items[1].text);
        s->nrestore++;
    }
    answer_free(&a);
    buf_free(&reply);
}

static void remember_configs(struct side *s, const struct script_case *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct words w = {0};
        if (!c->steps[i].raw && words_split(&w, c->steps[i].text) && w.n > 3 &&
            bytes_is(w.word[0], "CONFIG") && bytes_is(w.word[1], "SET"))
            for (size_t k = 2; k + 1 < w.n; k += 2)
                remember_config(s, w.word[k]);
        words_free(&w);
    }
}

bool side_begin(struct side *s, const struct script_case *c, int protocol)
{
    static const char *const fresh[] = {"CLIENT UNPAUSE", "FLUSHALL", "SCRIPT FLUSH"};
    forget(s);
    s->protocol = protocol;
    for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
        tell(s, fresh[i]);
    remember_configs(s, c);
    return settle(s);
}

void side_end(struct side *s)
{
    struct buf replies = {0};
    forget(s);
    client_send(&s->control, buf_bytes(&s->restore));
    for (; s->nrestore > 0; s->nrestore--)
        client_read(&s->control, REPLY_MS, &replies);
    buf_clear(&s->restore);
    buf_free(&replies);
}

static struct client *find_peer(struct side *s, struct bytes name)
{
    for (size_t i = 0; i < s->npeers; i++)
        if (bytes_eq(s->peers[i].name, name))
            return &s->peers[i].client;
    return NULL;
}

/* The connection of that name, made at its first use. NULL when that fails. */
static struct client *peer(struct side *s, struct bytes name)
{
    struct client *c = find_peer(s, name);
    if (c || s->npeers == SIDE_PEERS)
        return c;
    c = &s->peers[s->npeers].client;
    if (!client_connect_unix(c, s->socket))
        return NULL;
    s->peers[s->npeers++].name = name;
    struct buf hello = {0};
    if (s->protocol == 3 && client_say(c, "HELLO 3"))
        client_read(c, REPLY_MS, &hello);
    buf_free(&hello);
    return c;
}

static struct bytes find_var(const struct side *s, struct bytes name)
{
    for (size_t i = s->nvars; i-- > 0;)
        if (bytes_eq(s->vars[i].name, name))
            return buf_bytes(&s->vars[i].value);
    return BYTES("(no such variable)");
}

static void save_var(struct side *s, struct bytes name, struct bytes reply)
{
    struct answer a;
    if (s->nvars < SIDE_VARS && answer_parse(reply, &a)) {
        s->vars[s->nvars].name = name;
        s->vars[s->nvars].value = (struct buf){0};
        buf_put(&s->vars[s->nvars++].value, a.text);
    }
    answer_free(&a);
}

/* What stands for ${inside}: ${ms+N} and ${s+N} are points in time, ${text*N} repeats, anything
 * else is a saved value. */
static void expand_one(const struct side *s, struct bytes inside, int64_t now_ms, struct buf *out)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", BYTES_FMT(inside));
    const char *star = memchr(inside.p, '*', inside.n);
    if (strncmp(copy, "ms+", 3) == 0 || strncmp(copy, "ms-", 3) == 0) {
        buf_put_i64(out, now_ms + strtoll(copy + 2, NULL, 10));
    } else if (strncmp(copy, "s+", 2) == 0 || strncmp(copy, "s-", 2) == 0) {
        buf_put_i64(out, now_ms / 1000 + strtoll(copy + 1, NULL, 10));
    } else if (star) {
        for (long n = strtol(star + 1, NULL, 10); n > 0; n--)
            buf_put(out, (struct bytes){inside.p, (size_t)(star - inside.p)});
    } else {
        buf_put(out, find_var(s, inside));
    }
}

static void expand(const struct side *s, struct bytes text, int64_t now_ms, struct buf *out)
{
    while (text.n) {
        const char *open = memmem(text.p, text.n, "${", 2);
        const char *end = open ? memchr(open, '}', (size_t)(text.p + text.n - open)) : NULL;
        size_t plain = end ? (size_t)(open - text.p) : text.n;
        buf_put(out, (struct bytes){text.p, plain});
        if (end) {
            expand_one(s, (struct bytes){open + 2, (size_t)(end - open) - 2}, now_ms, out);
            plain = (size_t)(end + 1 - text.p);
        }
        text = (struct bytes){text.p + plain, text.n - plain};
    }
}

static void step_words(const struct side *s, const struct step *step, int64_t now_ms,
                       struct words *w)
{
    struct buf line = {0};
    expand(s, step->text, now_ms, &line);
    words_split(w, buf_bytes(&line));
    buf_free(&line);
}

static void send_step(struct side *s, struct client *c, const struct step *step, int64_t now_ms)
{
    struct words w;
    step_words(s, step, now_ms, &w);
    if (step->raw)
        client_send(c, buf_bytes(&w.text)); /* the words, one after the other */
    else
        client_command(c, w.word, w.n);
    words_free(&w);
}

static void read_reply(struct client *c, struct buf *reply)
{
    switch (client_read(c, REPLY_MS, reply)) {
    case CLIENT_REPLY:
    case CLIENT_GARBAGE: break;
    case CLIENT_CLOSED: buf_put(reply, BYTES("(closed)")); break;
    case CLIENT_TIMEOUT: buf_put(reply, BYTES(SIDE_NOTHING)); break;
    }
}

/* Adds one page's elements to `all`; the next cursor replaces word `at`. False at an error. */
static bool scan_page(struct bytes page, struct buf *all, size_t *n, struct buf *cursor)
{
    struct answer a;
    bool good = answer_parse(page, &a) && a.kind == '*' && a.n == 2;
    if (good) {
        buf_clear(cursor);
        buf_put(cursor, a.items[0].text);
        for (size_t i = 0; i < a.items[1].n; i++)
            buf_put(all, a.items[1].items[i].raw);
        *n += a.items[1].n;
    }
    answer_free(&a);
    return good;
}

/* Answers all elements as one array, sorted and each once, whatever the cursors were. */
static void scan(struct side *s, struct client *c, const struct step *step, struct buf *reply)
{
    struct words w;
    struct buf all = {0}, page = {0}, cursor = {0}, whole = {0};
    size_t n = 0;
    bool good = true;
    step_words(s, step, 0, &w);
    size_t at = w.n && bytes_is(w.word[0], "SCAN") ? 1 : 2;
    size_t width = w.n && (bytes_is(w.word[0], "HSCAN") || bytes_is(w.word[0], "ZSCAN")) ? 2 : 1;
    for (int i = 0; good && w.n > at && i < SCAN_ROUNDS; i++) {
        buf_clear(&page);
        client_command(c, w.word, w.n);
        read_reply(c, &page);
        good = scan_page(buf_bytes(&page), &all, &n, &cursor);
        w.word[at] = buf_bytes(&cursor);
        if (bytes_eq(w.word[at], BYTES("0")))
            break;
    }
    buf_printf(&whole, "*%zu\r\n", n);
    buf_put(&whole, buf_bytes(&all));
    if (good)
        compare_collect(buf_bytes(&whole), width, reply);
    else
        buf_put(reply, buf_bytes(&page));
    words_free(&w);
    buf_free(&all);
    buf_free(&page);
    buf_free(&cursor);
    buf_free(&whole);
}

void side_do(struct side *s, const struct step *step, int64_t now_ms, struct buf *reply)
{
    struct client *c = peer(s, step->conn);
    if (c == NULL) {
        buf_put(reply, BYTES("(cannot connect)"));
        return;
    }
    switch (step->kind) {
    case STEP_ASK:
        send_step(s, c, step, now_ms);
        read_reply(c, reply);
        break;
    case STEP_SEND:
        send_step(s, c, step, now_ms);
        settle(s);
        break;
    case STEP_READ: read_reply(c, reply); break;
    case STEP_SCAN: scan(s, c, step, reply); break;
    case STEP_QUIET:
        settle(s);
        if (client_quiet(c))
            buf_put(reply, BYTES("(none)"));
        else
            read_reply(c, reply);
        break;
    case STEP_CLOSE:
        client_close(c);
        settle(s);
        break;
    case STEP_SHUT:
        client_half_close(c);
        settle(s);
        break;
    }
    if (step->save.n)
        save_var(s, step->save, buf_bytes(reply));
}
